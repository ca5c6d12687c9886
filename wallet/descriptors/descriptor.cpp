/// Output descriptors (BIP380 to BIP386, BIP389, Bitcoin Core: doc/descriptors.md).
#include "wallet/descriptors/descriptor.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "chain/enum_table.h"
#include "wallet/descriptors/address.h"
#include "wallet/descriptors/descriptor_checksum.h"
#include "wallet/descriptors/descriptor_parser.h"

namespace petal::wallet {

namespace {

constexpr auto kFunctionNames = chain::enum_table<ScriptFunction, std::string_view>({
    {ScriptFunction::pk, "pk"},
    {ScriptFunction::pkh, "pkh"},
    {ScriptFunction::wpkh, "wpkh"},
    {ScriptFunction::tr, "tr"},
    {ScriptFunction::combo, "combo"},
    {ScriptFunction::multi, "multi"},
    {ScriptFunction::sortedmulti, "sortedmulti"},
    {ScriptFunction::addr, "addr"},
    {ScriptFunction::raw, "raw"},
});

/// The functions around the innermost function.
struct Enclosure {
    std::string_view before;
    std::string_view behind;
};

constexpr auto kEnclosures = chain::enum_table<ScriptWrapping, Enclosure>({
    {ScriptWrapping::none, {"", ""}},
    {ScriptWrapping::sh, {"sh(", ")"}},
    {ScriptWrapping::wsh, {"wsh(", ")"}},
    {ScriptWrapping::sh_wsh, {"sh(wsh(", "))"}},
});

struct Output {
    ScriptFunction function = ScriptFunction::wpkh;
    ScriptWrapping wrapping = ScriptWrapping::none;
};

constexpr auto kOutputs = chain::enum_table<ScriptKind, Output>({
    {ScriptKind::wpkh, {ScriptFunction::wpkh, ScriptWrapping::none}},
    {ScriptKind::tr, {ScriptFunction::tr, ScriptWrapping::none}},
    {ScriptKind::sh_wpkh, {ScriptFunction::wpkh, ScriptWrapping::sh}},
    {ScriptKind::pkh, {ScriptFunction::pkh, ScriptWrapping::none}},
});

std::string script_text(const Descriptor& descriptor, const chain::NetworkParams& network) {
    return descriptor.function() == ScriptFunction::addr ? address_of(descriptor.script(), network)
                                                         : chain::to_hex(descriptor.script());
}

/// `Text` and the result of `key_text` are std::string or SecretString.
template <typename Text, typename KeyText>
Text write(const Descriptor& descriptor, const chain::NetworkParams& network,
           const KeyText& key_text) {
    const auto [before, behind] = kEnclosures[descriptor.wrapping()];
    Text text{before};
    text += name_of(descriptor.function());
    text += '(';
    if (is_multisig(descriptor.function())) text += std::to_string(descriptor.threshold()) + ',';
    if (descriptor.keys().empty()) text += script_text(descriptor, network);
    for (const KeyExpression& key : descriptor.keys()) {
        if (&key != descriptor.keys().data()) text += ',';
        text += key_text(key);
    }
    text += ')';
    text += behind;
    const auto checksum = descriptor_checksum(text);
    assert(checksum);
    text += '#';
    text += *checksum;
    return text;
}

/// The key without its private part. Empty if the public key cannot derive the same children.
std::optional<KeyExpression> to_public(const KeyExpression& key) {
    KeyExpression result = key;
    if (const auto* constant = std::get_if<ConstantPrivateKey>(&key.key)) {
        result.key = ConstantPublicKey{constant->key.public_key(), constant->form};
    }
    const auto* root = std::get_if<ExtendedPrivateKey>(&key.key);
    if (root == nullptr) return result;
    if (key.range == RangeKind::hardened) return std::nullopt;

    const auto is_hardened = [](std::uint32_t number) { return number >= kHardened; };
    const auto last = std::find_if(key.path.rbegin(), key.path.rend(), is_hardened);
    const auto steps = static_cast<std::size_t>(key.path.rend() - last);
    if (key.multipath &&
        (key.multipath->step < steps || std::ranges::any_of(key.multipath->numbers, is_hardened))) {
        return std::nullopt;
    }
    const std::span hardened{key.path.data(), steps};
    const auto derived = root->derive_path(hardened);
    if (!derived) return std::nullopt;  // fails by chance once in 2^127
    result.key = derived->public_key();
    if (hardened.empty()) return result;
    result.origin = key.root_origin();
    result.origin->path.insert(result.origin->path.end(), hardened.begin(), hardened.end());
    result.path.assign(key.path.begin() + static_cast<std::ptrdiff_t>(steps), key.path.end());
    if (result.multipath) result.multipath->step -= steps;
    return result;
}

}  // namespace

chain::Expected<Descriptor, DescriptorError> Descriptor::parse(std::string_view text,
                                                               const chain::NetworkParams& network,
                                                               DescriptorOptions options) {
    return DescriptorParser{text, network, options}.parse();
}

Descriptor Descriptor::of_key(ScriptFunction function, ScriptWrapping wrapping, KeyExpression key) {
    assert(function <= ScriptFunction::combo);
    assert(wrapping == ScriptWrapping::none ||
           (wrapping == ScriptWrapping::sh && function == ScriptFunction::wpkh));
    Descriptor result;
    result.function_ = function;
    result.wrapping_ = wrapping;
    result.threshold_ = 1;
    result.keys_.push_back(std::move(key));
    return result;
}

Descriptor Descriptor::of_script(chain::Bytes script_pubkey, const chain::NetworkParams& network) {
    Descriptor result;
    const bool has_address = !address_of(script_pubkey, network).empty();
    result.function_ = has_address ? ScriptFunction::addr : ScriptFunction::raw;
    result.script_ = std::move(script_pubkey);
    return result;
}

bool Descriptor::is_range() const {
    return std::ranges::any_of(keys_, [](const auto& key) { return key.range != RangeKind::none; });
}

bool Descriptor::has_private_keys() const {
    return std::ranges::any_of(keys_, &KeyExpression::is_private);
}

bool Descriptor::is_derivable() const {
    return std::ranges::all_of(keys_, &KeyExpression::is_derivable);
}

std::size_t Descriptor::path_count() const {
    std::size_t count = 1;
    for (const KeyExpression& key : keys_) count = std::max(count, key.path_count());
    return count;
}

std::vector<Descriptor> Descriptor::single_paths() const {
    std::vector<Descriptor> result(path_count(), *this);
    for (std::size_t number = 0; number < result.size(); ++number) {
        for (KeyExpression& key : result[number].keys_) key = key.with_path(number);
    }
    return result;
}

std::optional<Descriptor> Descriptor::watch_only() const {
    Descriptor result = *this;
    for (KeyExpression& key : result.keys_) {
        const auto public_key = to_public(key);
        if (!public_key) return std::nullopt;
        key = *public_key;
    }
    return result;
}

std::string Descriptor::to_string(const chain::NetworkParams& network) const {
    return write<std::string>(
        *this, network, [&](const KeyExpression& key) { return wallet::to_string(key, network); });
}

SecretString Descriptor::to_private_string(const chain::NetworkParams& network) const {
    return write<SecretString>(*this, network, [&](const KeyExpression& key) {
        return wallet::to_private_string(key, network);
    });
}

std::string_view name_of(ScriptFunction function) {
    return kFunctionNames[function];
}

std::string form_of(const Descriptor& descriptor) {
    const Enclosure& enclosure = kEnclosures[descriptor.wrapping()];
    std::string text = std::string(enclosure.before) + std::string(name_of(descriptor.function()));
    if (is_multisig(descriptor.function())) {
        text += '(' + std::to_string(descriptor.threshold()) + " of " +
                std::to_string(descriptor.keys().size()) + ')';
    }
    return text + std::string(enclosure.behind);
}

Descriptor descriptor_of(const PublicAccount& account, KeyChain chain,
                         const chain::NetworkParams& network) {
    const auto path = account_path(account_of(account.kind, account.key), network.coin_type);
    KeyExpression key{account.key,
                      KeyOrigin{account.master_fingerprint, {path.begin(), path.end()}},
                      {static_cast<std::uint32_t>(chain)},
                      std::nullopt,
                      RangeKind::normal};
    const auto [function, wrapping] = kOutputs[account.kind];
    return Descriptor::of_key(function, wrapping, std::move(key));
}

}  // namespace petal::wallet
