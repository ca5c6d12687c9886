#include "chain/headers/header_index.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace petal::chain {
namespace {

std::vector<BlockHash> make_hashes(std::uint32_t count) {
    std::vector<BlockHash> hashes;
    for (std::uint32_t i = 0; i < count; ++i) {
        hashes.push_back({sha256d(as_bytes(std::to_string(i))).bytes});
    }
    return hashes;
}

TEST(HeaderIndex, FindsEachOfManyAndNothingElse) {
    const auto hashes = make_hashes(10'000);
    const auto others = make_hashes(20'000);
    HeaderIndex index;
    const auto find = [&](const BlockHash& hash) {
        return index.find(hash, [&](std::uint32_t i) { return hashes[i] == hash; });
    };
    EXPECT_EQ(find(hashes[0]), std::nullopt);
    for (std::uint32_t i = 0; i < hashes.size(); ++i) index.insert(hashes[i], i);
    for (std::uint32_t i = 0; i < hashes.size(); ++i) ASSERT_EQ(find(hashes[i]), i);
    for (std::size_t i = hashes.size(); i < others.size(); ++i) {
        ASSERT_EQ(find(others[i]), std::nullopt);
    }
}

TEST(HeaderIndex, TellsHashesWithTheSameStartApart) {
    std::vector<BlockHash> hashes(100);
    for (std::size_t i = 0; i < hashes.size(); ++i) hashes[i].bytes[31] = static_cast<Byte>(i);
    HeaderIndex index;
    for (std::uint32_t i = 0; i < hashes.size(); ++i) index.insert(hashes[i], i);
    for (std::uint32_t i = 0; i < hashes.size(); ++i) {
        EXPECT_EQ(index.find(hashes[i], [&](std::uint32_t n) { return hashes[n] == hashes[i]; }),
                  i);
    }
}

TEST(HeaderIndex, WrapsAroundItsEnd) {
    std::vector<BlockHash> hashes(5);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
        for (std::size_t k = 0; k < 4; ++k) hashes[i].bytes[k] = 0xff;
        hashes[i].bytes[31] = static_cast<Byte>(i);
    }
    HeaderIndex index;
    for (std::uint32_t i = 0; i < hashes.size(); ++i) index.insert(hashes[i], i);
    EXPECT_EQ(index.find(hashes[4], [](std::uint32_t n) { return n == 4; }), 4U);
    BlockHash absent = hashes[0];
    absent.bytes[0] = 0xfe;
    EXPECT_EQ(index.find(absent, [](std::uint32_t) { return true; }), std::nullopt);
}

}  // namespace
}  // namespace petal::chain
