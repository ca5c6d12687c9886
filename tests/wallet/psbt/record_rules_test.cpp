// The key and the value that each type of record may have (BIP174, BIP370, BIP371, BIP373).
#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "chain/byte_writer.h"
#include "tests/support/hex.h"
#include "wallet/psbt/psbt.h"
#include "wallet/psbt/record_rules.h"
#include "wallet/psbt/record_types.h"

namespace petal::wallet {
namespace {

using namespace test::literals;
using chain::Bytes;
using chain::ByteWriter;

constexpr auto kGlobalMap = PsbtMapKind::global;
constexpr auto kInputMap = PsbtMapKind::input;
constexpr auto kOutputMap = PsbtMapKind::output;

// The number is a coordinate of a point of the curve, or is not.
const Bytes kPoint(33, 0x02);
const Bytes kNoPoint = test::bytes_from_hex("02" + test::repeat("03", 32));

Bytes concatenated(const std::vector<Bytes>& parts) {
    ByteWriter writer;
    for (const Bytes& part : parts) writer.bytes(part);
    return writer.take();
}

Bytes u32_bytes(std::uint32_t value) {
    return ByteWriter{}.u32(value).take();
}

/// An extended key (BIP32) of this depth, without its checksum.
Bytes xpub_of_depth(chain::Byte depth, const Bytes& key = kPoint) {
    return concatenated({"0488b21e"_hex, {depth}, Bytes(4 + 4 + 32), key});
}

/// Leaves of these depths, each of the script OP_1.
Bytes tree_of_leaves(const std::vector<unsigned>& depths) {
    ByteWriter writer;
    for (const unsigned depth : depths) {
        writer.u8(static_cast<chain::Byte>(depth)).bytes("c00151"_hex);
    }
    return writer.take();
}

/// A complete tree in which each node has a leaf on its left, down to two leaves of this depth.
Bytes tree_of_depth(unsigned deepest) {
    std::vector<unsigned> depths;
    for (unsigned depth = 1; depth <= deepest; ++depth) depths.push_back(depth);
    depths.push_back(deepest);
    return tree_of_leaves(depths);
}

struct RecordRow {
    const char* name;
    PsbtMapKind map;
    chain::Byte type;
    Bytes key_data;
    Bytes value;
    std::optional<PsbtFault> fault = std::nullopt;
};

void PrintTo(const RecordRow& row, std::ostream* out) {
    *out << row.name;
}

class PsbtRecords : public testing::TestWithParam<RecordRow> {};

/// A PSBT of version 2 with one input and one output; `row` is added to its maps.
chain::Expected<Psbt, PsbtError> psbt_with(const RecordRow& row) {
    PsbtMap maps[3];
    auto& [globals, inputs, outputs] = maps;
    globals.set(psbt_global::kTransactionVersion, u32_bytes(2));
    globals.set(psbt_global::kInputCount, {1});
    globals.set(psbt_global::kOutputCount, {1});
    globals.set(psbt_global::kVersion, u32_bytes(2));
    inputs.set(psbt_input::kPreviousTxid, Bytes(32, 1));
    inputs.set(psbt_input::kOutputIndex, u32_bytes(0));
    outputs.set(psbt_output::kAmount, Bytes(8));
    outputs.set(psbt_output::kScript, {});
    maps[static_cast<std::size_t>(row.map)].set(row.type, row.key_data, row.value);
    return Psbt::assemble(globals, {inputs}, {outputs});
}

TEST_P(PsbtRecords, HaveTheFormOfTheirType) {
    const RecordRow& row = GetParam();
    const auto psbt = psbt_with(row);
    ASSERT_EQ(psbt.has_value(), !row.fault);
    if (!psbt) {
        constexpr const char* kPlaces[] = {"the global map", "input 0", "output 0"};
        EXPECT_EQ(psbt.error(),
                  (PsbtError{*row.fault, kPlaces[static_cast<std::size_t>(row.map)]}));
    }
}

constexpr auto kBadKey = PsbtFault::bad_key;
constexpr auto kBadValue = PsbtFault::bad_value;

const RecordRow kXpubRows[] = {
    {"MasterKeyOfNoStep", kGlobalMap, psbt_global::kXpub, xpub_of_depth(0), Bytes(4)},
    {"KeyOfTwoSteps", kGlobalMap, psbt_global::kXpub, xpub_of_depth(2), Bytes(12)},
    {"KeyOfTwoStepsWithOne", kGlobalMap, psbt_global::kXpub, xpub_of_depth(2), Bytes(8), kBadValue},
    {"KeyOfTwoStepsWithThree", kGlobalMap, psbt_global::kXpub, xpub_of_depth(2), Bytes(16),
     kBadValue},
    {"KeyWithoutOrigin", kGlobalMap, psbt_global::kXpub, xpub_of_depth(0), {}, kBadValue},
    {"KeyWithACutOrigin", kGlobalMap, psbt_global::kXpub, xpub_of_depth(0), Bytes(6), kBadValue},
    {"KeyOffTheCurve", kGlobalMap, psbt_global::kXpub, xpub_of_depth(0, kNoPoint), Bytes(4),
     kBadKey},
    {"CutKey", kGlobalMap, psbt_global::kXpub, Bytes(77, 2), Bytes(4), kBadKey},
};

// Lock times from 500,000,000 on are times, those below are heights (BIP370).
const RecordRow kLockRows[] = {
    {"TheFirstTime", kInputMap, psbt_input::kTimeLock, {}, u32_bytes(500'000'000)},
    {"AHeightForATime", kInputMap, psbt_input::kTimeLock, {}, u32_bytes(499'999'999), kBadValue},
    {"TimeOfFiveBytes", kInputMap, psbt_input::kTimeLock, {}, Bytes(5, 0xff), kBadValue},
    {"TheLastHeight", kInputMap, psbt_input::kHeightLock, {}, u32_bytes(499'999'999)},
    {"ATimeForAHeight", kInputMap, psbt_input::kHeightLock, {}, u32_bytes(500'000'000), kBadValue},
    {"TheFirstHeight", kInputMap, psbt_input::kHeightLock, {}, u32_bytes(1)},
    {"NoHeight", kInputMap, psbt_input::kHeightLock, {}, u32_bytes(0), kBadValue},
    {"HeightOfFiveBytes", kInputMap, psbt_input::kHeightLock, {}, Bytes(5, 1), kBadValue},
};

// An empty script; its version is the last byte.
const Bytes kLeafScript{0xc0};

const RecordRow kTaprootRows[] = {
    {"Signature", kInputMap, psbt_input::kTaprootKeySignature, {}, Bytes(64)},
    {"SignatureWithHashType", kInputMap, psbt_input::kTaprootKeySignature, {}, Bytes(65)},
    {"ShortSignature", kInputMap, psbt_input::kTaprootKeySignature, {}, Bytes(63), kBadValue},
    {"LongSignature", kInputMap, psbt_input::kTaprootKeySignature, {}, Bytes(66), kBadValue},
    {"ScriptSignature", kInputMap, psbt_input::kTaprootScriptSignature, Bytes(64), Bytes(65)},
    {"LongScriptSignature", kInputMap, psbt_input::kTaprootScriptSignature, Bytes(64), Bytes(66),
     kBadValue},
    {"ScriptSignatureWithoutLeaf", kInputMap, psbt_input::kTaprootScriptSignature, Bytes(32),
     Bytes(64), kBadKey},
    {"ControlBlockOfNoStep", kInputMap, psbt_input::kTaprootLeafScript, Bytes(33), kLeafScript},
    {"ControlBlockOf128Steps", kInputMap, psbt_input::kTaprootLeafScript, Bytes(33 + 128 * 32),
     kLeafScript},
    {"ControlBlockOf129Steps", kInputMap, psbt_input::kTaprootLeafScript, Bytes(33 + 129 * 32),
     kLeafScript, kBadKey},
    {"ControlBlockOfHalfAStep", kInputMap, psbt_input::kTaprootLeafScript, Bytes(33 + 16),
     kLeafScript, kBadKey},
    {"CutControlBlock", kInputMap, psbt_input::kTaprootLeafScript, Bytes(1), kLeafScript, kBadKey},
    {"LeafWithoutVersion", kInputMap, psbt_input::kTaprootLeafScript, Bytes(33), {}, kBadValue},
    {"DerivationInOneLeaf", kInputMap, psbt_input::kTaprootDerivation, Bytes(32),
     concatenated({{1}, Bytes(32), Bytes(4)})},
    {"DerivationWithoutOrigin", kOutputMap, psbt_output::kTaprootDerivation, Bytes(32),
     concatenated({{1}, Bytes(32)}), kBadValue},
    {"DerivationOfAFullKey", kOutputMap, psbt_output::kTaprootDerivation, Bytes(33), Bytes(5),
     kBadKey},
};

// The leaves of a tree, depth first (BIP371).
const RecordRow kTreeRows[] = {
    {"OneLeaf", kOutputMap, psbt_output::kTaprootTree, {}, tree_of_leaves({0})},
    {"TwoLeaves", kOutputMap, psbt_output::kTaprootTree, {}, tree_of_leaves({1, 1})},
    {"ThreeLeaves", kOutputMap, psbt_output::kTaprootTree, {}, tree_of_leaves({2, 2, 1})},
    {"TheDeepestTree", kOutputMap, psbt_output::kTaprootTree, {}, tree_of_depth(128)},
    {"TooDeepATree", kOutputMap, psbt_output::kTaprootTree, {}, tree_of_depth(129), kBadValue},
    {"NoLeaf", kOutputMap, psbt_output::kTaprootTree, {}, {}, kBadValue},
    {"HalfATree", kOutputMap, psbt_output::kTaprootTree, {}, tree_of_leaves({1}), kBadValue},
    {"OneLeafMore",
     kOutputMap,
     psbt_output::kTaprootTree,
     {},
     tree_of_leaves({1, 1, 1}),
     kBadValue},
    {"LeafAboveASiblingsPlace",
     kOutputMap,
     psbt_output::kTaprootTree,
     {},
     tree_of_leaves({2, 1, 1}),
     kBadValue},
    {"LeafOfAnOddVersion", kOutputMap, psbt_output::kTaprootTree, {}, "00c10151"_hex, kBadValue},
    {"CutLeaf", kOutputMap, psbt_output::kTaprootTree, {}, "00c00251"_hex, kBadValue},
};

const RecordRow kMusigRows[] = {
    {"Participants", kInputMap, psbt_input::kMusigParticipants, kPoint,
     concatenated({kPoint, kPoint})},
    {"NoParticipants", kInputMap, psbt_input::kMusigParticipants, kPoint, {}, kBadValue},
    {"ParticipantOffTheCurve", kOutputMap, psbt_output::kMusigParticipants, kPoint,
     concatenated({kPoint, kNoPoint}), kBadValue},
    {"CutParticipant", kOutputMap, psbt_output::kMusigParticipants, kPoint, Bytes(34, 2),
     kBadValue},
    {"AggregateOffTheCurve", kOutputMap, psbt_output::kMusigParticipants, kNoPoint, kPoint,
     kBadKey},
    {"NonceOfAKey", kInputMap, psbt_input::kMusigNonce, concatenated({kPoint, kPoint}), Bytes(66)},
    {"NonceOfALeaf", kInputMap, psbt_input::kMusigNonce, concatenated({kPoint, kPoint, Bytes(32)}),
     Bytes(66)},
    {"NonceOfHalfALeaf", kInputMap, psbt_input::kMusigNonce,
     concatenated({kPoint, kPoint, Bytes(16)}), Bytes(66), kBadKey},
    {"NonceOfOneKey", kInputMap, psbt_input::kMusigNonce, kPoint, Bytes(66), kBadKey},
    {"NonceOfAFalseParticipant", kInputMap, psbt_input::kMusigNonce,
     concatenated({kNoPoint, kPoint}), Bytes(66), kBadKey},
    {"NonceOfAFalseAggregate", kInputMap, psbt_input::kMusigNonce, concatenated({kPoint, kNoPoint}),
     Bytes(66), kBadKey},
    {"ShortNonce", kInputMap, psbt_input::kMusigNonce, concatenated({kPoint, kPoint}), Bytes(65),
     kBadValue},
    {"PartialSignature", kInputMap, psbt_input::kMusigPartialSignature,
     concatenated({kPoint, kPoint}), Bytes(32)},
    {"LongPartialSignature", kInputMap, psbt_input::kMusigPartialSignature,
     concatenated({kPoint, kPoint}), Bytes(33), kBadValue},
};

std::string record_name(const testing::TestParamInfo<RecordRow>& row) {
    return row.param.name;
}

INSTANTIATE_TEST_SUITE_P(Xpub, PsbtRecords, testing::ValuesIn(kXpubRows), record_name);
INSTANTIATE_TEST_SUITE_P(Lock, PsbtRecords, testing::ValuesIn(kLockRows), record_name);
INSTANTIATE_TEST_SUITE_P(Taproot, PsbtRecords, testing::ValuesIn(kTaprootRows), record_name);
INSTANTIATE_TEST_SUITE_P(TaprootTree, PsbtRecords, testing::ValuesIn(kTreeRows), record_name);
INSTANTIATE_TEST_SUITE_P(Musig, PsbtRecords, testing::ValuesIn(kMusigRows), record_name);

}  // namespace
}  // namespace petal::wallet
