// A transaction has one place on the chain, and an output one spender.
#include <gtest/gtest.h>

#include "tests/wallet/ledger/ledger_scene.h"
#include "tests/wallet/ledger/print_records.h"
#include "wallet/ledger/expiry.h"

namespace petal::wallet {
namespace {

using chain::InvalidBlock;
using test::coinbase;
using test::foreign_coin;
using test::foreign_script;
using test::LedgerScene;
using test::output_of;
using test::own_script;
using test::receipt;
using test::spend;

/// A receipt of 100, a payment of 70 from it and a receipt of 5, in blocks 1 to 3.
struct PlaceScene : LedgerScene {
    PlaceScene() {
        mine({received});
        mine({sent});
        mine({other});
    }

    /// What the user is shown, but for the confirmations.
    auto shown() const {
        auto history = view().history(0);
        for (HistoryEntry& entry : history) entry.confirmations = 0;
        return std::pair(view().balance(), std::move(history));
    }

    const chain::Transaction received = receipt(100, 1);
    const chain::Transaction sent =
        spend({output_of(received)}, {{30, own_script(1)}, {70, foreign_script()}});
    const chain::Transaction other = receipt(5, 2);
};

TEST(Place, BlockThatRepeatsTransactionsChangesNothing) {
    PlaceScene scene;
    const auto before = scene.shown();
    scene.mine({scene.sent, scene.received});
    EXPECT_EQ(scene.shown(), before);
    EXPECT_EQ(scene.entry(scene.received).height, 1U);

    scene.reorganise_to(3);

    EXPECT_EQ(scene.shown(), before);
    EXPECT_TRUE(scene.ledger.undone().empty());
    EXPECT_TRUE(scene.ledger.unconfirmed().empty());
}

TEST(Place, BlockThatRepeatsATransactionIsInvalid) {
    PlaceScene scene;
    EXPECT_TRUE(scene.invalid_blocks.empty());
    scene.mine({scene.other, receipt(1, 9)});
    EXPECT_EQ(scene.invalid_blocks,
              (std::vector{InvalidBlock{scene.chain.tip(), scene.other.txid(),
                                        scene.chain.at(3).block, scene.other.txid()}}));
    scene.repeat(3);
    EXPECT_EQ(scene.invalid_blocks.size(), 1U) << "a block may come again";
}

TEST(Place, BlockThatSpendsAnOutputAgainIsInvalid) {
    PlaceScene scene;
    const auto before = scene.shown();
    const auto again = spend({foreign_coin(7), output_of(scene.received)}, {{99, own_script(2)}});
    scene.mine({again});
    EXPECT_EQ(scene.shown(), before);
    EXPECT_EQ(scene.invalid_blocks,
              (std::vector{InvalidBlock{scene.chain.tip(), again.txid(), scene.chain.at(2).block,
                                        scene.sent.txid()}}));
    EXPECT_EQ(scene.ledger.find(again.txid()), nullptr);
}

// Blocks are searched again in any order, and a peer may have left a transaction out.
TEST(Place, LowerPlaceThatIsFoundLaterIsTheTrueOne) {
    LedgerScene scene;
    const auto received = receipt(100, 1);
    scene.chain.mine({received});
    scene.mine();
    scene.mine({received});
    EXPECT_EQ(scene.entry(received).height, 3U);
    const auto high = scene.chain.tip();

    scene.repeat(1);

    EXPECT_EQ(scene.entry(received).height, 1U);
    EXPECT_EQ(scene.invalid_blocks,
              (std::vector{
                  InvalidBlock{high, received.txid(), scene.chain.at(1).block, received.txid()}}));
    EXPECT_EQ(scene.ledger.blocks().highest(), 1U);
    scene.reorganise_to(2);
    EXPECT_EQ(scene.view().balance(), (Balance{100, 0, 0}));
}

TEST(Place, SpendThatComesTooLateLosesItsPlace) {
    for (const bool is_shown : {false, true}) {
        LedgerScene scene;
        const auto received = receipt(100, 1);
        const auto first = spend({output_of(received)}, {{60, own_script(1)}});
        const auto second = spend({output_of(received)}, {{99, own_script(2)}});
        if (is_shown) scene.see(second);
        scene.mine({received});
        scene.chain.mine({first});
        scene.mine({second});
        EXPECT_EQ(scene.view().balance(), (Balance{99, 0, 0}));

        scene.repeat(2);

        EXPECT_EQ(scene.view().balance(), (Balance{60, 0, 0}));
        EXPECT_EQ(scene.invalid_blocks.size(), 1U);
        EXPECT_EQ(scene.view().entry(second.txid()).has_value(), is_shown);
        scene.reorganise_to(1);
        EXPECT_EQ(scene.view().balance(), (is_shown ? Balance{0, 99, 0, 100} : Balance{100, 0, 0}));
    }
}

TEST(Place, OfOneBlockTheFirstPositionCounts) {
    PlaceScene scene;
    const auto first = receipt(1, 20);
    const auto second = receipt(2, 20);
    scene.mine({first, second, first});
    EXPECT_EQ(scene.entry(first).height, 4U);
    EXPECT_EQ(scene.ledger.find(first.txid())->placement,
              (Placement{4, scene.chain.at(4).transactions.front().position}));
    EXPECT_EQ(scene.ledger.find(second.txid()), nullptr);
    ASSERT_EQ(scene.invalid_blocks.size(), 2U);
    for (const InvalidBlock& invalid : scene.invalid_blocks) {
        EXPECT_EQ(invalid.block, scene.chain.tip());
        EXPECT_EQ(invalid.earlier_block, scene.chain.tip());
        EXPECT_EQ(invalid.earlier, first.txid());
    }
}

// Blocks 91,842 and 91,880 of mainnet repeat the coinbases of 91,812 and 91,722.
TEST(Place, RepeatedCoinbaseKeepsItsFirstPlaceAndProvesNothing) {
    LedgerScene scene;
    const auto reward = coinbase(1, {{50, own_script(0)}});
    scene.mine({reward});
    scene.mine_empty(40);
    scene.mine({reward});
    EXPECT_EQ(scene.entry(reward).height, 1U);
    EXPECT_TRUE(scene.invalid_blocks.empty());
    scene.reorganise_to(40);
    EXPECT_EQ(scene.entry(reward).height, 1U);
    EXPECT_EQ(scene.view().balance(), (Balance{0, 0, 50}));
}

}  // namespace
}  // namespace petal::wallet
