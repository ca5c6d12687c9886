#include "wallet/descriptors/new_descriptors.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "chain/script/script.h"
#include "wallet/descriptors/filter_sharing.h"
#include "wallet/descriptors/script_deriver.h"
#include "wallet/descriptors/watchable.h"

namespace petal::wallet {

namespace {

using chain::Unexpected;

constexpr std::string_view kComboNote =
    " is watched as wpkh() and pkh() only: a filter that held pk() or sh(wpkh()) of the same key, "
    "too, would show peers that they belong together. Another wallet can watch these";

constexpr std::string_view kBareKeyNote =
    "an extended key alone is watched as pkh (BIP44, legacy addresses); for an account of another "
    "type, write wpkh(KEY/<0;1>/*) or the like";

/// Says what is watched of a bare extended key that is not of an account, by its depth (BIP32).
/// Empty for an account, and for depth 1, the depth of the key of Electrum's Segwit wallets.
std::string depth_note(std::uint8_t depth) {
    constexpr std::uint8_t kElectrumSegwit = 1;
    constexpr std::uint8_t kAccount = std::tuple_size_v<AccountPath>;
    if (depth == kElectrumSegwit || depth == kAccount) return {};
    const std::string watched = "its own addresses are watched, KEY/0/* and KEY/1/*";
    if (depth == 0) {
        return "the key is a master key (depth 0), not an account: " + watched +
               ", as of Electrum's Standard wallets. Accounts of BIP44, 49, 84 and 86 can't be "
               "derived from it: give the account's key, of depth 3";
    }
    return "the key is no account, which has depth 3, but has depth " + std::to_string(depth) +
           ": " + watched + ". For others, write a descriptor, as wpkh(KEY/*)";
}

/// The depth of the descriptor's only key. Empty if it is not an extended key.
std::optional<std::uint8_t> depth_of_key(const Descriptor& descriptor) {
    if (descriptor.keys().size() != 1) return std::nullopt;
    const auto* const key = std::get_if<ExtendedPublicKey>(&descriptor.keys()[0].key);
    return key == nullptr ? std::nullopt : std::optional(key->position().depth);
}

/// Added when a descriptor is refused because of its public keys.
constexpr std::string_view kWatchAdvice =
    "; a watch-only wallet takes descriptors without private keys";

/// Why payments cannot spend from a descriptor with private keys. Empty if they can.
std::string why_not_spent(const Descriptor& descriptor) {
    using enum ScriptFunction;
    const ScriptFunction function = descriptor.function();
    if (descriptor.keys().empty()) return "it has no private key" + std::string(kWatchAdvice);
    const bool is_spent = function == tr || function == combo || function == wpkh ||
                          (function == pkh && descriptor.wrapping() == ScriptWrapping::none);
    if (!is_spent) {
        return form_of(descriptor) +
               " is not spent by petal, which signs for pkh, wpkh, sh(wpkh), tr and combo" +
               std::string(kWatchAdvice);
    }
    if (descriptor.keys()[0].form() == KeyForm::uncompressed) {
        return "its key is uncompressed, and petal signs with compressed keys only" +
               std::string(kWatchAdvice);
    }
    if (descriptor.keys()[0].range == RangeKind::hardened) {
        return "addresses of a hardened wildcard (*h) can't be derived without the private key, "
               "which no sync reads; write .../0h, .../1h and so on, each a descriptor of its own";
    }
    return {};
}

/// The descriptor, or the parts of a combo() whose scripts may share a filter.
std::vector<Descriptor> without_combo(const Descriptor& descriptor) {
    if (descriptor.function() != ScriptFunction::combo) return {descriptor};
    const KeyExpression& key = descriptor.keys()[0];
    std::vector<Descriptor> result;
    if (key.form() != KeyForm::uncompressed) {
        result.push_back(Descriptor::of_key(ScriptFunction::wpkh, ScriptWrapping::none, key));
    }
    result.push_back(Descriptor::of_key(ScriptFunction::pkh, ScriptWrapping::none, key));
    return result;
}

/// The number of scripts that identify a descriptor. multi() and sortedmulti() of two keys have the
/// same script at every second index on average, so 32 scripts are equal by chance once in 2^32.
std::uint32_t count_first_scripts(const Descriptor& descriptor) {
    if (!descriptor.is_range()) return 1;
    return is_multisig(descriptor.function()) ? 32 : 8;
}

/// The scripts at the first indexes, or why the descriptor can't be watched.
chain::Expected<std::vector<chain::Bytes>, std::string> first_scripts_of(
    const Descriptor& descriptor) {
    auto deriver = ScriptDeriver::create(descriptor);
    if (!deriver) return Unexpected(std::string(describe(deriver.error())));
    std::vector<chain::Bytes> result;
    const std::uint32_t count = count_first_scripts(descriptor);
    for (std::uint32_t index = 0; index < count; ++index) {
        auto scripts = deriver->script_pubkeys(index);
        if (!scripts) return Unexpected(std::string(describe(scripts.error())));
        result.push_back(std::move(scripts->at(0)));
    }
    if (chain::is_unspendable(result[0])) {
        return Unexpected(std::string("no input can spend an output of its script"));
    }
    if (filter_element(result[0]).size() < kShortestElement) {
        return Unexpected(std::string("its script has no data by which a server could find it"));
    }
    return result;
}

/// The text without checksum.
std::string_view body_of(std::string_view text) {
    return text.substr(0, text.find('#'));
}

/// For a change descriptor by BIP44's numbers (/1/*), the text of the receive descriptor. Otherwise
/// empty.
std::string receive_text_of(std::string_view text) {
    constexpr std::string_view kChange = "/1/*";
    std::string result(body_of(text));
    std::size_t found = 0;
    for (std::size_t at = result.find(kChange); at != std::string::npos;
         at = result.find(kChange, at + 1)) {
        result[at + 1] = '0';
        ++found;
    }
    return found == 0 ? std::string() : result;
}

void mark_change(std::vector<NewDescriptor>& descriptors) {
    std::set<std::string, std::less<>> bodies;
    std::set<std::size_t> with_change;  // indexes of texts that have a change path
    for (const NewDescriptor& known : descriptors) {
        bodies.emplace(body_of(known.text));
        if (known.chain == KeyChain::change) with_change.insert(known.given);
    }
    for (NewDescriptor& descriptor : descriptors) {
        if (with_change.contains(descriptor.given)) continue;
        const std::string receive = receive_text_of(descriptor.text);
        if (!receive.empty() && bodies.contains(receive)) descriptor.chain = KeyChain::change;
    }
}

class Reader {
public:
    explicit Reader(const chain::NetworkParams& network) : network_(network) {}

