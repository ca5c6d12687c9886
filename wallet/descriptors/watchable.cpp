/// Parses the texts that a user can watch or import: descriptors, extended keys, addresses and
/// keys.
#include "wallet/descriptors/watchable.h"

#include <algorithm>
#include <array>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "wallet/descriptors/address.h"
#include "wallet/descriptors/key_expression_parser.h"
#include "wallet/descriptors/slip132.h"

namespace petal::wallet {

namespace {

using Kind = DescriptorError::Kind;
/// The maximum length of a key without its origin. More than the longest key, a public key of 130
/// digits.
constexpr std::size_t kLongestBareText = 200;

using Watchables = chain::Expected<std::vector<Descriptor>, DescriptorError>;

chain::Unexpected<DescriptorError> refuse_watchable(Kind kind, std::string expected) {
    return chain::Unexpected{DescriptorError{kind, 0, std::move(expected)}};
}

bool is_extended(const KeyExpression& key) {
    return std::holds_alternative<ExtendedPublicKey>(key.key) ||
           std::holds_alternative<ExtendedPrivateKey>(key.key);
}

/// The receive and the change chain of an account.
std::vector<Descriptor> account_chains(ScriptKind kind, KeyExpression key) {
    const bool nested = kind == ScriptKind::sh_wpkh;
    key.path = {0};
    key.multipath = Multipath{0, {0, 1}};
    key.range = RangeKind::normal;
    ScriptFunction function = ScriptFunction::wpkh;
    if (kind == ScriptKind::pkh) function = ScriptFunction::pkh;
    if (kind == ScriptKind::tr) function = ScriptFunction::tr;
    return Descriptor::of_key(function, nested ? ScriptWrapping::sh : ScriptWrapping::none,
                              std::move(key))
        .single_paths();
}

/// origin   as written before the key, in brackets. Empty if unknown
Watchables from_slip132(std::string_view origin, const Slip132Key& key,
                        const chain::NetworkParams& network, const DescriptorOptions& options) {
    if (key.is_multisig) {
        return refuse_watchable(Kind::unsupported,
                                "a descriptor with all keys, as wsh(sortedmulti(2,KEY,KEY))");
    }
    if (!key.is_of_network) {
        return refuse_watchable(Kind::wrong_network, "a key of " + network.name);
    }
    SecretString expression{origin};
    expression += key.ordinary;
    auto parsed = parse_key_expression(expression, 0, {}, network, options);
    if (!parsed) return chain::Unexpected{parsed.error()};
    return account_chains(key.kind, std::move(*parsed));
}

/// The type of an account by its key's path, e.g. /84h/0h/0h (BIP44, BIP49, BIP84, BIP86). Empty
/// for any other path.
std::optional<ScriptKind> kind_of_account(const KeyOrigin& origin) {
    if (origin.path.size() != std::tuple_size_v<AccountPath>) return std::nullopt;
    const auto* const kind = std::ranges::find_if(kScriptKinds, [&](ScriptKind each) {
        return origin.path.front() == (kHardened | purpose(each));
    });
    return kind == kScriptKinds.end() ? std::nullopt : std::optional(*kind);
}

std::vector<Descriptor> from_key(KeyExpression key) {
    if (is_extended(key)) {
        const auto kind = key.origin ? kind_of_account(*key.origin) : std::nullopt;
        return account_chains(kind.value_or(ScriptKind::pkh), std::move(key));
    }
    const auto function = key.is_private() ? ScriptFunction::pkh : ScriptFunction::pk;
    return {Descriptor::of_key(function, ScriptWrapping::none, std::move(key))};
}

/// Whether a text of this length can only be a key: WIF, an extended key, or a public key.
bool is_as_long_as_a_key(std::string_view text) {
    constexpr std::array<std::size_t, 6> kLengths{51, 52, 64, 66, 111, 130};
    return std::ranges::count(kLengths, text.size()) > 0;
}

chain::Unexpected<DescriptorError> explain_bare_text(std::string_view text, AddressError address,
                                                     const DescriptorError& key,
                                                     const chain::NetworkParams& network) {
    if (text.starts_with('[')) return chain::Unexpected{key};
    const bool is_address = is_meant_as_segwit_address(text) && !chain::from_hex(text);
    if (is_as_long_as_a_key(text) && !is_address) return chain::Unexpected{key};
    if (address == AddressError::wrong_network) {
        return refuse_watchable(Kind::wrong_network, "an address of " + network.name);
    }
    if (address != AddressError::not_an_address && address != AddressError::unknown_version) {
        return refuse_watchable(Kind::invalid_address, "an address of " + network.name + " (" +
                                                           std::string{describe(address)} + ')');
    }
    return refuse_watchable(Kind::syntax, "a descriptor, an extended key, an address or a key");
}

/// The length of the origin before a key, including the brackets.
std::size_t origin_characters(std::string_view text) {
    return text.starts_with('[') ? text.find(']') + 1 : 0;
}

Watchables parse_bare_text(std::string_view text, const chain::NetworkParams& network,
                           const DescriptorOptions& options) {
    auto script = parse_address(text, network);
    if (script && options.keys == DescriptorOptions::Keys::only_private) {
        return refuse_watchable(Kind::missing_private_key, "a private key");
    }
    if (script) return std::vector{Descriptor::of_script(std::move(*script), network)};
    const std::size_t origin_end = origin_characters(text);
    if (const auto key = parse_slip132(text.substr(origin_end), network)) {
        return from_slip132(text.substr(0, origin_end), *key, network, options);
    }
    auto key = parse_key_expression(text, 0, {}, network, options);
    if (!key) return explain_bare_text(text, script.error(), key.error(), network);
    const bool tells_type = !key->origin || (is_extended(*key) && kind_of_account(*key->origin));
    if (!tells_type || !key->path.empty() || key->range != RangeKind::none) {
        return refuse_watchable(Kind::syntax, "a function around the key, as in wpkh(KEY)");
    }
    return from_key(std::move(*key));
}

}  // namespace

Watchables parse_watchable(std::string_view text, const chain::NetworkParams& network,
                           DescriptorOptions options) {
    const bool is_descriptor = text.find_first_of("(#") != std::string_view::npos;
    const std::size_t bare_characters = text.size() - origin_characters(text);
    if (!is_descriptor && text.size() <= kMaxDescriptorCharacters &&
        bare_characters <= kLongestBareText) {
        return parse_bare_text(text, network, options);
    }
    const auto descriptor = Descriptor::parse(text, network, options);
    if (!descriptor) return chain::Unexpected{descriptor.error()};
    return descriptor->single_paths();
}

}  // namespace petal::wallet
