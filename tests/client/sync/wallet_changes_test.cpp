// The changes of a wallet in a sync in simulated time.
#include "client/sync/wallet_changes.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "tests/client/wallet_folder.h"
#include "tests/support/simulated_network.h"
#include "wallet/descriptors/address.h"

namespace petal::client {
namespace {

using std::chrono::seconds;

class WalletChangesTest : public testing::Test {
protected:
    WalletChangesTest() {
        folder_.create("some");
        const std::string address =
            folder_.open("some", wallet::Access::change).receive_address(false).address;
        receipt_ = node_.make_payment({{7'000, *wallet::parse_address(address, params())}});
        wallet_.emplace(folder_.open("some", wallet::Access::sync));
        headers_.emplace(params());
        net::SyncOptions options;
        options.wait_unconfirmed = net::SyncOptions::kForever;
        engine_.emplace(*headers_, *wallet_, options);
        network_.emplace(*engine_);
        changes_.emplace(*wallet_, *headers_, *engine_);
        engine_->events.on_reorganisation = [this](const chain::ChainMove& move) {
            changes_->on_reorganisation(move);
        };
    }
    const chain::NetworkParams& params() const { return folder_.data().network(); }

    test::WalletFolder folder_;
    regtest::RegtestChain node_;
    chain::Transaction receipt_;
    std::optional<wallet::Wallet> wallet_;
    std::optional<chain::HeaderChain> headers_;
    std::optional<net::SyncEngine> engine_;
    std::optional<test::SimulatedNetwork> network_;
    std::optional<WalletChanges> changes_;
};

TEST_F(WalletChangesTest, AreEachTakenOnce) {
    EXPECT_TRUE(changes_->take_history().transactions.empty());
    node_.mine_block({receipt_});
    network_->connect(node_);
    network_->run_for(seconds{30});
    const HistoryChanges changes = changes_->take_history();
    ASSERT_EQ(changes.transactions.size(), 1U);
    EXPECT_EQ(changes.transactions[0].entry.txid, receipt_.txid());
    EXPECT_EQ(changes.transactions[0].entry.height, node_.height());
    EXPECT_EQ(changes.transactions[0].seen_from, 0U);
    EXPECT_TRUE(changes.forgotten.empty());
    EXPECT_TRUE(changes_->take_history().transactions.empty());
    node_.mine();
    network_->run_for(seconds{30});
    EXPECT_TRUE(changes_->take_history().transactions.empty()) << "only a confirmation more";
    EXPECT_TRUE(WalletChanges(*wallet_, *headers_, *engine_).take_history().transactions.empty())
        << "the state at the start is no change";
}

TEST_F(WalletChangesTest, AreAReorganisationThatTheWalletHasUndoneAndWhatItForgets) {
    node_.mine_block({receipt_});
    network_->connect(node_);
    network_->run_for(seconds{30});
    static_cast<void>(changes_->take_history());
    const std::uint32_t fork = node_.height() - 1;
    node_.reorganise(fork, 2, regtest::RegtestChain::Dropped::forgotten);
    std::vector<chain::ChainMove> moves;
    HistoryChanges last;
    for (int passed = 0; passed < 60 && last.forgotten.empty(); ++passed) {
        network_->run_for(seconds{1});
        for (const chain::ChainMove& move : changes_->take_reorganisations()) {
            EXPECT_FALSE(wallet_->transaction(receipt_.txid())->height) << "the block is undone";
            moves.push_back(move);
        }
        last = changes_->take_history();
    }
    ASSERT_EQ(moves.size(), 1U);
    EXPECT_EQ(moves[0].fork.height, fork);
    EXPECT_EQ(moves[0].new_tip.height, fork + 2);
    ASSERT_EQ(last.forgotten.size(), 1U);
    EXPECT_EQ(last.forgotten[0].txid, receipt_.txid());
    EXPECT_TRUE(last.forgotten[0].undone);
}

}  // namespace
}  // namespace petal::client
