/// Untrusted descriptors: an accepted descriptor is read again as it is written, and has scripts.
/// As keys have checksums or must be on the curve, the input can refer to valid ones by % and two
/// hexadecimal digits (as in Bitcoin Core's fuzz target mocked_descriptor_parse). The descriptor is
/// also tried with the right checksum.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "chain/bytes.h"
#include "wallet/descriptors/descriptor_checksum.h"
#include "wallet/descriptors/filter_sharing.h"
#include "wallet/descriptors/new_descriptors.h"
#include "wallet/descriptors/script_deriver.h"
#include "wallet/descriptors/watchable.h"
#include "wallet/keys/wif.h"
#include "wallet/private_keys.h"

namespace {

using petal::wallet::Descriptor;

/// The three lowest bits of the number choose the form, the others the key.
std::string numbered_key(std::uint8_t number, const petal::chain::NetworkParams& network) {
    namespace wallet = petal::wallet;
    const petal::chain::Bytes seed(32, static_cast<std::uint8_t>(1 + number / 8));
    const auto key = wallet::PrivateKey::parse(seed).value();
    const auto extended = wallet::ExtendedPrivateKey::from_seed(seed).value();
    switch (number % 8) {
        case 0:
            return petal::chain::to_hex(key.public_key().compressed());
        case 1:
            return petal::chain::to_hex(key.public_key().uncompressed());
        case 2:
            return petal::chain::to_hex(key.public_key().x_only());
        case 3:
            return std::string{wallet::to_wif({key, true}, network)};
        case 4:
            return std::string{wallet::to_wif({key, false}, network)};
        case 5:
            return std::string{extended.to_string(network)};
        case 6:
            return extended.public_key().to_string(network);
        default:
            return "[01234567/84h]" + extended.derive(0)->public_key().to_string(network);
    }
}

/// The keys of one network.
class KeyTable {
public:
    explicit KeyTable(const petal::chain::NetworkParams& network) {
        for (std::size_t i = 0; i < keys_.size(); ++i) {
            keys_[i] = numbered_key(static_cast<std::uint8_t>(i), network);
        }
    }

    /// The text with keys instead of references. No more of them are replaced than fit into a
    /// descriptor.
    std::string replace_references(std::string_view text) const {
        std::string result;
        for (std::size_t i = 0; i < text.size(); ++i) {
            const bool fits = result.size() < petal::wallet::kMaxDescriptorCharacters;
            const auto number = text[i] == '%' && fits
                                    ? petal::chain::from_hex(text.substr(i + 1, 2))
                                    : std::nullopt;
            if (number && number->size() == 1) {
                result += keys_[number->front()];
                i += 2;
            } else {
                result += text[i];
            }
        }
        return result;
    }

private:
    std::array<std::string, 256> keys_;
};

const KeyTable& keys_of(const petal::chain::NetworkParams& network) {
    static const KeyTable mainnet{*petal::chain::find_network("mainnet")};
    static const KeyTable regtest{*petal::chain::find_network("regtest")};
    return network.name == "mainnet" ? mainnet : regtest;
}

/// The right checksum changes nothing, and is accepted where one is required; a wrong one is
/// refused.
void check_checksum(std::string_view text, const petal::chain::NetworkParams& network) {
    const std::string_view content = text.substr(0, text.find('#'));
    const auto checksum = petal::wallet::descriptor_checksum(content);
    if (!checksum || content.size() + 9 > petal::wallet::kMaxDescriptorCharacters) return;
    petal::wallet::DescriptorOptions options;
    options.require_checksum = true;
    const auto plain = Descriptor::parse(content, network);
    std::string checked = std::string{content} + '#' + *checksum;
    const auto descriptor = Descriptor::parse(checked, network, options);
    if (descriptor.has_value() != plain.has_value()) std::abort();
    if (!plain) return;
    if (descriptor->to_private_string(network) != plain->to_private_string(network)) std::abort();
    checked.back() = checked.back() == 'q' ? 'p' : 'q';
    if (Descriptor::parse(checked, network)) std::abort();
    if (Descriptor::parse(content, network, options)) std::abort();
}

void check(const Descriptor& descriptor, const petal::chain::NetworkParams& network) {
    const std::string text{descriptor.to_private_string(network)};
    const auto again = Descriptor::parse(text, network);
    if (!again || std::string_view{again->to_private_string(network)} != text) std::abort();
    petal::wallet::DescriptorOptions options;
    options.keys = petal::wallet::DescriptorOptions::Keys::only_public;
    options.require_checksum = true;
    options.allow_underivable = true;
    if (!Descriptor::parse(descriptor.to_string(network), network, options)) std::abort();
    if (!descriptor.is_derivable()) std::abort();

    const Descriptor single = descriptor.single_paths().back();
    if (single.path_count() != 1) std::abort();
    auto deriver = petal::wallet::ScriptDeriver::create(single);
    const auto derived = deriver.value().derive(1);
    if (!derived || derived->scripts.empty()) std::abort();
    for (const auto& script : derived->scripts) {
        if (script.script_pubkey.empty()) std::abort();
        static_cast<void>(petal::wallet::filter_element(script.script_pubkey));
    }
    const auto watch_only = single.watch_only();
    if (!watch_only) return;
    if (watch_only->has_private_keys()) std::abort();
    const auto scripts = petal::wallet::ScriptDeriver::create(*watch_only)->derive(1);
    if (scripts->scripts != derived->scripts) std::abort();
}

/// A file of descriptors with private keys, which becomes a wallet's secret.
void check_private(std::string_view text, const petal::chain::NetworkParams& network) {
    namespace wallet = petal::wallet;
    static_cast<void>(wallet::read_secret(petal::chain::as_bytes(text), network));
    const auto given = wallet::parse_private_descriptors(text, network);
    if (!given && given.error().reason.empty()) std::abort();
    if (!given) return;
    const auto secret = wallet::secret_of(given->descriptors);
    const auto again = wallet::read_secret(secret, network);
    if (!again || again->size() != given->descriptors.size()) std::abort();
    for (std::size_t i = 0; i < again->size(); ++i) {
        if (!(*again)[i].has_private_keys()) std::abort();
        const std::string watched = (*again)[i].watch_only().value().to_string(network);
        if (watched != given->descriptors[i].text) std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    for (const char* name : {"mainnet", "regtest"}) {
        const auto& network = *petal::chain::find_network(name);
        const std::string text = keys_of(network).replace_references(input);
        const auto descriptor = Descriptor::parse(text, network);
        if (descriptor) {
            check(*descriptor, network);
        } else if (descriptor.error().position > text.size() ||
                   descriptor.error().expected.empty()) {
            std::abort();
        }
        check_checksum(text, network);
        const auto watchable = petal::wallet::parse_watchable(text, network);
        if (descriptor && !watchable) std::abort();
        const auto made = petal::wallet::parse_new_descriptors({&text, 1}, network);
        if (made && !watchable) std::abort();
        check_private(text, network);
        if (!watchable) continue;
        for (const Descriptor& single : *watchable) check(single, network);
    }
    return 0;
}
