// Which addresses a wallet hands out, their labels, and what they received.
#include <gtest/gtest.h>

#include "tests/wallet/wallet_fixture.h"
#include "wallet/wallet.h"

namespace petal::wallet {
namespace {

using test::foreign_coin;
using test::foreign_script;
using test::output_of;
using test::spend;

class WalletAddresses : public test::WalletFixture {};

TEST_F(WalletAddresses, HandsOutOneAddressAfterTheOther) {
    EXPECT_EQ(wallet->receive_address(false).path.index, 0U);
    EXPECT_EQ(wallet->receive_address(true).path.index, 0U);
    EXPECT_EQ(wallet->receive_address(false).path.index, 1U);
    mine({pay(10, 3)});
    EXPECT_EQ(wallet->receive_address(true).path.index, 4U);
    EXPECT_FALSE(wallet->receive_address(false).used);
    reopen();
    EXPECT_EQ(wallet->receive_address(false).path.index, 5U);
}

TEST_F(WalletAddresses, CurrentAddressStaysUntilItIsPaidOrLabelled) {
    EXPECT_EQ(wallet->current_address(false).path.index, 0U);
    EXPECT_EQ(wallet->receive_address(false).path.index, 0U) << "the address was not reserved";
    EXPECT_EQ(wallet->current_address(true).path.index, 0U);
    EXPECT_EQ(wallet->receive_address(true).path.index, 1U) << "each payer gets another address";
    reopen();
    EXPECT_EQ(wallet->current_address(true).path.index, 0U);
    mine({pay(10, 0)});
    EXPECT_EQ(wallet->current_address(false).path.index, 2U);
    EXPECT_EQ(wallet->current_address(true).path.index, 2U);
    EXPECT_TRUE(wallet->set_label(script(2), "Rent"));
    EXPECT_EQ(wallet->current_address(true).path.index, 3U);
    EXPECT_TRUE(wallet->set_label(script(2), ""));
    EXPECT_EQ(wallet->current_address(true).path.index, 3U);
    EXPECT_EQ(wallet->receive_address(true).path.index, 4U);
}

TEST_F(WalletAddresses, AreMarkedOnceTheyAreHandedOut) {
    const auto marks = [&](KeyChain key_chain) {
        std::string text;
        for (const AddressEntry& entry : wallet->addresses(key_chain, 3)) {
            text += entry.used ? "u" : "";
            text += entry.handed_out ? "h " : "- ";
        }
        return text;
    };
    EXPECT_EQ(marks(KeyChain::receive), "- - - ");
    wallet->current_address(true);
    wallet->receive_address(true);
    EXPECT_TRUE(wallet->set_label(script(3), "Rent"));
    EXPECT_EQ(marks(KeyChain::receive), "h h - h - ");
    mine({pay(10, 4)});
    EXPECT_EQ(marks(KeyChain::receive), "h h h h uh - - - ");
    EXPECT_EQ(marks(KeyChain::change), "- - - ");
}

TEST_F(WalletAddresses, AddressWithALabelIsNeverHandedOut) {
    EXPECT_EQ(wallet->set_label(script(1), "Lunch"), "");
    EXPECT_EQ(wallet->set_label(script(1), "Rent"), "Lunch") << "the previous label";
    EXPECT_EQ(wallet->receive_address(true).path.index, 0U);
    EXPECT_EQ(wallet->receive_address(true).path.index, 2U);
    EXPECT_EQ(wallet->addresses(KeyChain::receive, 0).at(1).label, "Rent");
}

TEST_F(WalletAddresses, LabelOfAFarAddressHandsOutNoEarlierAddress) {
    EXPECT_TRUE(wallet->set_label(script(9), "Rent"));
    EXPECT_EQ(wallet->receive_address(false).path.index, 0U);
    const std::vector<AddressEntry> shown = wallet->addresses(KeyChain::receive, 3);
    ASSERT_EQ(shown.size(), 4U);
    EXPECT_EQ(shown.at(3).path.index, 9U);
    EXPECT_EQ(shown.at(3).label, "Rent");
    reopen();
    // A payer may have the address, so it is not handed out even after its label is removed.
    EXPECT_TRUE(wallet->set_label(script(9), ""));
    EXPECT_TRUE(wallet->set_label(script(5), ""));
    EXPECT_EQ(wallet->addresses(KeyChain::receive, 3).size(), 3U);
    reopen();
    std::vector<std::uint32_t> handed_out;
    for (int i = 0; i < 10; ++i) handed_out.push_back(wallet->receive_address(true).path.index);
    EXPECT_EQ(handed_out, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 10}));
}

TEST_F(WalletAddresses, CountsWhatAnAddressReceivedByItsConfirmations) {
    mine({pay(10, 3)});
    mine({pay(5, 3), pay(7, 2)});
    EXPECT_EQ(wallet->received(script(3), 0), 15);
    EXPECT_EQ(wallet->received(script(3), 1), 15);
    EXPECT_EQ(wallet->received(script(3), 2), 10);
    EXPECT_EQ(wallet->received(script(3), 3), 0);
    EXPECT_EQ(wallet->received(script(4), 0), 0);
    EXPECT_EQ(wallet->received(foreign_script(), 0), 0);
}

