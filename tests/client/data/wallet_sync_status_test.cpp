#include "client/data/wallet_sync_status.h"

#include <gtest/gtest.h>

#include "tests/support/test_chain.h"

namespace petal::client {
namespace {

TEST(WalletSyncStatus, UnsyncedWalletHasTheWorkOnlyOfAOneBlockChain) {
    chain::HeaderChain chain(test::regtest_params());
    EXPECT_TRUE(has_minimum_work_behind(std::nullopt, chain)) << "there is nothing to search";
    const auto headers = test::mine_headers(test::regtest_params().genesis, 2);
    chain.accept(headers, test::kNow);
    ASSERT_EQ(chain.tip().height, 2U);
    EXPECT_FALSE(has_minimum_work_behind(std::nullopt, chain));
    EXPECT_TRUE(has_minimum_work_behind(chain::BlockRef{1, headers[0].hash()}, chain));
}

TEST(WalletSyncStatus, OneBlockChainLacksTheNetworksMinimumWork) {
    chain::NetworkParams network = test::regtest_params();
    network.minimum_chainwork = chain::Uint256(1'000);
    const chain::HeaderChain chain(network);
    EXPECT_FALSE(has_minimum_work_behind(std::nullopt, chain));
    EXPECT_FALSE(has_minimum_work_behind(chain.root(), chain));
}

}  // namespace
}  // namespace petal::client
