// Who gets the change, in some random wallets; many_payments_test.cpp has thousands of payments.
#include <gtest/gtest.h>

#include "tests/wallet/spending/random_owners.h"

namespace petal::wallet {
namespace {

TEST(CoinOwners, OfWatchedCoinsGetTheirChange) {
    EXPECT_GT(check_watched_owners(21, 4), 100U);
}

TEST(CoinOwners, OfOwnCoinsGetTheirChange) {
    EXPECT_GT(check_own_payments(22, 6), 100U);
}

}  // namespace
}  // namespace petal::wallet