TEST_F(WalletAddresses, AddressThatAnEarlierVersionLabelledIsNotHandedOut) {
    const auto watched =
        static_cast<std::uint32_t>(wallet->addresses(KeyChain::receive, 1'000).size());
    std::vector<std::string> labelled;
    for (const std::uint32_t index : {0U, 1U, 3U}) {
        labelled.push_back(wallet->address_at({KeyChain::receive, index}));
    }
    for (std::uint32_t index = 4; index < watched; ++index) {
        labelled.push_back(wallet->address_at({KeyChain::receive, index}));
    }
    wallet.reset();
    for (const std::string& address : labelled) {
        execute("INSERT INTO label VALUES ('addr', '" + address + "', 'Rent')");
    }
    wallet.reset();
    wallet.emplace(Wallet::open(file, test::regtest_params(), Access::sync));
    EXPECT_EQ(wallet->receive_address(false).path.index, 2U);
    EXPECT_EQ(wallet->current_address(false).path.index, 2U);
    EXPECT_EQ(wallet->receive_address(true).path.index, 2U);
    EXPECT_GE(wallet->receive_address(true).path.index, watched)
        << "every other address has a label";
    EXPECT_EQ(wallet->addresses(KeyChain::receive, 0).at(3).label, "Rent");
}

TEST_F(WalletAddresses, LabelsOnlyItsOwn) {
    const auto payment =
        spend({foreign_coin(1)}, {{10, script(0)}, {20, foreign_script()}, {5, script(1)}});
    mine({payment});
    EXPECT_FALSE(wallet->set_label(foreign_script(), "x"));
    EXPECT_FALSE(wallet->set_label(chain::Txid{}, "x"));
    EXPECT_FALSE(wallet->set_label(output_of(payment, 1), "x"));
    EXPECT_EQ(wallet->history(0).at(0).label, "");

    EXPECT_TRUE(wallet->set_label(script(0), "Rent"));
    EXPECT_EQ(wallet->history(0).at(0).label, "Rent");
    EXPECT_TRUE(wallet->set_label(script(1), "Lunch"));
    EXPECT_EQ(wallet->transaction(payment.txid())->label, "Rent, Lunch");
    EXPECT_EQ(wallet->coins().at(0).label, "Rent");
    EXPECT_TRUE(wallet->set_label(script(1), "Rent"));
    EXPECT_EQ(wallet->history(1).at(0).label, "Rent") << "each label is shown once";
    EXPECT_TRUE(wallet->set_label(payment.txid(), "May"));
    EXPECT_EQ(wallet->history(0).at(0).label, "May");
    EXPECT_TRUE(wallet->set_label(output_of(payment, 0), "first"));
    EXPECT_EQ(wallet->coins().at(0).label, "first");
    EXPECT_TRUE(wallet->set_label(output_of(payment, 0), ""));
    EXPECT_EQ(wallet->coins().at(0).label, "Rent");
}

TEST_F(WalletAddresses, KnowsItsOwnKeysInATransaction) {
    const auto payment = pay(10, 3);
    mine({payment});
    const auto sent = spend({output_of(payment)}, {{9, script(1, KeyChain::change)}});
    mine({sent});
    EXPECT_EQ(wallet->own_keys(sent.txid()).paid, (std::vector{KeyPath{KeyChain::change, 1}}));
    EXPECT_EQ(wallet->own_keys(sent.txid()).spent, (std::vector{KeyPath{KeyChain::receive, 3}}));
    EXPECT_TRUE(wallet->own_keys(chain::Txid{}).paid.empty());
}

TEST_F(WalletAddresses, HandingOutKeepsTheRangeAhead) {
    for (std::uint32_t index = 0; index < 30; ++index) wallet->receive_address(true);
    EXPECT_EQ(wallet->watched_elements(0).size(), 100U);
    EXPECT_EQ(wallet->receive_address(true).path.index, 30U);
    EXPECT_EQ(wallet->watched_elements(0).size(), 150U);
    reopen();
    EXPECT_EQ(wallet->receive_address(false).path.index, 31U);
}

TEST_F(WalletAddresses, ListsAddressesWithWhatTheyReceived) {
    const auto payment = pay(10, 2);
    mine({payment, pay(5, 2, 1)});
    mine({spend({output_of(payment)}, {{9, foreign_script()}})});
    wallet->receive_address(true);
    test::see(*wallet, pay(7, 2, 2), 1);

    const auto receive = wallet->addresses(KeyChain::receive, 2);
    ASSERT_EQ(receive.size(), 6U);
    EXPECT_FALSE(receive[0].used);
    EXPECT_TRUE(receive[2].used);
    EXPECT_EQ(receive[2].received, 22);
    EXPECT_EQ(receive[2].unconfirmed, 7);
    EXPECT_EQ(wallet->address(script(2))->unconfirmed, 7);
    EXPECT_EQ(receive[2].path_text, "m/84h/1h/0h/0/2");
    EXPECT_EQ(receive[2].address.substr(0, 6), "bcrt1q");
    EXPECT_FALSE(receive[3].used);
    EXPECT_TRUE(wallet->addresses(KeyChain::change, 0).empty());
    EXPECT_EQ(wallet->addresses(KeyChain::change, 5)[4].path_text, "m/84h/1h/0h/1/4");
    EXPECT_EQ(wallet->addresses(KeyChain::receive, 4'000'000'000U).size(), 50U);
}

}  // namespace
}  // namespace petal::wallet
