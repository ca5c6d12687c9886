/// The types of a wallet's outputs, and the paths of their keys (BIP44, BIP49, BIP84, BIP86).
#include "wallet/keys/key_path.h"

#include <cassert>
#include <charconv>
#include <system_error>

#include "chain/enum_table.h"
#include "chain/hash.h"
#include "chain/script/script.h"

namespace petal::wallet {

namespace {

struct KindRow {
    std::string_view name;
    std::uint32_t purpose = 0;
    chain::ScriptType type = chain::ScriptType::other;
};

constexpr auto kKinds = chain::enum_table<ScriptKind, KindRow>({
    {ScriptKind::wpkh, {"wpkh", 84, chain::ScriptType::p2wpkh}},
    {ScriptKind::tr, {"tr", 86, chain::ScriptType::p2tr}},
    {ScriptKind::sh_wpkh, {"sh-wpkh", 49, chain::ScriptType::p2sh}},
    {ScriptKind::pkh, {"pkh", 44, chain::ScriptType::p2pkh}},
});

}  // namespace

std::string_view describe(ScriptKind kind) {
    return kKinds[kind].name;
}

std::optional<ScriptKind> find_script_kind(std::string_view name) {
    return kKinds.find(&KindRow::name, name);
}

std::uint32_t purpose(ScriptKind kind) {
    return kKinds[kind].purpose;
}

AccountPath account_path(Account account, std::uint32_t coin_type) {
    assert(account.number < kHardened);
    return {kHardened | purpose(account.kind), kHardened | coin_type, kHardened | account.number};
}

Account account_of(ScriptKind kind, const ExtendedPublicKey& key) {
    return {kind, key.position().child_number & ~kHardened};
}

std::string path_to_string(std::span<const std::uint32_t> child_numbers) {
    std::string text;
    for (const std::uint32_t number : child_numbers) {
        text += '/' + std::to_string(number & ~kHardened);
        if ((number & kHardened) != 0) text += 'h';
    }
    return text;
}

std::optional<std::vector<std::uint32_t>> parse_master_path(std::string_view text) {
    constexpr std::size_t kMaxDepth = 255;
    std::vector<std::uint32_t> path;
    if (!text.starts_with('m')) return std::nullopt;
    text.remove_prefix(1);
    while (!text.empty()) {
        if (text.front() != '/' || path.size() == kMaxDepth) return std::nullopt;
        text.remove_prefix(1);
        std::uint32_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{} || number >= kHardened) return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        const bool is_hardened =
            !text.empty() && std::string_view("hH'").find(text.front()) != std::string_view::npos;
        if (is_hardened) text.remove_prefix(1);
        path.push_back(is_hardened ? number + kHardened : number);
    }
    return path;
}

chain::Bytes script_for(ScriptKind kind, const PublicKey& key) {
    switch (kind) {
        case ScriptKind::wpkh:
            return chain::p2wpkh_script(chain::hash160(key.compressed()));
        case ScriptKind::tr:
            return chain::witness_program_script(1, key.taproot_output_key());
        case ScriptKind::sh_wpkh: {
            const auto redeem_script = chain::p2wpkh_script(chain::hash160(key.compressed()));
            return chain::p2sh_script(chain::hash160(redeem_script));
        }
        case ScriptKind::pkh:
            return chain::p2pkh_script(chain::hash160(key.compressed()));
    }
    assert(false);
    return {};
}

chain::ScriptType script_type(ScriptKind kind) {
    return kKinds[kind].type;
}

}  // namespace petal::wallet
