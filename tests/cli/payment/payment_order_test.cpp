#include "cli/payment/payment_order.h"

#include <gtest/gtest.h>

#include "cli/text/command_error.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

// BIP84's and BIP86's first addresses of "abandon … about", on test networks.
constexpr const char* kFirst = "tb1q6rz28mcfaxtmd6v789l9rrlrusdprr9pqcpvkl";
constexpr const char* kSecond = "tb1p8wpt9v4frpf3tkn0srd97pksgsxc5hs52lafxwru9kgeephvs7rqlqt9zj";

GlobalOptions on_testnet() {
    GlobalOptions global;
    global.network = std::make_shared<const chain::NetworkParams>(*chain::find_network("testnet4"));
    return global;
}

chain::Bytes script_of_address(const char* address) {
    return wallet::parse_address(address, *chain::find_network("testnet4")).value();
}

/// The error code of the refusal; empty if the order is accepted.
std::string refusal_of(const std::vector<std::string>& words) {
    try {
        static_cast<void>(read_payment_order(words, on_testnet()));
    } catch (const CommandError& error) {
        return error.code();
    }
    return "";
}

TEST(PaymentOrder, IsAnAddressAndAnAmount) {
    const auto order = read_payment_order({kFirst, "0.001"}, on_testnet());
    ASSERT_EQ(order.recipients.size(), 1U);
    EXPECT_EQ(order.recipients[0].script_pubkey, script_of_address(kFirst));
    EXPECT_EQ(order.recipients[0].amount, 100'000);
    EXPECT_FALSE(order.recipients[0].takes_rest);
    EXPECT_TRUE(read_payment_order({kFirst, "all"}, on_testnet()).recipients[0].takes_rest);
}

TEST(PaymentOrder, IsPairs) {
    const auto order = read_payment_order(
        {std::string(kFirst) + "=5000sat", std::string(kSecond) + "=all"}, on_testnet());
    ASSERT_EQ(order.recipients.size(), 2U);
    EXPECT_EQ(order.recipients[0].amount, 5'000);
    EXPECT_EQ(order.recipients[1].script_pubkey, script_of_address(kSecond));
    EXPECT_TRUE(order.recipients[1].takes_rest);
}

TEST(PaymentOrder, IsAPaymentLink) {
    const std::string link = std::string("bitcoin:") + kFirst;
    const auto order = read_payment_order({link + "?amount=0.5&label=rent"}, on_testnet());
    EXPECT_EQ(order.recipients.at(0).amount, 50'000'000);
    EXPECT_EQ(order.label, "rent");
    EXPECT_EQ(read_payment_order({link, "7sat"}, on_testnet()).recipients.at(0).amount, 7);
}

TEST(PaymentOrder, HasTheAddressFirst) {
    const std::string first = kFirst;
    for (const std::vector<std::string>& words : {std::vector<std::string>{"0.001", first},
                                                  {"5000sat", first},
                                                  {"all", first},
                                                  {"0.001=" + first}}) {
        try {
            read_payment_order(words, on_testnet());
            ADD_FAILURE() << words.front();
        } catch (const CommandError& error) {
            EXPECT_EQ(error.status(), ExitStatus::usage);
            EXPECT_TRUE(std::string(error.what()).starts_with("the address comes first: " + first))
                << error.what();
        }
    }
}

TEST(PaymentOrder, IsRefusedWithTheFormThatIsMeant) {
    const std::string first = kFirst;
    struct Row {
        std::vector<std::string> words;
        const char* says;
    };
    const std::vector<Row> rows{
        {{first}, "the amount is missing"},
        {{"0.1"}, "give ADDRESS AMOUNT, or pairs"},
        {{first, "0.1", "BTC"}, "the amount is one word: write 0.1"},
        {{first, "50000", "sat"}, "the amount is one word: write 50000sat"},
        {{first, "1", "2"}, "give ADDRESS AMOUNT, or pairs"},
        {{first, "max"}, "to send all coins, write all"},
        {{first, "ALL"}, "to send all coins, write all"},
        {{first + "=!"}, "to send all coins, write all"},
    };
    for (const Row& row : rows) {
        try {
            read_payment_order(row.words, on_testnet());
            ADD_FAILURE() << row.words.back();
        } catch (const CommandError& error) {
            EXPECT_NE(std::string(error.what()).find(row.says), std::string::npos) << error.what();
        }
    }
}

TEST(PaymentOrder, IsRefusedIfMalformedOrAmbiguous) {
    const std::string first = kFirst;
    struct Row {
        std::vector<std::string> words;
        const char* code;
    };
    const std::vector<Row> rows{
        {{}, "usage"},
        {{first}, "usage"},
        {{first, "1", "2"}, "usage"},
        {{first + "=1", "2"}, "usage"},
        {{first + "=1", first + "=2"}, "usage"},
        {{"bitcoin:" + first}, "usage"},
        {{"bitcoin:" + first + "?amount=1", "2"}, "usage"},
        {{"bitcoin:" + first + "?req-x=1", "2"}, "bad-uri"},
        {{first, "-1"}, "bad-amount"},
        {{first, "0.000000001"}, "bad-amount"},
        {{first, "21000000.00000001"}, "bad-amount"},
        {{first, "ALL"}, "bad-amount"},
        {{first, "!"}, "bad-amount"},
        {{first + "=", first + "=1"}, "bad-amount"},
        // BIP84's first address on mainnet, and an address with one wrong character.
        {{"bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu", "1"}, "bad-address"},
        {{"tb1q6rz28mcfaxtmd6v789l9rrlrusdprr9pqcpvkk", "1"}, "bad-address"},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(refusal_of(row.words), row.code) << (row.words.empty() ? "" : row.words.back());
    }
}

TEST(FeeRateOption, IsADecimalNumberOfSatoshiPerVirtualByte) {
    EXPECT_EQ(read_fee_rate("1").sat_per_kvb(), 1'000);
    EXPECT_EQ(read_fee_rate("1.5").sat_per_kvb(), 1'500);
    EXPECT_EQ(read_fee_rate("0.001").sat_per_kvb(), 1);
    EXPECT_EQ(read_fee_rate("1000000").sat_per_kvb(), 1'000'000'000);
    for (const char* const text : {"", "0", "0.000", "-1", "1.", ".5", "1.0001", "1e3", "1 ", "x",
                                   "1000000.001", "99999999999999999999"}) {
        EXPECT_THROW(read_fee_rate(text), CommandError) << text;
    }
}

}  // namespace
}  // namespace petal::cli
