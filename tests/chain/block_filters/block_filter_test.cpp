#include "chain/block_filters/block_filter.h"

#include <gtest/gtest.h>

#include <vector>

#include "chain/block.h"
#include "chain/byte_writer.h"
#include "tests/support/hex.h"
#include "tests/support/test_data.h"

namespace petal::chain {
namespace {

using namespace petal::test::literals;

constexpr std::string_view kTestnetGenesis =
    "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b27ac72c"
    "3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4adae5494dffff001d1aa4ae180101000000010000000000000000"
    "00"
    "0000000000000000000000000000000000000000000000ffffffff4d04ffff001d0104455468652054696d65732030"
    "33"
    "2f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66207365636f6e64206261696c6f7574"
    "20"
    "666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe5548271967f1a67130b7105cd6a828e039"
    "09"
    "a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5fac00000000";

FilterHeader header_from_hex(std::string_view hex) {
    return FilterHeader::from_hex(hex).value();
}

// BIP158, testnet-19.json: block 0.
TEST(BasicFilter, OfTestnetsGenesisBlockIsThatOfTheBip) {
    const Block block = decode_block(from_hex(kTestnetGenesis).value()).value();
    const Bytes filter = make_basic_filter(block, {}).encode();
    EXPECT_EQ(to_hex(filter), "019dfca8");
    EXPECT_EQ(next_filter_header(hash_filter(filter), {}).to_hex(),
              "21584579b7eb08997773e5aeff3a7f932700042d0ed2a6129012b7d7ae81b750");
    const auto decoded = decode_basic_filter(block.header.hash(), filter);
    ASSERT_TRUE(decoded);
    EXPECT_TRUE(decoded->has_any_of({&block.transactions[0].outputs[0].script_pubkey, 1}));
}

TEST(BasicFilter, OfEachVectorIsThatOfTheBip) {
    const auto vectors = test::read_test_json("vectors/blockfilters.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;
    for (const auto& row : *vectors) {
        if (row[0].is_string()) continue;  // the titles of the columns
        SCOPED_TRACE(row[7].get<std::string>());
        const Block block = decode_block(from_hex(row[2].get<std::string>()).value()).value();
        ASSERT_EQ(block.header.hash().to_hex(), row[1].get<std::string>());
        std::vector<Bytes> spent;
        for (const auto& script : row[3])
            spent.push_back(from_hex(script.get<std::string>()).value());
        const Bytes filter = make_basic_filter(block, spent).encode();
        EXPECT_EQ(to_hex(filter), row[5].get<std::string>());
        EXPECT_EQ(
            next_filter_header(hash_filter(filter), header_from_hex(row[4].get<std::string>())),
            header_from_hex(row[6].get<std::string>()));
        const auto decoded = decode_basic_filter(block.header.hash(), filter);
        ASSERT_TRUE(decoded);
        EXPECT_EQ(decoded->encode(), filter);
    }
}

Block block_paying(std::initializer_list<Bytes> scripts) {
    Block block;
    block.transactions.resize(1);
    for (const Bytes& script : scripts) {
        block.transactions[0].outputs.push_back({1'000, script});
    }
    return block;
}

TEST(BasicFilter, LeavesOutEmptyScriptsAndReturnOutputs) {
    EXPECT_EQ(make_basic_filter(block_paying({{}, "6a"_hex, "6a0101"_hex, "51"_hex}), {}).size(),
              1U);
}

TEST(BasicFilter, HasTheScriptsOfSpentOutputsButNotEmptyOnes) {
    const std::vector<Bytes> spent{{}, "6a"_hex, "52"_hex};
    const GolombSet set = make_basic_filter(block_paying({"51"_hex, "52"_hex}), spent);
    EXPECT_EQ(set.size(), 3U) << "6a as a spent script, 51, and 52 once";
    EXPECT_TRUE(set.has_any_of({&spent[2], 1}));
}

// A block has room for 100,000 outputs of one-byte scripts.
TEST(BasicFilter, IsRefusedWithMoreElementsThanABlockHasRoomFor) {
    for (const std::uint32_t count : {100'000U, 100'001U}) {
        Bytes filter = ByteWriter().compact_size(count).take();
        filter.resize(filter.size() + (count * 20 + 7) / 8);  // all hashes zero
        const auto decoded = decode_basic_filter({}, filter);
        if (count == 100'000U) {
            EXPECT_TRUE(decoded);
        } else {
            ASSERT_FALSE(decoded);
            EXPECT_EQ(decoded.error(), DecodeError::too_large);
        }
    }
}

/// The longest encoding of `count` hashes: all but the last are zero, and the last is the largest.
Bytes longest_filter(std::uint64_t count) {
    const std::uint64_t last = count * 784'931 - 1;
    const std::uint64_t unary_bits = last >> 19U;
    ByteWriter writer;
    writer.compact_size(count);
    std::vector<bool> bits((count - 1) * 20);
    bits.resize(bits.size() + unary_bits, true);
    bits.push_back(false);
    for (int i = 18; i >= 0; --i) bits.push_back((last >> static_cast<unsigned>(i) & 1U) != 0);
    bits.resize((bits.size() + 7) / 8 * 8);
    for (std::size_t i = 0; i < bits.size(); i += 8) {
        unsigned byte = 0;
        for (std::size_t k = 0; k < 8; ++k) byte = byte << 1U | (bits[i + k] ? 1U : 0U);
        writer.u8(static_cast<std::uint8_t>(byte));
    }
    return writer.take();
}

TEST(BasicFilter, HasTheMaximumSizeInItsLongestEncoding) {
    const Bytes filter = longest_filter(kMaxBasicFilterElements);
    EXPECT_EQ(filter.size(), kMaxBasicFilterBytes);
    const auto decoded = decode_basic_filter({}, filter);
    ASSERT_TRUE(decoded) << describe(decoded.error());
    EXPECT_EQ(decoded->encode(), filter);
}

}  // namespace
}  // namespace petal::chain
