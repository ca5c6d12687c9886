/// Untrusted extended keys and single private keys: an accepted key is written back as it was read,
/// and an extended key derives children.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "wallet/keys/extended_key.h"
#include "wallet/keys/wif.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using petal::wallet::ExtendedPrivateKey;
    using petal::wallet::ExtendedPublicKey;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    for (const auto& network : petal::chain::all_networks()) {
        const auto public_key = ExtendedPublicKey::parse(text, network);
        if (public_key) {
            if (public_key->to_string(network) != text) std::abort();
            const auto child = public_key->derive(0);
            if (child.has_value() != (public_key->position().depth < 255)) std::abort();
        }
        const auto private_key = ExtendedPrivateKey::parse(text, network);
        if (private_key) {
            if (std::string_view{private_key->to_string(network)} != text) std::abort();
            if (public_key) std::abort();
        }
        const auto wif = petal::wallet::parse_wif(text, network);
        if (wif && std::string_view{petal::wallet::to_wif(*wif, network)} != text) std::abort();
    }
    return 0;
}
