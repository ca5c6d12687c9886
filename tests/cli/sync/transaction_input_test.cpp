#include "cli/sync/transaction_input.h"

#include <gtest/gtest.h>

#include <cctype>
#include <functional>
#include <sstream>

#include "cli/text/command_error.h"
#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

// BIP143: the signed transaction of "Native P2WPKH", and its txid.
const std::string kHex =
    "01000000000102fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f000000004948"
    "30450221008b9d1dc26ba6a9cb62127b02742fa9d754cd3bebf337f7a55d114c8e5cdd30be022040529b194ba3"
    "f9281a99f2b1c0a19c0489bc22ede944ccf4ecbab4cc618ef3ed01eeffffffef51e1b804cc89d182d279655c3a"
    "a89e815b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df3"
    "78db99f66f85c95a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f016"
    "7faa815988ac000247304402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a"
    "0220573a954c4518331561406f90300e8f3358f51928d43c212a8caed02de67eebee0121025476c2e83188368d"
    "a1ff3e292e7acafcdb3566bb0ad253f62fc70f07aeee635711000000";
constexpr const char* kTxid = "e8151a2af31c368a35053ddd4bdb285a8595c769a3ad83e0fa02314a602d4609";

chain::Transaction sample() {
    return *chain::decode_transaction(*chain::from_hex(kHex));
}

std::string hex_of(const chain::Transaction& transaction) {
    return chain::to_hex(transaction.serialize());
}

std::string bytes_of(const std::string& hex) {
    const chain::Bytes bytes = *chain::from_hex(hex);
    return {bytes.begin(), bytes.end()};
}

TEST(TransactionInput, ReadsHexadecimalAndPlainBytes) {
    std::string upper = kHex;
    for (char& c : upper) c = static_cast<char>(std::toupper(c));
    const std::string spaced = " " + kHex.substr(0, 9) + "\r\n" + kHex.substr(9) + "\n";
    for (const std::string& content : {kHex, upper, spaced, bytes_of(kHex)}) {
        const auto transaction = parse_transaction(content);
        ASSERT_TRUE(transaction) << content;
        EXPECT_EQ(*transaction, sample());
    }
    EXPECT_EQ(sample().txid().to_hex(), kTxid);
}

TEST(TransactionInput, ReadsATransactionWithoutWitnesses) {
    const auto stripped = chain::to_hex(sample().serialize_without_witness());
    const auto transaction = parse_transaction(stripped);
    ASSERT_TRUE(transaction);
    EXPECT_EQ(transaction->txid().to_hex(), kTxid);
}

TEST(TransactionInput, RefusesEveryPrefixOfATransaction) {
    for (std::size_t digits = 0; digits < kHex.size(); ++digits) {
        EXPECT_FALSE(parse_transaction(kHex.substr(0, digits))) << digits;
    }
}

constexpr const char* kPsbtReason =
    "it is a partially signed one (BIP174); petal psbt finalize and petal psbt extract make a "
    "transaction of it";

struct BadTransactionInput {
    std::string name;
    std::string content;
    std::string reason;
};

void PrintTo(const BadTransactionInput& row, std::ostream* out) {
    *out << row.name;
}

std::string changed(const std::function<void(chain::Transaction&)>& change) {
    chain::Transaction transaction = sample();
    change(transaction);
    return hex_of(transaction);
}

std::string coinbase() {
    return changed([](chain::Transaction& transaction) {
        transaction.inputs.resize(1);
        transaction.inputs[0] = {};
        transaction.inputs[0].prevout.index = 0xffffffff;
        transaction.inputs[0].script_sig = {1, 2};
    });
}

class RefusedInput : public testing::TestWithParam<BadTransactionInput> {};

