#include "bloom/murmur3_128.h"

#include <gtest/gtest.h>

#include <string>

namespace petal::bloom {
namespace {

void append(chain::Bytes& bytes, const Hash128& hash) {
    for (const std::uint64_t half : {hash.low, hash.high}) {
        for (unsigned shift = 0; shift < 64; shift += 8) {
            bytes.push_back(static_cast<chain::Byte>(half >> shift));
        }
    }
}

// SMHasher: KeysetTest.cpp, VerificationTest, and main.cpp for the value. It hashes the keys {0},
// {0, 1}, … of up to 255 bytes with 256 seeds, so every number of remaining bytes.
TEST(Murmur3Of128Bits, HasTheVerificationValueOfSmhasher) {
    chain::Bytes key;
    chain::Bytes hashes;
    for (unsigned size = 0; size < 256; ++size) {
        append(hashes, murmur3_128(256 - size, key));
        key.push_back(static_cast<chain::Byte>(size));
    }
    EXPECT_EQ(murmur3_128(0, hashes).low & 0xffffffff, 0x6384ba69U);
}

struct Hash128Case {
    std::string text;
    std::uint32_t seed;
    Hash128 hash;
};

// Guava: Murmur3Hash128Test.java, testKnownValues.
TEST(Murmur3Of128Bits, HashesAsGuava) {
    const std::string fox = "The quick brown fox jumps over the lazy dog";
    for (const Hash128Case& row : std::initializer_list<Hash128Case>{
             {"", 0, {0, 0}},
             {"hell", 0, {0x629942693e10f867U, 0x92db0b82baeb5347U}},
             {"hello wo", 4, {0x79f6305a386c572cU, 0x46305aed3483b94eU}},
             {"hello wor", 5, {0xc2219d213ec1f1b5U, 0xa1d8e2e0a52785bdU}},
             {fox, 0, {0xe34bbc7bbc071b6cU, 0x7a433ca9c49a9347U}},
         }) {
        EXPECT_EQ(murmur3_128(row.seed, chain::as_bytes(row.text)), row.hash) << row.text;
    }
}

}  // namespace
}  // namespace petal::bloom
