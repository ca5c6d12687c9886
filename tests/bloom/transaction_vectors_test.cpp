/// Matching real transactions, as in Bitcoin Core's tests.
#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "bloom/transaction_match.h"
#include "tests/support/hex.h"
#include "tests/support/test_data.h"

namespace petal::bloom {
namespace {

using test::bytes_from_hex;

constexpr const char* kFunding =
    "01000000010b26e9b7735eb6aabdf358bab62f9816a21ba9ebdb719d5299e88607d722c190000000008b4830450220"
    "07"
    "0aca44506c5cef3a16ed519d7c3c39f8aab192c4e1c90d065f37b8a4af6141022100a8e160b856c2d43d27d8fba71e"
    "5a"
    "ef6405b8643ac4cb7cb3c462aced7f14711a0141046d11fee51b0e60666d5049a9101a72741df480b96ee26488a4d3"
    "46"
    "6b95c9a40ac5eeef87e10a5cd336c19a84565f80fa6c547957b7700ff4dfbdefe76036c339ffffffff021bff3d1100"
    "00"
    "00001976a91404943fdd508053c75000106d3bc6e2754dbcff1988ac2f15de00000000001976a914a266436d296554"
    "76"
    "08b9e15d9032a7b9d64fa43188ac00000000";

// A transaction that spends output 0 of kFunding.
constexpr const char* kSpending =
    "01000000016bff7fcd4f8565ef406dd5d63d4ff94f318fe82027fd4dc451b04474019f74b4000000008c4930460221"
    "00"
    "da0dc6aecefe1e06efdf05773757deb168820930e3b0d03f46f5fcf150bf990c022100d25b5c87040076e4f253f826"
    "2e"
    "763e2dd51e7ff0be157727c4bc42807f17bd39014104e6c26ef67dc610d2cd192484789a6cf9aea9930b944b7e2db5"
    "34"
    "2b9d9e5b9ff79aff9a2ee1978dd7fd01dfc522ee02283d3b06a9d03acf8096968d7dbb0f9178ffffffff028ba7940e"
    "00"
    "0000001976a914badeecfdef0507247fc8f74241d73bc039972d7b88ac4094a802000000001976a914c10932483fec"
    "93"
    "ed51f5fe95e72559f2cc7043f988ac00000000";

chain::Transaction transaction(std::string_view hex) {
    return chain::decode_transaction(bytes_from_hex(hex)).value();
}

MatchResult match_real(BloomFilter& filter, const chain::Transaction& transaction) {
    return match_and_update(filter, transaction, transaction.txid());
}

struct RealCase {
    std::string name;
    std::string element;
    bool matched;
    std::string bytes_after;      // under UPDATE_ALL
    bool spending_matches_after;  // under UPDATE_ALL
};

void PrintTo(const RealCase& c, std::ostream* out) {
    *out << c.name;
}

class RealTransaction : public testing::TestWithParam<RealCase> {
protected:
    BloomFilter filter(UpdateMode mode) const {
        BloomFilter filter(filter_size(10, 0.000001), 0, mode);
        filter.insert(bytes_from_hex(GetParam().element));
        return filter;
    }
};

TEST_P(RealTransaction, MatchesAsInBitcoinCore) {
    const auto& c = GetParam();
    BloomFilter all = filter(UpdateMode::all);
    EXPECT_EQ(match_real(all, transaction(kFunding)).matched, c.matched);
    EXPECT_EQ(chain::to_hex(all.bytes()), c.bytes_after);
    EXPECT_EQ(match_real(all, transaction(kSpending)).matched, c.spending_matches_after);
}

// All its outputs are P2PKH.
TEST_P(RealTransaction, InsertsNothingInTheOtherModes) {
    for (const UpdateMode mode : {UpdateMode::none, UpdateMode::pubkey_only}) {
        BloomFilter other = filter(mode);
        const BloomFilter before = other;
        EXPECT_EQ(match_real(other, transaction(kFunding)).matched, GetParam().matched);
        EXPECT_EQ(other, before);
        EXPECT_FALSE(match_real(other, transaction(kSpending)).matched);
    }
}

// Matches: Bitcoin Core, src/test/bloom_tests.cpp, bloom_match. The bytes were computed by an
// independent implementation that meets all of Bitcoin Core's expectations.
// clang-format off
INSTANTIATE_TEST_SUITE_P(BitcoinCore, RealTransaction, testing::ValuesIn(std::initializer_list<RealCase>{
    {"Txid", "6bff7fcd4f8565ef406dd5d63d4ff94f318fe82027fd4dc451b04474019f74b4", true,
     "0002108000000000081002440008000400000000000000000000848004040081200001", false},
    {"InputSignature", "30450220070aca44506c5cef3a16ed519d7c3c39f8aab192c4e1c90d065f37b8a4af6141022100a8e160b856c2d43d27d8fba71e5aef6405b8643ac4cb7cb3c462aced7f14711a01", true,
     "20400000000000001000080088040000000280800204a0000400000220800000100000", false},
    {"InputKey", "046d11fee51b0e60666d5049a9101a72741df480b96ee26488a4d3466b95c9a40ac5eeef87e10a5cd336c19a84565f80fa6c547957b7700ff4dfbdefe76036c339", true,
     "000000000000100400022000000000801020a010800004400100500002200010000000", false},
    {"KeyHashOfOutput0", "04943fdd508053c75000106d3bc6e2754dbcff19", true,
     "0000008200010024300210300001442800204001400160004021400001024088100220", true},
    {"KeyHashOfOutput1", "a266436d2965547608b9e15d9032a7b9d64fa431", true,
     "005008020010001c080050c101400800000008880091204800aa00000000200c800400", false},
    {"Prevout", "0b26e9b7735eb6aabdf358bab62f9816a21ba9ebdb719d5299e88607d722c19000000000", true,
     "0008000000000100000000200040304001000020000000100800050801000400800024", false},
    {"PrevoutOtherIndex", "0b26e9b7735eb6aabdf358bab62f9816a21ba9ebdb719d5299e88607d722c19001000000", false,
     "0000008180400400000000040001401040003010000000240000000000000082200008", false},
    {"OtherKeyHash", "0000006d2965547608b9e15d9032a7b9d64fa431", false,
     "0204002000018048000000200000004000000010040000000000400040002009600100", false},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(TransactionVectors, AllHold) {
    const auto vectors = test::read_test_json("vectors/bloom.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;
    const auto& rows = vectors->at("tx_match");
    const auto funding = transaction(rows.at("tx_a").get<std::string>());
    const auto spending = transaction(rows.at("tx_b").get<std::string>());
    EXPECT_EQ(funding.txid().to_hex(), rows.at("tx_a_txid").get<std::string>());
    EXPECT_EQ(spending.txid().to_hex(), rows.at("tx_b_txid").get<std::string>());
    ASSERT_EQ(rows.at("cases").size(), 10U);

    for (const auto& row : rows.at("cases")) {
        for (const UpdateMode mode : {UpdateMode::none, UpdateMode::all, UpdateMode::pubkey_only}) {
            const auto suffix = "after_flags_" + std::to_string(static_cast<int>(mode));
            BloomFilter filter(filter_size(10, 0.000001), 0, mode);
            filter.insert(bytes_from_hex(row.at("insert").get<std::string>()));
            EXPECT_EQ(match_real(filter, funding).matched, row.at("match").get<bool>()) << row;
            EXPECT_EQ(chain::to_hex(filter.bytes()), row.at("filter_" + suffix).get<std::string>());
            EXPECT_EQ(match_real(filter, spending).matched,
                      row.at("spending_tx_matches_" + suffix).get<bool>())
                << row;
        }
    }
}

/// The transactions of the blocks, by block hash.
std::map<std::string, std::vector<chain::Transaction>> blocks_of(const nlohmann::json& vectors) {
    std::map<std::string, std::vector<chain::Transaction>> blocks;
    for (const auto& [name, hex] : vectors.at("blocks").items()) {
        const chain::Bytes bytes = bytes_from_hex(hex.get<std::string>());
        chain::ByteReader reader(bytes);
        const auto hash = chain::sha256d(reader.read_view(80)).to_hex();
        const std::size_t count = reader.read_count(10'000, 60);
        for (std::size_t i = 0; i < count; ++i) {
            blocks[hash].push_back(chain::read_transaction(reader));
        }
        reader.expect_end();
        EXPECT_TRUE(reader.ok()) << name;
    }
    return blocks;
}

TEST(BlockVectors, MatchAndUpdateAsInBitcoinCore) {
    const auto vectors = test::read_test_json("vectors/merkleblock.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;
    const auto blocks = blocks_of(*vectors);
    ASSERT_EQ(vectors->at("cases").size(), 13U);
    for (const auto& row : vectors->at("cases")) {
        auto filter =
            BloomFilter::decode(bytes_from_hex(row.at("filterload_payload").get<std::string>()));
        ASSERT_TRUE(filter);
        std::vector<std::size_t> matched;
        const auto& transactions = blocks.at(row.at("block_hash").get<std::string>());
        for (std::size_t i = 0; i < transactions.size(); ++i) {
            if (match_real(*filter, transactions[i]).matched) matched.push_back(i);
        }
        EXPECT_EQ(matched, row.at("matched_indexes").get<std::vector<std::size_t>>())
            << row.at("name");
        EXPECT_EQ(chain::to_hex(filter->encode()), row.at("filter_after").get<std::string>())
            << row.at("name");
    }
}

}  // namespace
}  // namespace petal::bloom
