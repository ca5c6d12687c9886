/// The keys of a wallet: the types of outputs, and the paths of their keys (BIP44, BIP49, BIP84,
/// BIP86).
#include "wallet/keys/key_path.h"

#include <cassert>

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
