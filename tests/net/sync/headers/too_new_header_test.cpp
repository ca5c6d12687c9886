// Headers that are more than two hours ahead of the clock.
#include "net/sync/headers/too_new_header.h"

#include <gtest/gtest.h>

#include "chain/network_params.h"
#include "net/sync/headers/header_sync.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/net/sync/headers/header_answer.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::answer;

/// The source has one block that counts 60 seconds from `now` on, and three more that count later.
class TooNewHeaderTest : public testing::Test {
protected:
    TooNewHeaderTest() {
        for (const std::int64_t later : {60, 90, 120, 150}) {
            source.set_time(now.unix_seconds + chain::kMaxFutureTime + later);
            source.mine();
        }
    }

    /// A chain of two blocks, the second of which counts 60 seconds from `now` on.
    regtest::RegtestChain with_early_second_block() const {
        regtest::RegtestChain early;
        early.set_time(now.unix_seconds);
        early.mine();
        early.set_time(now.unix_seconds + chain::kMaxFutureTime + 60);
        early.mine();
        return early;
    }

    static Now after(Now time, seconds passed) {
        return {time.steady + passed, time.unix_seconds + passed.count()};
    }

    static constexpr std::uint64_t kNonce = 5;
    Now now{milliseconds{5'000}, 1'800'000'000};
    regtest::RegtestChain source;
    chain::HeaderChain chain{*chain::find_network("regtest")};
};

TEST_F(TooNewHeaderTest, IsTheEndOfAPeersHeadersAndIsAskedForWhenItCounts) {
    HeaderSync sync{4};
    (void)sync.request(chain, kNonce, now);
    ASSERT_TRUE(sync.on_headers(answer(source, 1, 4), chain, now));
    EXPECT_EQ(chain.tip().height, 0U);
    EXPECT_TRUE(sync.at_end()) << "all four blocks that it claims were shown";
    EXPECT_EQ(sync.short_since(), std::nullopt);
    ASSERT_TRUE(if_early(sync.too_new()));
    EXPECT_EQ(if_early(sync.too_new())->counts_from, now.unix_seconds + 60);
    ASSERT_EQ(sync.ask_again_at(), now.steady + seconds{60});

    const Now then = after(now, seconds{60});
    (void)sync.request(chain, kNonce + 1, then);
    EXPECT_EQ(sync.ask_again_at(), std::nullopt) << "a request is open";
    ASSERT_TRUE(sync.on_headers(answer(source, 1, 4), chain, then));
    EXPECT_EQ(chain.tip().height, 1U);
    EXPECT_EQ(sync.ask_again_at(), then.steady + seconds{30}) << "the next one";

    const Now end = after(now, seconds{150});
    (void)sync.request(chain, kNonce + 2, end);
    ASSERT_TRUE(sync.on_headers(answer(source, 2, 3), chain, end));
    EXPECT_EQ(chain.tip().height, 4U);
    EXPECT_FALSE(sync.too_new());
    EXPECT_EQ(sync.ask_again_at(), std::nullopt);
    EXPECT_TRUE(sync.at_end());
}

TEST_F(TooNewHeaderTest, DoesNotStandForBlocksThatThePeerClaimsBesides) {
    HeaderSync sync{5};
    (void)sync.request(chain, kNonce, now);
    ASSERT_TRUE(sync.on_headers(answer(source, 1, 4), chain, now));
    EXPECT_FALSE(sync.at_end());
    EXPECT_EQ(sync.shortfall(chain).reason, DisconnectReason::ahead_of_clock);
}

TEST_F(TooNewHeaderTest, IsRememberedFromAnAnnouncementUntilAnAnswerLacksIt) {
    HeaderSync sync{0};
    (void)sync.request(chain, kNonce, now);
    ASSERT_TRUE(sync.on_headers(Headers{}, chain, now));
    regtest::RegtestChain early = with_early_second_block();
    ASSERT_TRUE(sync.on_headers(answer(early, 1, 2), chain, now));
    EXPECT_TRUE(sync.at_end());
    ASSERT_TRUE(if_early(sync.too_new()));
    // A block on another branch is announced.
    regtest::RegtestChain other;
    other.mine(1, chain::Bytes{0x52});
    ASSERT_TRUE(sync.on_headers(answer(other, 1, 1), chain, now));
    EXPECT_TRUE(if_early(sync.too_new()));

    (void)sync.request(chain, kNonce, now);
    EXPECT_TRUE(if_early(sync.too_new())) << "until the answer";
    ASSERT_TRUE(sync.on_headers(Headers{}, chain, now));
    EXPECT_FALSE(if_early(sync.too_new()));
}

TEST_F(TooNewHeaderTest, IsForgottenIfThePeerDoesNotAnswer) {
    HeaderSync sync{0};
    ASSERT_TRUE(sync.on_headers(answer(source, 1, 1), chain, now));
    (void)sync.request(chain, kNonce, now);
    EXPECT_FALSE(sync.on_pong({kNonce}, chain, now));
    EXPECT_FALSE(if_early(sync.too_new()));
}

// Another block took its place, and the peer follows that block's chain.
TEST_F(TooNewHeaderTest, IsForgottenOnceThePeerShowsABlockOfTheBestChainAtItsHeight) {
    regtest::RegtestChain best;
    best.set_time(now.unix_seconds);
    best.mine(2);
    for (const bool by_inv : {false, true}) {
        chain::HeaderChain headers{*chain::find_network("regtest")};
        HeaderSync sync{1};
        (void)sync.request(headers, kNonce, now);
        ASSERT_TRUE(sync.on_headers(answer(best, 1, 1), headers, now));
        const regtest::RegtestChain early = with_early_second_block();
        ASSERT_EQ(early.block_at(1).header.hash(), best.block_at(1).header.hash());
        ASSERT_TRUE(sync.on_headers(answer(early, 2, 1), headers, now));
        ASSERT_TRUE(sync.too_new());
        ASSERT_TRUE(sync.on_headers(answer(best, 1, 1), headers, now));
        EXPECT_TRUE(sync.too_new()) << "the block below";
        ASSERT_EQ(headers.accept(answer(best, 2, 1).headers, now.unix_seconds).added, 1U);
        if (by_inv) {
            EXPECT_FALSE(sync.on_block_announced(best.tip(), headers));
        } else {
            ASSERT_TRUE(sync.on_headers(answer(best, 2, 1), headers, now));
        }
        EXPECT_FALSE(sync.too_new());
        EXPECT_EQ(sync.ask_again_at(), std::nullopt);
    }
}

TEST_F(TooNewHeaderTest, OfSeveralIsTheOneThatCountsFirst) {
    regtest::RegtestChain sooner;
    sooner.set_time(now.unix_seconds + chain::kMaxFutureTime + 7);
    sooner.mine();
    HeaderSync sync{0};
    for (const regtest::RegtestChain* each : {&source, &sooner, &source}) {
        ASSERT_TRUE(sync.on_headers(answer(*each, 1, 1), chain, now));
    }
    EXPECT_EQ(sync.ask_again_at(), now.steady + seconds{7});
}

TEST_F(TooNewHeaderTest, IsEarlyByTwoHoursAtMost) {
    for (const std::int64_t excess : {0, 1}) {
        regtest::RegtestChain ahead;
        ahead.set_time(now.unix_seconds + chain::kMaxFutureTime + kMaxEarlySeconds + excess);
        ahead.mine();
        HeaderSync sync{1};
        (void)sync.request(chain, kNonce, now);
        ASSERT_TRUE(sync.on_headers(answer(ahead, 1, 1), chain, now)) << "no peer is blamed";
        EXPECT_TRUE(sync.too_new());
        EXPECT_EQ(if_early(sync.too_new()).has_value(), excess == 0);
        EXPECT_EQ(sync.at_end(), excess == 0);
        // Its own time is not waited for: it is asked for again as any missing header is.
        EXPECT_EQ(sync.ask_again_at() > now.steady + seconds{2}, excess == 0);
        EXPECT_EQ(sync.shortfall(chain).reason, DisconnectReason::ahead_of_clock);
    }
}

TEST_F(TooNewHeaderTest, CountsByEitherClock) {
    const TooNewHeader header{source.block_at(1).header, 1, 1, now};
    EXPECT_FALSE(header.counts(after(now, seconds{59})));
    EXPECT_TRUE(header.counts({now.steady, now.unix_seconds + 60})) << "the clock was set";
    EXPECT_TRUE(header.counts({now.steady + seconds{60}, now.unix_seconds}));
}

}  // namespace
}  // namespace petal::net
