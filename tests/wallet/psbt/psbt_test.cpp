// The PSBT format: what is read, refused, and written back.
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "chain/byte_writer.h"
#include "tests/support/hex.h"
#include "tests/wallet/psbt/psbt_scene.h"
#include "wallet/psbt/record_types.h"

namespace petal::wallet {
namespace {

using namespace test::literals;
using chain::Bytes;
using chain::ByteWriter;
using test::bytes_from_base64;
using test::psbt_from;

// Bitcoin Core, rpc_psbt.json: a PSBT without inputs, one of version 2, and one with a taproot
// input and output.
constexpr const char* kWithoutInputs =
    "cHNidP8BACoCAAAAAAFAQg8AAAAAABepFG6Rty1Vk+fUOR4v9E6R6YXDFkHwhwAAAAAAAA==";
constexpr const char* kVersion2 =
    "cHNidP8BAgQCAAAAAQQBAQEFAQIB+wQCAAAAAAEOIAsK2SFBnByHGXNdctxzn56p4GONH+TB7vD5lECEgV/IAQ8EAAAA"
    "AAABAwgACK8vAAAAAAEEFgAUxDD2TEdW2jENvRoIVXLvKZkmJywAAQMIi73rCwAAAAABBBYAFE3Rk6yWSlasG54cyoRU"
    "/i9HT4UTAA==";
constexpr const char* kTaproot =
    "cHNidP8BAFICAAAAASd0Srq/MCf+DWzyOpbu4u+xiO9SMBlUWFiD5ptmJLJCAAAAAAD/////AUjmBSoBAAAAFgAUdo4e"
    "60z0IIZgM/gKzv8PlyB0SWkAAAAAAAEBKwDyBSoBAAAAIlEgWiws9bUs8x+DrS6Npj/wMYPs2PYJx1EK6KSOA5EKB1ch"
    "Fv40kGTJjW4qhT+jybEr2LMEoZwZXGDvp+4jkwRtP6IyGQB3Ky2nVgAAgAEAAIAAAACAAQAAAAAAAAABFyD+NJBkyY1u"
    "KoU/o8mxK9izBKGcGVxg76fuI5MEbT+iMgAiAgNrdyptt02HU8mKgnlY3mx4qzMSEJ830+AwRIQkLs5z2Bh3Ky2nVAAA"
    "gAEAAIAAAACAAAAAAAAAAAAA";

TEST(Psbt, IsWrittenBackByteForByteAndRefusedAtEveryCut) {
    for (const char* const text : {kWithoutInputs, kVersion2, kTaproot}) {
        const Bytes bytes = bytes_from_base64(text);
        EXPECT_EQ(chain::to_base64(psbt_from(text).serialize()), text);
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            EXPECT_FALSE(Psbt::parse(chain::ByteView(bytes).first(size))) << text << ' ' << size;
        }
        Bytes longer = bytes;
        longer.push_back(0);
        EXPECT_EQ(Psbt::parse(longer).error().fault, PsbtFault::trailing_bytes);
    }
}

TEST(Psbt, OfVersion2HasTheTransactionThatItsMapsSay) {
    const Psbt psbt = psbt_from(kVersion2);
    EXPECT_EQ(psbt.version(), 2U);
    const chain::Transaction& transaction = psbt.transaction();
    EXPECT_EQ(transaction.version, 2);
    EXPECT_EQ(transaction.lock_time, 0U);
    ASSERT_EQ(transaction.inputs.size(), 1U);
    EXPECT_EQ(transaction.inputs[0].prevout.to_string(),
              "c85f81844094f9f0eec1e41f8d63e0a99e9f73dc725d7319871c9c4121d90a0b:0");
    EXPECT_EQ(transaction.inputs[0].sequence, 0xffffffff);
    ASSERT_EQ(transaction.outputs.size(), 2U);
    EXPECT_EQ(transaction.outputs[0].value, 800'000'000);
}

TEST(Psbt, KeepsUnknownAndProprietaryRecords) {
    Psbt psbt = psbt_from(kTaproot);
    psbt.input(0).set(0xfc, "03abcdef01"_hex, "beef"_hex);
    psbt.output(0).set(0xf0, {}, "01"_hex);
    const Bytes bytes = psbt.serialize();
    const auto again = Psbt::parse(bytes);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->serialize(), bytes);
    EXPECT_EQ(*again->inputs()[0].find(0xfc, "03abcdef01"_hex), "beef"_hex);
}

