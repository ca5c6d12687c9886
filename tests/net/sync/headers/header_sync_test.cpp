#include "net/sync/headers/header_sync.h"

#include <gtest/gtest.h>

#include "chain/network_params.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/net/sync/headers/header_answer.h"
#include "tests/support/test_chain.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;
using test::answer;

class HeaderSyncTest : public testing::Test {
protected:
    static std::vector<chain::BlockHash> locator_of(const std::vector<Message>& request) {
        return std::get<GetHeaders>(request.at(0)).locator;
    }

    static constexpr std::uint64_t kNonce = 5;
    regtest::RegtestChain source;
    chain::HeaderChain chain{*chain::find_network("regtest")};
    Now now{milliseconds{5'000}, 1'800'000'000};
};

TEST_F(HeaderSyncTest, AsksAgainAfterAFullAnswer) {
    source.mine(2'100);
    HeaderSync sync{2'100};
    const auto first = sync.request(chain, kNonce, now);
    EXPECT_EQ(std::get<GetHeaders>(first.at(0)).locator, chain.locator());
    EXPECT_EQ(sync.waiting_since(), now.steady);

    const auto full = sync.on_headers(answer(source, 1, 2'000), chain, now);
    ASSERT_TRUE(full);
    EXPECT_EQ(full->result.added, 2'000U);
    ASSERT_TRUE(full->ask_on);
    EXPECT_EQ(locator_of(sync.request(chain, kNonce, now)).front(), chain.tip().hash);
    EXPECT_FALSE(sync.at_end());

    const auto last = sync.on_headers(answer(source, 2'001, 2'000), chain, now);
    ASSERT_TRUE(last);
    EXPECT_FALSE(last->ask_on);
    EXPECT_TRUE(sync.at_end());
    EXPECT_FALSE(sync.waiting_since());
    EXPECT_EQ(chain.tip().height, 2'100U);
}

TEST_F(HeaderSyncTest, FollowsABranchThatIsNotTheBestYet) {
    source.mine(2'500);
    HeaderSync first{2'500};
    (void)first.request(chain, kNonce, now);
    ASSERT_TRUE(first.on_headers(answer(source, 1, 2'000), chain, now));
    ASSERT_TRUE(first.on_headers(answer(source, 2'001, 2'000), chain, now));

    source.reorganise(1, 2'600);
    HeaderSync sync{2'601};
    (void)sync.request(chain, kNonce, now);
    const auto lower = sync.on_headers(answer(source, 2, 2'000), chain, now);
    ASSERT_TRUE(lower);
    EXPECT_FALSE(lower->result.move.is_reorganisation());
    ASSERT_TRUE(lower->ask_on);
    EXPECT_EQ(locator_of(sync.request(chain, kNonce, now)).front(),
              source.block_at(2'001).header.hash());
    // The headers must show their work first. They are stored when they come again.
    const auto worthy = sync.on_headers(answer(source, 2'002, 2'000), chain, now);
    ASSERT_TRUE(worthy);
    EXPECT_EQ(worthy->result.added, 0U);
    ASSERT_TRUE(worthy->ask_on);
    EXPECT_EQ(locator_of(sync.request(chain, kNonce, now)).front(),
              source.block_at(1).header.hash());
    ASSERT_TRUE(sync.on_headers(answer(source, 2, 2'000), chain, now));
    EXPECT_EQ(locator_of(sync.request(chain, kNonce, now)).front(),
              source.block_at(2'001).header.hash());
    const auto higher = sync.on_headers(answer(source, 2'002, 2'000), chain, now);
    ASSERT_TRUE(higher);
    EXPECT_TRUE(higher->result.move.is_reorganisation());
    EXPECT_EQ(higher->result.move.fork.height, 1U);
}

TEST_F(HeaderSyncTest, DoesNotEndAtAnEmptyAnswerOfAHigherPeer) {
    HeaderSync sync{500};
    (void)sync.request(chain, kNonce, now);
    ASSERT_TRUE(sync.on_headers(Headers{}, chain, now));
    EXPECT_FALSE(sync.at_end());
    EXPECT_EQ(sync.short_since(), now.steady);
    ASSERT_TRUE(sync.ask_again_at());
    EXPECT_GT(*sync.ask_again_at(), now.steady);

    source.mine(500);
    (void)sync.request(chain, kNonce, now);
    ASSERT_TRUE(sync.on_headers(answer(source, 1, 2'000), chain, now));
    EXPECT_TRUE(sync.at_end());
    EXPECT_FALSE(sync.short_since());
}

TEST_F(HeaderSyncTest, EndsAtAnEmptyAnswerOfAPeerThatClaimsNoMore) {
    HeaderSync sync{0};
    (void)sync.request(chain, kNonce, now);
    ASSERT_TRUE(sync.on_headers(Headers{}, chain, now));
    EXPECT_TRUE(sync.at_end());
}

TEST_F(HeaderSyncTest, TreatsNoHeadersBeforeThePongAsAnEmptyAnswer) {
    HeaderSync sync{0};
    const auto request = sync.request(chain, kNonce, now);
    EXPECT_EQ(std::get<Ping>(request.at(1)).nonce, kNonce);
    sync.on_pong({kNonce + 1}, chain, now);
    EXPECT_FALSE(sync.at_end());
    sync.on_pong({kNonce}, chain, now);
    EXPECT_TRUE(sync.at_end());
    EXPECT_FALSE(sync.waiting_since());
}

TEST_F(HeaderSyncTest, IsNotEndedByThePongAfterAFullAnswer) {
    source.mine(2'100);
    HeaderSync sync{2'000};
    (void)sync.request(chain, kNonce, now);
    ASSERT_TRUE(sync.on_headers(answer(source, 1, 2'000), chain, now));
    (void)sync.request(chain, kNonce + 1, now);
    sync.on_pong({kNonce}, chain, now);
    EXPECT_FALSE(sync.at_end());
}

TEST_F(HeaderSyncTest, BlamesAHeaderThatBreaksARule) {
    source.mine(3);
    Headers message = answer(source, 1, 3);
    message.headers[1].bits = 0x1d00ffff;
    HeaderSync sync{3};
    (void)sync.request(chain, kNonce, now);
    const auto result = sync.on_headers(message, chain, now);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().reason, DisconnectReason::invalid_header);
}

TEST_F(HeaderSyncTest, BlamesAPeerThatRepeatsItself) {
    source.mine(2'000);
    HeaderSync sync{4'000};
    (void)sync.request(chain, kNonce, now);
    ASSERT_TRUE(sync.on_headers(answer(source, 1, 2'000), chain, now));
    const auto again = sync.on_headers(answer(source, 1, 2'000), chain, now);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().reason, DisconnectReason::incomplete);
}

// A node announces up to eight new blocks by their headers (BIP130).
TEST_F(HeaderSyncTest, AsksForTheParentsOfAtMostEightHeaders) {
    source.mine(10);
    for (const std::uint32_t announced : {1U, 8U}) {
        HeaderSync sync{0};
        (void)sync.request(chain, kNonce, now);
        ASSERT_TRUE(sync.on_headers(Headers{}, chain, now));
        const auto result = sync.on_headers(answer(source, 11 - announced, announced), chain, now);
        ASSERT_TRUE(result) << announced;
        EXPECT_TRUE(result->ask_on) << announced;
    }
    HeaderSync sync{0};
    (void)sync.request(chain, kNonce, now);
    ASSERT_TRUE(sync.on_headers(Headers{}, chain, now));
    const auto result = sync.on_headers(answer(source, 2, 9), chain, now);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().reason, DisconnectReason::invalid_header);
}

TEST_F(HeaderSyncTest, BlamesAFloodOfHeadersThatLeadNowhere) {
    source.mine(10);
    HeaderSync sync{10};
    (void)sync.request(chain, kNonce, now);
    const Headers unknown = answer(source, 3, 8);
    std::size_t bytes = 0;
    auto result = sync.on_headers(unknown, chain, now);
    for (; result && bytes < 2 * ByteBudget::kAtOnce; bytes += 8 * chain::kHeaderBytes) {
        result = sync.on_headers(unknown, chain, now);
    }
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().reason, DisconnectReason::unrequested);
    EXPECT_GT(bytes, ByteBudget::kAtOnce / 2);
}

TEST_F(HeaderSyncTest, AsksForAnAnnouncedBlockOnlyOnce) {
    source.mine(10);
    HeaderSync sync{0};
    (void)sync.request(chain, kNonce, now);
    ASSERT_TRUE(sync.on_headers(Headers{}, chain, now));
    EXPECT_TRUE(sync.on_block_announced(source.tip(), chain));
    (void)sync.request(chain, kNonce, now);
    EXPECT_FALSE(sync.on_block_announced(source.tip(), chain));
    ASSERT_TRUE(sync.on_headers(answer(source, 1, 10), chain, now));
    EXPECT_FALSE(sync.on_block_announced(source.tip(), chain));
}

TEST_F(HeaderSyncTest, AsksAgainForABlockAnnouncedDuringARequest) {
    source.mine(10);
    HeaderSync sync{9};
    (void)sync.request(chain, kNonce, now);
    EXPECT_FALSE(sync.on_block_announced(source.tip(), chain));
    const auto result = sync.on_headers(answer(source, 1, 9), chain, now);
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->ask_on);
}

TEST_F(HeaderSyncTest, AsksForABlockAnnouncedBeforeThePong) {
    source.mine(1);
    HeaderSync sync{0};
    (void)sync.request(chain, kNonce, now);
    EXPECT_FALSE(sync.on_block_announced(source.tip(), chain));
    EXPECT_TRUE(sync.on_pong({kNonce}, chain, now));
}

TEST_F(HeaderSyncTest, RefusesHeadersThatDoNotFollowEachOther) {
    source.mine(3);
    Headers message = answer(source, 1, 3);
    std::swap(message.headers[1], message.headers[2]);
    HeaderSync sync{3};
    (void)sync.request(chain, kNonce, now);
    const auto result = sync.on_headers(message, chain, now);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().reason, DisconnectReason::invalid_header);
    EXPECT_EQ(chain.tip().height, 0U);
}

TEST_F(HeaderSyncTest, KeepsWhatCameBeforeABadHeader) {
    source.mine(3);
    Headers message = answer(source, 1, 3);
    message.headers[2].time = 1;
    test::find_nonce(message.headers[2]);
    HeaderSync sync{3};
    (void)sync.request(chain, kNonce, now);
    EXPECT_FALSE(sync.on_headers(message, chain, now));
    EXPECT_EQ(chain.tip().height, 2U);
}

TEST_F(HeaderSyncTest, DoesNotCountRepeatedHeadersAsProgress) {
    source.mine(2'500);
    HeaderSync sync{3'000};
    const Headers first = answer(source, 1, 2'000);
    const Headers rest = answer(source, 2'001, 2'000);
    (void)sync.request(chain, kNonce, now);
    EXPECT_TRUE(sync.on_headers(first, chain, now)->advanced);
    (void)sync.request(chain, kNonce, now);
    EXPECT_TRUE(sync.on_headers(rest, chain, now)->advanced);
    const auto short_since = sync.short_since();
    ASSERT_TRUE(short_since);

    const auto unrequested = sync.on_headers(first, chain, now);
    EXPECT_FALSE(unrequested->advanced || unrequested->ask_on);
    EXPECT_FALSE(sync.on_headers(Headers{}, chain, now)->advanced);
    EXPECT_FALSE(sync.waiting_since());

    now.steady += milliseconds{100};
    for (int i = 0; i < 3; ++i) {  // the same two answers again and again
        (void)sync.request(chain, kNonce, now);
        EXPECT_FALSE(sync.on_headers(first, chain, now)->advanced);
        (void)sync.request(chain, kNonce, now);
        EXPECT_FALSE(sync.on_headers(rest, chain, now)->advanced);
        EXPECT_EQ(sync.short_since(), short_since);
    }
}

TEST_F(HeaderSyncTest, BlamesAPeerThatAlternatesTwoAnswers) {
    source.mine(4'000);
    HeaderSync sync{5'000};
    const Headers a = answer(source, 1, 2'000);
    const Headers b = answer(source, 2'001, 2'000);
    (void)sync.request(chain, kNonce, now);
    ASSERT_TRUE(sync.on_headers(a, chain, now));
    (void)sync.request(chain, kNonce, now);
    ASSERT_TRUE(sync.on_headers(b, chain, now));
    (void)sync.request(chain, kNonce, now);
    const auto again = sync.on_headers(a, chain, now);
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().reason, DisconnectReason::incomplete);
}

TEST_F(HeaderSyncTest, LimitsWhatIsAddedBesideTheBestChain) {
    source.mine(2);
    HeaderSync sync{2};
    (void)sync.request(chain, kNonce, now);
    ASSERT_TRUE(sync.on_headers(answer(source, 1, 2), chain, now));
    const chain::BlockHeader parent = source.block_at(1).header;
    std::uint32_t taken = 0;
    for (bool blamed = false; !blamed; ++taken) {
        ASSERT_LE(taken, 4'000U);
        const chain::BlockHeader sibling = test::mine_header(parent, parent.time + 1 + taken);
        const auto result = sync.on_headers(Headers{{sibling}}, chain, now);
        blamed = !result;
        if (blamed) {
            EXPECT_EQ(result.error().reason, DisconnectReason::unrequested);
        }
    }
    EXPECT_EQ(taken, 4'001U);
}

// A header chain that starts at the source's tenth block.
class AnchoredSyncTest : public HeaderSyncTest {
protected:
    AnchoredSyncTest() { source.mine(20); }

    chain::HeaderChain anchored() {
        return {*chain::find_network("regtest"), {10, source.block_at(10).header, 22}};
    }
};

TEST_F(AnchoredSyncTest, AsksFromTheAnchor) {
    chain::HeaderChain late = anchored();
    HeaderSync sync{20};
    EXPECT_EQ(locator_of(sync.request(late, kNonce, now)),
              std::vector{source.block_at(10).header.hash()});
    ASSERT_TRUE(sync.on_headers(answer(source, 11, 2'000), late, now));
    EXPECT_TRUE(sync.at_end());
    EXPECT_EQ(late.tip().height, 20U);
}

TEST_F(AnchoredSyncTest, RefusesAPeerThatDoesNotHaveTheAnchor) {
    chain::HeaderChain late = anchored();
    HeaderSync sync{5};
    (void)sync.request(late, kNonce, now);
    ASSERT_TRUE(sync.on_headers(Headers{}, late, now));
    EXPECT_FALSE(sync.at_end()) << "the peer may have nothing to send";
    EXPECT_EQ(sync.shortfall(late).reason, DisconnectReason::low_work);
    EXPECT_EQ(sync.shortfall(late).detail, "it does not have block 10, where the headers start");
    (void)sync.request(late, kNonce, now);
    const auto from_genesis = sync.on_headers(answer(source, 1, 5), late, now);
    ASSERT_FALSE(from_genesis);
    EXPECT_EQ(from_genesis.error().reason, DisconnectReason::low_work);
}

// A network whose minimum chainwork is that of 3,000 blocks.
class MinimumWorkTest : public HeaderSyncTest {
protected:
    static chain::NetworkParams network() {
        chain::NetworkParams row = *chain::find_network("regtest");
        row.minimum_chainwork = 2 * 3'001;
        return row;
    }

    chain::NetworkParams old_network = network();
    chain::HeaderChain young{old_network};
};

TEST_F(MinimumWorkTest, IsNotReachedByAShortChain) {
    source.mine(50);
    HeaderSync sync{50};
    (void)sync.request(young, kNonce, now);
    const auto result = sync.on_headers(answer(source, 1, 50), young, now);
    ASSERT_TRUE(result);
    EXPECT_FALSE(result->advanced);
    EXPECT_EQ(young.tip().height, 0U) << "no header is stored";
    EXPECT_FALSE(sync.at_end());
    EXPECT_EQ(sync.short_since(), now.steady);
    const Violation why = sync.shortfall(young);
    EXPECT_EQ(why.reason, DisconnectReason::low_work);
    EXPECT_EQ(why.detail, "less than the minimum of regtest");
}

TEST_F(MinimumWorkTest, IsNotRefusedIfTheClockAllowsTooFewHeaders) {
    source.mine(3'500);
    Now early = now;
    early.unix_seconds = static_cast<std::int64_t>(old_network.genesis.time) - 7'200;
    HeaderSync sync{3'500};
    (void)sync.request(young, kNonce, early);
    const auto result = sync.on_headers(answer(source, 1, 2'000), young, early);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().reason, DisconnectReason::ahead_of_clock);
}

TEST_F(MinimumWorkTest, IsNotReachedWithoutHeaders) {
    HeaderSync sync{0};
    (void)sync.request(young, kNonce, now);
    ASSERT_TRUE(sync.on_headers(Headers{}, young, now));
    EXPECT_FALSE(sync.at_end());
    EXPECT_TRUE(sync.short_since());
}

TEST_F(MinimumWorkTest, IsNotNeededIfTheThresholdIsZero) {
    source.mine(50);
    HeaderSync sync{50, {.threshold = {.minimum_chainwork = chain::Uint256(0)}}};
    (void)sync.request(young, kNonce, now);
    ASSERT_TRUE(sync.on_headers(answer(source, 1, 50), young, now));
    EXPECT_EQ(young.tip().height, 50U);
    EXPECT_TRUE(sync.at_end());
}

TEST_F(MinimumWorkTest, IsShownBeforeAnythingIsStored) {
    source.mine(3'500);
    HeaderSync sync{3'500};
    (void)sync.request(young, kNonce, now);
    const auto first = sync.on_headers(answer(source, 1, 2'000), young, now);
    EXPECT_TRUE(first->ask_on && first->advanced);
    EXPECT_EQ(sync.presync_height(), 2'000U);
    EXPECT_EQ(locator_of(sync.request(young, kNonce, now)).front(),
              source.block_at(2'000).header.hash());
    const auto second = sync.on_headers(answer(source, 2'001, 2'000), young, now);
    EXPECT_TRUE(second->ask_on && second->advanced);
    EXPECT_EQ(young.tip().height, 0U);
    EXPECT_EQ(locator_of(sync.request(young, kNonce, now)).front(), young.tip().hash);

    const auto third = sync.on_headers(answer(source, 1, 2'000), young, now);
    EXPECT_TRUE(third->ask_on);
    EXPECT_EQ(young.tip().height, 0U) << "too few headers have followed yet";
    (void)sync.request(young, kNonce, now);
    const auto last = sync.on_headers(answer(source, 2'001, 2'000), young, now);
    EXPECT_EQ(last->result.added, 3'500U);
    EXPECT_EQ(young.tip().height, 3'500U);
    EXPECT_TRUE(sync.at_end());
    EXPECT_FALSE(sync.presync_height());
}

TEST_F(MinimumWorkTest, IsShownAnewAfterAReorganisation) {
    source.mine(2'500);
    HeaderSync sync{2'500};
    (void)sync.request(young, kNonce, now);
    ASSERT_TRUE(sync.on_headers(answer(source, 1, 2'000), young, now));
    source.reorganise(1'990, 2'000);
    (void)sync.request(young, kNonce, now);
    const auto result = sync.on_headers(answer(source, 1, 2'000), young, now);
    ASSERT_TRUE(result) << "the peer is honest";
    EXPECT_TRUE(result->ask_on);
    EXPECT_FALSE(result->advanced || sync.presync_height());
    EXPECT_EQ(locator_of(sync.request(young, kNonce, now)).front(), young.tip().hash);
    EXPECT_TRUE(sync.on_headers(answer(source, 1, 2'000), young, now)->advanced) << "it is new";
    source.reorganise(1'990, 2'100);
    (void)sync.request(young, kNonce, now);
    const auto again = sync.on_headers(answer(source, 1, 2'000), young, now);
    ASSERT_TRUE(again);
    EXPECT_FALSE(again->ask_on) << "without end";
    EXPECT_FALSE(sync.at_end());
    EXPECT_TRUE(sync.is_on_lesser_branch());
}

TEST_F(MinimumWorkTest, IsNotReachedByEndlessRepetition) {
    source.mine(2'500);
    HeaderSync sync{2'500};
    for (int round = 0; round < 3; ++round) {
        (void)sync.request(young, kNonce, now);
        EXPECT_EQ(sync.on_headers(answer(source, 1, 2'000), young, now)->advanced, round == 0);
        (void)sync.request(young, kNonce, now);
        const auto end = sync.on_headers(answer(source, 2'001, 2'000), young, now);
        EXPECT_EQ(end->advanced, round == 0);
        EXPECT_FALSE(end->ask_on || sync.at_end());
        EXPECT_EQ(sync.ask_again_at(), now.steady + milliseconds{10'000}) << "the chain is long";
        EXPECT_EQ(young.tip().height, 0U);
    }
}

TEST_F(MinimumWorkTest, IsNotShownByAnotherChainInTheSecondPass) {
    source.mine(3'500);
    HeaderSync sync{3'500};
    for (const std::uint32_t from : {1U, 2'001U}) {
        (void)sync.request(young, kNonce, now);
        ASSERT_TRUE(sync.on_headers(answer(source, from, 2'000), young, now));
    }
    source.reorganise(0, 3'600);
    bool blamed = false;
    for (const std::uint32_t from : {1U, 2'001U}) {
        if (blamed) break;
        (void)sync.request(young, kNonce, now);
        blamed = !sync.on_headers(answer(source, from, 2'000), young, now);
    }
    EXPECT_TRUE(blamed);
    EXPECT_EQ(young.tip().height, 0U);
}

}  // namespace
}  // namespace petal::net
