/// Random bytes for secrets.
#include "wallet/keys/randomness.h"

#include <openssl/rand.h>

#include <limits>
#include <stdexcept>

namespace petal::wallet {

void fill_random(std::span<chain::Byte> bytes) {
    const bool fits = bytes.size() <= std::numeric_limits<int>::max();
    if (!fits || RAND_priv_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
        throw std::runtime_error("the system has no randomness to make secrets from");
    }
}

}  // namespace petal::wallet
