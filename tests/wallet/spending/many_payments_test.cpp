// Payments from thousands of random wallets.
#include <gtest/gtest.h>

#include "tests/wallet/spending/random_owners.h"
#include "tests/wallet/spending/random_payments.h"

namespace petal::wallet {
namespace {

TEST(ManyRandomPayments, KeepTheRules) {
    check_random_payments(19, 3'000);
}

TEST(ManyRandomSelections, NeverWasteMoreThanSingleRandomDraw) {
    check_random_selections(20, 3'000);
}

TEST(ManyCoinOwners, OfWatchedCoinsGetTheirChange) {
    EXPECT_GT(check_watched_owners(23, 16), 1'000U);
}

TEST(ManyCoinOwners, OfOwnCoinsGetTheirChange) {
    EXPECT_GT(check_own_payments(24, 32), 1'000U);
}

}  // namespace
}  // namespace petal::wallet
