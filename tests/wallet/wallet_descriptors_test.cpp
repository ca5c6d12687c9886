// Wallets of several descriptors: their file, their growth, and what is imported into them.
#include <gtest/gtest.h>

#include "tests/wallet/wallet_fixture.h"

namespace petal::wallet {
namespace {

class WalletDescriptors : public test::WalletFixture {};

// Descriptors and filters of that version follow from its account.
TEST_F(WalletDescriptors, FourthVersionIsReadAndRenewed) {
    mine({pay(10, 3)});
    static_cast<void>(wallet->current_address(true));
    const auto before = test::all_of(*wallet);
    const auto info = wallet->info();
    const auto padding = wallet->filter_padding();
    wallet.reset();
    execute(test::kToFourthVersion);
    for (const Access access : {Access::read, Access::sync, Access::read}) {
        auto opened = Wallet::open(file, test::regtest(), access);
        test::expect_equal(test::all_of(opened), before);
        EXPECT_EQ(opened.info().descriptors, info.descriptors);
        EXPECT_EQ(opened.filter_padding().secret, padding.secret);
        EXPECT_EQ(opened.filter_padding().first_elements, padding.first_elements);
        EXPECT_EQ(opened.current_address(false).path, (KeyPath{KeyChain::receive, 4}));
    }
    EXPECT_EQ(ask("PRAGMA user_version"), 5);
}

}  // namespace
}  // namespace petal::wallet
