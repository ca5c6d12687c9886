#include "chain/transaction_view.h"

#include <algorithm>

namespace petal::chain {

namespace {

// The minimum size of an item of each list on the wire.
constexpr std::size_t kMinInputBytes = 32 + 4 + 1 + 4;
constexpr std::size_t kMinOutputBytes = 8 + 1;

// Skips a list, each item by `skip_item`, and subtracts the size of the list from `bytes_left`.
// Fails at the count if that many items exceed `bytes_left`. Returns the number of items.
template <typename SkipItem>
std::size_t skip_list(ByteReader& reader, std::size_t min_item_bytes, std::size_t& bytes_left,
                      SkipItem skip_item) {
    const std::size_t before = reader.remaining();
    const std::size_t count = reader.read_count(bytes_left / min_item_bytes, min_item_bytes);
    for (std::size_t i = 0; i < count && reader.ok(); ++i) skip_item();
    const std::size_t taken = before - reader.remaining();
    if (taken > bytes_left) reader.fail(DecodeError::too_large);
    bytes_left -= std::min(taken, bytes_left);
    return count;
}

// Returns whether the input has a witness.
bool skip_witness(ByteReader& reader) {
    const std::size_t count = reader.read_count(kMaxCompactSize, 1);
    for (std::size_t i = 0; i < count && reader.ok(); ++i) reader.read_var_view(kMaxCompactSize);
    return count > 0;
}

}  // namespace

bool TransactionView::is_coinbase() const {
    const ByteView inputs = bytes_.first(outputs_).subspan(inputs_);
    if (inputs.front() != 1) return false;
    const ByteView outpoint = inputs.subspan(1, kOutpointBytes);
    const ByteView txid = outpoint.first(kOutpointBytes - 4);
    return std::ranges::all_of(txid, [](Byte byte) { return byte == 0; }) &&
           get_u32(outpoint.data() + txid.size()) == 0xffffffff;
}

std::array<ByteView, 3> TransactionView::stripped() const {
    if (!has_witness_) return {bytes_, {}, {}};
    return {bytes_.first(kVersionBytes), bytes_.first(outputs_end_).subspan(inputs_),
            bytes_.last(kLockTimeBytes)};
}

ByteView TransactionView::witnesses() const {
    return bytes_.first(bytes_.size() - kLockTimeBytes).subspan(outputs_end_);
}

TransactionView read_transaction_view(ByteReader& reader, std::size_t& stripped_bytes_left) {
    const ByteView all = reader.rest();
    const auto place = [&] { return static_cast<std::uint32_t>(all.size() - reader.remaining()); };
    TransactionView view;
    reader.read_view(TransactionView::kVersionBytes);
    view.inputs_ = place();
    // An input count of zero marks the witness form, in which flags follow instead of the count of
    // outputs. Without flags, that count is zero, too.
    const bool has_flags = reader.peek_u8() == 0;
    if (has_flags) reader.read_u8();
    view.outputs_ = place();
    const std::uint8_t flags = has_flags ? reader.read_u8() : std::uint8_t{0};
    view.outputs_end_ = place();
    if (!has_flags || flags != 0) {
        view.inputs_ = place();
        const std::size_t inputs = skip_list(reader, kMinInputBytes, stripped_bytes_left, [&] {
            reader.read_view(TransactionView::kOutpointBytes);
            reader.read_var_view(kMaxCompactSize);
            reader.read_view(TransactionView::kSequenceBytes);
        });
        view.outputs_ = place();
        skip_list(reader, kMinOutputBytes, stripped_bytes_left, [&] {
            reader.read_view(TransactionView::kValueBytes);
            reader.read_var_view(kMaxCompactSize);
        });
        view.outputs_end_ = place();
        for (std::size_t i = 0; flags == kWitnessFlag && i < inputs && reader.ok(); ++i) {
            if (skip_witness(reader)) view.has_witness_ = true;
        }
    }
    // Either unknown flags (no witness was read), or a witness form in which every witness is
    // empty.
    if (flags != 0 && !view.has_witness_) reader.fail(DecodeError::invalid_value);
    reader.read_view(TransactionView::kLockTimeBytes);
    view.bytes_ = all.first(place());
    return view;
}

}  // namespace petal::chain
