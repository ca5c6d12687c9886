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
#include "chain/transaction_view.h"

namespace petal::chain {

/// An amount in satoshi. Signed, as on the wire, so that a difference may be negative.
using Satoshis = std::int64_t;

/// Bitcoin Core: COIN.
inline constexpr Satoshis kSatoshisPerBitcoin = 100'000'000;
/// The maximum of an amount, and of the sum of a transaction's outputs: 21 million bitcoin (Bitcoin
/// Core: MAX_MONEY).
inline constexpr Satoshis kMaxMoney = 2'100'000'000'000'000;

/// The maximum size without witnesses of a transaction, and of all transactions of a block
/// together: each byte weighs 4, and a block at most 4,000,000 (BIP141, Bitcoin Core:
/// MAX_BLOCK_WEIGHT). read_transaction() counts only the inputs and outputs and their counts.
inline constexpr std::size_t kMaxStrippedBytes = 1'000'000;

/// One output of one transaction.
struct Outpoint {
    Txid txid;
    std::uint32_t index = 0;

    friend auto operator<=>(const Outpoint&, const Outpoint&) = default;

    /// The 36 bytes of the wire and of BIP37 filters: the txid in internal order, then the index.
    std::array<Byte, 36> serialize() const;
    /// `TXID:VOUT`, the txid in display order.
    std::string to_string() const;
    /// Reads the format of to_string(). Empty for any other text.
    static std::optional<Outpoint> from_string(std::string_view text);
    /// Whether this is the prevout of a coinbase: a zero txid and the index 0xffffffff.
    bool is_null() const { return txid.is_zero() && index == 0xffffffff; }
};

/// The outpoint of the 36 bytes of Outpoint::serialize().
Outpoint to_outpoint(ByteView serialized);

/// The witness of one input (BIP141): a stack of byte strings. Stored in wire form, so that many
/// small items take no more memory than the message. Consensus allows any number of items, even
/// empty ones. A witness in mainnet's block 761,249 has half a million.
class Witness {
public:
    Witness() = default;
    Witness(std::initializer_list<Bytes> items);

    /// Whether there are no items: the input has no witness, or the peer sent none.
    bool empty() const { return count_ == 0; }
    /// The number of items.
    std::size_t size() const { return count_; }
    /// The item at `index`, which must be below size(). Takes time linear in `index`.
    ByteView operator[](std::size_t index) const;

    /// All items in order, as views into this witness.
    std::vector<ByteView> items() const;

    void push_back(ByteView item);
    void clear() { *this = {}; }

    /// The items as on the wire, each after its length, without the count of items.
    ByteView serialized_items() const { return items_; }

    friend bool operator==(const Witness&, const Witness&) = default;

private:
    friend Witness read_witness(ByteReader& reader);

    Bytes items_;
    std::size_t count_ = 0;
};

/// Reads the count of items and the items. On failure the reader holds the error and the result is
/// empty.
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

/// A transaction. txid() and wtxid() hash on each call: the result is not cached.
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
    /// SHA-256d of the whole serialization (BIP141). Equals txid() if there is no witness.
    Wtxid wtxid() const;

    /// The wire form, with marker, flag and witness if any input has one.
    Bytes serialize() const;
    /// The form that txid() hashes and that peers send for filtered blocks.
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

/// Reads one transaction and leaves the reader after it. On failure the reader holds the error and
/// the result is empty. Limits:
/// - counts and lengths: the remaining bytes
/// - inputs and outputs with their counts, and so the memory of many small outputs:
///   kMaxStrippedBytes (else `too_large`)
///
/// Refuses unknown flags, and a witness form in which every witness is empty (Bitcoin Core:
/// UnserializeTransaction).
Transaction read_transaction(ByteReader& reader);

/// Reads one of several transactions with a common limit. Subtracts the size of the inputs and
/// outputs, with their counts, from `stripped_bytes_left`. The error is `too_large` if the size
/// exceeds `stripped_bytes_left`.
Transaction read_transaction(ByteReader& reader, std::size_t& stripped_bytes_left);

/// Decodes a transaction that read_transaction_view() has found.
Transaction to_transaction(const TransactionView& view);

/// Decodes exactly one transaction. Returns `trailing_bytes` if bytes follow.
Expected<Transaction, DecodeError> decode_transaction(ByteView bytes);

}  // namespace petal::chain

template <>
struct std::hash<petal::chain::Outpoint> {
    std::size_t operator()(const petal::chain::Outpoint& outpoint) const noexcept {
        return petal::chain::table_hash(outpoint.txid.bytes, outpoint.index);
    }
};
