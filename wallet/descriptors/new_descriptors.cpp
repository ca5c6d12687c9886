#include "wallet/descriptors/new_descriptors.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

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

/// The descriptors whose scripts may be in one filter.
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

/// How many scripts tell a descriptor from all others. Of two keys, multi() and sortedmulti() have
/// the same script at every second index on average, so that 32 agree by chance once in 2^32.
std::uint32_t count_first_scripts(const Descriptor& descriptor) {
    if (!descriptor.is_range()) return 1;
    const bool is_multisig = descriptor.function() == ScriptFunction::multi ||
                             descriptor.function() == ScriptFunction::sortedmulti;
    return is_multisig ? 32 : 8;
}

/// The descriptor's scripts at the first indexes, or why it can't be watched.
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
    const bool is_spendable = chain::classify(result[0]) != chain::ScriptType::null_data;
    if (!is_spendable || filter_element(result[0]).size() < kShortestElement) {
        return Unexpected(std::string("its script has no data by which a server could find it"));
    }
    return result;
}

/// Text without its checksum.
std::string_view body_of(std::string_view text) {
    return text.substr(0, text.find('#'));
}

/// The text of the descriptor that this one is the change of, by BIP44's numbers; empty if it is of
/// no such form.
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
    for (const NewDescriptor& known : descriptors) bodies.emplace(body_of(known.text));
    for (NewDescriptor& descriptor : descriptors) {
        const std::string receive = receive_text_of(descriptor.text);
        if (!receive.empty() && bodies.contains(receive)) descriptor.chain = KeyChain::change;
    }
}

class Reader {
public:
    explicit Reader(const chain::NetworkParams& network) : network_(network) {}

    /// Returns why the text is refused; empty if it is not.
    std::string read(const std::string& text, std::size_t given) {
        DescriptorOptions options;
        options.keys = DescriptorOptions::Keys::only_public;
        const auto parsed = parse_watchable(text, network_, options);
        if (!parsed) return describe(parsed.error());
        const bool has_change = parsed->size() == 2;
        bool is_combo = false;
        for (std::size_t path = 0; path < parsed->size(); ++path) {
            const Descriptor& whole = (*parsed)[path];
            is_combo = is_combo || whole.function() == ScriptFunction::combo;
            const auto chain = has_change && path == 1 ? KeyChain::change : KeyChain::receive;
            for (Descriptor& part : without_combo(whole)) {
                if (auto flaw = add(std::move(part), chain, given); !flaw.empty()) return flaw;
            }
        }
        const bool is_bare = text.find('(') == std::string::npos;
        if (is_bare && has_change && parsed->front().function() == ScriptFunction::pkh) {
            result_.notes.emplace_back(kBareKeyNote);
        }
        if (is_combo) {
            result_.notes.push_back(parsed->front().to_string(network_) + std::string(kComboNote));
        }
        return {};
    }

    NewDescriptors take() {
        mark_change(result_.descriptors);
        return std::move(result_);
    }

private:
    std::string add(Descriptor descriptor, KeyChain chain, std::size_t given) {
        auto scripts = first_scripts_of(descriptor);
        if (!scripts) return scripts.error();
        if (!known_.insert(*scripts).second) return "it is given twice";
        if (known_.size() > kMaxNewDescriptors) {
            return "at most " + std::to_string(kMaxNewDescriptors) + " are read at once";
        }
        std::string text = descriptor.to_string(network_);
        for (const NewDescriptor& other : result_.descriptors) {
            if (must_not_share_filter(descriptor, other.descriptor)) return why_apart(other.text);
        }
        result_.descriptors.push_back(
            {std::move(descriptor), std::move(text), chain, given, *std::move(scripts)});
        return {};
    }

    const chain::NetworkParams& network_;
    NewDescriptors result_;
    std::set<std::vector<chain::Bytes>> known_;  // first scripts
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

std::string why_apart(std::string_view other) {
    return "a filter that held it, too, would show peers that it belongs to " + std::string(other) +
           "; let another wallet watch it";
}

}  // namespace petal::wallet