    /// Returns why the text is refused, or an empty text.
    std::string read(const std::string& text, std::size_t given) {
        DescriptorOptions options;
        options.keys = DescriptorOptions::Keys::only_public;
        const auto parsed = parse_watchable(text, network_, options);
        if (!parsed) return describe(parsed.error());
        auto flaw = read_paths(*parsed, given);
        const bool is_bare = text.find('(') == std::string::npos;
        const bool has_change = parsed->size() == 2;
        if (is_bare && has_change && parsed->front().function() == ScriptFunction::pkh) {
            result_.notes.emplace_back(kBareKeyNote);
        }
        const auto depth = is_bare && flaw.empty() ? depth_of_key(parsed->front()) : std::nullopt;
        const std::string note = depth ? depth_note(*depth) : "";
        if (!note.empty()) result_.notes.push_back(note);
        return flaw;
    }

    /// Like read(), for a descriptor with private keys, which starts at character `begin` of its
    /// line.
    std::string read_private(std::string_view text, std::size_t begin, std::size_t given) {
        DescriptorOptions options;
        options.keys = DescriptorOptions::Keys::only_private;
        const auto parsed = Descriptor::parse(text, network_, options);
        if (!parsed) {
            DescriptorError error = parsed.error();
            error.position += begin;
            const bool is_public = error.kind == DescriptorError::Kind::missing_private_key;
            return describe(error) + std::string(is_public ? kWatchAdvice : "");
        }
        auto flaw = why_not_spent(*parsed);
        return flaw.empty() ? read_paths(parsed->single_paths(), given) : flaw;
    }