/// A transaction with one output, which the only input of the PSBT spends.
chain::Transaction funding() {
    chain::Transaction transaction;
    transaction.inputs.push_back(
        {{test::hash_from_hex<chain::Txid>(std::string(64, '1')), 0}, {}, 0, {}});
    transaction.outputs.push_back({50'000, chain::Bytes(22, 0x51)});
    return transaction;
}

chain::Transaction spending() {
    chain::Transaction transaction;
    transaction.inputs.push_back({{funding().txid(), 0}, {}, 0xfffffffd, {}});
    transaction.outputs.push_back({40'000, chain::Bytes(22, 0x52)});
    return transaction;
}

Bytes output_bytes(chain::Satoshis value, const Bytes& script) {
    return ByteWriter{}.i64(value).var_bytes(script).take();
}

struct FaultRow {
    const char* name;
    std::function<void(Psbt&)> change;  ///< changes a valid PSBT
    std::optional<PsbtFault> fault;     ///< nothing if the PSBT stays valid
};

void PrintTo(const FaultRow& row, std::ostream* out) {
    *out << row.name;
}

class PsbtFaults : public testing::TestWithParam<FaultRow> {};

TEST_P(PsbtFaults, AreNamed) {
    Psbt psbt = Psbt::of_transaction(spending());
    GetParam().change(psbt);
    const auto parsed = Psbt::parse(psbt.serialize());
    ASSERT_EQ(parsed.has_value(), !GetParam().fault);
    if (!parsed) {
        EXPECT_EQ(parsed.error().fault, *GetParam().fault);
        EXPECT_EQ(parsed.error().place, "input 0");
        EXPECT_TRUE(describe(parsed.error()).starts_with("input 0: "));
    }
}

void put(Psbt& psbt, chain::Byte type, Bytes value) {
    psbt.input(0).set(type, std::move(value));
}

Bytes changed_funding() {
    chain::Transaction other = funding();
    ++other.outputs[0].value;
    return other.serialize();
}

const FaultRow kFaultRows[] = {
    {"FullTransaction", [](Psbt& p) { put(p, 0x00, funding().serialize()); }, {}},
    {"OtherFullTransaction", [](Psbt& p) { put(p, 0x00, changed_funding()); },
     PsbtFault::wrong_utxo},
    {"CutFullTransaction", [](Psbt& p) { put(p, 0x00, Bytes(20, 1)); }, PsbtFault::bad_transaction},
    {"WitnessUtxo", [](Psbt& p) { put(p, 0x01, output_bytes(50'000, {0x51})); }, {}},
    {"WitnessUtxoWithMore", [](Psbt& p) { put(p, 0x01, "00000000000000000000"_hex); },
     PsbtFault::bad_value},
    {"SameUtxoTwice",
     [](Psbt& p) {
         put(p, 0x00, funding().serialize());
         put(p, 0x01, output_bytes(50'000, funding().outputs[0].script_pubkey));
     },
     {}},
    {"ContradictingAmount",
     [](Psbt& p) {
         put(p, 0x00, funding().serialize());
         put(p, 0x01, output_bytes(50'001, funding().outputs[0].script_pubkey));
     },
     PsbtFault::contradicting_utxo},
    {"AllMoney", [](Psbt& p) { put(p, 0x01, output_bytes(chain::kMaxMoney, {0x51})); }, {}},
    {"MoreThanAllMoney", [](Psbt& p) { put(p, 0x01, output_bytes(chain::kMaxMoney + 1, {0x51})); },
     PsbtFault::amount_out_of_range},
    {"NegativeAmount", [](Psbt& p) { put(p, 0x01, output_bytes(-1, {0x51})); },
     PsbtFault::amount_out_of_range},
    {"HashTypeOfThreeBytes", [](Psbt& p) { put(p, 0x03, Bytes(3)); }, PsbtFault::bad_value},
    {"KeyOnTheCurve",
     [](Psbt& p) { p.input(0).set(0x06, test::bytes_from_hex(test::repeat("02", 33)), Bytes(4)); },
     {}},
    {"KeyOffTheCurve",
     [](Psbt& p) {
         p.input(0).set(0x06, test::bytes_from_hex("02" + test::repeat("03", 32)), Bytes(4));
     },
     PsbtFault::bad_key},
    {"KeyOfNoForm", [](Psbt& p) { p.input(0).set(0x06, Bytes(33, 0x05), Bytes(4)); },
     PsbtFault::bad_key},
    {"CutOrigin", [](Psbt& p) { p.input(0).set(0x06, Bytes(33, 0x02), Bytes(6)); },
     PsbtFault::bad_value},
    {"KeyDataWhereNoneBelongs", [](Psbt& p) { p.input(0).set(0x04, Bytes(1), Bytes(1)); },
     PsbtFault::bad_key},
    {"RecordOfVersion2", [](Psbt& p) { put(p, 0x10, Bytes(4)); }, PsbtFault::wrong_version},
    {"WitnessWithMore", [](Psbt& p) { put(p, 0x08, "0000"_hex); }, PsbtFault::bad_value},
};

INSTANTIATE_TEST_SUITE_P(Inputs, PsbtFaults, testing::ValuesIn(kFaultRows),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Psbt, RefusesRepeatedKeys) {
    const Bytes sound = Psbt::of_transaction(spending()).serialize();
    Bytes repeated(sound.begin(), sound.end() - 2);  // without the terminator of the maps
    for (int i = 0; i < 2; ++i) {
        const Bytes record = "01fa0101"_hex;
        repeated.insert(repeated.end(), record.begin(), record.end());
    }
    repeated.insert(repeated.end(), 2, 0);
    EXPECT_EQ(Psbt::parse(repeated).error(), (PsbtError{PsbtFault::repeated_key, "input 0"}));
}

TEST(Psbt, RefusesATransactionWithScriptsOrAmountsOutOfRange) {
    const auto parse = [](const chain::Transaction& transaction) {
        PsbtMap global;
        global.set(psbt_global::kUnsignedTransaction, transaction.serialize_without_witness());
        return Psbt::assemble(global, std::vector<PsbtMap>(1), std::vector<PsbtMap>(1));
    };
    EXPECT_TRUE(parse(spending()));
    auto with_script = spending();
    with_script.inputs[0].script_sig = {0x51};
    EXPECT_EQ(parse(with_script).error().fault, PsbtFault::signed_transaction);
    auto with_amount = spending();
    with_amount.outputs[0].value = -1;
    EXPECT_EQ(parse(with_amount).error(), (PsbtError{PsbtFault::amount_out_of_range, "output 0"}));
}

TEST(Psbt, OfVersion2TakesTheLockTimeThatAllInputsSuit) {
    struct Row {
        /// Time and height; 0 means none.
        std::vector<std::pair<std::uint32_t, std::uint32_t>> locks;
        std::optional<std::uint32_t> lock_time;
    };
    constexpr std::uint32_t kTime = 1'600'000'000;
    const std::vector<Row> rows{
        {{{0, 0}, {0, 0}}, 7},
        {{{0, 10}, {0, 20}}, 20},
        {{{kTime, 0}, {0, 0}}, kTime},
        {{{kTime, 10}, {kTime + 1, 5}}, 10},
        {{{kTime, 10}, {kTime + 1, 0}}, kTime + 1},
        {{{kTime, 0}, {0, 10}}, std::nullopt},
    };
    for (const Row& row : rows) {
        PsbtMap global;
        global.set(psbt_global::kTransactionVersion, ByteWriter{}.u32(2).take());
        global.set(psbt_global::kFallbackLockTime, ByteWriter{}.u32(7).take());
        global.set(psbt_global::kInputCount, Bytes{2});
        global.set(psbt_global::kOutputCount, Bytes{0});
        global.set(psbt_global::kVersion, ByteWriter{}.u32(2).take());
        std::vector<PsbtMap> inputs(2);
        for (std::size_t i = 0; i < 2; ++i) {
            inputs[i].set(psbt_input::kPreviousTxid, Bytes(32, 1));
            inputs[i].set(psbt_input::kOutputIndex, Bytes{static_cast<chain::Byte>(i), 0, 0, 0});
            const auto [time, height] = row.locks[i];
            if (time) inputs[i].set(psbt_input::kTimeLock, ByteWriter{}.u32(time).take());
            if (height) inputs[i].set(psbt_input::kHeightLock, ByteWriter{}.u32(height).take());
        }
        const auto psbt = Psbt::assemble(global, inputs, {});
        ASSERT_EQ(psbt.has_value(), row.lock_time.has_value());
        if (psbt) {
            EXPECT_EQ(psbt->transaction().lock_time, *row.lock_time);
        } else {
            EXPECT_EQ(psbt.error().fault, PsbtFault::contradicting_locks);
        }
    }
}

TEST(Psbt, OfVersion2HasATransactionOfLimitedSize) {
    const Psbt small = psbt_from(kVersion2);
    const auto with_script_of = [&](std::size_t size) {
        std::vector<PsbtMap> outputs = small.outputs();
        outputs[0].set(psbt_output::kScript, Bytes(size, 0x6a));
        return Psbt::assemble(small.global(), small.inputs(), outputs);
    };
    EXPECT_TRUE(with_script_of(chain::kMaxStrippedBytes - 1'000));
    const auto large = with_script_of(chain::kMaxStrippedBytes);
    ASSERT_FALSE(large);
    EXPECT_EQ(large.error().fault, PsbtFault::too_large);
}

}  // namespace
}  // namespace petal::wallet
