// The wallet's own payments that were replaced by payments with a higher fee.
#include <gtest/gtest.h>

#include "tests/wallet/ledger/ledger_scene.h"

namespace petal::wallet {
namespace {

using test::foreign_coin;
using test::LedgerScene;
using test::output_of;
using test::own_script;
using test::spend;

TEST(OutbidPayment, StaysReplacedIfAPeerShowsItAgain) {
    LedgerScene scene;
    const auto coin = spend({foreign_coin(1)}, {{100, own_script(0)}});
    scene.mine({coin});
    const auto low = spend({output_of(coin)}, {{98, own_script(1)}});
    const auto high = spend({output_of(coin)}, {{95, own_script(2)}});
    scene.see(low);
    scene.see(high);
    scene.ledger.set_announced(high.txid());
    EXPECT_FALSE(scene.see(low)) << "the user has replaced it";
    EXPECT_EQ(scene.entry(low).replaced_by, high.txid());

    const auto highest = spend({output_of(coin)}, {{90, own_script(3)}});
    scene.see(highest);
    scene.ledger.set_announced(highest.txid());
    EXPECT_FALSE(scene.see(high));
    EXPECT_EQ(scene.entry(high).replaced_by, highest.txid());
    scene.mine({low});
    EXPECT_EQ(scene.entry(highest).replaced_by, low.txid()) << "a block decides";
}

TEST(OutbidPayment, KeepsItsDescendantsReplaced) {
    LedgerScene scene;
    const auto coin = spend({foreign_coin(1)}, {{100, own_script(0)}});
    scene.mine({coin});
    const auto low = spend({output_of(coin)}, {{98, own_script(1)}});
    const auto child = spend({output_of(low)}, {{97, own_script(3)}});
    const auto grandchild = spend({output_of(child)}, {{96, own_script(4)}});
    const auto high = spend({output_of(coin)}, {{95, own_script(2)}});
    for (const auto& each : {low, child, grandchild, high}) scene.see(each);
    EXPECT_TRUE(scene.see(grandchild));
    scene.ledger.set_announced(high.txid());
    EXPECT_FALSE(scene.see(child));
    EXPECT_FALSE(scene.see(grandchild));
}

// Nodes keep the first transaction if the second has a lower fee rate, however high its fee.
TEST(OutbidPayment, ReturnsIfTheUserDidNotAnnounceItsReplacement) {
    LedgerScene scene;
    const auto coin = spend({foreign_coin(1)}, {{100, own_script(0)}});
    scene.mine({coin});
    const auto low = spend({output_of(coin)}, {{98, own_script(1)}});
    const auto high = spend({output_of(coin)}, {{95, own_script(2)}});
    scene.see(low);
    scene.see(high);
    EXPECT_EQ(scene.entry(low).replaced_by, high.txid());
    EXPECT_TRUE(scene.see(low));
    EXPECT_EQ(scene.entry(high).replaced_by, low.txid());
}

TEST(OutbidPayment, ReturnsIfItsReplacementIsConflicted) {
    LedgerScene scene;
    const auto coin = spend({foreign_coin(1)}, {{100, own_script(0)}});
    const auto other_coin = spend({foreign_coin(2)}, {{100, own_script(1)}});
    scene.mine({coin, other_coin});
    const auto low = spend({output_of(coin)}, {{98, own_script(2)}});
    const auto high = spend({output_of(coin), output_of(other_coin)}, {{100, own_script(3)}});
    scene.see(low);
    scene.see(high);
    scene.ledger.set_announced(high.txid());
    EXPECT_FALSE(scene.see(low));
    scene.mine({spend({output_of(other_coin)}, {{90, own_script(4)}})});
    ASSERT_TRUE(scene.is_conflicted(high));
    EXPECT_FALSE(scene.is_conflicted(low));
    EXPECT_FALSE(scene.see(low)) << "it is not conflicted";
    scene.see(spend({output_of(coin)}, {{98, own_script(5)}}));
    EXPECT_TRUE(scene.see(low)) << "no transaction that may still confirm has outbid it";
}

TEST(OutbidPayment, ReturnsIfTheOtherFeeIsUnknownOrNotHigher) {
    LedgerScene scene;
    const auto coin = spend({foreign_coin(1)}, {{100, own_script(0)}});
    scene.mine({coin});
    const auto first = spend({output_of(coin)}, {{90, own_script(1)}});
    const auto equal = spend({output_of(coin)}, {{80, own_script(2)}, {10, own_script(3)}});
    scene.see(first);
    scene.see(equal);
    scene.ledger.set_announced(equal.txid());
    EXPECT_TRUE(scene.see(first));
    const auto shared = spend({output_of(coin), foreign_coin(7)}, {{50, own_script(4)}});
    scene.see(shared);
    scene.ledger.set_announced(shared.txid());
    EXPECT_TRUE(scene.see(first));
}

}  // namespace
}  // namespace petal::wallet
