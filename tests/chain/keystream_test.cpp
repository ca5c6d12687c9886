#include "chain/keystream.h"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <ostream>
#include <string>
#include <vector>

namespace petal::chain {
namespace {

std::vector<std::uint32_t> keystream(const std::array<Byte, 32>& key, std::uint32_t first_block,
                                     std::size_t blocks) {
    std::vector<std::uint32_t> words(blocks * kKeystreamBlockWords);
    write_keystream(key, first_block, words);
    return words;
}

struct KeystreamCase {
    std::string name;
    Byte last_of_key;  ///< the other bytes are zero
    std::uint32_t block;
    std::vector<std::uint32_t> words;
};

void PrintTo(const KeystreamCase& row, std::ostream* out) {
    *out << row.name;
}

class Keystream : public testing::TestWithParam<KeystreamCase> {};

TEST_P(Keystream, IsChaCha20s) {
    std::array<Byte, 32> key{};
    key.back() = GetParam().last_of_key;
    EXPECT_EQ(keystream(key, GetParam().block, 1), GetParam().words);
}

// RFC 8439, appendix A.1.
INSTANTIATE_TEST_SUITE_P(
    Rfc8439, Keystream,
    testing::ValuesIn(std::initializer_list<KeystreamCase>{
        {"Zeros",
         0,
         0,
         {0xade0b876, 0x903df1a0, 0xe56a5d40, 0x28bd8653, 0xb819d2bd, 0x1aed8da0, 0xccef36a8,
          0xc70d778b, 0x7c5941da, 0x8d485751, 0x3fe02477, 0x374ad8b8, 0xf4b8436a, 0x1ca11815,
          0x69b687c3, 0x8665eeb2}},
        {"SecondBlock",
         0,
         1,
         {0xbee7079f, 0x7a385155, 0x7c97ba98, 0x0d082d73, 0xa0290fcb, 0x6965e348, 0x3e53c612,
          0xed7aee32, 0x7621b729, 0x434ee69c, 0xb03371d5, 0xd539d874, 0x281fed31, 0x45fb0a51,
          0x1f0ae1ac, 0x6f4d794b}},
        {"Key",
         1,
         1,
         {0x2452eb3a, 0x9249f8ec, 0x8d829d9b, 0xddd4ceb1, 0xe8252083, 0x60818b01, 0xf38422b8,
          0x5aaa49c9, 0xbb00ca8e, 0xda3ba7b4, 0xc4b592d1, 0xfdf2732f, 0x4436274e, 0x2561b3c8,
          0xebdd4aa6, 0xa0136c00}},
    }),
    [](const auto& row) { return row.param.name; });

TEST(KeystreamBlocks, FollowOneAnother) {
    const std::array<Byte, 32> key{7};
    auto both = keystream(key, 4, 1);
    const auto next = keystream(key, 5, 1);
    both.insert(both.end(), next.begin(), next.end());
    EXPECT_EQ(keystream(key, 4, 2), both);
}

}  // namespace
}  // namespace petal::chain