    NewDescriptors take() {
        mark_change(result_.descriptors);
        return std::move(result_);
    }

private:
    std::string read_paths(const std::vector<Descriptor>& paths, std::size_t given) {
        const bool has_change = paths.size() == 2;
        for (std::size_t path = 0; path < paths.size(); ++path) {
            const auto chain = has_change && path == 1 ? KeyChain::change : KeyChain::receive;
            for (const Descriptor& part : without_combo(paths[path])) {
                if (auto flaw = add(part, chain, given); !flaw.empty()) return flaw;
            }
        }
        if (paths.front().function() == ScriptFunction::combo) {
            const Descriptor shown = paths.front().watch_only().value_or(paths.front());
            result_.notes.push_back(shown.to_string(network_) + std::string(kComboNote));
        }
        return {};
    }

    std::string add(const Descriptor& given_one, KeyChain chain, std::size_t given) {
        const auto public_one = given_one.watch_only();
        if (!public_one) return "no key can be derived by its path";  // by chance, once in 2^127
        const Descriptor& descriptor = *public_one;
        auto scripts = first_scripts_of(descriptor);
        if (!scripts) return scripts.error();
        if (!known_.insert(*scripts).second) return "it is given twice";
        if (known_.size() > kMaxNewDescriptors) {
            return "at most " + std::to_string(kMaxNewDescriptors) + " are read at once";
        }
        std::string text = descriptor.to_string(network_);
        // Including the checksum, as stored.
        if (text.size() > kMaxDescriptorCharacters) return "it is too long";
        if (const auto other = sharing_.add(descriptor)) {
            return why_apart(result_.descriptors[*other].text);
        }
        SecretString private_text;
        if (given_one.has_private_keys()) {
            private_text = given_one.to_private_string(network_);
            private_characters_ += private_text.size() + 1;
        }
        if (private_characters_ > kMaxPrivateCharacters) {
            return "all descriptors together may have " + std::to_string(kMaxPrivateCharacters) +
                   " characters";
        }
        result_.descriptors.push_back({descriptor, std::move(text), std::move(private_text), chain,
                                       given, *std::move(scripts)});
        return {};
    }

    const chain::NetworkParams& network_;
    NewDescriptors result_;
    std::set<std::vector<chain::Bytes>> known_;  // first scripts
    FilterSharing sharing_;
    std::size_t private_characters_ = 0;
};

}  // namespace

chain::Expected<NewDescriptors, RefusedText> parse_new_descriptors(
    std::span<const std::string> texts, const chain::NetworkParams& network) {
    Reader reader(network);
    for (std::size_t given = 0; given < texts.size(); ++given) {
        std::string reason = reader.read(texts[given], given);
        if (!reason.empty()) return Unexpected(RefusedText{given, std::move(reason)});
    }
    return reader.take();
}

chain::Expected<NewDescriptors, RefusedText> parse_private_descriptors(
    std::string_view file, const chain::NetworkParams& network) {
    constexpr std::string_view kBlanks = " \t\r";
    Reader reader(network);
    for (std::size_t number = 0; !file.empty(); ++number) {
        std::string_view line = file.substr(0, file.find('\n'));
        file.remove_prefix(std::min(line.size() + 1, file.size()));
        const std::size_t begin = std::min(line.find_first_not_of(kBlanks), line.size());
        line = line.substr(0, line.find_last_not_of(kBlanks) + 1);
        if (begin >= line.size() || line[begin] == '#') continue;
        std::string reason = reader.read_private(line.substr(begin), begin, number);
        if (!reason.empty()) return Unexpected(RefusedText{number, std::move(reason)});
    }
    return reader.take();
}

std::string why_apart(std::string_view other) {
    return "a filter that held it, too, would show peers that it belongs to " + std::string(other) +
           "; let another wallet watch it";
}

}  // namespace petal::wallet
