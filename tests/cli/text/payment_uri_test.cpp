#include "cli/text/payment_uri.h"

#include <gtest/gtest.h>

#include <string>

namespace petal::cli {
namespace {

// The examples are from BIP21.

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

constexpr const char* kUriAddress = "175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W";

TEST(PaymentUri, IsReadAsItIsWritten) {
    const auto uri =
        parse_payment_uri(payment_uri(kUriAddress, 2'030'000'000, "a b&c=d?#%\xc3\xbc"));
    ASSERT_TRUE(uri);
    EXPECT_EQ(uri->address, kUriAddress);
    EXPECT_EQ(uri->amount, 2'030'000'000);
    EXPECT_EQ(uri->label, "a b&c=d?#%\xc3\xbc");
    EXPECT_EQ(uri->message, "");
}

TEST(PaymentUri, IsReadWithoutParametersAndInCapitals) {
    const auto plain = parse_payment_uri(std::string("bitcoin:") + kUriAddress);
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->address, kUriAddress);
    EXPECT_FALSE(plain->amount);
    EXPECT_EQ(parse_payment_uri("BITCOIN:BC1QW508?label=x")->address, "BC1QW508");
}

TEST(PaymentUri, MayHaveParametersInAnyCaseAndEncoded) {
    for (const char* const link : {"BITCOIN:BC1QW508?AMOUNT=0.1&LABEL=A%20B",
                                   "bitcoin:BC1QW508?a%6Dount=0.1&%4cabel=A%20B"}) {
        const auto uri = parse_payment_uri(link);
        ASSERT_TRUE(uri) << link;
        EXPECT_EQ(uri->amount, 10'000'000) << link;
        EXPECT_EQ(uri->label, "A B") << link;
    }
}

TEST(PaymentUri, MayHaveUnknownParametersThatAreNotRequired) {
    const auto uri = parse_payment_uri(
        "bitcoin:175t?somethingyoudontunderstand=50&message=Donation%20for&"
        "somethingelseyoudontget");
    ASSERT_TRUE(uri);
    EXPECT_EQ(uri->message, "Donation for");
}

// amountparam = "amount=" *digit [ "." *digit ]
TEST(PaymentUri, MayHaveAnAmountWithoutDigitsOnOneSideOfThePoint) {
    EXPECT_EQ(parse_payment_uri("bitcoin:175t?amount=.5")->amount, 50'000'000);
    EXPECT_EQ(parse_payment_uri("bitcoin:175t?amount=5.")->amount, 500'000'000);
    EXPECT_EQ(parse_payment_uri("bitcoin:175t?amount=.00000001")->amount, 1);
}

TEST(PaymentUri, MayHaveBlanksAround) {
    EXPECT_TRUE(is_payment_uri(" \tbitcoin:175t"));
    const auto uri = parse_payment_uri(" bitcoin:175t?amount=1\r\n");
    ASSERT_TRUE(uri);
    EXPECT_EQ(uri->address, "175t");
    EXPECT_EQ(uri->amount, 100'000'000);
    EXPECT_EQ(parse_payment_uri("bitcoin:175t ")->address, "175t");
}

TEST(PaymentUri, IsRefusedIfItCannotBeUnderstood) {
    struct Row {
        const char* uri;
        PaymentUriError error;
    };
    constexpr Row kRows[] = {
        {"175t?req-somethingyoudontunderstand=50", PaymentUriError::not_a_uri},
        {"litecoin:175t", PaymentUriError::not_a_uri},
        {"bitcoin:", PaymentUriError::not_a_uri},
        {"bitcoin:?amount=1", PaymentUriError::not_a_uri},
        {"bitcoin:175t?req-somethingyoudontunderstand=50", PaymentUriError::unknown_required},
        {"bitcoin:175t?REQ-x=1", PaymentUriError::unknown_required},
        {"bitcoin:175t?req%2dx=1", PaymentUriError::unknown_required},
        {"bitcoin:175t?amount=1&%72eQ-x", PaymentUriError::unknown_required},
        {"bitcoin:175t?amount=50,000.00", PaymentUriError::bad_amount},
        {"bitcoin:175t?amount=1sat", PaymentUriError::bad_amount},
        {"bitcoin:175t?amount=-1", PaymentUriError::bad_amount},
        {"bitcoin:175t?amount=", PaymentUriError::bad_amount},
        {"bitcoin:175t?amount=1e3", PaymentUriError::bad_amount},
        {"bitcoin:175t?amount=.", PaymentUriError::bad_amount},
        {"bitcoin:175t?amount=..5", PaymentUriError::bad_amount},
        {"bitcoin:175t?amount=.5.", PaymentUriError::bad_amount},
        {"bitcoin:175t?amount=.000000001", PaymentUriError::bad_amount},
        {"bitcoin:175t?amount=1&amount=1", PaymentUriError::repeated},
        {"bitcoin:175t?amount=1&AMOUNT=2", PaymentUriError::repeated},
        {"bitcoin:175t?amount=1&amoun%74=2", PaymentUriError::repeated},
        {"bitcoin:175t?x=1&X=1", PaymentUriError::repeated},
        {"bitcoin:175t?req%2=1", PaymentUriError::bad_encoding},
        {"bitcoin:175t?label=%", PaymentUriError::bad_encoding},
        {"bitcoin:175t?label=%4", PaymentUriError::bad_encoding},
        {"bitcoin:175t?label=%4g", PaymentUriError::bad_encoding},
    };
    for (const Row& row : kRows) {
        const auto uri = parse_payment_uri(row.uri);
        ASSERT_FALSE(uri) << row.uri;
        EXPECT_EQ(uri.error(), row.error) << row.uri;
    }
}

}  // namespace
}  // namespace petal::cli
