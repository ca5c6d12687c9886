#include "net/io/dial/system_random.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "chain/hash.h"

namespace petal::net {

void fill_random(std::span<chain::Byte> bytes) {
    if (::getentropy(bytes.data(), bytes.size()) != 0) {
        throw std::system_error(errno, std::generic_category(), "the system has no randomness");
    }
}

std::uint64_t random_seed() {
    std::array<chain::Byte, 8> bytes{};
    fill_random(bytes);
    std::uint64_t seed = 0;
    std::memcpy(&seed, bytes.data(), sizeof seed);
    return seed;
}

void salt_tables() {
    std::array<chain::Byte, 16> key;
    fill_random(key);
    chain::salt_tables(key);
}

}  // namespace petal::net
