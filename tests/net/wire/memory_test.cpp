// How much memory the decoding of a message can take.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>

#include "chain/byte_writer.h"
#include "net/wire/codec.h"
#include "tests/net/counted_memory.h"

namespace petal::net {
namespace {

using chain::Bytes;
using chain::ByteWriter;

constexpr std::size_t kPrefixBytes = 1'000;  // more than the bytes before the lists below

void write_zeros(ByteWriter& writer, std::size_t count) {
    writer.bytes(Bytes(count));
}

void write_inputs(ByteWriter& writer, std::size_t count, std::size_t script_bytes) {
    writer.compact_size(count);
    for (std::size_t i = 0; i < count; ++i) {
        write_zeros(writer, 36);
        writer.var_bytes(Bytes(script_bytes)).u32(0);
    }
}

void write_outputs(ByteWriter& writer, std::size_t count, std::size_t script_bytes) {
    writer.compact_size(count);
    for (std::size_t i = 0; i < count; ++i) writer.i64(0).var_bytes(Bytes(script_bytes));
}

void write_witness(ByteWriter& writer, std::size_t count, std::size_t item_bytes) {
    writer.compact_size(count);
    for (std::size_t i = 0; i < count; ++i) writer.var_bytes(Bytes(item_bytes));
}

struct Shape {
    std::size_t inputs = 1;
    std::size_t input_script_bytes = 0;
    std::size_t outputs = 1;
    std::size_t output_script_bytes = 0;
    // Of the first input; each other input has one empty item.
    std::size_t witness_items = 0;
    std::size_t witness_item_bytes = 0;
};

void write_transaction(ByteWriter& writer, const Shape& shape) {
    writer.u32(2);
    if (shape.witness_items > 0) writer.u8(0).u8(1);
    write_inputs(writer, shape.inputs, shape.input_script_bytes);
    write_outputs(writer, shape.outputs, shape.output_script_bytes);
    if (shape.witness_items > 0) {
        write_witness(writer, shape.witness_items, shape.witness_item_bytes);
        for (std::size_t i = 1; i < shape.inputs; ++i) write_witness(writer, 1, 0);
    }
    writer.u32(0);
}

Bytes transaction(const Shape& shape) {
    ByteWriter writer;
    write_transaction(writer, shape);
    return writer.take();
}

Bytes block(std::size_t count, const Shape& shape, const Shape& last) {
    ByteWriter writer;
    write_zeros(writer, chain::kHeaderBytes);
    writer.compact_size(count + 1);
    for (std::size_t i = 0; i < count; ++i) write_transaction(writer, shape);
    write_transaction(writer, last);
    return writer.take();
}

// A CompactSize count, that many records of zeros, and then more zeros.
Bytes records(std::size_t count, std::size_t record_bytes, std::size_t bytes_behind = 0) {
    ByteWriter writer;
    writer.compact_size(count);
    write_zeros(writer, count * record_bytes + bytes_behind);
    return writer.take();
}

Bytes merkle_block() {
    constexpr std::size_t kHashes = chain::kMaxTransactionsPerBlock;
    ByteWriter writer;
    write_zeros(writer, chain::kHeaderBytes + 4);
    return writer.bytes(records(kHashes, 32)).var_bytes(Bytes(chain::kMaxMerkleFlagBytes)).take();
}

Bytes addresses_of_version_2() {
    ByteWriter writer;
    writer.compact_size(kMaxAddresses);
    for (std::size_t i = 0; i < kMaxAddresses; ++i) {
        writer.u32(0).u8(0).u8(4).var_bytes(Bytes(32, 9)).u16(0);  // onion services
    }
    return writer.take();
}

Bytes addresses() {
    ByteWriter writer;
    writer.compact_size(kMaxAddresses);
    for (std::size_t i = 0; i < kMaxAddresses; ++i) {
        writer.u32(0).u64(0).bytes(Bytes(16, 0x20)).u16(0);
    }
    return writer.take();
}

enum class Decoding : std::uint8_t { succeeds, fails };

struct CostlyMessage {
    std::string name;
    std::string_view command;
    Decoding decoding;
    std::function<Bytes()> payload;
};

void PrintTo(const CostlyMessage& row, std::ostream* out) {
    *out << row.name;
}

class CostlyMessages : public testing::TestWithParam<CostlyMessage> {};

struct Cost {
    bool decodes = false;
    std::size_t peak = 0;
    std::size_t left_over = 0;
};

Cost cost_of(std::string_view command, chain::ByteView payload) {
    Cost cost;
    const test::CountedMemory memory;
    cost.decodes = decode_message({command, payload}).has_value();
    cost.peak = memory.peak();
    cost.left_over = memory.live();
    return cost;
}

// A message of outputs takes up to 7 times its size, but a block bounds the number of outputs. No
// message takes more than 3 times the largest allowed size. A thousand addresses are a small
// message but take many times its size.
TEST_P(CostlyMessages, TakeABoundedMultipleOfTheirSize) {
    const Bytes payload = GetParam().payload();
    ASSERT_LE(payload.size(), kMaxPayloadBytes);
    const Cost cost = cost_of(GetParam().command, payload);
    EXPECT_LE(cost.peak, 3 * kMaxPayloadBytes);
    EXPECT_LE(cost.peak, 7 * payload.size() + 1'000);
    EXPECT_EQ(cost.left_over, 0U);
    EXPECT_EQ(cost.decodes, GetParam().decoding == Decoding::succeeds);
    RecordProperty("payload_bytes", std::to_string(payload.size()));
    RecordProperty("peak_bytes", std::to_string(cost.peak));
}

constexpr std::size_t kRoom = kMaxPayloadBytes - kPrefixBytes;
using enum Decoding;

// clang-format off
INSTANTIATE_TEST_SUITE_P(Wire, CostlyMessages, testing::ValuesIn(std::initializer_list<CostlyMessage>{
    {"TxOfEmptyWitnessItems", "tx", succeeds, [] { return transaction({.witness_items = kRoom}); }},
    {"TxOfWitnessItemsOfAByte", "tx", succeeds, [] { return transaction({.witness_items = kRoom / 2, .witness_item_bytes = 1}); }},
    {"TxOfWitnessItemsOf25Bytes", "tx", succeeds, [] { return transaction({.witness_items = kRoom / 26, .witness_item_bytes = 25}); }},
    {"TxOfOneWitnessItem", "tx", succeeds, [] { return transaction({.witness_items = 1, .witness_item_bytes = kRoom}); }},
    {"TxOfInputs", "tx", fails, [] { return transaction({.inputs = kRoom / 41}); }},
    {"TxOfInputsWithAByte", "tx", fails, [] { return transaction({.inputs = kRoom / 42, .input_script_bytes = 1}); }},
    {"TxOfTheMostInputsWithAByte", "tx", succeeds, [] { return transaction({.inputs = 999'900 / 42, .input_script_bytes = 1}); }},
    {"TxOfTheMostInputsWithAByteAndWitnesses", "tx", succeeds, [] { return transaction({.inputs = 999'900 / 42, .input_script_bytes = 1, .witness_items = 2'900'000}); }},
    {"TxOfInputsWithScriptsTooLarge", "tx", fails, [] { return transaction({.inputs = 24'390, .input_script_bytes = 120}); }},
    {"TxOfOutputs", "tx", fails, [] { return transaction({.outputs = kRoom / 9}); }},
    {"TxOfOutputsWithAByte", "tx", fails, [] { return transaction({.outputs = kRoom / 10, .output_script_bytes = 1}); }},
    {"TxOfTheMostOutputsWithAByte", "tx", succeeds, [] { return transaction({.outputs = 99'990, .output_script_bytes = 1}); }},
    {"TxOfTheMostOutputsWithAByteAndAWitness", "tx", succeeds, [] { return transaction({.outputs = 99'990, .output_script_bytes = 1, .witness_items = 2'990'000}); }},
    {"TxOfOutputsWithScriptsTooLarge", "tx", fails, [] { return transaction({.outputs = 111'000, .output_script_bytes = 25}); }},
    {"BlockOfTransactions", "block", succeeds, [] { return block(16'000, {.output_script_bytes = 1}, {}); }},
    {"BlockOfTransactionsWithAWitness", "block", succeeds, [] { return block(16'000, {.output_script_bytes = 1, .witness_items = 100}, {}); }},
    {"BlockOfEmptyWitnessItems", "block", succeeds, [] { return block(1, {}, {.witness_items = kRoom}); }},
    {"BlockOfOutputsWithAByte", "block", succeeds, [] { return block(1, {}, {.outputs = 99'900, .output_script_bytes = 1}); }},
    {"BlockOfOutputsWithAByteAndAWitness", "block", succeeds, [] { return block(1, {}, {.outputs = 99'900, .output_script_bytes = 1, .witness_items = 2'990'000}); }},
    {"BlockOfManyLargeTransactions", "block", fails, [] { return block(39, {.outputs = 9'900, .output_script_bytes = 1}, {}); }},
    {"BlockThatIsTooLargeAtItsEnd", "block", fails, [] { return block(990, {.outputs = 95, .output_script_bytes = 1}, {.outputs = 90'000, .output_script_bytes = 23}); }},
    {"Inv", "inv", succeeds, [] { return records(kMaxInventoryEntries, 36, kRoom - kMaxInventoryEntries * 36); }},
    {"GetData", "getdata", succeeds, [] { return records(kMaxInventoryEntries, 36); }},
    {"NotFound", "notfound", succeeds, [] { return records(kMaxInventoryEntries, 36); }},
    {"InvOfTooMany", "inv", fails, [] { return records(kRoom / 36, 36); }},
    {"Headers", "headers", succeeds, [] { return records(kMaxHeadersPerMessage, 81); }},
    {"GetHeaders", "getheaders", succeeds, [] { return ByteWriter().u32(0).bytes(records(kMaxLocatorEntries, 32, 32)).take(); }},
    {"GetBlocks", "getblocks", succeeds, [] { return ByteWriter().u32(0).bytes(records(kMaxLocatorEntries, 32, 32)).take(); }},
    {"MerkleBlock", "merkleblock", succeeds, merkle_block},
    {"Addr", "addr", succeeds, addresses},
    {"AddrV2", "addrv2", succeeds, addresses_of_version_2},
    {"FilterLoad", "filterload", succeeds, [] { return Bytes(kMaxPayloadBytes); }},
    {"FilterAdd", "filteradd", succeeds, [] { return ByteWriter().var_bytes(Bytes(kRoom)).take(); }},
    {"Reject", "reject", succeeds, [] { return ByteWriter().u8(0).u8(0).var_bytes(Bytes(kRoom, 'a')).take(); }},
    {"Version", "version", succeeds, [] { return Bytes(kMaxPayloadBytes); }},
    {"Unknown", "cmpctblock", succeeds, [] { return Bytes(kMaxPayloadBytes); }},
}), [](const auto& row) { return row.param.name; });
// clang-format on

struct UnbackedCount {
    std::string name;
    std::string_view command;
    std::size_t bytes_before;
    std::size_t count;
};

void PrintTo(const UnbackedCount& row, std::ostream* out) {
    *out << row.name;
}

class UnbackedCounts : public testing::TestWithParam<UnbackedCount> {};

// Otherwise a few bytes would cost megabytes.
TEST_P(UnbackedCounts, AllocateNothing) {
    ByteWriter writer;
    write_zeros(writer, GetParam().bytes_before);
    writer.compact_size(GetParam().count).u8(0);
    const Bytes payload = writer.take();
    const Cost cost = cost_of(GetParam().command, payload);
    EXPECT_FALSE(cost.decodes);
    EXPECT_EQ(cost.peak, 0U);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Wire, UnbackedCounts, testing::ValuesIn(std::initializer_list<UnbackedCount>{
    {"InvEntries", "inv", 0, 50'000},
    {"GetDataEntries", "getdata", 0, 50'000},
    {"NotFoundEntries", "notfound", 0, 50'000},
    {"LocatorEntries", "getheaders", 4, 101},
    {"Headers", "headers", 0, 2'000},
    {"MerkleBlockHashes", "merkleblock", 84, 16'666},
    {"MerkleBlockFlagsAfterNoHashes", "merkleblock", 85, 4'169},
    {"BlockTransactions", "block", 80, 16'666},
    {"TxInputs", "tx", 4, 24'390},
    {"AddrEntries", "addr", 0, 1'000},
    {"AddrV2Entries", "addrv2", 0, 1'000},
}), [](const auto& row) { return row.param.name; });
// clang-format on

}  // namespace
}  // namespace petal::net
