// The limits for reading a PSBT, and for joining several.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "chain/byte_writer.h"
#include "wallet/psbt/combining.h"
#include "wallet/psbt/psbt.h"
#include "wallet/psbt/record_types.h"

namespace petal::wallet {
namespace {

using chain::Bytes;
using chain::ByteWriter;

// A type that has no meaning yet.
constexpr chain::Byte kUnknownType = 0xf0;

/// A PSBT with one input and one output, and no records but its transaction.
Psbt plain_psbt(std::uint32_t spent_index) {
    chain::Transaction transaction;
    transaction.inputs.push_back({{chain::Txid{}, spent_index}, {}, 0xfffffffd, {}});
    transaction.outputs.push_back({40'000, Bytes(22, 0x52)});
    return Psbt::of_transaction(transaction);
}

/// With one more record, of any size, so that the PSBT is as large as asked.
Psbt psbt_of_bytes(std::size_t bytes, std::uint32_t spent_index) {
    constexpr std::size_t kKeyAndSizes = 2 + 5;
    Psbt psbt = plain_psbt(spent_index);
    psbt.input(0).set(kUnknownType, Bytes(bytes - psbt.serialize().size() - kKeyAndSizes));
    return psbt;
}

/// With so many more records, read from bytes: PsbtMap::set() would search all of them each time.
chain::Expected<Psbt, PsbtError> psbt_of_records(std::size_t records, std::uint32_t spent_index) {
    const Bytes plain = plain_psbt(spent_index).serialize();
    ByteWriter writer;
    writer.bytes(chain::ByteView(plain).first(plain.size() - 1));
    for (std::uint32_t i = 0; i < records; ++i) writer.u8(5).u8(kUnknownType).u32(i).u8(0);
    writer.u8(0);
    return Psbt::parse(writer.take());
}

TEST(PsbtLimits, BoundTheNumberOfRecords) {
    // The first record is the unsigned transaction.
    EXPECT_TRUE(psbt_of_records(kMaxPsbtRecords - 1, 0));
    EXPECT_EQ(psbt_of_records(kMaxPsbtRecords, 0).error().fault, PsbtFault::too_large);
}

TEST(PsbtLimits, BoundTheSize) {
    for (const std::size_t excess : {0U, 1U}) {
        const Psbt psbt = psbt_of_bytes(kMaxPsbtBytes + excess, 0);
        const Bytes bytes = psbt.serialize();
        ASSERT_EQ(bytes.size(), kMaxPsbtBytes + excess);
        EXPECT_EQ(psbt.fits(), excess == 0);
        const auto parsed = Psbt::parse(bytes);
        ASSERT_EQ(parsed.has_value(), excess == 0);
        if (!parsed) {
            EXPECT_EQ(parsed.error().fault, PsbtFault::too_large);
        }
    }
}

// Within the limits, the inputs and outputs that are counted are missed.
TEST(PsbtLimits, BoundTheCountsOfVersion2) {
    struct Row {
        std::uint64_t inputs;
        std::uint64_t outputs;
        PsbtFault fault;
    };
    constexpr std::uint64_t kMost = kMaxPsbtRecords / 2;
    for (const Row& row : std::array{
             Row{kMost, 0, PsbtFault::bad_value},
             Row{kMost + 1, 0, PsbtFault::too_large},
             Row{1, kMost - 1, PsbtFault::bad_value},
             Row{1, kMost, PsbtFault::too_large},
             Row{std::numeric_limits<std::uint64_t>::max(), 2, PsbtFault::too_large},
         }) {
        PsbtMap global;
        global.set(psbt_global::kTransactionVersion, ByteWriter{}.u32(2).take());
        global.set(psbt_global::kInputCount, ByteWriter{}.compact_size(row.inputs).take());
        global.set(psbt_global::kOutputCount, ByteWriter{}.compact_size(row.outputs).take());
        global.set(psbt_global::kVersion, ByteWriter{}.u32(2).take());
        const auto psbt = Psbt::assemble(global, {}, {});
        ASSERT_FALSE(psbt);
        EXPECT_EQ(psbt.error(), (PsbtError{row.fault, "the global map"}))
            << row.inputs << " + " << row.outputs;
    }
}

/// The error of joining these PSBTs, of which the last alone would fit; nothing if there is none.
std::optional<CombineError> error_of_joining(std::vector<Psbt> psbts) {
    psbts.push_back(plain_psbt(100));
    const auto joined = join(psbts, [] { return std::uint64_t{0}; });
    if (joined) return std::nullopt;
    return joined.error();
}

// A PSBT that goes beyond the limits is named, and no further one is copied.
TEST(PsbtLimits, BoundTheRecordsOfJoinedPsbts) {
    struct Row {
        std::size_t records;
        std::optional<CombineError> error;
    };
    // With the joined transaction's record, one less than the limit fits.
    const std::array rows{
        Row{kMaxPsbtRecords - 1, std::nullopt},
        Row{kMaxPsbtRecords, CombineError{2, CombineFault::too_large}},
        Row{kMaxPsbtRecords + 1, CombineError{1, CombineFault::too_large}},
    };
    for (const Row& row : rows) {
        constexpr std::size_t kHalf = kMaxPsbtRecords / 2;
        std::vector<Psbt> psbts{psbt_of_records(kHalf, 0).value(),
                                psbt_of_records(row.records - kHalf, 1).value()};
        EXPECT_EQ(error_of_joining(std::move(psbts)), row.error) << row.records;
    }
}

// Two PSBTs of the largest size reach the limit, and the third exceeds it.
TEST(PsbtLimits, BoundTheBytesOfJoinedPsbts) {
    std::vector<Psbt> psbts;
    for (const std::uint32_t index : {0U, 1U}) {
        psbts.push_back(psbt_of_bytes(kMaxPsbtBytes, index));
    }
    psbts.push_back(plain_psbt(2));
    EXPECT_EQ(error_of_joining(std::move(psbts)), (CombineError{2, CombineFault::too_large}));
}

}  // namespace
}  // namespace petal::wallet
