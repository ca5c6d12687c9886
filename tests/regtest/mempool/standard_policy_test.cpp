#include "regtest/mempool/standard_policy.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <vector>

#include "chain/byte_writer.h"
#include "chain/script/script.h"
#include "tests/support/hex.h"
#include "tests/support/signing.h"

namespace petal::regtest {
namespace {

using namespace petal::test::literals;
using chain::Bytes;
using chain::Transaction;

Bytes some_p2wpkh() {
    return chain::p2wpkh_script({1});
}

Bytes multisig_of(std::uint32_t required, std::uint32_t keys) {
    chain::ByteWriter script;
    script.bytes(chain::push_number(required));
    for (std::uint32_t i = 1; i <= keys; ++i) {
        script.bytes(chain::push_data(test::public_key_of(test::private_key(i))));
    }
    return script.bytes(chain::push_number(keys)).u8(0xae).take();
}

Transaction standard_transaction() {
    Transaction transaction;
    transaction.inputs.push_back({{chain::Txid{{1}}, 0}, {}, 0xfffffffd, {}});
    transaction.outputs = {{10'000, some_p2wpkh()}};
    return transaction;
}

struct StandardRow {
    const char* name;
    std::optional<RejectReason> expected;
    std::function<void(Transaction&)> change;
};
void PrintTo(const StandardRow& row, std::ostream* out) {
    *out << row.name;
}

class StandardTransaction : public testing::TestWithParam<StandardRow> {};

TEST_P(StandardTransaction, IsWhatBitcoinCoreRelays) {
    Transaction transaction = standard_transaction();
    GetParam().change(transaction);
    EXPECT_EQ(find_nonstandard(transaction), GetParam().expected);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Rows, StandardTransaction, testing::ValuesIn<StandardRow>({
    {"Ordinary", std::nullopt, [](Transaction&) {}},
    {"Version1", std::nullopt, [](Transaction& it) { it.version = 1; }},
    {"Version3", std::nullopt, [](Transaction& it) { it.version = 3; }},
    {"Version0", RejectReason::version, [](Transaction& it) { it.version = 0; }},
    {"Version4", RejectReason::version, [](Transaction& it) { it.version = 4; }},
    {"WeighsTheMost", std::nullopt, [](Transaction& it) { it.inputs[0].witness = {Bytes(399'664)}; EXPECT_EQ(it.weight(), 400'000U); }},
    {"WeighsOneMore", RejectReason::weight, [](Transaction& it) { it.inputs[0].witness = {Bytes(399'665)}; }},
    {"LongScriptSig", RejectReason::script_sig_size, [](Transaction& it) { it.inputs[0].script_sig = Bytes(1'651); }},
    {"LongestScriptSig", std::nullopt, [](Transaction& it) { it.inputs[0].script_sig = Bytes(1'650); }},
    {"OperationInScriptSig", RejectReason::script_sig_not_pushes, [](Transaction& it) { it.inputs[0].script_sig = "5161"_hex; }},
    {"PushPastTheEnd", RejectReason::script_sig_not_pushes, [](Transaction& it) { it.inputs[0].script_sig = "0501"_hex; }},
    {"UnknownOutput", RejectReason::nonstandard_output, [](Transaction& it) { it.outputs[0].script_pubkey = "51"_hex; }},
    {"FutureWitness", std::nullopt, [](Transaction& it) { it.outputs[0].script_pubkey = chain::witness_program_script(2, Bytes(32)); }},
    {"MultisigOfThree", std::nullopt, [](Transaction& it) { it.outputs[0].script_pubkey = multisig_of(2, 3); }},
    {"MultisigOfFour", RejectReason::nonstandard_output, [](Transaction& it) { it.outputs[0].script_pubkey = multisig_of(2, 4); }},
    {"OneDustOutput", std::nullopt, [](Transaction& it) { it.outputs[0].value = 293; }},
    {"TwoDustOutputs", RejectReason::dust, [](Transaction& it) { it.outputs[0].value = 293; it.outputs.push_back(it.outputs[0]); }},
    {"Of65Bytes", std::nullopt, [](Transaction& it) { it.outputs[0] = {0, "6a03010203"_hex}; EXPECT_EQ(it.serialize().size(), 65U); }},
    {"Of64Bytes", RejectReason::too_small, [](Transaction& it) { it.outputs[0] = {0, "6a020102"_hex}; EXPECT_EQ(it.serialize().size(), 64U); }},
}), [](const auto& row) { return row.param.name; });
// clang-format on

struct SpendRow {
    const char* name;
    std::optional<RejectReason> expected;
    Bytes spent;
    Bytes script_sig;
    std::vector<Bytes> witness;
};
void PrintTo(const SpendRow& row, std::ostream* out) {
    *out << row.name;
}

class StandardSpend : public testing::TestWithParam<SpendRow> {};

TEST_P(StandardSpend, IsWhatBitcoinCoreRelays) {
    const SpendRow& row = GetParam();
    Transaction transaction = standard_transaction();
    transaction.inputs[0].script_sig = row.script_sig;
    for (const Bytes& item : row.witness) transaction.inputs[0].witness.push_back(item);
    const chain::TxOutput spent{1'000, row.spent};
    EXPECT_EQ(find_nonstandard_input(transaction, {&spent, 1}), row.expected);
}

const Bytes kP2tr = chain::witness_program_script(1, Bytes(32, 1));
const Bytes kP2wsh = chain::witness_program_script(0, Bytes(32, 1));
const Bytes kP2sh = chain::p2sh_script({1});

// clang-format off
INSTANTIATE_TEST_SUITE_P(Rows, StandardSpend, testing::ValuesIn<SpendRow>({
    {"P2wpkh", std::nullopt, some_p2wpkh(), {}, {{1}, {2}}},
    {"Nonstandard", RejectReason::nonstandard_input, "51"_hex, {}, {}},
    {"FutureWitness", RejectReason::nonstandard_input, chain::witness_program_script(2, Bytes(32)), {}, {{1}}},
    {"WitnessOfP2pkh", RejectReason::nonstandard_witness, chain::p2pkh_script({1}), {}, {{1}}},
    {"WitnessOfAnAnchor", RejectReason::nonstandard_witness, "51024e73"_hex, {}, {{1}}},
    {"P2shWithoutAScript", RejectReason::nonstandard_input, kP2sh, {}, {}},
    {"P2shOf15Sigops", std::nullopt, kP2sh, chain::push_data(Bytes(15, 0xac)), {}},
    {"P2shOf16Sigops", RejectReason::nonstandard_input, kP2sh, chain::push_data(Bytes(16, 0xac)), {}},
    {"P2shWithAWitnessForNone", RejectReason::nonstandard_witness, kP2sh, chain::push_data("51ac"_hex), {{1}}},
    {"P2shP2wpkh", std::nullopt, kP2sh, chain::push_data(some_p2wpkh()), {{1}, {2}}},
    {"P2wshOf100Items", std::nullopt, kP2wsh, {}, std::vector<Bytes>(101, Bytes(80))},
    {"P2wshOf101Items", RejectReason::nonstandard_witness, kP2wsh, {}, std::vector<Bytes>(102, Bytes(80))},
    {"P2wshOfAnItemOf81Bytes", RejectReason::nonstandard_witness, kP2wsh, {}, {Bytes(81), {1}}},
    {"P2wshOfTheLongestScript", std::nullopt, kP2wsh, {}, {Bytes(3'600)}},
    {"P2wshOfALongerScript", RejectReason::nonstandard_witness, kP2wsh, {}, {Bytes(3'601)}},
    {"P2trByKey", std::nullopt, kP2tr, {}, {Bytes(64)}},
    {"P2trWithAnAnnex", RejectReason::nonstandard_witness, kP2tr, {}, {Bytes(64), {0x50}}},
    {"P2trByScript", std::nullopt, kP2tr, {}, {Bytes(80), {0x51}, {0xc0}}},
    {"P2trByScriptWithALongItem", RejectReason::nonstandard_witness, kP2tr, {}, {Bytes(81), {0x51}, {0xc0}}},
    {"P2trByAFutureScriptWithALongItem", std::nullopt, kP2tr, {}, {Bytes(81), {0x51}, {0xc2}}},
    {"P2trWithoutAControlBlock", RejectReason::nonstandard_witness, kP2tr, {}, {Bytes(80), {}}},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(SigopCost, CountsWitnessesAtAQuarter) {
    Transaction transaction = standard_transaction();
    std::vector<chain::TxOutput> spent{{1'000, some_p2wpkh()}};
    EXPECT_EQ(sigop_cost(transaction, spent), 1U);
    transaction.outputs[0].script_pubkey = chain::p2pkh_script({1});
    EXPECT_EQ(sigop_cost(transaction, spent), 5U);
    transaction.outputs[0].script_pubkey = multisig_of(1, 3);
    EXPECT_EQ(sigop_cost(transaction, spent), 81U) << "in outputs, the multisig counts as 20 keys";
    spent[0].script_pubkey = kP2wsh;
    transaction.inputs[0].witness = {multisig_of(1, 3)};
    EXPECT_EQ(sigop_cost(transaction, spent), 83U)
        << "in an executed script, it counts as three keys";
}

TEST(SigopCost, EnlargesWhatFeesArePaidFor) {
    const Transaction transaction = standard_transaction();
    EXPECT_EQ(relayed_size(transaction, 1), transaction.virtual_size());
    EXPECT_EQ(relayed_size(transaction, 80), 400U);
    EXPECT_EQ(relayed_weight(transaction, 80), 1'600U);
}

}  // namespace
}  // namespace petal::regtest
