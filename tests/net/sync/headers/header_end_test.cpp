// Whether a peer has sent all of its headers. It has not while its chain is below the best one.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <span>
#include <vector>

#include "chain/network_params.h"
#include "net/sync/headers/header_sync.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/net/sync/headers/header_answer.h"
#include "tests/support/test_chain.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;
using test::answer;

constexpr std::uint64_t kNonce = 5;

/// A chain whose headers are all known.
class HeaderEnd : public testing::Test {
protected:
    void mine(std::uint32_t blocks) {
        source.mine(blocks);
        (void)chain.accept(answer(source, 1, blocks).headers, now.unix_seconds);
        ASSERT_EQ(chain.tip().hash, source.tip());
    }

    regtest::RegtestChain source;
    chain::HeaderChain chain{*chain::find_network("regtest")};
    Now now{milliseconds{5'000}, 1'800'000'000};
};

TEST_F(HeaderEnd, IsNotReachedByABranchWithLessWork) {
    mine(600);

    regtest::RegtestChain lesser;
    lesser.mine(300, chain::Bytes{0x52});
    HeaderSync sync{600};  // the height that the peer claims
    (void)sync.request(chain, kNonce, now);
    ASSERT_TRUE(sync.on_headers(answer(lesser, 1, 2'000), chain, now));
    EXPECT_FALSE(sync.at_end());
    EXPECT_EQ(sync.shortfall(chain).reason, DisconnectReason::lesser_branch);
    EXPECT_EQ(sync.shortfall(chain).detail, "its chain forks off the stored one and has less work");
    // A pong without headers changes nothing; headers of the best chain do.
    (void)sync.request(chain, kNonce, now);
    EXPECT_FALSE(sync.on_pong({kNonce}, chain, now));
    EXPECT_FALSE(sync.at_end());
    (void)sync.request(chain, kNonce, now);
    ASSERT_TRUE(sync.on_headers(answer(source, 599, 2), chain, now));
    EXPECT_TRUE(sync.at_end());
}

// Otherwise a slow peer would send all headers that a faster one has sent meanwhile.
TEST_F(HeaderEnd, IsReachedWithoutTheKnownHeadersAboveAnAnswer) {
    mine(4'100);
    HeaderSync sync{4'100};
    (void)sync.request(chain, kNonce, now);
    ASSERT_TRUE(sync.on_headers(answer(source, 1, 2'000), chain, now)->ask_on);
    const auto request = sync.request(chain, kNonce + 1, now);
    const auto& locator = std::get<GetHeaders>(request.at(0)).locator;
    EXPECT_EQ(locator.front(), chain.tip().hash);
    EXPECT_EQ(std::ranges::count(locator, source.block_at(2'000).header.hash()), 1)
        << "for a peer whose chain forks above it";
    const auto height_of = [&](const auto& hash) { return chain.height_of(hash); };
    EXPECT_TRUE(std::ranges::is_sorted(locator, std::ranges::greater{}, height_of));
    ASSERT_TRUE(sync.on_headers(Headers{}, chain, now));
    EXPECT_TRUE(sync.at_end());
}

TEST_F(HeaderEnd, IsNotReachedByFullMessagesOfALesserBranch) {
    mine(2'500);
    regtest::RegtestChain lesser;
    lesser.mine(2'000, chain::Bytes{0x52});
    for (const bool is_silent : {false, true}) {
        HeaderSync sync{2'500};
        (void)sync.request(chain, kNonce, now);
        ASSERT_TRUE(sync.on_headers(answer(lesser, 1, 2'000), chain, now)->ask_on);
        (void)sync.request(chain, kNonce + 1, now);
        if (is_silent) {
            (void)sync.on_pong({kNonce + 1}, chain, now);
        } else {
            ASSERT_TRUE(sync.on_headers(Headers{}, chain, now));
        }
        EXPECT_FALSE(sync.at_end());
        EXPECT_EQ(sync.shortfall(chain).reason, DisconnectReason::lesser_branch);
    }
}

/// As on testnet3 and testnet4, where a block that is 20 minutes late may have the minimum
/// difficulty.
class HeaderEndOnTestNetworks : public testing::Test {
protected:
    static constexpr std::uint32_t kHardBits = 0x1f7fffff;  // 256 times regtest's

    static chain::NetworkParams network() {
        chain::NetworkParams network = *chain::find_network("testnet3");
        network.pow_limit = test::regtest_params().pow_limit;
        network.minimum_chainwork = 0;
        return network;
    }
    static chain::BlockHeader root() {
        chain::BlockHeader root;
        root.time = 1'700'000'000;
        root.bits = kHardBits;
        return root;
    }
    const chain::BlockHeader& parent() const { return best.empty() ? first : best.back(); }
    void mine_hard(int blocks) {
        for (int i = 0; i < blocks; ++i) {
            best.push_back(test::mine_header(parent(), parent().time + 600, {}, kHardBits));
        }
    }
    void mine_easy(int blocks) {
        for (int i = 0; i < blocks; ++i) {
            best.push_back(test::mine_header(parent(), parent().time + 1'201));
        }
    }
    HeaderSync peer_claiming(std::uint32_t blocks) const {
        return HeaderSync{static_cast<std::int32_t>(start + blocks)};
    }

    const chain::NetworkParams params = network();
    const std::uint32_t start = params.retarget_interval;
    const chain::BlockHeader first = root();
    chain::HeaderChain chain{params, {start, first, 1'000'000}};
    std::vector<chain::BlockHeader> best;
    Now now{milliseconds{5'000}, test::kNow};
};

TEST_F(HeaderEndOnTestNetworks, IsReachedByALowerBranchDespiteAnEasyTip) {
    mine_hard(10);
    mine_easy(1);
    ASSERT_EQ(chain.accept(best, test::kNow).added, best.size());

    const auto lesser = test::mine_header(best[5], best[5].time + 600, {{1}}, kHardBits);
    HeaderSync sync = peer_claiming(7);
    (void)sync.request(chain, kNonce, now);
    const auto progress = sync.on_headers(Headers{{lesser}}, chain, now);
    ASSERT_TRUE(progress);
    EXPECT_EQ(progress->result.added, 1U);
    EXPECT_TRUE(sync.at_end());
}

TEST_F(HeaderEndOnTestNetworks, IsReachedThoughAHeavierBranchIsLowerThanThePeersClaim) {
    mine_hard(5);
    mine_easy(3);
    ASSERT_EQ(chain.accept(best, test::kNow).added, best.size());
    const auto heavier = test::mine_header(best[4], best[4].time + 600, {{1}}, kHardBits);
    const auto ask = [this](HeaderSync& sync, const std::vector<chain::BlockHeader>& headers) {
        (void)sync.request(chain, kNonce, now);
        ASSERT_TRUE(sync.on_headers(Headers{headers}, chain, now));
    };

    HeaderSync sends_the_branch = peer_claiming(8);
    ask(sends_the_branch, {heavier});
    ASSERT_EQ(chain.tip().height, start + 6);
    EXPECT_TRUE(sends_the_branch.at_end()) << "headers up to its claim were known at its request";

    HeaderSync is_on_the_old_branch = peer_claiming(8);
    ask(is_on_the_old_branch, {best.begin() + 5, best.end()});
    EXPECT_TRUE(is_on_the_old_branch.at_end()) << "it has shown what it claims";

    HeaderSync shows_nothing = peer_claiming(8);
    ask(shows_nothing, {});
    EXPECT_FALSE(shows_nothing.at_end());
}

TEST_F(HeaderEndOnTestNetworks, IsReachedThoughAPeersAnswerCameBeforeALowerBranch) {
    mine_hard(5);
    HeaderSync sync = peer_claiming(8);
    ASSERT_EQ(chain.accept(best, test::kNow).added, best.size());
    (void)sync.request(chain, kNonce, now);
    mine_easy(3);
    ASSERT_EQ(chain.accept({best.begin() + 5, best.end()}, test::kNow).added, 3U);
    ASSERT_TRUE(sync.on_headers(Headers{}, chain, now));
    EXPECT_TRUE(sync.at_end());
    const auto heavier = test::mine_header(best[4], best[4].time + 600, {{1}}, kHardBits);
    ASSERT_EQ(chain.accept(std::span(&heavier, 1), test::kNow).added, 1U);
    (void)sync.request(chain, kNonce + 1, now);
    ASSERT_TRUE(sync.on_headers(Headers{}, chain, now));
    EXPECT_TRUE(sync.at_end());
}

TEST_F(HeaderEnd, IsNearTheBestChainsEnd) {
    mine(600);
    for (const std::int32_t claimed : {600, 456, 455, 0}) {
        HeaderSync sync{claimed};
        (void)sync.request(chain, kNonce, now);
        ASSERT_TRUE(sync.on_headers(Headers{}, chain, now));
        EXPECT_EQ(sync.at_end(), claimed >= 456) << claimed;
    }
    // A connection that lasts for days shows a higher block than the peer's version message
    // claimed.
    HeaderSync old{400};
    ASSERT_TRUE(old.on_headers(answer(source, 600, 1), chain, now));
    (void)old.request(chain, kNonce, now);
    ASSERT_TRUE(old.on_headers(Headers{}, chain, now));
    EXPECT_TRUE(old.at_end());
    HeaderSync announces{400};
    EXPECT_FALSE(announces.on_block_announced(source.tip(), chain));
    (void)announces.request(chain, kNonce, now);
    ASSERT_TRUE(announces.on_headers(Headers{}, chain, now));
    EXPECT_TRUE(announces.at_end());
}

}  // namespace
}  // namespace petal::net
