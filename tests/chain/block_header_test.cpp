#include "chain/block_header.h"

#include <gtest/gtest.h>

#include "tests/support/hex.h"

namespace petal::chain {
namespace {

using namespace petal::test::literals;

// Mainnet's genesis block.
const Bytes kGenesis =
    "01000000000000000000000000000000000000000000000000000000000000000000000"
    "03ba3edfd7a7b12b27ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4a"
    "29ab5f49ffff001d1dac2b7c"_hex;

TEST(BlockHeader, ReadsEachField) {
    ByteReader reader{kGenesis};
    const BlockHeader header = read_block_header(reader);

    EXPECT_TRUE(reader.ok());
    EXPECT_EQ(reader.remaining(), 0U);
    EXPECT_EQ(header.version, 1);
    EXPECT_TRUE(header.previous.is_zero());
    EXPECT_EQ(header.merkle_root,
              "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"_hash256);
    EXPECT_EQ(header.time, 1231006505U);
    EXPECT_EQ(header.bits, 0x1d00ffffU);
    EXPECT_EQ(header.nonce, 2083236893U);
}

TEST(BlockHeader, HashesToItsName) {
    ByteReader reader{kGenesis};
    EXPECT_EQ(read_block_header(reader).hash(),
              "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"_block);
}

TEST(BlockHeader, RoundTrips) {
    Bytes bytes;
    for (unsigned i = 0; i < kHeaderBytes; ++i) bytes.push_back(static_cast<Byte>(255 - i));
    ByteReader reader{bytes};
    const BlockHeader header = read_block_header(reader);
    EXPECT_LT(header.version, 0);
    const auto again = header.serialize();
    EXPECT_EQ(Bytes(again.begin(), again.end()), bytes);
}

TEST(BlockHeader, IsRefusedAtEveryShorterLength) {
    for (std::size_t size = 0; size < kHeaderBytes; ++size) {
        ByteReader reader{ByteView{kGenesis}.first(size)};
        read_block_header(reader);
        ASSERT_FALSE(reader.ok()) << size;
        EXPECT_EQ(reader.error(), DecodeError::truncated);
    }
}

}  // namespace
}  // namespace petal::chain
