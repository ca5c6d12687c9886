// Payments from thousands of random wallets.
#include <gtest/gtest.h>

#include "tests/wallet/spending/random_payments.h"

namespace petal::wallet {
namespace {

TEST(ManyRandomPayments, KeepTheRules) {
    check_random_payments(19, 3'000);
}

TEST(ManyRandomSelections, NeverWasteMoreThanSingleRandomDraw) {
    check_random_selections(20, 3'000);
}

}  // namespace
}  // namespace petal::wallet
