/// Each rule for headers, broken separately.
#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "chain/headers/header_chain.h"
#include "chain/headers/header_rules.h"
#include "chain/headers/proof_of_work.h"
#include "tests/chain/headers/best_branch.h"
#include "tests/chain/headers/small_network.h"
#include "tests/support/test_chain.h"

namespace petal::chain {
namespace {

using test::find_nonce;
using test::kNow;
using test::mine_header;

constexpr std::uint32_t kSpacing = 200;
const std::uint32_t kStart = test::regtest_params().genesis.time;

// Periods of eight blocks, with every rule enabled.
NetworkParams strict_network() {
    NetworkParams network = small_network(8);
    network.bip94 = true;
    network.version_heights = {3, 5, 7};
    return network;
}

// A chain that grows by one valid block at a time.
class GrowingChain {
public:
    explicit GrowingChain(const NetworkParams& network) : network_(network), chain_(network_) {}

    // A header for the next height that is valid.
    BlockHeader next() const {
        const BlockHeader tip = chain_.tip_header();
        const std::uint32_t time = tip.time + kSpacing;
        const std::uint32_t height = chain_.tip().height + 1;
        return mine_header(tip, time, {},
                           required_bits(network_, BestBranch{chain_}, height, time));
    }
    std::optional<HeaderError> accept(const BlockHeader& header, std::int64_t now = kNow) {
        return chain_.accept(std::span(&header, 1), now).error;
    }
    void grow_to(std::uint32_t height) {
        while (chain_.tip().height < height) ASSERT_EQ(accept(next()), std::nullopt);
    }
    const HeaderChain& chain() const { return chain_; }

private:
    NetworkParams network_;
    HeaderChain chain_;
};

// Mining 16 of these headers takes a moment, so it is done only once.
GrowingChain strict_chain(std::uint32_t height, NetworkParams network = strict_network()) {
    static const std::vector<BlockHeader> trunk = [] {
        GrowingChain chain{strict_network()};
        chain.grow_to(16);
        std::vector<BlockHeader> headers;
        for (std::uint32_t i = 1; i <= 16; ++i) headers.push_back(chain.chain().header_at(i));
        return headers;
    }();
    GrowingChain chain{network};
    for (std::uint32_t i = 0; i < height; ++i) EXPECT_EQ(chain.accept(trunk[i]), std::nullopt);
    return chain;
}

struct BrokenRule {
    std::string name;
    std::uint32_t height;  // of the invalid header
    void (*break_it)(BlockHeader&);
    std::optional<HeaderError> error;  // nothing: the header is still valid
};

void PrintTo(const BrokenRule& row, std::ostream* out) {
    *out << row.name;
}

class HeaderRules : public testing::TestWithParam<BrokenRule> {};

TEST_P(HeaderRules, AreEnforced) {
    const auto& row = GetParam();
    GrowingChain chain = strict_chain(row.height - 1);
    BlockHeader header = chain.next();
    row.break_it(header);
    if (row.error != HeaderError::bad_target && row.error != HeaderError::insufficient_work) {
        find_nonce(header);
    }

    EXPECT_EQ(chain.accept(header), row.error);
    EXPECT_EQ(chain.chain().tip().height, row.error ? row.height - 1 : row.height);
    const std::int64_t later = kNow + 86'400;
    EXPECT_EQ(chain.accept(chain.next(), later), std::nullopt)
        << "a valid header is still accepted";
}

void miss_target(BlockHeader& header) {
    const Uint256 target = decode_target(header.bits, ~Uint256(0)).value();
    while (meets_target(header.hash(), target)) ++header.nonce;
}

// Blocks are 200 seconds apart. So the median of eleven is 1000 seconds before the time of the tip,
// and 1200 before the usual time of the next block. Heights 8 and 16 start a period.
// clang-format off
INSTANTIATE_TEST_SUITE_P(Strict, HeaderRules, testing::ValuesIn(std::initializer_list<BrokenRule>{
    {"ParentUnknown",        12, [](BlockHeader& h) { h.previous.bytes[0] ^= 1U; }, HeaderError::unknown_parent},
    {"TargetZero",           12, [](BlockHeader& h) { h.bits = 0; }, HeaderError::bad_target},
    {"TargetNegative",       12, [](BlockHeader& h) { h.bits |= 0x00800000U; }, HeaderError::bad_target},
    {"TargetOverflowing",    12, [](BlockHeader& h) { h.bits = 0xff7fffff; }, HeaderError::bad_target},
    {"TargetAboveLimit",     12, [](BlockHeader& h) { h.bits = kSmallLimitBits + 1; }, HeaderError::bad_target},
    {"WorkMissing",          12, miss_target, HeaderError::insufficient_work},
    {"BitsHarder",           12, [](BlockHeader& h) { --h.bits; }, HeaderError::wrong_bits},
    {"BitsEasier",           12, [](BlockHeader& h) { ++h.bits; }, HeaderError::wrong_bits},
    {"BitsOfLastPeriod",      8, [](BlockHeader& h) { h.bits = kSmallLimitBits; }, HeaderError::wrong_bits},
    {"BitsOfLateBlock",      12, [](BlockHeader& h) { h.bits = kSmallLimitBits; h.time += 5000; }, HeaderError::wrong_bits},
    {"TimeOfMedian",         14, [](BlockHeader& h) { h.time -= 1200; }, HeaderError::time_too_old},
    {"TimeAfterMedian",      14, [](BlockHeader& h) { h.time -= 1199; }, {}},
    {"TimeOfMedianOfFew",     2, [](BlockHeader& h) { h.time -= 200; }, HeaderError::time_too_old},
    {"TimeAfterMedianOfFew",  2, [](BlockHeader& h) { h.time -= 199; }, {}},
    {"TimeOfGenesis",         1, [](BlockHeader& h) { h.time = kStart; }, HeaderError::time_too_old},
    {"TimeAfterGenesis",      1, [](BlockHeader& h) { h.time = kStart + 1; }, {}},
    {"TimewarpBy601Seconds", 16, [](BlockHeader& h) { h.time -= 200 + 601; }, HeaderError::time_warp},
    {"TimewarpBy600Seconds", 16, [](BlockHeader& h) { h.time -= 200 + 600; }, {}},
    {"BackwardsInPeriod",    17, [](BlockHeader& h) { h.time -= 200 + 601; }, {}},
    {"TimeTooNew",           12, [](BlockHeader& h) { h.time = kNow + 7201; }, HeaderError::time_too_new},
    {"TimeJustNotTooNew",    12, [](BlockHeader& h) { h.time = kNow + 7200; }, {}},
    {"Version1Before",        2, [](BlockHeader& h) { h.version = 1; }, {}},
    {"VersionNegativeBefore", 2, [](BlockHeader& h) { h.version = -1; }, {}},
    {"Version1At",            3, [](BlockHeader& h) { h.version = 1; }, HeaderError::obsolete_version},
    {"Version2At",            3, [](BlockHeader& h) { h.version = 2; }, {}},
    {"Version2Later",         5, [](BlockHeader& h) { h.version = 2; }, HeaderError::obsolete_version},
    {"Version3Later",         6, [](BlockHeader& h) { h.version = 3; }, {}},
    {"Version3AtLast",        7, [](BlockHeader& h) { h.version = 3; }, HeaderError::obsolete_version},
    {"Version4AtLast",        7, [](BlockHeader& h) { h.version = 4; }, {}},
    {"VersionNegative",       7, [](BlockHeader& h) { h.version = std::numeric_limits<std::int32_t>::min(); }, HeaderError::obsolete_version},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(HeaderRules, TimewarpIsAllowedWithoutBip94) {
    NetworkParams network = strict_network();
    network.bip94 = false;
    GrowingChain chain = strict_chain(15, network);
    BlockHeader header = chain.next();
    header.time -= kSpacing + 601;
    find_nonce(header);
    EXPECT_EQ(chain.accept(header), std::nullopt);
}

TEST(HeaderRules, LateBlocksMayBeEasyOnTestNetworks) {
    NetworkParams network = strict_network();
    network.min_difficulty_blocks = true;
    GrowingChain chain = strict_chain(12, network);
    const BlockHeader tip = chain.chain().tip_header();
    ASSERT_NE(tip.bits, kSmallLimitBits);

    EXPECT_EQ(chain.accept(mine_header(tip, tip.time + 1200, {}, kSmallLimitBits)),
              HeaderError::wrong_bits);
    EXPECT_EQ(chain.accept(mine_header(tip, tip.time + 1201, {}, kSmallLimitBits)), std::nullopt);
    EXPECT_EQ(chain.next().bits, tip.bits) << "the next header has the same difficulty";
    EXPECT_EQ(chain.accept(chain.next()), std::nullopt);
}

TEST(HeaderRules, BitsAreCheckedBeforeTimes) {
    GrowingChain chain = strict_chain(12);
    BlockHeader header = chain.next();
    --header.bits;
    header.time = kStart;
    header.version = 1;
    find_nonce(header);
    EXPECT_EQ(chain.accept(header), HeaderError::wrong_bits);
}

TEST(HeaderRules, HeaderThatWasTooNewIsAcceptedLater) {
    GrowingChain chain{test::regtest_params()};
    const BlockHeader header = chain.next();
    EXPECT_EQ(chain.accept(header, std::int64_t{header.time} - 7201), HeaderError::time_too_new);
    EXPECT_EQ(chain.accept(mine_header(header, header.time + 600)), HeaderError::unknown_parent)
        << "a header that is not accepted yet is no known parent";
    EXPECT_EQ(chain.accept(header, std::int64_t{header.time} - 7200), std::nullopt);
}

BlockHeader too_old_header(std::uint32_t seconds_before_genesis) {
    return mine_header(test::regtest_params().genesis, kStart - seconds_before_genesis);
}

TEST(InvalidBranches, AreRemembered) {
    GrowingChain chain{test::regtest_params()};
    const BlockHeader bad = too_old_header(0);
    const BlockHeader child = mine_header(bad, kStart + 1200);
    const BlockHeader grandchild = mine_header(child, kStart + 1800);

    EXPECT_EQ(chain.accept(child), HeaderError::unknown_parent);
    EXPECT_EQ(chain.accept(bad), HeaderError::time_too_old);
    EXPECT_EQ(chain.accept(child), HeaderError::descends_from_invalid);
    EXPECT_EQ(chain.accept(grandchild), HeaderError::descends_from_invalid);
    EXPECT_EQ(chain.accept(bad), HeaderError::time_too_old) << "the reason does not change";
    EXPECT_EQ(chain.chain().tip().height, 0U);
    EXPECT_EQ(chain.chain().find(bad.hash()), std::nullopt);
}

TEST(InvalidBranches, AreForgottenInOrder) {
    GrowingChain chain{test::regtest_params()};
    for (std::uint32_t i = 0; i <= 1000; ++i) {
        EXPECT_EQ(chain.accept(too_old_header(i)), HeaderError::time_too_old);
    }
    EXPECT_EQ(chain.accept(mine_header(too_old_header(0), kStart + 600)),
              HeaderError::unknown_parent);
    EXPECT_EQ(chain.accept(mine_header(too_old_header(1), kStart + 600)),
              HeaderError::descends_from_invalid);
}

TEST(InvalidBranches, AreNotForgottenIfOneIsRepeated) {
    GrowingChain chain{test::regtest_params()};
    EXPECT_EQ(chain.accept(too_old_header(0)), HeaderError::time_too_old);
    for (int times = 0; times < 1500; ++times) {
        EXPECT_EQ(chain.accept(too_old_header(1)), HeaderError::time_too_old);
    }
    for (std::uint32_t i = 0; i <= 1; ++i) {
        EXPECT_EQ(chain.accept(mine_header(too_old_header(i), kStart + 600)),
                  HeaderError::descends_from_invalid);
    }
}

TEST(InvalidBranches, WithoutWorkLeaveNoTrace) {
    GrowingChain chain{test::regtest_params()};
    BlockHeader bad = chain.next();
    miss_target(bad);
    EXPECT_EQ(chain.accept(bad), HeaderError::insufficient_work);
    EXPECT_EQ(chain.accept(mine_header(bad, bad.time + 600)), HeaderError::unknown_parent);
}

struct MedianRow {
    std::string name;
    std::vector<std::uint32_t> times;
    std::uint32_t median = 0;
};

void PrintTo(const MedianRow& row, std::ostream* out) {
    *out << row.name;
}

class MedianTime : public testing::TestWithParam<MedianRow> {};

TEST_P(MedianTime, IsTheMiddleOfTheSortedTimes) {
    auto times = GetParam().times;
    EXPECT_EQ(median_time(times), GetParam().median);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Blocks, MedianTime, testing::ValuesIn(std::initializer_list<MedianRow>{
    {"OfOne",          {7}, 7},
    {"OfTwo",          {3, 7}, 7},
    {"OfThree",        {9, 3, 7}, 7},
    {"OfFour",         {9, 1, 7, 3}, 7},
    {"OfEqualTimes",   {5, 5, 5, 8}, 5},
    {"OfEleven",       {0, 600, 5000, 700, 800, 4000, 900, 3000, 1000, 950, 960}, 950},
    {"OfLatestTimes",  {0xffffffff, 0, 0xffffffff}, 0xffffffff},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(HeaderErrors, ProveMisbehaviourUnlessTheVerdictMayChange) {
    std::set<std::string_view> texts;
    for (int i = 0; i <= static_cast<int>(HeaderError::descends_from_invalid); ++i) {
        const auto error = static_cast<HeaderError>(i);
        const bool may_change =
            error == HeaderError::unknown_parent || error == HeaderError::time_too_new;
        EXPECT_NE(proves_fault(error), may_change) << describe(error);
        texts.insert(describe(error));
    }
    EXPECT_EQ(texts.size(), 9U);
    EXPECT_FALSE(texts.contains(""));
}

}  // namespace
}  // namespace petal::chain
