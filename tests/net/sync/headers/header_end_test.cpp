// Whether a peer has sent all of its headers. It has not while its chain is below the best one.
#include <gtest/gtest.h>

#include "chain/network_params.h"
#include "net/regtest/chain/regtest_chain.h"
#include "net/sync/headers/header_sync.h"
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

    RegtestChain source;
    chain::HeaderChain chain{*chain::find_network("regtest")};
    Now now{milliseconds{5'000}, 1'800'000'000};
};

TEST_F(HeaderEnd, IsNotReachedByABranchWithLessWork) {
    mine(600);

    RegtestChain lesser;
    lesser.mine(300, chain::Bytes{0x52});
    HeaderSync sync{600};  // the height that the peer claims
    (void)sync.request(chain, kNonce, now);
    ASSERT_TRUE(sync.on_headers(answer(lesser, 1, 2'000), chain, now));
    EXPECT_FALSE(sync.at_end());
    EXPECT_EQ(sync.shortfall(chain).reason, DisconnectReason::low_work);
    EXPECT_EQ(sync.shortfall(chain).detail, "less than the chain that is stored here");
    // A pong without headers changes nothing; headers of the best chain do.
    (void)sync.request(chain, kNonce, now);
    EXPECT_FALSE(sync.on_pong({kNonce}, chain, now));
    EXPECT_FALSE(sync.at_end());
    (void)sync.request(chain, kNonce, now);
    ASSERT_TRUE(sync.on_headers(answer(source, 599, 2), chain, now));
    EXPECT_TRUE(sync.at_end());
}

TEST_F(HeaderEnd, IsNotReachedByFullMessagesOfALesserBranch) {
    mine(2'500);
    RegtestChain lesser;
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
        EXPECT_EQ(sync.shortfall(chain).reason, DisconnectReason::low_work);
    }
}

// As on testnet3 and testnet4, where a block that is 20 minutes late may have the minimum
// difficulty.
TEST(HeaderEndOnTestNetworks, IsReachedByALowerBranchDespiteAnEasyTip) {
    constexpr std::uint32_t kHardBits = 0x1f7fffff;  // 256 times regtest's
    chain::NetworkParams network = *chain::find_network("testnet3");
    network.pow_limit = test::regtest().pow_limit;
    network.minimum_chainwork = 0;
    chain::BlockHeader root;
    root.time = 1'700'000'000;
    root.bits = kHardBits;
    const std::uint32_t start = network.retarget_interval;
    chain::HeaderChain chain{network, {start, root, 1'000'000}};
    std::vector<chain::BlockHeader> best;
    for (int i = 0; i < 10; ++i) {
        const chain::BlockHeader& parent = best.empty() ? root : best.back();
        best.push_back(test::mine_header(parent, parent.time + 600, {}, kHardBits));
    }
    best.push_back(test::mine_header(best.back(), best.back().time + 1'201));
    ASSERT_EQ(chain.accept(best, test::kNow).added, best.size());

    const auto lesser = test::mine_header(best[5], best[5].time + 600, {{1}}, kHardBits);
    HeaderSync sync{static_cast<std::int32_t>(start) + 7};
    const Now now{milliseconds{5'000}, test::kNow};
    (void)sync.request(chain, kNonce, now);
    const auto progress = sync.on_headers(Headers{{lesser}}, chain, now);
    ASSERT_TRUE(progress);
    EXPECT_EQ(progress->result.added, 1U);
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
