#include "chain/witness.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <utility>

#include "tests/support/hex.h"

namespace petal::chain {
namespace {

using namespace petal::test::literals;

TEST(Witness, GivesItsItems) {
    const Witness witness = {"aa"_hex, {}, Bytes(300, 7)};
    ASSERT_EQ(witness.size(), 3U);
    EXPECT_FALSE(witness.empty());
    EXPECT_EQ(to_hex(witness[0]), "aa");
    EXPECT_TRUE(witness[1].empty());
    EXPECT_EQ(to_hex(witness[2]), to_hex(Bytes(300, 7)));
    EXPECT_EQ(to_hex(witness.serialized_items().first(6)), "01aa00fd2c01");
}

TEST(Witness, IsEmptyWithoutItemsButNotWithAnEmptyOne) {
    Witness witness;
    EXPECT_TRUE(witness.empty());
    EXPECT_EQ(witness, Witness{});
    witness.push_back({});
    EXPECT_FALSE(witness.empty());
    EXPECT_NE(witness, Witness{});
    witness.clear();
    EXPECT_EQ(witness, Witness{});
}

TEST(Witness, IsReadAndLeavesTheReaderBehindIt) {
    const Bytes bytes = "0201aa00ff"_hex;
    ByteReader reader{bytes};
    EXPECT_EQ(read_witness(reader), (Witness{"aa"_hex, {}}));
    EXPECT_TRUE(reader.ok());
    EXPECT_EQ(reader.remaining(), 1U);
}

TEST(Witness, IsRefusedAndEmptyWhereItIsMalformed) {
    const std::initializer_list<std::pair<Bytes, DecodeError>> cases = {
        {{}, DecodeError::truncated},
        {"01"_hex, DecodeError::truncated},
        {"0102aa"_hex, DecodeError::truncated},
        {"0201aa"_hex, DecodeError::truncated},
        {"01fd0100aa"_hex, DecodeError::non_canonical_size},
        {"fdfc00"_hex, DecodeError::non_canonical_size},
        {"01fe01000002"_hex, DecodeError::too_large},
        {"fe01000002"_hex, DecodeError::too_large},
    };
    for (const auto& [bytes, error] : cases) {
        ByteReader reader{bytes};
        EXPECT_EQ(read_witness(reader), Witness{}) << to_hex(bytes);
        ASSERT_FALSE(reader.ok()) << to_hex(bytes);
        EXPECT_EQ(reader.error(), error) << to_hex(bytes);
    }
}

// As in mainnet's block 761,249, which nodes with a bound on items refused.
TEST(Witness, HasAsManyItemsAsConsensusAllows) {
    Bytes bytes = "fe21a10700"_hex;  // 500,001
    bytes.resize(bytes.size() + 500'001);
    ByteReader reader{bytes};
    const Witness witness = read_witness(reader);
    EXPECT_TRUE(reader.ok());
    EXPECT_EQ(witness.size(), 500'001U);
    EXPECT_TRUE(witness[500'000].empty());
}

}  // namespace
}  // namespace petal::chain
