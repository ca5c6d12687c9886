/// Secret boxes from a disk that anyone may have written to: nothing but a sealed secret is opened.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "chain/hash.h"
#include "wallet/keys/secret_box.h"

namespace {

using petal::chain::Byte;
using petal::chain::Bytes;

constexpr std::size_t kCostOffset = 9;
constexpr petal::wallet::SecretOwner kOwner{};

/// The input followed by the right checksum, so that the fuzzer gets past it, and with a fast
/// scrypt.
Bytes with_checksum(const std::uint8_t* data, std::size_t size) {
    Bytes box(data, data + size);
    if (size > kCostOffset) box[kCostOffset] = static_cast<Byte>(box[kCostOffset] % 4);
    const auto hash = petal::chain::sha256(box);
    box.insert(box.end(), hash.begin(), hash.begin() + 8);
    return box;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    // No seed was sealed with this password.
    if (petal::wallet::open_secret(with_checksum(data, size), "rose", kOwner)) std::abort();

    const auto opened = petal::wallet::open_secret({data, size}, "tulip", kOwner);
    if (!opened) return 0;
    // The input is a seed: it was sealed with this password and not with another.
    const auto other = petal::wallet::open_secret({data, size}, "rose", kOwner);
    if (other || other.error() != petal::wallet::SecretBoxError::wrong_password) std::abort();
    return 0;
}
