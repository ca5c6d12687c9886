// The transaction's and its witnesses' wire form (BIP144), and its identifiers.
#include "chain/transaction.h"

#include <algorithm>
#include <cassert>

namespace petal::chain {

namespace {

void write_body(ByteWriter& writer, const Transaction& transaction) {
    writer.compact_size(transaction.inputs.size());
    for (const TxInput& input : transaction.inputs) {
        writer.bytes(input.prevout.serialize()).var_bytes(input.script_sig).u32(input.sequence);
    }
    writer.compact_size(transaction.outputs.size());
    for (const TxOutput& output : transaction.outputs) {
        writer.i64(output.value).var_bytes(output.script_pubkey);
    }
}

std::size_t var_bytes_size(ByteView bytes) {
    return compact_size_bytes(bytes.size()) + bytes.size();
}

// The size of marker, flag and witnesses. 0 if no input has a witness.
std::size_t witness_size(const Transaction& transaction) {
    if (!transaction.has_witness()) return 0;
    std::size_t size = 2;
    for (const TxInput& input : transaction.inputs) {
        size += compact_size_bytes(input.witness.size()) + input.witness.serialized_items().size();
    }
    return size;
}

}  // namespace

Witness::Witness(std::initializer_list<Bytes> items) {
    for (const Bytes& item : items) push_back(item);
}

ByteView Witness::operator[](std::size_t index) const {
    assert(index < count_);
    ByteReader reader{items_};
    for (; index > 0; --index) reader.read_var_view(kMaxCompactSize);
    return reader.read_var_view(kMaxCompactSize);
}

std::vector<ByteView> Witness::items() const {
    std::vector<ByteView> views;
    ByteReader reader{items_};
    for (std::size_t i = 0; i < count_; ++i) views.push_back(reader.read_var_view(kMaxCompactSize));
    return views;
}

void Witness::push_back(ByteView item) {
    const Bytes serialized = ByteWriter{}.var_bytes(item).take();
    items_.insert(items_.end(), serialized.begin(), serialized.end());
    ++count_;
}

Witness read_witness(ByteReader& reader) {
    const std::size_t count = reader.read_count(kMaxCompactSize, 1);
    const ByteView behind_count = reader.rest();
    for (std::size_t i = 0; i < count && reader.ok(); ++i) reader.read_var_view(kMaxCompactSize);
    if (!reader.ok()) return {};
    const ByteView items = behind_count.first(behind_count.size() - reader.remaining());
    Witness witness;
    witness.items_.assign(items.begin(), items.end());
    witness.count_ = count;
    return witness;
}

std::array<Byte, 36> Outpoint::serialize() const {
    std::array<Byte, 36> bytes;
    Byte* to = std::copy(txid.bytes.begin(), txid.bytes.end(), bytes.data());
    put_u32(to, index);
    return bytes;
}

Outpoint to_outpoint(ByteView serialized) {
    assert(serialized.size() == 36);
    return {Txid::from_view(serialized), get_u32(serialized.data() + 32)};
}

std::string Outpoint::to_string() const {
    return txid.to_hex() + ':' + std::to_string(index);
}

std::optional<Outpoint> Outpoint::from_string(std::string_view text) {
    constexpr std::size_t kTxidDigits = 64;
    if (text.size() <= kTxidDigits + 1 || text[kTxidDigits] != ':') return std::nullopt;
    const auto txid = Txid::from_hex(text.substr(0, kTxidDigits));
    if (!txid) return std::nullopt;

    const std::string_view digits = text.substr(kTxidDigits + 1);
    if (digits.front() == '0' && digits.size() > 1) return std::nullopt;
    const auto index = parse_number<std::uint32_t>(digits);
    if (!index) return std::nullopt;
    return Outpoint{*txid, *index};
}

bool Transaction::has_witness() const {
    return std::any_of(inputs.begin(), inputs.end(),
                       [](const TxInput& input) { return !input.witness.empty(); });
}

Transaction without_witness(Transaction transaction) {
    for (TxInput& input : transaction.inputs) input.witness.clear();
    return transaction;
}

Txid Transaction::txid() const {
    return {sha256d(serialize_without_witness()).bytes};
}

Wtxid Transaction::wtxid() const {
    return {sha256d(serialize()).bytes};
}

Bytes Transaction::serialize() const {
    if (!has_witness()) return serialize_without_witness();
    ByteWriter writer{total_size()};
    writer.i32(version).u8(0).u8(kWitnessFlag);
    write_body(writer, *this);
    for (const TxInput& input : inputs) {
        writer.compact_size(input.witness.size()).bytes(input.witness.serialized_items());
    }
    writer.u32(lock_time);
    return writer.take();
}

Bytes Transaction::serialize_without_witness() const {
    ByteWriter writer{stripped_size()};
    writer.i32(version);
    write_body(writer, *this);
    writer.u32(lock_time);
    return writer.take();
}

std::size_t Transaction::stripped_size() const {
    std::size_t size =
        4 + compact_size_bytes(inputs.size()) + compact_size_bytes(outputs.size()) + 4;
    for (const TxInput& input : inputs) size += 40 + var_bytes_size(input.script_sig);
    for (const TxOutput& output : outputs) size += 8 + var_bytes_size(output.script_pubkey);
    return size;
}

std::size_t Transaction::total_size() const {
    return stripped_size() + witness_size(*this);
}

std::size_t Transaction::weight() const {
    return 4 * stripped_size() + witness_size(*this);
}

Transaction read_transaction(ByteReader& reader) {
    std::size_t stripped_bytes_left = kMaxStrippedBytes;
    return read_transaction(reader, stripped_bytes_left);
}

Transaction read_transaction(ByteReader& reader, std::size_t& stripped_bytes_left) {
    const TransactionView view = read_transaction_view(reader, stripped_bytes_left);
    return reader.ok() ? to_transaction(view) : Transaction{};
}

Transaction to_transaction(const TransactionView& view) {
    Transaction transaction;
    transaction.version = static_cast<std::int32_t>(get_u32(view.bytes().data()));
    transaction.lock_time = get_u32(view.bytes().last(4).data());
    transaction.inputs.reserve(view.input_count());
    transaction.outputs.reserve(view.output_count());
    view.for_each_input([&](ByteView outpoint, ByteView script_sig, std::uint32_t sequence) {
        transaction.inputs.push_back(
            {to_outpoint(outpoint), {script_sig.begin(), script_sig.end()}, sequence, {}});
    });
    view.for_each_output([&](Satoshis value, ByteView script_pubkey) {
        transaction.outputs.push_back({value, {script_pubkey.begin(), script_pubkey.end()}});
    });
    if (view.has_witness()) {
        ByteReader reader{view.witnesses()};
        for (TxInput& input : transaction.inputs) input.witness = read_witness(reader);
    }
    return transaction;
}

Expected<Transaction, DecodeError> decode_transaction(ByteView bytes) {
    ByteReader reader{bytes};
    Transaction transaction = read_transaction(reader);
    reader.expect_end();
    if (!reader.ok()) return Unexpected(reader.error());
    return transaction;
}

}  // namespace petal::chain
