#include "wallet/ledger/relatives.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/wallet/ledger/ledger_scene.h"

namespace petal::wallet {
namespace {

using test::foreign_coin;
using test::foreign_script;
using test::output_of;
using test::own_script;
using test::spend;

/// A ledger with a confirmed coin, and an unconfirmed payment with two outputs to the wallet.
class Relatives : public testing::Test {
protected:
    Relatives() {
        scene.mine({coin});
        scene.see(parent);
    }
    std::set<chain::Txid> of(const chain::Transaction& spent,
                             const std::optional<chain::Txid>& replaced = std::nullopt) const {
        std::set<chain::Txid> txids;
        for (const auto* relative : unconfirmed_relatives(scene.ledger, {spent.txid()}, replaced)) {
            EXPECT_TRUE(txids.insert(relative->txid).second);
        }
        return txids;
    }
    /// An unconfirmed transaction that a node has shown.
    void show(const chain::Transaction& transaction) {
        scene.see(transaction);
        scene.ledger.set_sources(transaction.txid(), {{1, 1}});
    }
    static std::set<chain::Txid> txids(const std::vector<chain::Transaction>& transactions) {
        std::set<chain::Txid> result;
        for (const auto& each : transactions) result.insert(each.txid());
        return result;
    }

    test::LedgerScene scene;
    chain::Transaction coin = spend({foreign_coin(1)}, {{100'000, own_script(0)}});
    chain::Transaction parent =
        spend({output_of(coin)}, {{50'000, own_script(1)}, {40'000, own_script(2)}});
};

TEST_F(Relatives, AreTheUnconfirmedAncestors) {
    const auto child = spend({output_of(parent)}, {{45'000, own_script(3)}});
    scene.see(child);
    EXPECT_EQ(of(child), txids({parent, child}));
    EXPECT_EQ(of(coin), txids({}));
    scene.mine({parent});
    EXPECT_EQ(of(child), txids({child}));
}

TEST_F(Relatives, IncludeForeignAncestors) {
    const auto receipt = spend({foreign_coin(2)}, {{30'000, own_script(4)}});
    const auto next = spend({output_of(receipt)}, {{20'000, own_script(5)}});
    scene.see(receipt);
    scene.see(next);
    EXPECT_EQ(of(next), txids({receipt, next}));
}

TEST_F(Relatives, IncludeOwnDescendantsWithTheirAncestors) {
    const auto receipt = spend({foreign_coin(2)}, {{30'000, own_script(4)}});
    const auto child = spend({output_of(parent), output_of(receipt)}, {{70'000, own_script(3)}});
    const auto grandchild = spend({output_of(child)}, {{60'000, foreign_script()}});
    for (const auto& each : {receipt, child, grandchild}) show(each);
    EXPECT_EQ(of(parent), txids({parent, receipt, child, grandchild}));
}

// No miner has it, so it pays for no parent.
TEST_F(Relatives, ExcludeDescendantsThatNoNodeHasShown) {
    const auto child = spend({output_of(parent)}, {{49'000, own_script(3)}});
    scene.see(child);
    EXPECT_EQ(of(parent), txids({parent}));
    show(child);
    EXPECT_EQ(of(parent), txids({parent, child}));
}

TEST_F(Relatives, ExcludeTransactionsThatABlockHas) {
    const auto mined = test::coinbase(3, {{50'000, own_script(5)}});
    scene.mine({mined});
    const auto child = spend({output_of(coin), output_of(mined)}, {{140'000, own_script(6)}});
    show(child);
    scene.search_again_above(0);
    EXPECT_EQ(of(child), txids({child})) << "their blocks are only to be searched again";
    scene.reorganise_to(0);
    EXPECT_EQ(of(child), txids({coin, child})) << "a coinbase never gets into another block";
}

TEST_F(Relatives, ExcludeDescendantsThatOthersMayHaveMadeUp) {
    const auto shared = spend({output_of(parent), foreign_coin(3)}, {{10, own_script(3)}});
    show(shared);
    EXPECT_EQ(of(parent), txids({parent}));
    EXPECT_EQ(of(shared), txids({parent, shared})) << "a payment may spend from it";
}

TEST_F(Relatives, ExcludeConflictedAndReplacedTransactions) {
    const auto first = spend({output_of(parent)}, {{49'000, own_script(3)}});
    const auto second = spend({output_of(parent)}, {{30'000, own_script(3)}});
    show(first);
    EXPECT_EQ(of(parent), txids({parent, first}));
    EXPECT_EQ(of(parent, first.txid()), txids({parent}));
    show(second);
    EXPECT_EQ(of(parent), txids({parent, second}));
    EXPECT_EQ(of(first), txids({parent, first, second})) << "the user may pay for this one";
}

TEST_F(Relatives, AreBounded) {
    chain::Transaction last = parent;
    for (chain::Satoshis value = 49'000; value > 49'000 - 2 * 100; --value) {
        last = spend({output_of(last)}, {{value, own_script(3)}});
        show(last);
    }
    EXPECT_EQ(of(last).size(), kMaxRelatives);
    EXPECT_TRUE(of(last).contains(last.txid()));
    EXPECT_EQ(of(parent).size(), kMaxRelatives);
}

}  // namespace
}  // namespace petal::wallet
