// The histories after those of histories_test.cpp.
#include <gtest/gtest.h>

#include "tests/net/sync/simulations/play_histories.h"

namespace petal {
namespace {

TEST(MoreRandomHistories, EndInTheWholeTruth) {
    test::play_histories(6, 40);
}

// The wallet, its file and its ledger in place of the list, with a hostile miner. At the end it
// equals a wallet that is restored from the honest chain and mempool.
TEST(MoreRandomHistories, OfAWalletEndInItsTrueLedger) {
    test::play_histories<test::WalletOwner>(1, 20);
}

}  // namespace
}  // namespace petal
