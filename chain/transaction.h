/// Transactions, with and without witness (BIP144).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/hash.h"

namespace petal::chain {

/// An amount in satoshi. Signed, as on the wire and so that differences need no care.
using Satoshis = std::int64_t;

/// Bitcoin Core: COIN.
inline constexpr Satoshis kSatoshisPerBitcoin = 100'000'000;
/// No amount, and no sum of a transaction's outputs, is above 21 million bitcoin (Bitcoin Core:
/// MAX_MONEY).
inline constexpr Satoshis kMaxMoney = 2'100'000'000'000'000;

/// No transaction, and no block's transactions together, have more bytes outside of witnesses
/// (BIP141: each weighs 4, and a block 4,000,000 at most; Bitcoin Core: MAX_BLOCK_WEIGHT). What
/// read_transaction() compares with it are the inputs and outputs, and their counts.
inline constexpr std::size_t kMaxStrippedBytes = 1'000'000;

/// One output of one transaction.
struct Outpoint {
    Txid txid;
    std::uint32_t index = 0;

    friend auto operator<=>(const Outpoint&, const Outpoint&) = default;

    /// The 36 bytes of the wire and of BIP37 filters: txid in internal order, then the index.
    std::array<Byte, 36> serialize() const;
    /// `TXID:VOUT`, the txid in display order.
    std::string to_string() const;
    /// Reads the format of to_string(); empty for other text.
    static std::optional<Outpoint> from_string(std::string_view text);
    /// Whether this is the outpoint of a coinbase's only input: a zero txid and the index
    /// 0xffffffff.
    bool is_null() const { return txid.is_zero() && index == 0xffffffff; }
};

/// The witness of one input (BIP141): a stack of byte strings, kept in its wire form, so that it
/// takes no more memory than bytes were sent. Consensus allows any number of items, even empty
/// ones: mainnet's block 761,249 has a witness of half a million.
class Witness {
public:
    Witness() = default;
    Witness(std::initializer_list<Bytes> items);

    /// Whether the input has no witness, or its witness was not sent.
    bool empty() const { return count_ == 0; }
    /// How many items there are.
    std::size_t size() const { return count_; }
    /// The item at `index`, which is below size(). Takes time linear in `index`.
    ByteView operator[](std::size_t index) const;

    /// All items, in order; they are parts of this witness.
    std::vector<ByteView> items() const;

    void push_back(ByteView item);
    void clear() { *this = {}; }

    /// Each item after its length, as on the wire, without the count of items, which is size().
    ByteView serialized_items() const { return items_; }

    friend bool operator==(const Witness&, const Witness&) = default;

private:
    friend Witness read_witness(ByteReader& reader);

    Bytes items_;
    std::size_t count_ = 0;
};

/// Reads a count and that number of items, and leaves the reader after them. On failure the reader
/// holds the error and the result is empty.
Witness read_witness(ByteReader& reader);

struct TxInput {
    Outpoint prevout;
    Bytes script_sig;
    std::uint32_t sequence = 0xffffffff;
    Witness witness;

    friend bool operator==(const TxInput&, const TxInput&) = default;
};

struct TxOutput {
    Satoshis value = 0;
    Bytes script_pubkey;

    friend bool operator==(const TxOutput&, const TxOutput&) = default;
};

/// A transaction. A plain value: each call computes the identifiers anew, so a caller that needs
/// one twice keeps it.
struct Transaction {
    std::int32_t version = 2;
    std::vector<TxInput> inputs;
    std::vector<TxOutput> outputs;
    std::uint32_t lock_time = 0;

    friend bool operator==(const Transaction&, const Transaction&) = default;

    bool has_witness() const;
    bool is_coinbase() const { return inputs.size() == 1 && inputs[0].prevout.is_null(); }

    /// SHA-256d of the serialization without witness.
    Txid txid() const;
    /// SHA-256d of the whole serialization (BIP141); equals txid() without a witness.
    Wtxid wtxid() const;

    /// The wire form, with marker, flag and witness if any input has one.
    Bytes serialize() const;
    /// The form that txid() hashes, and that peers send for filtered blocks.
    Bytes serialize_without_witness() const;

    /// The size of serialize_without_witness(), in bytes.
    std::size_t stripped_size() const;
    /// The size of serialize(), in bytes (Bitcoin Core: GetTotalSize).
    std::size_t total_size() const;
    /// 3 x stripped size + total size, in weight units (BIP141).
    std::size_t weight() const;
    /// ceil(weight / 4), in vB.
    std::size_t virtual_size() const { return (weight() + 3) / 4; }
};

/// The transaction without witnesses, as peers send it for filtered blocks.
Transaction without_witness(Transaction transaction);

/// Reads one transaction and leaves the reader after it. The bytes that are left bound counts and
/// lengths; kMaxStrippedBytes (`too_large`) bounds the inputs and outputs with their counts, and
/// so the memory of many small outputs. A witness form with only empty witnesses and unknown flags
/// are refused (Bitcoin Core: UnserializeTransaction). On failure the reader holds the error
/// and the result is empty.
Transaction read_transaction(ByteReader& reader);

/// Reads one of several transactions that share a bound: the size of its inputs and outputs, and of
/// their counts, is subtracted from `stripped_bytes_left`; if that does not suffice, the error is
/// `too_large`.
Transaction read_transaction(ByteReader& reader, std::size_t& stripped_bytes_left);

/// The transaction that `bytes` spell, no byte more.
Expected<Transaction, DecodeError> decode_transaction(ByteView bytes);

}  // namespace petal::chain

template <>
struct std::hash<petal::chain::Outpoint> {
    std::size_t operator()(const petal::chain::Outpoint& outpoint) const noexcept {
        return petal::chain::table_hash(outpoint.txid.bytes, outpoint.index);
    }
};
