#include "cli/wallet/payment_uri.h"

#include <gtest/gtest.h>

namespace petal::cli {
namespace {

// The examples are those of BIP21.

TEST(PaymentUri, NamesTheAddressAlone) {
    EXPECT_EQ(payment_uri("175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W", {}, ""),
              "bitcoin:175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W");
}

TEST(PaymentUri, CarriesALabel) {
    EXPECT_EQ(payment_uri("175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W", {}, "Luke-Jr"),
              "bitcoin:175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W?label=Luke-Jr");
}

TEST(PaymentUri, CarriesAnAmountInBitcoinAndALabel) {
    EXPECT_EQ(payment_uri("175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W", 2'030'000'000, "Luke-Jr"),
              "bitcoin:175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W?amount=20.3&label=Luke-Jr");
}

TEST(PaymentUri, EncodesWhatAQueryMustNotHold) {
    EXPECT_EQ(payment_uri("a", {}, "a b&c=d?#%\xc3\xbc"),
              "bitcoin:a?label=a%20b%26c%3Dd%3F%23%25%C3%BC");
}

}  // namespace
}  // namespace petal::cli
