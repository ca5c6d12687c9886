#include "chain/transaction.h"

#include <gtest/gtest.h>

#include <initializer_list>
#include <ostream>
#include <string>

#include "tests/support/hex.h"
#include "tests/support/test_data.h"

namespace petal::chain {
namespace {

using namespace petal::test::literals;

// Mainnet's first transaction.
const Bytes kGenesisCoinbase =
    "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffff4d04ffff001d"
    "0104455468652054696d65732030332f4a616e2f32303039204368616e63656c6c6f72206f6e206272696e6b206f66"
    "207365636f6e64206261696c6f757420666f722062616e6b73ffffffff0100f2052a01000000434104678afdb0fe55"
    "48271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba"
    "0b8d578a4c702b6bf11d5fac00000000"_hex;

// BIP143's native P2WPKH example, whose second input has a witness.
const Bytes kBip143 =
    "01000000000102fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f0000000049483045"
    "0221008b9d1dc26ba6a9cb62127b02742fa9d754cd3bebf337f7a55d114c8e5cdd30be022040529b194ba3f9281a99"
    "f2b1c0a19c0489bc22ede944ccf4ecbab4cc618ef3ed01eeffffffef51e1b804cc89d182d279655c3aa89e815b1b30"
    "9fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f66f85c95a"
    "783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988ac00024730"
    "4402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a0220573a954c451833156140"
    "6f90300e8f3358f51928d43c212a8caed02de67eebee0121025476c2e83188368da1ff3e292e7acafcdb3566bb0ad2"
    "53f62fc70f07aeee635711000000"_hex;

TEST(Transaction, ReadsACoinbase) {
    const auto coinbase = decode_transaction(kGenesisCoinbase);
    ASSERT_TRUE(coinbase);
    EXPECT_EQ(coinbase->version, 1);
    EXPECT_TRUE(coinbase->is_coinbase());
    EXPECT_FALSE(coinbase->has_witness());
    ASSERT_EQ(coinbase->outputs.size(), 1U);
    EXPECT_EQ(coinbase->outputs[0].value, 5'000'000'000);
    EXPECT_EQ(coinbase->outputs[0].script_pubkey.size(), 67U);
    EXPECT_EQ(coinbase->txid(),
              "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"_txid);
    EXPECT_EQ(coinbase->wtxid(),
              "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"_wtxid);
    EXPECT_EQ(coinbase->serialize(), kGenesisCoinbase);
    EXPECT_EQ(coinbase->weight(), 816U);
    EXPECT_EQ(coinbase->virtual_size(), 204U);
}

TEST(Transaction, ReadsAWitness) {
    const auto transaction = decode_transaction(kBip143);
    ASSERT_TRUE(transaction);
    EXPECT_TRUE(transaction->has_witness());
    EXPECT_FALSE(transaction->is_coinbase());
    ASSERT_EQ(transaction->inputs.size(), 2U);
    EXPECT_EQ(transaction->inputs[0].sequence, 0xffffffeeU);
    EXPECT_TRUE(transaction->inputs[0].witness.empty());
    EXPECT_EQ(transaction->inputs[1].prevout.index, 1U);
    ASSERT_EQ(transaction->inputs[1].witness.size(), 2U);
    EXPECT_EQ(transaction->inputs[1].witness[1].size(), 33U);
    EXPECT_EQ(transaction->lock_time, 17U);
    EXPECT_EQ(transaction->txid(),
              "e8151a2af31c368a35053ddd4bdb285a8595c769a3ad83e0fa02314a602d4609"_txid);
    EXPECT_EQ(transaction->wtxid(),
              "c36c38370907df2324d9ce9d149d191192f338b37665a82e78e76a12c909b762"_wtxid);
    EXPECT_EQ(transaction->weight(), 1042U);
    EXPECT_EQ(transaction->virtual_size(), 261U);
    EXPECT_EQ(transaction->serialize(), kBip143);
}

TEST(Transaction, KeepsItsTxidWhenStripped) {
    const auto whole = decode_transaction(kBip143);
    ASSERT_TRUE(whole);
    const Bytes stripped_bytes = whole->serialize_without_witness();
    EXPECT_EQ(stripped_bytes.size(), kBip143.size() - 2 - (1 + 1 + 72 + 34));
    const auto stripped = decode_transaction(stripped_bytes);
    ASSERT_TRUE(stripped);
    EXPECT_EQ(stripped->txid(), whole->txid());
    EXPECT_NE(stripped->wtxid(), whole->wtxid());
    EXPECT_EQ(stripped->serialize(), stripped_bytes);
    EXPECT_EQ(stripped->weight(), 4 * stripped_bytes.size());
}

TEST(Transaction, LeavesTheReaderAfterIt) {
    Bytes bytes = kGenesisCoinbase;
    bytes.push_back(0xab);
    ByteReader reader{bytes};
    read_transaction(reader);
    EXPECT_TRUE(reader.ok());
    EXPECT_EQ(reader.remaining(), 1U);
}

TEST(Transaction, IsRefusedAtEveryShorterLength) {
    for (const Bytes& bytes : {kGenesisCoinbase, kBip143}) {
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            const auto cut = decode_transaction(ByteView{bytes}.first(size));
            ASSERT_FALSE(cut) << size;
            EXPECT_EQ(cut.error(), DecodeError::truncated) << size;
        }
    }
}

TEST(Transaction, IsEmptyAfterAFailure) {
    ByteReader reader{ByteView{kBip143}.first(kBip143.size() - 1)};
    EXPECT_EQ(read_transaction(reader), Transaction{});
}

struct BadTransaction {
    std::string name;
    std::string hex;
    DecodeError error;
};

void PrintTo(const BadTransaction& row, std::ostream* out) {
    *out << row.name;
}

class BadTransactions : public testing::TestWithParam<BadTransaction> {};

TEST_P(BadTransactions, AreRefusedWithTheReason) {
    const auto result = decode_transaction(test::bytes_from_hex(GetParam().hex));
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(), GetParam().error);
}

// One input of 41 zero bytes, and one output of nine.
const std::string kVersion = "02000000";
const std::string kInputs = "01" + std::string(82, '0');
const std::string kOutputs = "01" + std::string(18, '0');
const std::string kLockTime = "00000000";

// clang-format off
INSTANTIATE_TEST_SUITE_P(Wire, BadTransactions, testing::ValuesIn(std::initializer_list<BadTransaction>{
    {"TrailingByte", kVersion + kInputs + kOutputs + kLockTime + "00", DecodeError::trailing_bytes},
    {"SuperfluousWitness", kVersion + "0001" + kInputs + kOutputs + "00" + kLockTime, DecodeError::invalid_value},
    {"WitnessFormWithoutInputs", kVersion + "000100" + kOutputs + kLockTime, DecodeError::invalid_value},
    {"UnknownFlag", kVersion + "0002" + kInputs + kOutputs + kLockTime, DecodeError::invalid_value},
    {"UnknownFlagBesideWitness", kVersion + "0003" + kInputs + kOutputs + "0100" + kLockTime, DecodeError::invalid_value},
    {"PaddedInputCount", kVersion + "fd0100" + kInputs.substr(2) + kOutputs + kLockTime, DecodeError::non_canonical_size},
    {"MoreInputsThanBytes", kVersion + "fd465f" + kLockTime, DecodeError::truncated},
    {"MoreInputsThanABlockHas", kVersion + "fd475f" + kLockTime, DecodeError::too_large},
    {"MoreOutputsThanBytes", kVersion + kInputs + "fe02b20100" + kLockTime, DecodeError::truncated},
    {"MoreOutputsThanABlockHas", kVersion + kInputs + "fe03b20100" + kLockTime, DecodeError::too_large},
    {"ScriptAboveLimit", kVersion + "01" + std::string(72, '0') + "fe01000002" + kLockTime, DecodeError::too_large},
    {"WitnessCountAboveBytes", kVersion + "0001" + kInputs + kOutputs + "fdffff" + kLockTime, DecodeError::truncated},
}), [](const auto& row) { return row.param.name; });
// clang-format on

// The inputs and outputs, with their counts, take 1,000,000 bytes: 42 for the input, and 14 besides
// the script for the output. Version and lock time are not counted, and neither are witnesses.
TEST(Transaction, IsRefusedIfItsInputsAndOutputsAreTooLargeForABlock) {
    Transaction transaction;
    transaction.inputs.resize(1);
    transaction.outputs.resize(1);
    transaction.outputs[0].script_pubkey.resize(kMaxStrippedBytes - 42 - 14);
    EXPECT_TRUE(decode_transaction(transaction.serialize()));
    transaction.inputs[0].witness = {Bytes(2'000'000)};
    EXPECT_TRUE(decode_transaction(transaction.serialize()));
    transaction.outputs[0].script_pubkey.emplace_back();
    const auto larger = decode_transaction(transaction.serialize());
    ASSERT_FALSE(larger);
    EXPECT_EQ(larger.error(), DecodeError::too_large);
}

TEST(Transaction, AcceptsValidCounterpartsOfTheInvalidRows) {
    for (const std::string& hex :
         {kVersion + kInputs + kOutputs + kLockTime,
          kVersion + "0001" + kInputs + kOutputs + "0100" + kLockTime,
          // Without inputs, only a flag of zero and no outputs are possible.
          kVersion + "0000" + kLockTime}) {
        const auto result = decode_transaction(test::bytes_from_hex(hex));
        ASSERT_TRUE(result) << hex;
        EXPECT_EQ(to_hex(result->serialize()), hex);
    }
}

TEST(Transaction, CountsAnEmptyWitnessItemAsAWitness) {
    Transaction transaction;
    transaction.inputs.resize(2);
    transaction.inputs[1].witness = {Bytes{}};
    transaction.outputs.resize(1);
    EXPECT_TRUE(transaction.has_witness());
    EXPECT_EQ(decode_transaction(transaction.serialize()).value(), transaction);
}

Transaction with_witness_items(std::size_t inputs, std::initializer_list<Bytes> items) {
    Transaction transaction;
    transaction.inputs.resize(inputs);
    transaction.inputs.back().witness = items;
    transaction.outputs.resize(1);
    return transaction;
}

Transaction with_long_lists() {
    Transaction transaction;
    transaction.inputs.resize(300);
    transaction.inputs[7].script_sig.resize(253);
    transaction.outputs.resize(2);
    transaction.outputs[1].script_pubkey.resize(70'000);
    transaction.inputs[3].witness = {Bytes(300), Bytes{}};
    return transaction;
}

struct SizeRow {
    std::string name;
    Transaction transaction;
    std::size_t stripped_size = 0;
    std::size_t total_size = 0;
    std::size_t weight = 0;
};

void PrintTo(const SizeRow& row, std::ostream* out) {
    *out << row.name;
}

class TransactionSizes : public testing::TestWithParam<SizeRow> {};

TEST_P(TransactionSizes, AreThoseOfItsSerializations) {
    const auto& [name, transaction, stripped_size, total_size, weight] = GetParam();
    EXPECT_EQ(transaction.stripped_size(), stripped_size);
    EXPECT_EQ(transaction.serialize_without_witness().size(), stripped_size);
    EXPECT_EQ(transaction.total_size(), total_size);
    EXPECT_EQ(transaction.serialize().size(), total_size);
    EXPECT_EQ(transaction.weight(), weight);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Transactions, TransactionSizes, testing::ValuesIn(std::initializer_list<SizeRow>{
    {"WithoutInputs",    Transaction{}, 10, 10, 40},
    {"WithoutAWitness",  decode_transaction(kGenesisCoinbase).value(), 204, 204, 816},
    {"WithAWitness",     decode_transaction(kBip143).value(), 233, 343, 1042},
    {"WithoutItems",     with_witness_items(2, {}), 101, 101, 404},
    {"WithAnEmptyItem",  with_witness_items(2, {Bytes{}}), 101, 106, 409},
    {"WithLongLists",    with_long_lists(), 82'589, 83'195, 330'962},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(Outpoint, SpellsItselfInBothForms) {
    const Outpoint outpoint{"90c122d70786e899529d71dbeba91ba216982fb6ba58f3bdaab65e73b7e9260b"_txid,
                            258};
    const auto bytes = outpoint.serialize();
    EXPECT_EQ(to_hex(bytes),
              "0b26e9b7735eb6aabdf358bab62f9816a21ba9ebdb719d5299e88607d722c19002010000");
    EXPECT_EQ(outpoint.to_string(),
              "90c122d70786e899529d71dbeba91ba216982fb6ba58f3bdaab65e73b7e9260b:258");
    EXPECT_EQ(Outpoint::from_string(outpoint.to_string()), outpoint);
}

TEST(Outpoint, ReadsOnlyItsOwnText) {
    const std::string txid(64, 'a');
    EXPECT_EQ(Outpoint::from_string(txid + ":0")->index, 0U);
    EXPECT_EQ(Outpoint::from_string(txid + ":4294967295")->index, 0xffffffffU);
    for (const std::string& text :
         {std::string{}, txid, txid + ":", txid + ":4294967296", txid + ":-1", txid + ":+1",
          txid + ":01", txid + ": 1", txid + ":1 ", txid + ":0x1", txid + "1",
          txid.substr(2) + ":1", "g" + txid.substr(1) + ":1"}) {
        EXPECT_EQ(Outpoint::from_string(text), std::nullopt) << text;
    }
}

TEST(Outpoint, IsNullOnlyInACoinbase) {
    EXPECT_TRUE((Outpoint{Txid{}, 0xffffffff}.is_null()));
    EXPECT_FALSE((Outpoint{Txid{}, 0}.is_null()));
    EXPECT_FALSE((Outpoint{Txid{{1}}, 0xffffffff}.is_null()));
}

// The transactions of Bitcoin Core's signature hash vectors, which are random but well-formed.
TEST(Transaction, RoundTripsBitcoinCoresVectors) {
    const auto rows = test::read_test_json("vectors/sighash.json");
    if (!rows) GTEST_SKIP() << test::kNoTestData;
    std::size_t count = 0;
    for (const auto& row : *rows) {
        if (row.size() < 5) continue;  // the first row names the columns
        const std::string hex = row[0];
        const auto transaction = decode_transaction(test::bytes_from_hex(hex));
        ASSERT_TRUE(transaction) << hex;
        EXPECT_EQ(to_hex(transaction->serialize()), hex);
        ++count;
    }
    EXPECT_EQ(count, 500U);
}

TEST(Witness, GivesItsItems) {
    const Witness witness = {"aa"_hex, {}, Bytes(300, 7)};
    ASSERT_EQ(witness.size(), 3U);
    EXPECT_FALSE(witness.empty());
    EXPECT_EQ(to_hex(witness[0]), "aa");
    EXPECT_TRUE(witness[1].empty());
    EXPECT_EQ(to_hex(witness[2]), to_hex(Bytes(300, 7)));
    EXPECT_EQ(to_hex(witness.serialized_items().first(6)), "01aa00fd2c01");
}

TEST(Witness, IsEmptyWithoutItemsButNotWithAnEmptyOne) {
    Witness witness;
    EXPECT_TRUE(witness.empty());
    EXPECT_EQ(witness, Witness{});
    witness.push_back({});
    EXPECT_FALSE(witness.empty());
    EXPECT_NE(witness, Witness{});
    witness.clear();
    EXPECT_EQ(witness, Witness{});
}

TEST(Witness, IsReadAndLeavesTheReaderAfterIt) {
    const Bytes bytes = "0201aa00ff"_hex;
    ByteReader reader{bytes};
    EXPECT_EQ(read_witness(reader), (Witness{"aa"_hex, {}}));
    EXPECT_TRUE(reader.ok());
    EXPECT_EQ(reader.remaining(), 1U);
}

TEST(Witness, IsRefusedAndEmptyIfMalformed) {
    const std::initializer_list<std::pair<Bytes, DecodeError>> cases = {
        {{}, DecodeError::truncated},
        {"01"_hex, DecodeError::truncated},
        {"0102aa"_hex, DecodeError::truncated},
        {"0201aa"_hex, DecodeError::truncated},
        {"01fd0100aa"_hex, DecodeError::non_canonical_size},
        {"fdfc00"_hex, DecodeError::non_canonical_size},
        {"01fe01000002"_hex, DecodeError::too_large},
        {"fe01000002"_hex, DecodeError::too_large},
    };
    for (const auto& [bytes, error] : cases) {
        ByteReader reader{bytes};
        EXPECT_EQ(read_witness(reader), Witness{}) << to_hex(bytes);
        ASSERT_FALSE(reader.ok()) << to_hex(bytes);
        EXPECT_EQ(reader.error(), error) << to_hex(bytes);
    }
}

// Like the transaction in mainnet's block 761,249, which nodes with a limit on the number of items
// refused.
TEST(Witness, HasAsManyItemsAsConsensusAllows) {
    Bytes bytes = "fe21a10700"_hex;  // 500,001
    bytes.resize(bytes.size() + 500'001);
    ByteReader reader{bytes};
    const Witness witness = read_witness(reader);
    EXPECT_TRUE(reader.ok());
    EXPECT_EQ(witness.size(), 500'001U);
    EXPECT_TRUE(witness[500'000].empty());
}

}  // namespace
}  // namespace petal::chain
