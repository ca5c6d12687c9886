#include "chain/transaction_rules.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>

namespace petal::chain {
namespace {

/// A valid transaction with two inputs and two outputs.
Transaction plain() {
    Transaction transaction;
    for (const Byte number : {Byte{1}, Byte{2}}) {
        TxInput input;
        input.prevout.txid.bytes[0] = number;
        transaction.inputs.push_back(input);
        transaction.outputs.push_back({number, Bytes{0x51}});
    }
    return transaction;
}

Transaction coinbase(std::size_t script_bytes) {
    Transaction transaction = plain();
    transaction.inputs.resize(1);
    transaction.inputs[0].prevout = {Txid{}, 0xffffffff};
    transaction.inputs[0].script_sig = Bytes(script_bytes, 1);
    return transaction;
}

/// A transaction whose second output makes its stripped size this large.
Transaction of_stripped_size(std::size_t bytes) {
    Transaction transaction = plain();
    transaction.outputs[1].script_pubkey = Bytes(bytes - 200, 0x6a);
    const std::size_t size = transaction.serialize_without_witness().size();
    transaction.outputs[1].script_pubkey.resize(bytes - 200 + bytes - size, 0x6a);
    return transaction;
}

struct FlawCase {
    const char* name;
    TransactionFlaw flaw;
    std::function<Transaction()> bad;
    std::function<Transaction()> good;  ///< at the limit of the rule
};

void PrintTo(const FlawCase& row, std::ostream* out) {
    *out << row.name;
}

Transaction with_value(std::size_t output, Satoshis value) {
    Transaction transaction = plain();
    transaction.outputs.at(output).value = value;
    return transaction;
}

Transaction with_second_index(std::uint32_t index) {
    Transaction transaction = plain();
    transaction.inputs[1].prevout = {transaction.inputs[0].prevout.txid, index};
    return transaction;
}

Transaction with_second_prevout(const Outpoint& prevout) {
    Transaction transaction = plain();
    transaction.inputs[1].prevout = prevout;
    return transaction;
}

class TransactionRules : public testing::TestWithParam<FlawCase> {};

TEST_P(TransactionRules, HoldAtTheirLimits) {
    const auto refused = check_transaction(GetParam().bad());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error(), GetParam().flaw);
    EXPECT_FALSE(describe(refused.error()).empty());
    EXPECT_TRUE(check_transaction(GetParam().good()));
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(, TransactionRules, testing::Values(
    FlawCase{"NoInputs", TransactionFlaw::no_inputs,
             [] { auto bad = plain(); bad.inputs.clear(); return bad; }, plain},
    FlawCase{"NoOutputs", TransactionFlaw::no_outputs,
             [] { auto bad = plain(); bad.outputs.clear(); return bad; }, plain},
    FlawCase{"TooLarge", TransactionFlaw::too_large,
             [] { return of_stripped_size(1'000'001); }, [] { return of_stripped_size(1'000'000); }},
    FlawCase{"NegativeValue", TransactionFlaw::value_out_of_range,
             [] { return with_value(0, -1); }, [] { return with_value(0, 0); }},
    FlawCase{"ValueAboveAllMoney", TransactionFlaw::value_out_of_range,
             [] { return with_value(0, 2'100'000'000'000'001); },
             [] { return with_value(0, 2'099'999'999'999'998); }},
    FlawCase{"SumAboveAllMoney", TransactionFlaw::total_out_of_range,
             [] { return with_value(0, 2'099'999'999'999'999); },
             [] { return with_value(0, 2'099'999'999'999'998); }},
    FlawCase{"RepeatedInput", TransactionFlaw::repeated_input,
             [] { return with_second_index(0); }, [] { return with_second_index(1); }},
    FlawCase{"NullInput", TransactionFlaw::null_input,
             [] { return with_second_prevout({Txid{}, 0xffffffff}); },
             [] { return with_second_prevout({Txid{}, 0xfffffffe}); }},
    FlawCase{"ShortCoinbaseScript", TransactionFlaw::coinbase_script,
             [] { return coinbase(1); }, [] { return coinbase(2); }},
    FlawCase{"LongCoinbaseScript", TransactionFlaw::coinbase_script,
             [] { return coinbase(101); }, [] { return coinbase(100); }}),
    [](const auto& row) { return row.param.name; });
// clang-format on

TEST(FeeAtRate, RoundsUpAndFitsForEveryRate) {
    EXPECT_EQ(fee_at_rate(1'000, 141), 141);
    EXPECT_EQ(fee_at_rate(100, 141), 15) << "14.1 rounded up";
    EXPECT_EQ(fee_at_rate(1, 1), 1) << "0.001 rounded up";
    EXPECT_EQ(fee_at_rate(0, 1'000'000), 0);
    EXPECT_EQ(fee_at_rate(kMaxMoney, 1'000), kMaxMoney);
    EXPECT_EQ(fee_at_rate(kMaxMoney, 4'000), 4 * kMaxMoney);
}

}  // namespace
}  // namespace petal::chain
