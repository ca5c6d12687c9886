/// Untrusted extended keys and single private keys: an accepted key is written back as it was read,
/// and an extended key derives children, the same from the private as from the public key (BIP32).
/// The input is also encoded with a right checksum, so that the rules behind it are reached.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "wallet/keys/base58.h"
#include "wallet/keys/extended_key.h"
#include "wallet/keys/wif.h"

namespace {

using petal::wallet::DerivationError;
using petal::wallet::ExtendedPrivateKey;
using petal::wallet::ExtendedPublicKey;
using petal::wallet::kHardened;

void check_children(const ExtendedPublicKey& key, std::uint32_t index) {
    const bool has_children = key.position().depth < 255;
    const auto child = key.derive(index);
    if (child.has_value() != has_children) std::abort();
    const auto hardened = key.derive(index | kHardened);
    if (hardened) std::abort();
    if (has_children && hardened.error() != DerivationError::hardened_from_public) std::abort();
    const auto key_alone = petal::wallet::PublicChildren(key).key(index);
    if (key_alone.has_value() != has_children) std::abort();
    if (child && !(*key_alone == child->key())) std::abort();
}

void check_children(const ExtendedPrivateKey& key, std::uint32_t index) {
    const bool has_children = key.position().depth < 255;
    const auto child = key.derive(index);
    if (child.has_value() != has_children) std::abort();
    if (key.derive(index | kHardened).has_value() != has_children) std::abort();
    const auto key_alone = petal::wallet::PrivateChildren(key).key(index);
    if (key_alone.has_value() != has_children) std::abort();
    if (!child) return;
    if (!std::ranges::equal(key_alone->view(), child->key().view())) std::abort();
    if (child->public_key() != *key.public_key().derive(index)) std::abort();
    if (child->position().parent_fingerprint != key.fingerprint()) std::abort();
}

/// Not hardened, and different for each chain code.
std::uint32_t index_for(const petal::wallet::KeyPosition& position) {
    std::uint32_t index = 0;
    for (const std::uint8_t byte : position.chain_code) index = index * 257 + byte;
    return index & ~kHardened;
}

void check_key_text(std::string_view text) {
    for (const auto& network : petal::chain::all_networks()) {
        const auto public_key = ExtendedPublicKey::parse(text, network);
        if (public_key) {
            if (public_key->to_string(network) != text) std::abort();
            check_children(*public_key, index_for(public_key->position()));
        }
        const auto private_key = ExtendedPrivateKey::parse(text, network);
        if (private_key) {
            if (std::string_view{private_key->to_string(network)} != text) std::abort();
            if (public_key) std::abort();
            check_children(*private_key, index_for(private_key->position()));
            check_children(private_key->public_key(), 0);
        }
        const auto wif = petal::wallet::parse_wif(text, network);
        if (wif && std::string_view{petal::wallet::to_wif(*wif, network)} != text) std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    check_key_text({reinterpret_cast<const char*>(data), size});
    // The time is quadratic, and keys have 78 bytes at most.
    if (size <= 96) check_key_text(petal::wallet::encode_base58check({data, size}));
    return 0;
}