TEST_P(RefusedInput, SaysWhy) {
    const auto transaction = parse_transaction(GetParam().content);
    ASSERT_FALSE(transaction);
    EXPECT_EQ(describe(transaction.error()), GetParam().reason);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Cli, RefusedInput, testing::ValuesIn(std::initializer_list<BadTransactionInput>{
    {"Nothing",       "",                "it is empty"},
    {"Spaces",        " \n\t",           "it is empty"},
    {"OddDigits",     kHex + "0",        "it has an odd number of hexadecimal digits"},
    {"OtherLetters",  "0x" + kHex,       "it begins with 0x: leave that out"},
    {"Words",         "a transaction",   "it is not hexadecimal"},
    {"CutOff",        kHex.substr(0, 60), "it can't be decoded, the data ends too early"},
    {"ByteBehind",    kHex + "00",       "it can't be decoded, data is left over behind the end"},
    {"TwoOfThem",     kHex + "\n" + kHex, "it can't be decoded, data is left over behind the end"},
    {"BytesBehind",   bytes_of(kHex + "00"), "it can't be decoded, data is left over behind the end"},
    {"Psbt",          "cHNidP8BAHUCAAAAASaBcTce3/KF6Tet7qSze3gADAVmy7OtZGQXE8pCFxv2AAAAAAD",
                      kPsbtReason},
    {"PsbtBehindSpaces", " \r\n\tcHNidP8BAHUCAAAAASaBcTce3/KF6Tet7qSze3gADAVmy7OtZGQXE8pCFxv2AAAAAAD",
                      kPsbtReason},
    {"PsbtInHex",     "70736274ff0100",  kPsbtReason},
    {"PsbtInBytes",   "psbt\xff\x01",    kPsbtReason},
    {"NoInputs",      changed([](auto& tx) { tx.inputs.clear(), tx.outputs.clear(); }), "it has no inputs"},
    {"NoOutputs",     changed([](auto& tx) { tx.outputs.clear(); }), "it has no outputs"},
    {"TooMuch",       changed([](auto& tx) { tx.outputs[0].value = chain::kMaxMoney + 1; }),
                      "the value of an output is below zero or above 21 million bitcoin"},
    {"BelowZero",     changed([](auto& tx) { tx.outputs[0].value = -1; }),
                      "the value of an output is below zero or above 21 million bitcoin"},
    {"TooMuchInAll",  changed([](auto& tx) { tx.outputs[0].value = chain::kMaxMoney; }),
                      "its outputs are worth more than 21 million bitcoin together"},
    {"SpentTwice",    changed([](auto& tx) { tx.inputs[1].prevout = tx.inputs[0].prevout; }),
                      "it spends an output twice"},
    {"Unsigned",      changed([](auto& tx) { tx.inputs[0].script_sig.clear(), tx.inputs[1].witness.clear(); }),
                      "it carries no signatures"},
    {"Coinbase",      coinbase(),        "it is a coinbase, which only a block brings"},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(TransactionInput, MayHaveInputsThatNeedNoSignature) {
    EXPECT_TRUE(parse_transaction(changed([](auto& tx) { tx.inputs[0].script_sig.clear(); })));
    EXPECT_TRUE(parse_transaction(changed([](auto& tx) { tx.inputs[1].witness.clear(); })));
}

TEST(TransactionInput, TakesTheLargestAmountThereCanBe) {
    const auto content = changed([](chain::Transaction& transaction) {
        transaction.outputs.resize(1);
        transaction.outputs[0].value = chain::kMaxMoney;
    });
    EXPECT_TRUE(parse_transaction(content));
}

TEST(TransactionInput, IsNotLongerThanAMessage) {
    using Kind = TransactionInputError::Kind;
    const std::string bytes(4'000'001, '\1');
    EXPECT_EQ(parse_transaction(bytes).error().kind, Kind::too_long);
    EXPECT_EQ(parse_transaction(std::string_view(bytes).substr(1)).error().kind, Kind::encoding);
    EXPECT_EQ(parse_transaction(std::string(8'000'002, '1')).error().kind, Kind::too_long);
    EXPECT_EQ(parse_transaction(std::string(16'000'001, ' ')).error().kind, Kind::too_long);
    EXPECT_EQ(parse_transaction(std::string(16'000'000, ' ')).error().kind, Kind::hex);
}

class TransactionArgument : public testing::Test {
protected:
    chain::Transaction read(const std::string& argument, const std::string& input = "") {
        std::istringstream in(input);
        std::ostringstream out;
        Console console(in, out, out, {}, /*no_colour=*/true);
        return transaction_from_argument(argument, console, {});
    }
    std::string failure(const std::string& argument, const std::string& input = "") {
        try {
            read(argument, input);
        } catch (const CommandError& error) {
            EXPECT_EQ(error.status(), ExitStatus::failed);
            return error.code() + ": " + error.what();
        }
        return "";
    }

    test::Scene scene;
};

TEST_F(TransactionArgument, IsHexadecimalAFileOrStandardInput) {
    EXPECT_EQ(read(kHex), sample());
    EXPECT_EQ(read(scene.write("a.hex", kHex + "\n")), sample());
    EXPECT_EQ(read(scene.write("a.bin", bytes_of(kHex))), sample());
    EXPECT_EQ(read("-", kHex), sample());
    EXPECT_EQ(read("-", bytes_of(kHex)), sample());
}

TEST_F(TransactionArgument, TellsWhichFileIsBad) {
    const std::string file = scene.write("bad", "00");
    EXPECT_EQ(failure(file), "bad-transaction: " + file +
                                 ": this is no transaction to announce: it can't be decoded, the "
                                 "data ends too early");
    const std::string empty = scene.write("empty", "");
    EXPECT_EQ(failure(empty), "unreadable-file: " + empty + " is empty");
    const std::string folder = scene.folder().string();
    EXPECT_EQ(failure(folder), "unreadable-file: cannot read " + folder + ": Is a directory");
}

TEST_F(TransactionArgument, MayBeNoFileEither) {
    EXPECT_EQ(failure("no/such\x1b[2m"),
              "bad-transaction: no/such\\x1b[2m is neither a file nor hexadecimal");
    EXPECT_EQ(failure("-", ""), "bad-transaction: this is no transaction to announce: it is empty");
}

}  // namespace
}  // namespace petal::cli
