// What is left of a block that is undone: nothing that counts.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/wallet/ledger/ledger_scene.h"
#include "tests/wallet/ledger/print_records.h"
#include "wallet/ledger/expiry.h"

namespace petal::wallet {
namespace {

using test::coinbase;
using test::foreign_coin;
using test::foreign_script;
using test::LedgerScene;
using test::output_of;
using test::own_script;
using test::receipt;
using test::spend;

/// A confirmed receipt of 100 in block 1.
struct UndoneScene : LedgerScene {
    UndoneScene() { mine({received}); }

    const chain::Transaction received = receipt(100, 1);
};

TEST(Undone, ReceiptCountsNowhere) {
    UndoneScene scene;
    const auto made_up = receipt(5'000, 2);
    const auto watched = scene.view().watched_outpoints();
    scene.mine({made_up});
    scene.reorganise_to(1);

    EXPECT_EQ(scene.view().balance(), (Balance{100, 0, 0}));
    EXPECT_EQ(scene.view().coins().size(), 1U);
    EXPECT_EQ(scene.view().received(),
              (std::map<KeyPath, chain::Satoshis>{{{KeyChain::receive, 0}, 100}}));
    EXPECT_EQ(scene.view().watched_outpoints(), watched);
    EXPECT_TRUE(scene.ledger.unconfirmed().empty());
    EXPECT_EQ(scene.ledger.indexes().load().count, 0U);
    const HistoryEntry entry = scene.entry(made_up);
    EXPECT_TRUE(entry.undone);
    EXPECT_FALSE(entry.height);
    EXPECT_FALSE(entry.replaced_by);
    EXPECT_EQ(entry.received, 5'000);
    EXPECT_EQ(entry.net, 0);
}

TEST(Undone, SpendTakesNoCoin) {
    UndoneScene scene;
    const auto made_up = spend({output_of(scene.received)}, {{99, foreign_script()}});
    const auto watched = scene.view().watched_outpoints();
    scene.mine({made_up});
    EXPECT_EQ(scene.view().balance(), Balance{});
    scene.reorganise_to(1);

    EXPECT_EQ(scene.view().balance(), (Balance{100, 0, 0}));
    EXPECT_TRUE(scene.view().coins().at(0).spendable);
    EXPECT_EQ(scene.view().watched_outpoints(), watched);
    EXPECT_TRUE(scene.view().own_unconfirmed().empty());
    EXPECT_EQ(scene.entry(made_up).sent, 100);
    EXPECT_EQ(scene.entry(made_up).net, 0);
}

TEST(Undone, DoubleSpendLeavesAPendingPaymentAsItWas) {
    UndoneScene scene;
    const auto payment = spend({output_of(scene.received)}, {{60, own_script(1)}});
    const auto unconfirmed = receipt(3, 3);
    scene.see(payment);
    scene.ledger.set_announced(payment.txid());
    scene.see(unconfirmed);
    const auto history = scene.view().history(0);
    scene.mine({spend({output_of(scene.received)}, {{99, foreign_script()}}),
                spend({foreign_coin(3)}, {{1, foreign_script()}})});
    EXPECT_TRUE(scene.is_conflicted(payment));
    EXPECT_TRUE(scene.is_conflicted(unconfirmed));

    scene.reorganise_to(1);

    EXPECT_FALSE(scene.is_conflicted(payment));
    EXPECT_FALSE(scene.is_conflicted(unconfirmed));
    EXPECT_EQ(scene.view().balance(), (Balance{0, 63, 0, 100}));
    for (const chain::Txid& txid : left_by_undone_blocks(scene.ledger)) scene.ledger.forget(txid);
    EXPECT_EQ(scene.view().history(0), history);
}

TEST(Undone, TransactionThatAPeerShowsCountsAgain) {
    UndoneScene scene;
    const auto sent = spend({output_of(scene.received)}, {{60, own_script(1)}});
    scene.mine({sent});
    scene.reorganise_to(1);
    const std::int64_t late = 1'800'000'000;

    EXPECT_TRUE(scene.see(sent, late));

    EXPECT_EQ(scene.view().balance(), (Balance{0, 60, 0, 100}));
    EXPECT_FALSE(scene.entry(sent).undone);
    EXPECT_EQ(scene.entry(sent).time, late) << "it must not expire before it was shown";
    EXPECT_FALSE(scene.see(sent, late));
    scene.mine({sent});
    scene.reorganise_to(1);
    EXPECT_EQ(scene.view().balance(), (Balance{0, 60, 0, 100}))
        << "that it was shown is remembered";
}

TEST(Undone, TransactionOfTheNextBranchIsConfirmed) {
    UndoneScene scene;
    const auto sent = spend({output_of(scene.received)}, {{60, own_script(1)}});
    scene.mine({sent});
    scene.reorganise_to(1);
    scene.mine();
    scene.mine({sent});
    EXPECT_EQ(scene.view().balance(), (Balance{60, 0, 0}));
    EXPECT_EQ(scene.entry(sent).height, 3U);
    EXPECT_FALSE(scene.entry(sent).undone);
}

// The child can confirm only with its parent; until then its coins are spent, and its change is not
// there.
TEST(Undone, ReceiptTakesTheChangeOfItsSpendsAlong) {
    UndoneScene scene;
    const auto undone = receipt(1'000, 2);
    scene.mine({undone});
    const auto child =
        spend({output_of(undone), output_of(scene.received)}, {{1'050, own_script(1)}});
    const auto grandchild = spend({output_of(child)}, {{1'040, own_script(2)}});
    scene.see(child);
    scene.see(grandchild);
    EXPECT_EQ(scene.view().balance(), (Balance{0, 1'040, 0, 1'100}));

    scene.reorganise_to(1);

    EXPECT_EQ(scene.view().balance(), (Balance{0, 0, 0, 100}));
    EXPECT_TRUE(scene.view().coins().empty());
    EXPECT_EQ(scene.entry(child).sent, 1'100) << "the parent stays known";
    EXPECT_EQ(scene.entry(child).net, -100) << "of the coin that counts";
    EXPECT_EQ(scene.entry(grandchild).net, 0);
    EXPECT_TRUE(scene.view().coins_of(undone.txid()).empty());
    EXPECT_TRUE(scene.view().coins_of(grandchild.txid()).empty());
    EXPECT_TRUE(left_by_undone_blocks(scene.ledger).empty());
    EXPECT_TRUE(scene.view().own_payments_of_undone().empty()) << "the user has sent none";
    scene.ledger.set_announced(child.txid());
    EXPECT_EQ(scene.view().own_payments_of_undone(), std::vector{child.txid()});

    scene.see(undone);
    EXPECT_TRUE(scene.view().own_payments_of_undone().empty());
    EXPECT_EQ(scene.view().balance(), (Balance{0, 1'040, 0, 100}));
}

// A restored wallet that is shown the child does not know the parent either.
TEST(Undone, ReceiptIsForgottenIfAChildSpendsOnlyAForeignOutput) {
    UndoneScene scene;
    const auto undone = spend({foreign_coin(2)}, {{1'000, own_script(3)}, {500, foreign_script()}});
    scene.mine({undone});
    const auto child =
        spend({output_of(undone, 1), output_of(scene.received)}, {{590, own_script(1)}});
    scene.see(child);
    scene.reorganise_to(1);
    EXPECT_EQ(scene.view().balance(), (Balance{0, 0, 0, 100}));

    ASSERT_EQ(left_by_undone_blocks(scene.ledger), std::vector{undone.txid()});
    scene.ledger.forget(undone.txid());
    EXPECT_EQ(scene.view().balance(), (Balance{0, 590, 0, 100}));
}

TEST(Undone, TransactionsAreLeftToBeForgotten) {
    UndoneScene scene;
    const auto first = receipt(10, 2);
    const auto second = spend({output_of(first)}, {{9, own_script(1)}});
    const auto shown = receipt(11, 3);
    scene.see(shown);
    scene.mine({coinbase(2, {{50, own_script(0)}}), first, second, shown});
    scene.reorganise_to(1);

    EXPECT_EQ(scene.ledger.undone().size(), 2U);
    std::vector<chain::Txid> left = left_by_undone_blocks(scene.ledger);
    EXPECT_EQ(left.size(), 3U) << "the coinbase is one";
    for (const chain::Txid& txid : left) scene.ledger.forget(txid);
    EXPECT_EQ(scene.view().balance(), (Balance{100, 11, 0}));
    EXPECT_EQ(scene.order().size(), 2U);
    EXPECT_TRUE(scene.ledger.undone().empty());
}

// A rescan is no evidence against a transaction.
TEST(Undone, BlockThatIsSearchedAgainIsNotUndone) {
    UndoneScene scene;
    const auto sent = spend({output_of(scene.received)}, {{60, own_script(1)}});
    scene.mine({sent});
    scene.mine();
    scene.search_again_above(0);

    EXPECT_EQ(scene.view().balance(), (Balance{0, 60, 0}));
    EXPECT_FALSE(scene.entry(sent).undone);
    EXPECT_TRUE(left_by_undone_blocks(scene.ledger).empty());

    scene.repeat(1);
    EXPECT_EQ(scene.view().balance(), (Balance{0, 60, 0}));
    EXPECT_TRUE(scene.ledger.set_synced(scene.chain.at(2).block)) << "the search left it out";
    EXPECT_EQ(scene.view().balance(), (Balance{60, 0, 0}));
    EXPECT_EQ(scene.entry(sent).height, 2U);
}

TEST(Undone, BlockThatLeavesTheChainBeforeItIsSearchedAgainIsUndone) {
    UndoneScene scene;
    const auto sent = spend({output_of(scene.received)}, {{60, own_script(1)}});
    scene.mine({sent});
    scene.search_again_above(0);
    scene.ledger.undo_to(1);

    EXPECT_TRUE(scene.entry(sent).undone);
    EXPECT_FALSE(scene.entry(scene.received).undone);
    EXPECT_EQ(scene.view().balance(), (Balance{0, 100, 0}));
}

TEST(Undone, TransactionExpiresNoSoonerForItsBlock) {
    UndoneScene scene;
    const auto old = receipt(9, 4);
    scene.see(old, 1'000);
    scene.mine({old});
    const std::int64_t block_time = test::SceneChain::time_at(2);
    scene.reorganise_to(1);
    EXPECT_TRUE(unconfirmed_since(scene.ledger, block_time - 1).empty());
    EXPECT_EQ(unconfirmed_since(scene.ledger, block_time).size(), 1U);
}

}  // namespace
}  // namespace petal::wallet
