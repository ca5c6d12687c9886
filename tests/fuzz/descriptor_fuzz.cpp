/// Untrusted descriptors: an accepted descriptor is read again as it is written, and has scripts.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "wallet/descriptors/filter_sharing.h"
#include "wallet/descriptors/new_descriptors.h"
#include "wallet/descriptors/script_deriver.h"
#include "wallet/descriptors/watchable.h"
#include "wallet/private_keys.h"

namespace {

using petal::wallet::Descriptor;

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
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const char* name : {"mainnet", "regtest"}) {
        const auto& network = *petal::chain::find_network(name);
        const auto descriptor = Descriptor::parse(text, network);
        if (descriptor) {
            check(*descriptor, network);
        } else if (descriptor.error().position > size || descriptor.error().expected.empty()) {
            std::abort();
        }
        const auto watchable = petal::wallet::parse_watchable(text, network);
        if (descriptor && !watchable) std::abort();
        const std::string given{text};
        const auto made = petal::wallet::parse_new_descriptors({&given, 1}, network);
        if (made && !watchable) std::abort();
        check_private(text, network);
        if (!watchable) continue;
        for (const Descriptor& single : *watchable) check(single, network);
    }
    return 0;
}
