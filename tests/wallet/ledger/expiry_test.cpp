// How long a wallet keeps unconfirmed transactions.
#include <gtest/gtest.h>

#include "chain/transaction_rules.h"
#include "tests/wallet/ledger/unconfirmed_scene.h"

namespace petal::wallet {
namespace {

using test::foreign_script;
using test::kSeenTime;
using test::output_of;
using test::spend;

class Expiry : public test::UnconfirmedScene {
protected:
    /// Mines a block with this time. The blocks of SceneChain are ten minutes apart.
    void mine_at(std::int64_t time) {
        auto block = chain.mine();
        block.header.time = static_cast<std::uint32_t>(time);
        apply(block);
    }
};

TEST_F(Expiry, ForgetsTransactionsOfPeersAfterFourteenDays) {
    const auto payment = pay(5, 3, 30);
    const auto child =
        test::sign(spend({output_of(payment)}, {{4, script(4)}}), std::vector{payment});
    const auto fresh = pay(6, 3, 31);
    see(payment, kSeenTime);
    see(child, kSeenTime + 100);
    see(fresh, kSeenTime + 1);
    see(sign(sweep(0)), kSeenTime);
    wallet->keep_own(sign(sweep(1)), kSeenTime);

    mine_at(kSeenTime + chain::kUnconfirmedLifetime - 1);
    EXPECT_TRUE(knows(payment));
    mine_at(kSeenTime + chain::kUnconfirmedLifetime);
    EXPECT_FALSE(knows(payment));
    EXPECT_FALSE(knows(child)) << "its descendants are forgotten, too";
    EXPECT_FALSE(knows(sweep(0)));
    EXPECT_TRUE(knows(fresh));
    EXPECT_TRUE(knows(sweep(1))) << "the user's own payments are kept";
    EXPECT_EQ(wallet->balance(), (Balance{700, 6, 0, 700}));
    reopen();
    EXPECT_EQ(wallet->receive_address(false).path.index, 5U) << "an address that was paid is used";
}

TEST_F(Expiry, ShowsNoAddressAgainThatWasPaid) {
    const wallet::KeyPath shown = wallet->current_address(true).path;
    const auto payment = pay(5, shown.index, 30);
    see(payment);
    mine_at(kSeenTime + chain::kUnconfirmedLifetime);
    ASSERT_FALSE(knows(payment));
    EXPECT_GT(wallet->current_address(true).path.index, shown.index);
}

TEST_F(Expiry, SparesAncestorsOfTheUsersTransactions) {
    const auto payment = pay(50, 3, 30);
    see(payment);
    wallet->keep_own(
        test::sign(spend({output_of(payment)}, {{4, foreign_script()}}), std::vector{payment}),
        kSeenTime);
    mine_at(kSeenTime + 2 * chain::kUnconfirmedLifetime);
    EXPECT_TRUE(knows(payment));
    EXPECT_EQ(wallet->own_unconfirmed().size(), 1U);
}

TEST_F(Expiry, CountsFromTheBlockThatAReorganisationDropped) {
    const auto payment = pay(5, 3, 30);
    see(payment, kSeenTime - chain::kUnconfirmedLifetime);
    auto block = chain.mine({payment});
    block.header.time = kSeenTime;
    apply(block);
    wallet->undo_to(chain.cut(2));
    mine_at(kSeenTime + chain::kUnconfirmedLifetime - 1);
    EXPECT_TRUE(knows(payment));
    reopen();
    mine_at(kSeenTime + chain::kUnconfirmedLifetime);
    EXPECT_FALSE(knows(payment));
}

class ExpiryBehindARescan : public Expiry {
protected:
    void SetUp() override {
        test::UnconfirmedScene::SetUp();
        before_ = chain.tip();
        apply(chain.mine());
        confirm_at(payment_, kSeenTime);
        confirm_at(pay(6, 4, 31), kSeenTime + 2 * chain::kUnconfirmedLifetime);
    }
    void confirm_at(const chain::Transaction& transaction, std::int64_t time) {
        auto block = chain.mine({transaction});
        block.header.time = static_cast<std::uint32_t>(time);
        apply(block);
    }
    /// Searches the first of the blocks again, which is older than the payment.
    void search_first_again() { apply(chain.at(before_.height + 1)); }

    chain::BlockRef before_;
    chain::Transaction payment_ = pay(5, 3, 30);
};

TEST_F(ExpiryBehindARescan, SparesATransactionThatALaterBlockConfirmsAgain) {
    reopen();
    wallet->undo_to(before_);
    search_first_again();
    EXPECT_TRUE(knows(payment_));
}

TEST_F(ExpiryBehindARescan, SparesItAfterARescan) {
    wallet->rescan({});
    search_first_again();
    EXPECT_TRUE(knows(payment_));
}

TEST_F(ExpiryBehindARescan, SparesItAfterARescanByAnotherProcess) {
    Wallet::open(file, test::regtest_params(), Access::change).rescan({});
    search_first_again();
    EXPECT_TRUE(knows(payment_));
}

TEST_F(Expiry, ForgetsConflictedTransactionsOnceSettled) {
    const auto loser = pay(5, 3, 30);
    see(loser);
    mine({pay(4, 3, 30)});
    EXPECT_TRUE(wallet->transaction(loser.txid())->replaced_by);
    mine_at(kSeenTime + chain::kUnconfirmedLifetime);
    EXPECT_FALSE(knows(loser));
    EXPECT_EQ(ask("SELECT count(*) FROM tx"), 3);
}

TEST_F(Expiry, DependsOnlyOnTheChainsTime) {
    // A test chain may be from 2011, so that all of its blocks are older than a transaction seen
    // now.
    const auto payment = pay(5, 3, 30);
    see(payment, kSeenTime + 10 * chain::kUnconfirmedLifetime);
    mine_at(kSeenTime);
    EXPECT_TRUE(knows(payment));
    EXPECT_EQ(wallet->transaction(payment.txid())->time,
              kSeenTime + 10 * chain::kUnconfirmedLifetime);
}

TEST_F(Expiry, SurvivesAClockInThePast) {
    const auto payment = pay(5, 3, 30);
    const std::int64_t last_block = test::SceneChain::time_at(2);
    see(payment, 1'000);
    EXPECT_EQ(wallet->transaction(payment.txid())->time, last_block);
    mine_at(last_block + chain::kUnconfirmedLifetime - 1);
    EXPECT_TRUE(knows(payment));
    reopen();
    const auto next = pay(6, 3, 31);
    see(next, 1'000);
    mine_at(last_block + chain::kUnconfirmedLifetime);
    EXPECT_FALSE(knows(payment));
}

}  // namespace
}  // namespace petal::wallet
