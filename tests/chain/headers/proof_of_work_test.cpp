#include "chain/headers/proof_of_work.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "tests/support/hex.h"
#include "tests/support/test_data.h"

namespace petal::chain {
namespace {

using namespace petal::test::literals;

const Uint256 kNoLimit = ~Uint256(0);

struct TargetCase {
    std::string name;
    std::uint32_t bits;
    std::variant<std::string, TargetError> expected;  // the target in hexadecimal, or the error
    std::uint32_t reencoded = 0;
};

void PrintTo(const TargetCase& row, std::ostream* out) {
    *out << row.name;
}

class CompactTargets : public testing::TestWithParam<TargetCase> {};

TEST_P(CompactTargets, DecodeOrSayWhy) {
    const auto& row = GetParam();
    const auto target = decode_target(row.bits, kNoLimit);
    if (const auto* const error = std::get_if<TargetError>(&row.expected)) {
        ASSERT_FALSE(target);
        EXPECT_EQ(target.error(), *error);
    } else {
        ASSERT_TRUE(target);
        EXPECT_EQ(to_hex(*target), std::get<std::string>(row.expected));
        EXPECT_EQ(encode_target(*target), row.reencoded);
    }
}

std::string with_zeros(const std::string& digits, std::size_t zeros) {
    return digits + std::string(zeros, '0');
}

// Bitcoin Core: arith_uint256_tests.cpp, and the edges of SetCompact's overflow rule.
// clang-format off
INSTANTIATE_TEST_SUITE_P(BitcoinCore, CompactTargets, testing::ValuesIn(std::initializer_list<TargetCase>{
    {"Nothing",               0x00000000, TargetError::zero},
    {"ShiftedOutBySize0",     0x00123456, TargetError::zero},
    {"ShiftedOutBySize1",     0x01003456, TargetError::zero},
    {"ShiftedOutBySize2",     0x02000056, TargetError::zero},
    {"ZeroWord",              0x04000000, TargetError::zero},
    {"SignWithoutMagnitude",  0x01803456, TargetError::zero},
    {"NegativeZero",          0x04800000, TargetError::zero},
    {"OneByte",               0x01123456, "12", 0x01120000},
    {"OneByteNegative",       0x01fedcba, TargetError::negative},
    {"TwoBytes",              0x02123456, "1234", 0x02123400},
    {"ThreeBytes",            0x03123456, "123456", 0x03123456},
    {"FourBytes",             0x04123456, "12345600", 0x04123456},
    {"FourBytesNegative",     0x04923456, TargetError::negative},
    {"TopBitNeedsRoom",       0x05009234, "92340000", 0x05009234},
    {"Size32",                0x20123456, with_zeros("123456", 58), 0x20123456},
    {"Size33OfTwoBytes",      0x2100ffff, with_zeros("ffff", 60), 0x2100ffff},
    {"Size33OfThreeBytes",    0x21010000, TargetError::overflow},
    {"Size34OfOneByte",       0x220000ff, with_zeros("ff", 62), 0x2100ff00},
    {"Size34OfTwoBytes",      0x22000100, TargetError::overflow},
    {"Size35",                0x23000001, TargetError::overflow},
    {"HugeSize",              0xff123456, TargetError::overflow},
    {"HugeSizeOfNothing",     0xff000000, TargetError::zero},
    {"InvertedSign",          0xff7fffff, TargetError::overflow},
    {"MainnetNegative",       0x1d80ffff, TargetError::negative},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(CompactTargets, HoldTheNetworksLimit) {
    const Uint256& limit = find_network("mainnet")->pow_limit;
    EXPECT_TRUE(decode_target(0x1d00ffff, limit));
    ASSERT_FALSE(decode_target(0x1d010000, limit));
    EXPECT_EQ(decode_target(0x1d010000, limit).error(), TargetError::above_limit);

    const Uint256 exact = 0x123456;
    EXPECT_TRUE(decode_target(0x03123456, exact));
    EXPECT_FALSE(decode_target(0x03123457, exact));
}

TEST(CompactTargets, EncodeSmallNumbers) {
    EXPECT_EQ(encode_target(0), 0U);
    EXPECT_EQ(encode_target(1), 0x01010000U);
    EXPECT_EQ(encode_target(0x7f), 0x017f0000U);
    EXPECT_EQ(encode_target(0x80), 0x02008000U);
    EXPECT_EQ(encode_target(0x7fffff), 0x037fffffU);
    EXPECT_EQ(encode_target(0x800000), 0x04008000U);
    EXPECT_EQ(encode_target(0x12345678), 0x04123456U) << "the low bits are cut off";
    EXPECT_EQ(encode_target(kNoLimit), 0x2100ffffU);
}

TEST(Work, IsTheExpectedNumberOfHashes) {
    const auto work = [](std::uint32_t bits) {
        return to_hex(work_of_target(decode_target(bits, kNoLimit).value()));
    };
    EXPECT_EQ(work(0x1d00ffff), "100010001");
    EXPECT_EQ(work(0x207fffff), "2");
    EXPECT_EQ(work(0x1e0377ae), "49d414");
    EXPECT_EQ(work(0x1b0404cb), "3fb3ab764c00");
    EXPECT_EQ(work(0x2100ffff), "1");
    EXPECT_EQ(work(0x01123456), "d79435e50d79435e50d79435e50d79435e50d79435e50d79435e50d79435e50");
    EXPECT_EQ(work_of_target(kNoLimit), 1);
    EXPECT_EQ(to_hex(work_of_target(1)), with_zeros("8", 63));
}

TEST(ProofOfWork, AcceptsAHashEqualToTheTarget) {
    const auto hash = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"_block;
    const Uint256 number = to_uint256(hash);
    EXPECT_TRUE(meets_target(hash, number));
    EXPECT_TRUE(meets_target(hash, number + 1));
    const auto smaller =
        uint256_from_hex("19d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26e").value();
    EXPECT_FALSE(meets_target(hash, smaller));
}

// Headers from the height `base` on, which need not form a chain.
class FakeAncestry final : public HeaderAncestry {
public:
    explicit FakeAncestry(std::uint32_t base) : base_(base) {}

    void add(std::uint32_t time, std::uint32_t bits) {
        BlockHeader header;
        header.time = time;
        header.bits = bits;
        headers_.push_back(header);
    }
    BlockHeader header_at(std::uint32_t height) const override {
        return headers_.at(height - base_);
    }
    std::uint32_t tip_height() const {
        return base_ + static_cast<std::uint32_t>(headers_.size()) - 1;
    }
    std::uint32_t tip_time() const { return headers_.back().time; }

private:
    std::uint32_t base_;
    std::vector<BlockHeader> headers_;
};

struct RetargetCase {
    std::string name;
    std::uint32_t last_height;
    std::uint32_t first_time;
    std::uint32_t last_time;
    std::uint32_t last_bits;
    std::uint32_t expected_bits;
};

void PrintTo(const RetargetCase& row, std::ostream* out) {
    *out << row.name;
}

class MainnetRetargets : public testing::TestWithParam<RetargetCase> {};

TEST_P(MainnetRetargets, GiveTheNextBits) {
    const auto& row = GetParam();
    FakeAncestry ancestry{row.last_height - 2015};
    ancestry.add(row.first_time, row.last_bits);
    while (ancestry.tip_height() < row.last_height) ancestry.add(row.last_time, row.last_bits);

    EXPECT_EQ(required_bits(*find_network("mainnet"), ancestry, row.last_height + 1, row.last_time),
              row.expected_bits);
}

// Bitcoin Core: pow_tests.cpp. The first three periods are real ones.
// clang-format off
INSTANTIATE_TEST_SUITE_P(BitcoinCore, MainnetRetargets, testing::ValuesIn(std::initializer_list<RetargetCase>{
    {"Unconstrained", 32255, 1261130161, 1262152739, 0x1d00ffff, 0x1d00d86a},
    {"AtTheLimit",     2015, 1231006505, 1233061996, 0x1d00ffff, 0x1d00ffff},
    {"LowerClamp",    68543, 1279008237, 1279297671, 0x1c05a3f4, 0x1c0168fd},
    {"UpperClamp",    46367, 1263163443, 1269211443, 0x1c387f6f, 0x1d00e1fd},
    {"TimeRunsBack",  68543, 1279297671, 1279008237, 0x1c05a3f4, 0x1c0168fd},
}), [](const auto& row) { return row.param.name; });
// clang-format on

// This many consecutive blocks with the same bits and spacing.
struct Run {
    std::uint32_t count;
    std::uint32_t spacing;  // to the next block, in seconds
    std::uint32_t bits;
};

struct DifficultyCase {
    std::string name;
    std::string network;
    std::vector<Run> blocks;      // from the first block of a period
    std::uint32_t seconds_after;  // the time from the last block to the new one
    std::uint32_t expected_bits;
};

void PrintTo(const DifficultyCase& row, std::ostream* out) {
    *out << row.name;
}

std::uint32_t bits_after(const DifficultyCase& row) {
    const NetworkParams& network = *find_network(row.network);
    FakeAncestry ancestry{network.retarget_interval * 5};
    std::uint32_t time = 1'600'000'000;
    for (const Run& run : row.blocks) {
        for (std::uint32_t i = 0; i < run.count; ++i, time += run.spacing) {
            ancestry.add(time, run.bits);
        }
    }
    return required_bits(network, ancestry, ancestry.tip_height() + 1,
                         ancestry.tip_time() + row.seconds_after);
}

class DifficultyRules : public testing::TestWithParam<DifficultyCase> {};

TEST_P(DifficultyRules, GiveTheNextBits) {
    EXPECT_EQ(bits_after(GetParam()), GetParam().expected_bits);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Networks, DifficultyRules, testing::ValuesIn(std::initializer_list<DifficultyCase>{
    {"Testnet3LateByExactly20Minutes", "testnet3", {{10, 600, 0x1c00ffff}}, 1200, 0x1c00ffff},
    {"Testnet3LateBy20MinutesAnd1s",   "testnet3", {{10, 600, 0x1c00ffff}}, 1201, 0x1d00ffff},
    {"Testnet4LateByExactly20Minutes", "testnet4", {{10, 600, 0x1c00ffff}}, 1200, 0x1c00ffff},
    {"Testnet4LateBy20MinutesAnd1s",   "testnet4", {{10, 600, 0x1c00ffff}}, 1201, 0x1d00ffff},
    {"MainnetLateByADay",              "mainnet",  {{10, 600, 0x1c00ffff}}, 86400, 0x1c00ffff},
    {"SignetLateByADay",               "signet",   {{10, 600, 0x1c00ffff}}, 86400, 0x1c00ffff},
    {"Testnet3WalksBackOverEasyOnes",  "testnet3", {{10, 600, 0x1c00ffff}, {3, 1300, 0x1d00ffff}}, 600, 0x1c00ffff},
    {"Testnet3WalkEndsAtPeriodsFirst", "testnet3", {{6, 1300, 0x1d00ffff}}, 600, 0x1d00ffff},
    {"Testnet3TakesTheLastReal",       "testnet3", {{5, 600, 0x1c00ffff}, {5, 600, 0x1b00ffff}, {1, 600, 0x1d00ffff}}, 600, 0x1b00ffff},
    {"Testnet3RetargetsFromTheLast",   "testnet3", {{2015, 600, 0x1c00ffff}, {1, 600, 0x1d00ffff}}, 600, 0x1d00ffde},
    {"Testnet4RetargetsFromTheFirst",  "testnet4", {{2015, 600, 0x1c00ffff}, {1, 600, 0x1d00ffff}}, 600, 0x1c00ffde},
    {"Testnet4NoExceptionAtRetarget",  "testnet4", {{2016, 600, 0x1c00ffff}}, 5000, 0x1c00ffde},
    {"Testnet3NoExceptionAtRetarget",  "testnet3", {{2016, 600, 0x1c00ffff}}, 5000, 0x1c00ffde},
    {"MainnetCounts2015Intervals",     "mainnet",  {{2016, 600, 0x1c00ffff}}, 600, 0x1c00ffde},
    {"SignetStaysAtItsLimit",          "signet",   {{2016, 6000, 0x1e0377ae}}, 600, 0x1e0377ae},
    {"RegtestNeverRetargets",          "regtest",  {{144, 1, 0x207fffff}}, 1, 0x207fffff},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(DifficultyRules, BlockAfterGenesisUsesTheGenesisBits) {
    FakeAncestry ancestry{0};
    ancestry.add(1296688602, 0x1d00ffff);
    EXPECT_EQ(required_bits(*find_network("testnet3"), ancestry, 1, 1296688603), 0x1d00ffffU);
}

std::uint32_t hex_number(const nlohmann::json& text) {
    return static_cast<std::uint32_t>(std::stoul(text.get<std::string>(), nullptr, 16));
}

TEST(RecordedDifficulty, CompactTargetsAgree) {
    const auto data = test::read_test_json("vectors/pow.json");
    if (!data) GTEST_SKIP() << test::kNoTestData;
    for (const auto& row : data->at("compact")) {
        const std::uint32_t bits = hex_number(row.at("compact"));
        SCOPED_TRACE(row.at("compact").get<std::string>());
        const auto target = decode_target(bits, kNoLimit);
        const bool is_good = row.at("work") != "0";
        ASSERT_EQ(target.has_value(), is_good);
        if (!is_good) continue;
        EXPECT_EQ(*target, uint256_from_hex(row.at("target").get<std::string>()));
        EXPECT_EQ(encode_target(*target), hex_number(row.at("reencoded")));
        EXPECT_EQ(row.at("work"), to_hex(work_of_target(*target)));
    }
    for (const auto& row : data->at("bad_pow")) {
        EXPECT_FALSE(decode_target(hex_number(row.at("bits")), find_network("mainnet")->pow_limit))
            << row.at("why");
    }
}

TEST(RecordedDifficulty, NetworkRulesAgree) {
    const auto data = test::read_test_json("vectors/pow.json");
    if (!data) GTEST_SKIP() << test::kNoTestData;
    for (const auto& row : data->at("network_rules")) {
        DifficultyCase rule{row.at("what"),
                            row.at("network"),
                            {},
                            row.at("new_block_time_minus_prev"),
                            hex_number(row.at("expected_bits"))};
        for (const auto& run : row.at("blocks_rle")) {
            rule.blocks.push_back(
                {run.at("count"), run.at("spacing_to_next"), hex_number(run.at("bits"))});
        }
        EXPECT_EQ(bits_after(rule), rule.expected_bits) << rule.name;
    }
}

}  // namespace
}  // namespace petal::chain
