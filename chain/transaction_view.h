/// Transactions in wire form whose parts are found without decoding them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "chain/byte_reader.h"
#include "chain/bytes.h"

namespace petal::chain {

/// The flags of a transaction with witnesses. They follow an input count of zero, which marks the
/// form with flags (BIP144).
inline constexpr std::uint8_t kWitnessFlag = 0x01;

/// A view of a transaction in wire form. Allocates nothing. The bytes must outlive the view.
class TransactionView {
public:
    /// The whole wire form, with witnesses if there are any.
    ByteView bytes() const { return bytes_; }
    bool has_witness() const { return has_witness_; }
    bool is_coinbase() const;
    /// The wire form without witnesses, in up to three parts.
    std::array<ByteView, 3> stripped() const;
    /// The witnesses on the wire: for each input a count of items, and the items.
    ByteView witnesses() const;

    std::size_t input_count() const { return count_at(inputs_); }
    std::size_t output_count() const { return count_at(outputs_); }

    /// Calls visit(outpoint, script_sig, sequence) for each input. The outpoint is 36 bytes
    /// (to_outpoint()).
    template <typename Visit>
    void for_each_input(Visit visit) const {
        ByteReader reader{bytes_.subspan(inputs_)};
        for (auto left = reader.read_compact_size(); left > 0; --left) {
            const ByteView outpoint = reader.read_view(kOutpointBytes);
            const ByteView script_sig = reader.read_var_view(kMaxCompactSize);
            visit(outpoint, script_sig, reader.read_u32());
        }
    }
    /// Calls visit(value, script_pubkey) for each output.
    template <typename Visit>
    void for_each_output(Visit visit) const {
        ByteReader reader{bytes_.subspan(outputs_)};
        for (auto left = reader.read_compact_size(); left > 0; --left) {
            const std::int64_t value = reader.read_i64();
            visit(value, reader.read_var_view(kMaxCompactSize));
        }
    }

private:
    friend TransactionView read_transaction_view(ByteReader& reader,
                                                 std::size_t& stripped_bytes_left);

    static constexpr std::size_t kVersionBytes = 4;
    static constexpr std::size_t kOutpointBytes = 36;
    static constexpr std::size_t kSequenceBytes = 4;
    static constexpr std::size_t kValueBytes = 8;
    static constexpr std::size_t kLockTimeBytes = 4;

    std::size_t count_at(std::size_t place) const {
        return static_cast<std::size_t>(ByteReader{bytes_.subspan(place)}.read_compact_size());
    }

    ByteView bytes_;
    // Where the parts begin. Witnesses follow the outputs.
    std::uint32_t inputs_ = 0;
    std::uint32_t outputs_ = 0;
    std::uint32_t outputs_end_ = 0;
    bool has_witness_ = false;
};

/// Finds the parts of one of several transactions with a common limit, and leaves the reader after
/// it. On failure the reader holds the error. Limits, errors and `stripped_bytes_left`: see
/// read_transaction(), which relies on this function.
TransactionView read_transaction_view(ByteReader& reader, std::size_t& stripped_bytes_left);

}  // namespace petal::chain
