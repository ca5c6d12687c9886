// Payments from some random wallets; many_payments_test.cpp has thousands of others.
#include <gtest/gtest.h>

#include "tests/wallet/spending/random_payments.h"

namespace petal::wallet {
namespace {

TEST(RandomPayments, KeepTheRules) {
    check_random_payments(17, 500);
}

TEST(RandomSelections, NeverWasteMoreThanSingleRandomDraw) {
    check_random_selections(18, 500);
}

}  // namespace
}  // namespace petal::wallet
