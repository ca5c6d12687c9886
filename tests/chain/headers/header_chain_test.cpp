/// The header tree, its best branch, and the questions that it answers.
#include "chain/headers/header_chain.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "chain/headers/proof_of_work.h"
#include "tests/chain/headers/small_network.h"
#include "tests/support/test_chain.h"

namespace petal::chain {
namespace {

using test::kNow;
using test::LetterTree;
using test::mine_header;
using test::mine_headers;

BlockRef ref(const LetterTree& tree, std::uint32_t height, char letter) {
    return {height, tree.hash(letter)};
}

TEST(HeaderChain, StartsWithTheGenesisBlock) {
    const HeaderChain chain{test::regtest_params()};
    const BlockHash genesis = test::regtest_params().genesis.hash();
    EXPECT_EQ(chain.tip(), (BlockRef{0, genesis}));
    EXPECT_EQ(chain.tip_header(), test::regtest_params().genesis);
    EXPECT_EQ(chain.chainwork(), 2);
    EXPECT_TRUE(chain.has_minimum_chainwork());
    EXPECT_EQ(chain.locator(), std::vector<BlockHash>{genesis});
    EXPECT_EQ(chain.height_of(genesis), 0U);
}

TEST(HeaderChain, TakesNoHeaders) {
    HeaderChain chain{test::regtest_params()};
    const AcceptResult result = chain.accept({}, kNow);
    EXPECT_EQ(result.accepted, 0U);
    EXPECT_EQ(result.error, std::nullopt);
    EXPECT_EQ(result.move.new_tip, result.move.old_tip);
    EXPECT_FALSE(result.move.is_reorganisation());
}

TEST(HeaderChain, Grows) {
    HeaderChain chain{test::regtest_params()};
    LetterTree tree;
    const AcceptResult result = chain.accept(tree.grow("abc"), kNow);
    EXPECT_EQ(result.accepted, 3U);
    EXPECT_EQ(result.added, 3U);
    EXPECT_EQ(result.error, std::nullopt);
    EXPECT_EQ(result.move.old_tip, ref(tree, 0, '0'));
    EXPECT_EQ(result.move.fork, ref(tree, 0, '0'));
    EXPECT_EQ(result.move.new_tip, ref(tree, 3, 'c'));
    EXPECT_EQ(chain.tip(), ref(tree, 3, 'c'));
    EXPECT_EQ(chain.chainwork(), 8);
    EXPECT_EQ(chain.hash_at(2), tree.hash('b'));
    EXPECT_EQ(chain.header_at(2), tree['b']);
    EXPECT_EQ(chain.tip_header(), tree['c']);
}

TEST(HeaderChain, CountsKnownHeadersAsAcceptedButNotAsAdded) {
    HeaderChain chain{test::regtest_params()};
    LetterTree tree;
    chain.accept(tree.grow("ab"), kNow);
    tree.grow("c", 'b');
    const AcceptResult result = chain.accept(tree.headers("0abc"), kNow);
    EXPECT_EQ(result.accepted, 4U);
    EXPECT_EQ(result.added, 1U);
    EXPECT_EQ(chain.tip(), ref(tree, 3, 'c'));
}

TEST(HeaderChain, StopsAtTheFirstBadHeader) {
    HeaderChain chain{test::regtest_params()};
    LetterTree tree;
    auto headers = tree.grow("abcd");
    headers[2].time = 0;
    const AcceptResult result = chain.accept(headers, kNow);
    EXPECT_EQ(result.accepted, 2U);
    EXPECT_EQ(result.added, 2U);
    EXPECT_TRUE(result.error);
    EXPECT_EQ(chain.tip(), ref(tree, 2, 'b'));
}

TEST(HeaderChain, TakesNothingAfterABadHeader) {
    HeaderChain chain{test::regtest_params()};
    LetterTree tree;
    auto headers = tree.grow("ab");
    headers[1].time = 0;
    tree.grow("x");
    headers.push_back(tree['x']);
    const AcceptResult result = chain.accept(headers, kNow);
    EXPECT_EQ(result.accepted, 1U);
    EXPECT_TRUE(result.error);
    EXPECT_EQ(chain.find(tree.hash('x')), std::nullopt);
}

TEST(HeaderChain, KeepsTheFirstOfEqualBranches) {
    HeaderChain chain{test::regtest_params()};
    LetterTree tree;
    chain.accept(tree.grow("ab"), kNow);
    const AcceptResult tie = chain.accept(tree.grow("xy"), kNow);
    EXPECT_EQ(tie.added, 2U);
    EXPECT_EQ(tie.move.new_tip, ref(tree, 2, 'b'));
    EXPECT_FALSE(tie.move.is_reorganisation());
    EXPECT_FALSE(chain.is_on_best_chain(tree.hash('x')));
}

TEST(HeaderChain, ReorganisesToMoreWork) {
    HeaderChain chain{test::regtest_params()};
    LetterTree tree;
    chain.accept(tree.grow("abcd"), kNow);
    tree.grow("xyz", 'b');

    const AcceptResult result = chain.accept(tree.headers("xyz"), kNow);
    EXPECT_TRUE(result.move.is_reorganisation());
    EXPECT_EQ(result.move.old_tip, ref(tree, 4, 'd'));
    EXPECT_EQ(result.move.fork, ref(tree, 2, 'b'));
    EXPECT_EQ(result.move.new_tip, ref(tree, 5, 'z'));
    EXPECT_EQ(chain.hash_at(3), tree.hash('x'));
    EXPECT_EQ(chain.hash_at(2), tree.hash('b'));
    EXPECT_FALSE(chain.is_on_best_chain(tree.hash('c')));
    EXPECT_TRUE(chain.is_on_best_chain(tree.hash('y')));

    tree.grow("ef", 'd');
    const AcceptResult back = chain.accept(tree.headers("ef"), kNow);
    EXPECT_EQ(back.move.fork, ref(tree, 2, 'b'));
    EXPECT_EQ(back.move.new_tip, ref(tree, 6, 'f'));
    EXPECT_EQ(chain.hash_at(4), tree.hash('d'));
}

TEST(HeaderChain, ReportsNoReorganisationThatTheSameCallUndoes) {
    HeaderChain chain{test::regtest_params()};
    LetterTree tree;
    chain.accept(tree.grow("a"), kNow);
    tree.grow("xy");
    tree.grow("bc", 'a');
    const AcceptResult result = chain.accept(tree.headers("xybc"), kNow);
    EXPECT_EQ(result.move.old_tip, ref(tree, 1, 'a'));
    EXPECT_FALSE(result.move.is_reorganisation());
    EXPECT_EQ(result.move.new_tip, ref(tree, 3, 'c'));
}

TEST(HeaderChain, AnswersForEveryBranch) {
    HeaderChain chain{test::regtest_params()};
    LetterTree tree;
    chain.accept(tree.grow("abc"), kNow);
    tree.grow("xy", 'a');
    chain.accept(tree.headers("xy"), kNow);
    tree.grow("u", 'y');

    EXPECT_EQ(chain.height_of(tree.hash('y')), 3U);
    EXPECT_EQ(*chain.find(tree.hash('x')), tree['x']);
    EXPECT_EQ(chain.fork_point(tree.hash('y')), ref(tree, 1, 'a'));
    EXPECT_EQ(chain.fork_point(tree.hash('b')), ref(tree, 2, 'b'));
    EXPECT_EQ(chain.fork_point(tree.hash('0')), ref(tree, 0, '0'));

    EXPECT_EQ(chain.height_of(tree.hash('u')), std::nullopt);
    EXPECT_EQ(chain.find(tree.hash('u')), std::nullopt);
    EXPECT_EQ(chain.fork_point(tree.hash('u')), std::nullopt);
    EXPECT_FALSE(chain.is_on_best_chain(tree.hash('u')));
}

TEST(HeaderChain, NumbersHeadersInOrderOfAcceptance) {
    HeaderChain chain{test::regtest_params()};
    LetterTree tree;
    tree.grow("ab");
    tree.grow("x");
    chain.accept(tree.headers("abxb"), kNow);
    ASSERT_EQ(chain.size(), 4U);
    const auto expected = tree.headers("0abx");
    for (std::uint32_t number = 0; number < 4; ++number) {
        EXPECT_EQ(chain.header_by_number(number), expected[number]);
        EXPECT_EQ(chain.recheck(number, kNow), std::nullopt);
    }
    const std::int64_t early = std::int64_t{tree['b'].time} - 7201;
    EXPECT_EQ(chain.recheck(2, early), HeaderError::time_too_new);
}

TEST(HeaderChain, TellsTheWorkOfEveryBranch) {
    HeaderChain chain{test::regtest_params()};
    LetterTree tree;
    chain.accept(tree.grow("abc"), kNow);
    chain.accept(tree.grow("x", 'a'), kNow);
    EXPECT_EQ(chain.chainwork_at(tree.hash('c')), Uint256(8));
    EXPECT_EQ(chain.chainwork_at(tree.hash('x')), Uint256(6));
    EXPECT_EQ(chain.chainwork_at(BlockHash{}), std::nullopt);
}

TEST(HeaderChain, TakesHeadersThatAreHashedAlready) {
    HeaderChain chain{test::regtest_params()};
    LetterTree tree;
    std::vector<HashedHeader> hashed;
    for (const BlockHeader& header : tree.grow("ab")) hashed.emplace_back(header);
    EXPECT_EQ(chain.accept_hashed(hashed, kNow).added, 2U);
    EXPECT_EQ(chain.tip(), ref(tree, 2, 'b'));
}

TEST(HeaderChain, MovesAsAWhole) {
    LetterTree tree;
    HeaderChain first{test::regtest_params()};
    first.accept(tree.grow("ab"), kNow);
    HeaderChain second{std::move(first)};
    second.accept(tree.grow("c", 'b'), kNow);
    EXPECT_EQ(second.tip(), ref(tree, 3, 'c'));
}

TEST(HeaderChain, NeedsTheNetworksMinimumWork) {
    NetworkParams network = test::regtest_params();
    network.minimum_chainwork = 6;
    HeaderChain chain{network};
    LetterTree tree;
    chain.accept(tree.grow("a"), kNow);
    EXPECT_FALSE(chain.has_minimum_chainwork());
    chain.accept(tree.grow("b", 'a'), kNow);
    EXPECT_TRUE(chain.has_minimum_chainwork());
}

TEST(HeaderChain, KnowsWhichBlocksHaveTheMinimumWork) {
    NetworkParams network = test::regtest_params();
    network.minimum_chainwork = 8;  // the genesis block and three more blocks
    HeaderChain chain{network};
    LetterTree tree;
    chain.accept(tree.grow("abcd"), kNow);
    chain.accept(tree.grow("x", 'a'), kNow);
    chain.accept(tree.grow("y", 'c'), kNow);
    EXPECT_TRUE(chain.has_minimum_chainwork(tree.hash('a'))) << "of the best chain";
    EXPECT_TRUE(chain.has_minimum_chainwork(tree.hash('y'))) << "of a branch with as much work";
    EXPECT_FALSE(chain.has_minimum_chainwork(tree.hash('x')));
    EXPECT_FALSE(chain.has_minimum_chainwork(BlockHash{}));
    NetworkParams free = test::regtest_params();
    EXPECT_TRUE(HeaderChain{free}.has_minimum_chainwork(BlockHash{}));

    HeaderChain low{network};
    low.accept(tree.headers("ax"), kNow);
    EXPECT_FALSE(low.has_minimum_chainwork(tree.hash('a')));
}

// The work of one easy and one hard block takes six easy blocks to exceed.
TEST(HeaderChain, CountsWorkInsteadOfBlocks) {
    const NetworkParams network = small_network(4);
    HeaderChain chain{network};
    std::vector<BlockHeader> fast{network.genesis};
    for (int i = 0; i < 3; ++i) {
        fast.push_back(mine_header(fast.back(), fast.back().time + 1, {}, kSmallLimitBits));
    }
    // The period took only three seconds, so the target falls as far as it may, to a quarter.
    fast.push_back(mine_header(fast.back(), fast.back().time + 1, {}, 0x1f020000));
    ASSERT_EQ(chain.accept(fast, kNow).error, std::nullopt);
    EXPECT_EQ(chain.chainwork(), 4 * 8191 + 32767);

    std::vector<BlockHeader> slow(fast.begin(), fast.begin() + 3);
    for (int i = 0; i < 6; ++i) {
        slow.push_back(mine_header(slow.back(), slow.back().time + 1000, {}, kSmallLimitBits));
    }
    ASSERT_EQ(chain.accept(std::span(slow).first(8), kNow).error, std::nullopt);
    EXPECT_EQ(chain.height_of(slow[7].hash()), 7U);
    EXPECT_EQ(chain.tip(), (BlockRef{4, fast[4].hash()}));

    EXPECT_TRUE(chain.accept(slow, kNow).move.is_reorganisation());
    EXPECT_EQ(chain.tip(), (BlockRef{8, slow[8].hash()}));
    EXPECT_EQ(chain.chainwork(), 9 * 8191);
}

TEST(HeaderChain, WantsATimeAfterTheMedianOfEleven) {
    HeaderChain chain{test::regtest_params()};
    const std::uint32_t start = test::regtest_params().genesis.time;
    std::vector<BlockHeader> headers{test::regtest_params().genesis};
    for (const std::uint32_t time :
         {600U, 5000U, 700U, 800U, 4000U, 900U, 3000U, 1000U, 950U, 960U, 100'000U, 970U}) {
        headers.push_back(mine_header(headers.back(), start + time));
    }
    ASSERT_EQ(chain.accept(headers, kNow).error, std::nullopt);
    const std::pair<std::size_t, std::uint32_t> medians[] = {
        {0, 0},   {1, 600},  {2, 600},  {3, 700},  // the later of two, the third of four
        {8, 900}, {10, 950}, {11, 960}, {12, 970},
    };
    for (const auto& [height, median] : medians) {
        const BlockHeader early = mine_header(headers[height], start + median);
        EXPECT_EQ(chain.accept(std::vector{early}, kNow).error, HeaderError::time_too_old)
            << height;
        const BlockHeader next = mine_header(headers[height], start + median + 1);
        EXPECT_EQ(chain.accept(std::vector{next}, kNow).error, std::nullopt) << height;
    }
}

struct LocatorRow {
    std::string name;
    std::uint32_t tip = 0;
    std::uint32_t lowest = 0;
    std::vector<std::uint32_t> heights;
};

void PrintTo(const LocatorRow& row, std::ostream* out) {
    *out << row.name;
}

class LocatorHeights : public testing::TestWithParam<LocatorRow> {};

TEST_P(LocatorHeights, GetSparserTowardsTheFirstBlock) {
    const LocatorRow& row = GetParam();
    EXPECT_EQ(locator_heights(row.tip, row.lowest), row.heights);
}

// Bitcoin Core: LocatorEntries gives these heights.
// clang-format off
INSTANTIATE_TEST_SUITE_P(Chains, LocatorHeights, testing::ValuesIn(std::initializer_list<LocatorRow>{
    {"OnlyTheGenesisBlock", 0, 0, {0}},
    {"WithoutAGap",         12, 0, {12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}},
    {"WithOneGap",          13, 0, {13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 0}},
    {"WithEverLargerGaps",  1000, 0, {1000, 999, 998, 997, 996, 995, 994, 993, 992, 991, 990, 989,
                                      987, 983, 975, 959, 927, 863, 735, 479, 0}},
    {"OnlyAnAnchor",        2016, 2016, {2016}},
    {"DownToAnAnchor",      2032, 2016, {2032, 2031, 2030, 2029, 2028, 2027, 2026, 2025, 2024, 2023,
                                         2022, 2021, 2019, 2016}},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(Locator, HasTheHashesOfTheBestChain) {
    HeaderChain chain{test::regtest_params()};
    chain.accept(mine_headers(test::regtest_params().genesis, 30), kNow);
    std::vector<BlockHash> expected;
    for (const std::uint32_t height :
         {20U, 19U, 18U, 17U, 16U, 15U, 14U, 13U, 12U, 11U, 10U, 9U, 7U, 3U, 0U}) {
        expected.push_back(chain.hash_at(height));
    }
    EXPECT_EQ(chain.locator(20), expected);
    EXPECT_EQ(chain.locator().front(), chain.tip().hash);
    EXPECT_EQ(chain.locator().back(), test::regtest_params().genesis.hash());
}

TEST(FirstHeightSince, AllowsTwoHoursForUnorderedTimes) {
    HeaderChain chain{test::regtest_params()};
    const std::int64_t start = test::regtest_params().genesis.time;
    chain.accept(mine_headers(test::regtest_params().genesis, 100), kNow);

    EXPECT_EQ(chain.first_height_since(0), 0U);
    EXPECT_EQ(chain.first_height_since(std::numeric_limits<std::int64_t>::min()), 0U);
    EXPECT_EQ(chain.first_height_since(start + 7200), 0U);
    EXPECT_EQ(chain.first_height_since(start + 7201), 1U);
    EXPECT_EQ(chain.first_height_since(start + 7200 + 600), 1U);
    EXPECT_EQ(chain.first_height_since(start + 7200 + 60'000), 100U);
    EXPECT_EQ(chain.first_height_since(start + 7201 + 60'000), 101U);
    EXPECT_EQ(chain.first_height_since(std::numeric_limits<std::int64_t>::max()), 101U);
}

TEST(FirstHeightSince, TakesTheFirstOfTimesOutOfOrder) {
    HeaderChain chain{test::regtest_params()};
    const std::uint32_t start = test::regtest_params().genesis.time;
    std::vector<BlockHeader> headers{test::regtest_params().genesis};
    for (const std::uint32_t time : {100U, 9000U, 200U, 300U, 400U, 9500U}) {
        headers.push_back(mine_header(headers.back(), start + time));
    }
    chain.accept(std::span(headers).subspan(1), kNow);
    EXPECT_EQ(chain.first_height_since(std::int64_t{start} + 300 + 7200), 2U);
    EXPECT_EQ(chain.first_height_since(std::int64_t{start} + 9001 + 7200), 6U);
}

}  // namespace
}  // namespace petal::chain
