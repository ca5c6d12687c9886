// Replacements, double spends and reorganisations.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/wallet/ledger/ledger_scene.h"
#include "tests/wallet/ledger/print_records.h"
#include "wallet/ledger/conflicts.h"
#include "wallet/ledger/expiry.h"
#include "wallet/ledger/ledger.h"

namespace petal::wallet {
namespace {

using chain::Transaction;
using chain::Txid;
using test::coinbase;
using test::foreign_coin;
using test::foreign_script;
using test::LedgerScene;
using test::output_of;
using test::own_script;
using test::spend;

/// Pays the wallet from foreign coins.
Transaction pay(chain::Satoshis value, const std::vector<chain::Outpoint>& from) {
    return spend(from, {{value, own_script(0)}});
}

/// Pays the wallet from foreign coins, with a second output that is not the wallet's.
Transaction pay_with_change(chain::Satoshis value, const std::vector<chain::Outpoint>& from) {
    return spend(from, {{value, own_script(0)}, {1, foreign_script()}});
}

TEST(LedgerConflicts, LaterUnconfirmedReplacesTheEarlier) {
    LedgerScene scene;
    const auto first = pay(10, {foreign_coin(1)});
    const auto second = pay(8, {foreign_coin(1), foreign_coin(2)});
    scene.see(first);
    scene.see(second);

    EXPECT_EQ(scene.view().balance(), (Balance{0, 8, 0}));
    EXPECT_EQ(scene.entry(first).replaced_by, second.txid());
    EXPECT_FALSE(scene.is_conflicted(second));
    ASSERT_EQ(scene.view().coins().size(), 1U);
    EXPECT_EQ(scene.view().coins()[0].outpoint, output_of(second));
    EXPECT_EQ(scene.order(), (std::vector{second.txid(), first.txid()}));
    EXPECT_EQ((scene.view().received()[{KeyChain::receive, 0}]), 8);
}

TEST(LedgerConflicts, ForeignReplacementIsKeptOutOfTheHistory) {
    LedgerScene scene;
    const auto payment = pay(10, {foreign_coin(1)});
    const auto other = spend({foreign_coin(1)}, {{9, foreign_script()}});
    EXPECT_FALSE(scene.ledger.touches(other));
    scene.see(payment);
    EXPECT_TRUE(scene.ledger.touches(other));
    scene.see(other);

    EXPECT_EQ(scene.view().balance(), Balance{});
    EXPECT_EQ(scene.entry(payment).replaced_by, other.txid());
    EXPECT_EQ(scene.order(), std::vector{payment.txid()});
    EXPECT_FALSE(scene.view().entry(other.txid()));
}

TEST(LedgerConflicts, ConfirmedWinsOverWhateverIsUnconfirmed) {
    LedgerScene scene;
    const auto early = pay(10, {foreign_coin(1)});
    const auto mined = pay(9, {foreign_coin(1)});
    scene.see(early);
    scene.mine({mined});

    EXPECT_EQ(scene.view().balance(), (Balance{9, 0, 0}));
    EXPECT_EQ(scene.entry(early).replaced_by, mined.txid());
    EXPECT_FALSE(scene.is_conflicted(mined));
}

TEST(LedgerConflicts, ConflictWithAConfirmedTransactionIsRefused) {
    LedgerScene scene;
    const auto early = pay(10, {foreign_coin(1)});
    scene.see(early);
    scene.mine({pay(9, {foreign_coin(1), foreign_coin(2)})});
    const auto order = scene.ledger.find(early.txid())->seen_order;

    EXPECT_FALSE(scene.see(pay(8, {foreign_coin(1)})));
    EXPECT_FALSE(scene.see(pay(7, {foreign_coin(3), foreign_coin(2)})));
    EXPECT_FALSE(scene.see(early)) << "known, and seeing it again changes nothing";
    EXPECT_EQ(scene.ledger.find(early.txid())->seen_order, order);
    EXPECT_EQ(scene.view().history(0).size(), 2U);
    EXPECT_EQ(scene.ledger.indexes().load().count, 1U);

    scene.reorganise_to(0);
    EXPECT_TRUE(scene.see(pay(6, {foreign_coin(1)}))) << "it can now be replaced";
}

TEST(LedgerConflicts, DescendantsAreConflictedWithTheirAncestor) {
    LedgerScene scene;
    const auto first = pay_with_change(10, {foreign_coin(1)});
    const auto child = pay_with_change(9, {output_of(first, 1)});
    const auto grandchild = pay_with_change(12, {output_of(child, 1), foreign_coin(7)});
    const auto winner = spend({foreign_coin(1)}, {{5, foreign_script()}});
    scene.see(first);
    scene.see(child);
    scene.see(grandchild);
    EXPECT_EQ(scene.view().balance().pending, 31);
    scene.see(winner);

    EXPECT_EQ(scene.view().balance(), Balance{});
    EXPECT_TRUE(scene.view().coins().empty());
    for (const auto& loser : {first, child, grandchild}) {
        EXPECT_EQ(scene.entry(loser).replaced_by, winner.txid());
    }
    // A descendant that arrives later is conflicted as well.
    const auto late = pay(11, {output_of(grandchild, 1)});
    scene.see(late);
    EXPECT_EQ(scene.entry(late).replaced_by, winner.txid());
}

TEST(LedgerConflicts, EarlyDescendantIsConflictedWithItsAncestor) {
    LedgerScene scene;
    const auto loser = pay_with_change(10, {foreign_coin(1)});
    const auto child = pay_with_change(9, {output_of(loser, 1)});
    const auto grandchild = pay(8, {output_of(child, 1)});
    const auto winner = pay(5, {foreign_coin(1)});
    scene.see(grandchild);
    scene.see(loser);
    scene.see(winner);
    scene.see(child);

    EXPECT_EQ(scene.view().balance(), (Balance{0, 5, 0}));
    for (const auto& conflicted : {loser, child, grandchild}) {
        EXPECT_EQ(scene.entry(conflicted).replaced_by, winner.txid());
    }
}

TEST(LedgerConflicts, CoinOfAReplacedSpendIsUnspentAgain) {
    LedgerScene scene;
    const auto coin = pay(100, {foreign_coin(1)});
    const auto other = pay(50, {foreign_coin(2)});
    scene.mine({coin, other});
    scene.see(spend({output_of(coin), output_of(other)}, {{140, own_script(1)}}));
    EXPECT_EQ(scene.view().balance(), (Balance{0, 140, 0, 150}));

    scene.see(spend({output_of(other)}, {{49, foreign_script()}}));

    EXPECT_EQ(scene.view().balance(), (Balance{100, 0, 0, 50}));
    ASSERT_EQ(scene.view().coins().size(), 1U);
    EXPECT_EQ(scene.view().coins()[0].outpoint, output_of(coin));
}

// Without this rule, a fabricated transaction could make a spent coin spendable again.
TEST(LedgerConflicts, OwnSpendIsNotReplacedByAForeignSpend) {
    LedgerScene scene;
    const auto coin = pay(100, {foreign_coin(1)});
    scene.mine({coin});
    const auto payment = pay(10, {foreign_coin(2)});
    const auto sent =
        spend({output_of(coin), output_of(payment), foreign_coin(3)}, {{90, own_script(1)}});
    scene.see(payment);
    scene.see(sent);
    const Balance before{0, 90, 0, 100};
    EXPECT_EQ(scene.view().balance(), before);

    const auto with_ancestor = pay(1, {foreign_coin(2)});
    const auto with_spend = pay(2, {foreign_coin(3)});
    scene.see(with_ancestor);
    scene.see(with_spend);
    EXPECT_EQ(scene.view().balance(), before);
    EXPECT_EQ(scene.entry(with_ancestor).replaced_by, payment.txid());
    EXPECT_EQ(scene.entry(with_spend).replaced_by, sent.txid());

    scene.mine({with_ancestor});
    EXPECT_EQ(scene.view().balance(), (Balance{101, 2, 0})) << "a merkle proof decides";
    EXPECT_TRUE(scene.is_conflicted(sent));
    EXPECT_FALSE(scene.is_conflicted(with_spend));
}

TEST(LedgerConflicts, OwnSpendRestoresItsAncestors) {
    LedgerScene scene;
    const auto coin = pay(100, {foreign_coin(1)});
    scene.mine({coin});
    const auto payment = pay(10, {foreign_coin(2)});
    const auto made_up = pay(1, {foreign_coin(2)});
    scene.see(payment);
    scene.see(made_up);
    EXPECT_TRUE(scene.is_conflicted(payment));

    scene.see(spend({output_of(coin), output_of(payment)}, {{109, own_script(1)}}));

    EXPECT_EQ(scene.view().balance(), (Balance{0, 109, 0, 100}));
    EXPECT_EQ(scene.entry(made_up).replaced_by, payment.txid());
}

TEST(LedgerConflicts, AncestorIsReplaceableOnceItsOwnSpendIsReplaced) {
    LedgerScene scene;
    const auto coin = pay(100, {foreign_coin(1)});
    scene.mine({coin});
    const auto earlier = pay(1, {foreign_coin(2)});
    const auto payment = pay(10, {foreign_coin(2)});
    scene.see(earlier);
    scene.see(payment);
    const auto sent = spend({output_of(coin), output_of(payment)}, {{109, own_script(1)}});
    const auto instead = spend({output_of(coin)}, {{99, own_script(2)}});
    scene.see(sent);
    scene.see(instead);

    EXPECT_EQ(scene.view().balance(), (Balance{0, 109, 0, 100}));
    EXPECT_EQ(scene.entry(sent).replaced_by, instead.txid());
    EXPECT_EQ(scene.entry(earlier).replaced_by, payment.txid()) << "still by the order of arrival";

    const auto later = pay(4, {foreign_coin(2)});
    scene.see(later);
    EXPECT_EQ(scene.view().balance(), (Balance{0, 103, 0, 100}));
    EXPECT_EQ(scene.entry(payment).replaced_by, later.txid());
}

TEST(LedgerConflicts, TransactionThatIsSeenAgainIsTheLatest) {
    LedgerScene scene;
    const auto first = pay(10, {foreign_coin(1)});
    const auto second = pay(8, {foreign_coin(1)});
    scene.see(first);
    scene.see(second);
    EXPECT_TRUE(scene.see(first));

    EXPECT_EQ(scene.view().balance(), (Balance{0, 10, 0}));
    EXPECT_EQ(scene.entry(second).replaced_by, first.txid());
    EXPECT_FALSE(scene.see(first)) << "it counts already";
}

TEST(LedgerConflicts, ReplacedTransactionReturnsIfItsWinnerIsReplaced) {
    LedgerScene scene;
    const auto first = pay(10, {foreign_coin(1)});
    const auto second = pay(8, {foreign_coin(1), foreign_coin(2)});
    const auto third = pay(3, {foreign_coin(2)});
    scene.see(first);
    scene.see(second);
    scene.see(third);

    EXPECT_EQ(scene.view().balance(), (Balance{0, 13, 0}));
    EXPECT_FALSE(scene.is_conflicted(first));
    EXPECT_EQ(scene.entry(second).replaced_by, third.txid());
}

TEST(LedgerConflicts, ConflictWithItsOwnAncestorReplacesNothing) {
    LedgerScene scene;
    const auto payment = pay(10, {foreign_coin(1)});
    const auto nonsense = spend({output_of(payment), foreign_coin(1)}, {{9, own_script(1)}});
    scene.see(payment);
    scene.see(nonsense);

    EXPECT_EQ(scene.view().balance(), (Balance{0, 10, 0}));
    EXPECT_EQ(scene.entry(nonsense).replaced_by, payment.txid());
}

TEST(LedgerConflicts, ConfirmedConflictOfAReplacementRestoresTheReplaced) {
    LedgerScene scene;
    const auto first = pay(10, {foreign_coin(1)});
    const auto second = pay(8, {foreign_coin(1), foreign_coin(2)});
    scene.see(first);
    scene.see(second);
    scene.mine({pay(2, {foreign_coin(2)})});

    EXPECT_EQ(scene.view().balance(), (Balance{2, 10, 0}));
    EXPECT_FALSE(scene.is_conflicted(first));
    EXPECT_TRUE(scene.is_conflicted(second));
}

TEST(LedgerReorganisation, MakesWhatItDropsUnconfirmed) {
    LedgerScene scene;
    const auto kept = pay(10, {foreign_coin(1)});
    const auto dropped = spend({output_of(kept)}, {{9, own_script(1)}});
    scene.mine({kept});
    scene.see(dropped);
    scene.mine({dropped});
    scene.reorganise_to(1);

    EXPECT_EQ(scene.view().balance(), (Balance{0, 9, 0, 10}));
    EXPECT_FALSE(scene.entry(dropped).undone);
    EXPECT_FALSE(scene.entry(dropped).height);
    EXPECT_FALSE(scene.entry(dropped).block_hash);
    EXPECT_EQ(scene.entry(dropped).confirmations, 0U);
    EXPECT_EQ(scene.entry(kept).confirmations, 1U);
    EXPECT_TRUE(scene.watches(output_of(kept)));

    scene.mine();
    scene.mine({dropped});
    EXPECT_EQ(scene.view().balance(), (Balance{9, 0, 0}));
    EXPECT_EQ(scene.entry(dropped).height, 3U);
    EXPECT_EQ(scene.entry(dropped).block_hash, scene.chain.at(3).block.hash);
}

TEST(LedgerReorganisation, TakesACoinbaseAndItsDescendantsAway) {
    LedgerScene scene;
    const auto reward = coinbase(1, {{50, own_script(0)}});
    scene.mine({reward});
    scene.mine_empty(100);
    const auto sent = spend({output_of(reward)}, {{49, own_script(1)}});
    scene.see(sent);
    scene.mine({sent});
    EXPECT_EQ(scene.view().balance(), (Balance{49, 0, 0}));
    scene.reorganise_to(0);

    EXPECT_EQ(scene.view().balance(), Balance{});
    EXPECT_TRUE(scene.view().coins().empty());
    EXPECT_EQ(scene.entry(reward).replaced_by, Txid{});
    EXPECT_EQ(scene.entry(sent).replaced_by, Txid{});
    EXPECT_FALSE(scene.watches(output_of(reward, 1)));
    EXPECT_TRUE(left_by_undone_blocks(scene.ledger).empty()) << "the payment shows what it spends";

    scene.mine({reward});
    EXPECT_EQ(scene.view().balance(), (Balance{0, 49, 0, 50}));
    EXPECT_FALSE(scene.entry(reward).replaced_by);
    EXPECT_EQ(scene.entry(reward).height, 1U);
}

// A miner can mine a payment that was replaced, and the block can be undone: it decides nothing.
TEST(LedgerReorganisation, LeavesConflictsAsTheyWereBeforeTheBlock) {
    LedgerScene scene;
    const auto first = pay(10, {foreign_coin(1)});
    const auto second = pay(8, {foreign_coin(1)});
    scene.see(first);
    scene.see(second);
    scene.mine({first});
    scene.reorganise_to(0);

    EXPECT_EQ(scene.view().balance(), (Balance{0, 8, 0}));
    EXPECT_EQ(scene.entry(first).replaced_by, second.txid());

    // A node that had validated the block returns its transactions to the mempool.
    EXPECT_TRUE(scene.see(first));
    EXPECT_EQ(scene.view().balance(), (Balance{0, 10, 0}));
    EXPECT_EQ(scene.entry(second).replaced_by, first.txid());
}

TEST(LedgerReorganisation, CountsTheAgeOfWhatItDropsFromItsBlock) {
    LedgerScene scene;
    const auto early = pay(10, {foreign_coin(1)});
    const auto late = pay(20, {foreign_coin(2)});
    const std::int64_t block_time = test::SceneChain::time_at(1);
    scene.see(early, block_time - 1'000'000);
    scene.see(late, block_time + 5);
    scene.mine({early, late});
    scene.reorganise_to(0);

    EXPECT_EQ(scene.entry(early).time, block_time);
    EXPECT_EQ(scene.entry(late).time, block_time + 5);
}

TEST(LedgerReorganisation, ForgetsTheBlocksThatItDrops) {
    LedgerScene scene;
    scene.mine({pay(1, {foreign_coin(1)})});
    scene.mine({pay(2, {foreign_coin(2)})});
    const auto old = scene.chain.at(2).block;
    scene.reorganise_to(1);
    scene.mine({pay(3, {foreign_coin(3)})});

    EXPECT_TRUE(scene.ledger.blocks().contradict(old));
    EXPECT_FALSE(scene.ledger.blocks().contradict(scene.chain.at(2).block));
    EXPECT_EQ(scene.view().balance(), (Balance{4, 0, 0}));
}

TEST(LedgerConflicts, InputsOfALoserAreWatchedUntilItsWinnerIsSettled) {
    LedgerScene scene;
    const auto loser = pay(10, {foreign_coin(1), foreign_coin(2)});
    const auto child = spend({output_of(loser), foreign_coin(3)}, {{9, own_script(1)}});
    scene.see(loser);
    scene.see(child);
    scene.mine({spend({foreign_coin(1)}, {{9, foreign_script()}})});
    scene.mine_empty(chain::kReorganisationReach - 2);
    EXPECT_TRUE(scene.watches(foreign_coin(2)));
    EXPECT_TRUE(scene.watches(foreign_coin(3)));

    scene.mine();
    EXPECT_TRUE(scene.view().watched_outpoints() == chain::WatchedOutpoints{});
}

std::vector<Txid> sorted(std::vector<Txid> txids) {
    std::ranges::sort(txids);
    return txids;
}

TEST(LedgerForgetting, BringsBackWhatTheForgottenHadReplaced) {
    LedgerScene scene;
    const auto coin = pay(100, {foreign_coin(1)});
    scene.mine({coin});
    const auto first = spend({output_of(coin)}, {{90, own_script(1)}});
    const auto second = spend({output_of(coin)}, {{80, own_script(2)}});
    scene.see(first);
    scene.see(second);
    scene.ledger.forget(second.txid());
    EXPECT_EQ(scene.view().balance(), (Balance{0, 90, 0, 100}));
    EXPECT_FALSE(scene.is_conflicted(first));
    EXPECT_EQ(scene.ledger.find(second.txid()), nullptr);

    scene.ledger.forget(first.txid());
    EXPECT_EQ(scene.view().balance(), (Balance{100, 0, 0}));
    EXPECT_TRUE(scene.view().watched_outpoints() ==
                (chain::WatchedOutpoints{{output_of(coin)}, {}}));
    EXPECT_TRUE(scene.see(first)) << "as if the ledger had never known it";
    EXPECT_EQ(scene.view().balance(), (Balance{0, 90, 0, 100}));
}

TEST(LedgerForgetting, FindsUnconfirmedDescendantsOnce) {
    LedgerScene scene;
    const auto parent = spend({foreign_coin(1)}, {{10, own_script(0)}, {10, own_script(1)}});
    const auto child = spend({output_of(parent, 0)}, {{9, own_script(2)}});
    const auto both = spend({output_of(child), output_of(parent, 1)}, {{8, own_script(3)}});
    const auto other = pay(7, {foreign_coin(2)});
    for (const auto& transaction : {both, other, child, parent}) scene.see(transaction);

    const auto family = with_descendants(scene.ledger, parent.txid());
    EXPECT_EQ(family.front(), parent.txid());
    EXPECT_EQ(sorted(family), sorted({parent.txid(), child.txid(), both.txid()}));
    EXPECT_EQ(with_descendants(scene.ledger, both.txid()), std::vector{both.txid()});
    scene.mine({parent, child});
    EXPECT_EQ(with_descendants(scene.ledger, parent.txid()),
              (std::vector{parent.txid(), both.txid()}));
}

TEST(LedgerForgetting, FindsTheOldButNotWhatTheUserAnnounced) {
    LedgerScene scene;
    const auto old = pay(1, {foreign_coin(1)});
    const auto child = spend({output_of(old)}, {{1, own_script(1)}});
    const auto fresh = pay(2, {foreign_coin(2)});
    const auto source = pay(3, {foreign_coin(3)});
    const auto sent = spend({output_of(source)}, {{3, own_script(2)}});
    scene.see(child, 2'000);
    scene.see(old, 1'000);
    scene.see(fresh, 1'001);
    scene.see(source, 10);
    scene.see(sent, 10);
    scene.ledger.set_announced(sent.txid());

    EXPECT_TRUE(unconfirmed_since(scene.ledger, 9).empty());
    EXPECT_EQ(sorted(unconfirmed_since(scene.ledger, 1'000)), sorted({old.txid(), child.txid()}));
    EXPECT_EQ(scene.ledger.indexes().load().count, 4U);
    scene.mine({old});
    EXPECT_EQ(unconfirmed_since(scene.ledger, 2'000).size(), 2U) << "child and fresh are left";
}

/// How many of these unconfirmed transactions are conflicted. They are seen in the given order.
std::size_t count_conflicts(const std::vector<const LedgerTransaction*>& pool) {
    Ledger ledger;
    std::uint64_t order = 0;
    for (const LedgerTransaction* transaction : pool) {
        LedgerTransaction seen = *transaction;
        seen.seen_order = ++order;
        seen.shown = true;
        EXPECT_TRUE(ledger.restore(std::move(seen)));
    }
    return find_conflicts(ledger).size();
}

// A mempool of thousands must not take quadratic time; a chain has the most descendants.
TEST(FindConflicts, TakesLongChainsInBothOrders) {
    std::vector<LedgerTransaction> chain(3'000);
    for (std::size_t i = 0; i < chain.size(); ++i) {
        chain[i].txid.bytes[0] = static_cast<chain::Byte>(i);
        chain[i].txid.bytes[1] = static_cast<chain::Byte>(i >> 8);
        chain[i].txid.bytes[2] = 1;
        chain[i].inputs = {i == 0 ? foreign_coin(1) : chain::Outpoint{chain[i - 1].txid, 0}};
    }
    LedgerTransaction rival;
    rival.inputs = {foreign_coin(1)};

    std::vector<const LedgerTransaction*> pool;
    for (const auto& transaction : chain) pool.push_back(&transaction);
    EXPECT_EQ(count_conflicts(pool), 0U);
    pool.push_back(&rival);
    EXPECT_EQ(count_conflicts(pool), chain.size());
    std::reverse(pool.begin(), pool.end());
    EXPECT_EQ(count_conflicts(pool), 1U);

    // The chain is seen from its last link to its first, which the second replaces. The third
    // replaces the second, so the chain counts again.
    LedgerTransaction second;
    second.txid.bytes[3] = 1;
    second.inputs = {foreign_coin(1), foreign_coin(2)};
    LedgerTransaction third;
    third.txid.bytes[3] = 2;
    third.inputs = {foreign_coin(2)};
    pool.erase(pool.begin());
    pool.push_back(&second);
    pool.push_back(&third);
    EXPECT_EQ(count_conflicts(pool), 1U);
}

}  // namespace
}  // namespace petal::wallet
