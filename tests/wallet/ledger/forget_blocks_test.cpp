// What a wallet keeps when all blocks of its chain are forgotten.
#include <gtest/gtest.h>

#include <array>

#include "tests/wallet/wallet_fixture.h"
#include "wallet/wallet.h"

namespace petal::wallet {
namespace {

class ForgetBlocks : public test::WalletFixture {
protected:
    chain::Transaction spend_to_stranger(const chain::Transaction& funding) const {
        return test::sign(test::spend({test::output_of(funding)}, {{90, test::foreign_script()}}),
                          {&funding, 1});
    }
};

TEST_F(ForgetBlocks, LeavesLabelsAndAddresses) {
    const chain::Transaction first = pay(100);
    mine({first});
    mine({pay(7, 3, 1), spend_to_stranger(first)});
    EXPECT_TRUE(wallet->set_label(script(3), "rent"));
    test::see(*wallet, pay(5, 4, 2), 1'700'000'000);
    const Balance before = wallet->balance();
    const auto coins_before = wallet->coins();

    wallet->forget_blocks();
    EXPECT_EQ(wallet->balance(), Balance{});
    EXPECT_TRUE(wallet->history(0).empty());
    EXPECT_EQ(wallet->sync_state().synced, std::nullopt);
    EXPECT_EQ(wallet->address(script(3))->label, "rent");
    EXPECT_EQ(wallet->receive_address(false).path.index, 5U) << "a paid address stays used";
    reopen();

    for (const chain::ProvenBlock& block : chain.blocks()) apply(block);
    test::see(*wallet, pay(5, 4, 2), 1'700'000'000);
    EXPECT_EQ(wallet->balance(), before);
    EXPECT_EQ(wallet->coins(), coins_before);
    reopen();
}

TEST_F(ForgetBlocks, KeepsTransactionsThatTheUserAnnounced) {
    const chain::Transaction funding = pay(100);
    mine({funding, pay(7, 3, 1)});
    const chain::Transaction spend = spend_to_stranger(funding);
    EXPECT_TRUE(wallet->keep_own(spend, 1'700'000'000));
    wallet->forget_blocks();
    EXPECT_EQ(wallet->history(0).size(), 2U);
    ASSERT_EQ(wallet->own_unconfirmed().size(), 1U);
    EXPECT_EQ(wallet->own_unconfirmed()[0].transaction.txid(), spend.txid());
    EXPECT_TRUE(wallet->transaction(funding.txid()));
    EXPECT_EQ(wallet->balance().confirmed, 0);
    reopen();
}

TEST_F(ForgetBlocks, ForgetsOwnTransactionsThatABlockHadReplaced) {
    const chain::Transaction funding = pay(100);
    mine({funding});
    const chain::Transaction replaced = spend_to_stranger(funding);
    const auto replacement = test::sign(
        test::spend({test::output_of(funding)}, {{80, test::foreign_script()}}), {&funding, 1});
    EXPECT_TRUE(wallet->keep_own(replaced, 1'700'000'000));
    EXPECT_TRUE(wallet->keep_own(replacement, 1'700'000'001));
    mine({replacement});
    wallet->forget_blocks();
    EXPECT_TRUE(wallet->own_unconfirmed().empty());
    EXPECT_TRUE(wallet->history(0).empty());
    EXPECT_EQ(wallet->balance(), Balance{});
    reopen();
}

// The child spends the replaced transaction and another coin, which the wallet has spent again.
TEST_F(ForgetBlocks, ForgetsTheChildrenOfWhatABlockHadReplaced) {
    const chain::Transaction funding = pay(100);
    const chain::Transaction other = pay(50, 1, 1);
    mine({funding, other});
    const auto replaced =
        test::sign(test::spend({test::output_of(funding)}, {{90, script(2)}}), {&funding, 1});
    const std::array parents{replaced, other};
    const auto child = test::sign(test::spend({test::output_of(replaced), test::output_of(other)},
                                              {{130, test::foreign_script()}}),
                                  parents);
    const auto replacement = spend_to_stranger(funding);
    const auto last = test::sign(
        test::spend({test::output_of(other)}, {{40, test::foreign_script()}}), {&other, 1});
    std::int64_t time = 1'700'000'000;
    for (const auto& own : {replaced, child, replacement, last}) {
        EXPECT_TRUE(wallet->keep_own(own, ++time));
    }
    mine({replacement});
    wallet->forget_blocks();
    ASSERT_EQ(wallet->own_unconfirmed().size(), 1U);
    EXPECT_EQ(wallet->own_unconfirmed()[0].transaction.txid(), last.txid());
    reopen();
}

TEST_F(ForgetBlocks, ForgetsOwnTransactionsThatWereConfirmed) {
    const chain::Transaction funding = pay(100);
    mine({funding});
    const chain::Transaction spend = spend_to_stranger(funding);
    EXPECT_TRUE(wallet->keep_own(spend, 1'700'000'000));
    mine({spend});
    wallet->forget_blocks();
    EXPECT_TRUE(wallet->history(0).empty());
    EXPECT_TRUE(wallet->own_unconfirmed().empty());
}

}  // namespace
}  // namespace petal::wallet
