/// Full blocks: their wire form, and the checks of their transactions against the header.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "chain/block_header.h"
#include "chain/byte_reader.h"
#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/hash.h"
#include "chain/transaction.h"
#include "chain/transaction_view.h"

namespace petal::chain {

/// The maximum size of a block on the wire, since a block's weight is at least its size (BIP141,
/// Bitcoin Core: consensus.h, MAX_BLOCK_SERIALIZED_SIZE).
inline constexpr std::size_t kMaxBlockBytes = 4'000'000;

/// A full block, not yet checked (check_transactions()).
struct Block {
    BlockHeader header;
    std::vector<Transaction> transactions;  ///< the coinbase first

    friend bool operator==(const Block&, const Block&) = default;

    /// The wire form with witnesses.
    Bytes serialize() const;
    /// The wire form without witnesses.
    Bytes serialize_without_witness() const;
};

/// A block in wire form whose transactions are found but not decoded.
class BlockView {
public:
    /// An empty header and no transactions.
    BlockView() = default;
    /// The block's wire form with witnesses, which the view and its copies own. Of a block that
    /// decode_block() would refuse, no transaction is found.
    explicit BlockView(const Block& block);
    /// Finds the transactions of exactly one block. Limits and errors: see decode_block(). The
    /// bytes must outlive the view and its copies, unless these own their bytes (own_bytes()).
    static Expected<BlockView, DecodeError> find(ByteView bytes);

    const BlockHeader& header() const { return header_; }
    /// The hash of the header.
    const BlockHash& hash() const { return hash_; }
    /// In block order, the coinbase first.
    std::span<const TransactionView> transactions() const { return transactions_; }
    /// The whole wire form.
    ByteView bytes() const { return bytes_; }

    /// Copies the bytes, unless the view owns them.
    void own_bytes();
    Block decode() const;

    friend bool operator==(const BlockView& left, const BlockView& right) {
        return std::ranges::equal(left.bytes_, right.bytes_);
    }

private:
    friend Block read_block(ByteReader& reader);

    explicit BlockView(std::shared_ptr<const Bytes> bytes);

    void find_transactions(ByteReader& reader);

    ByteView bytes_;
    std::shared_ptr<const Bytes> owned_;  // null if the bytes are not owned
    BlockHeader header_;
    BlockHash hash_;
    std::vector<TransactionView> transactions_;
};

/// The size in bytes, without witnesses, of a block of these transactions on the wire.
std::size_t stripped_block_size(std::span<const Transaction> transactions);

/// Reads one block and leaves the reader after it. On failure the reader holds the error and the
/// result is empty. Limits:
/// - the number of transactions: kMaxTransactionsPerBlock, and what the remaining bytes can hold
/// - all inputs and outputs together, with their counts: kMaxStrippedBytes
Block read_block(ByteReader& reader);

/// Decodes exactly one block. Returns `too_large` above kMaxBlockBytes, and `trailing_bytes` if
/// bytes follow the block.
Expected<Block, DecodeError> decode_block(ByteView bytes);

/// Why transactions do not match a block's header.
enum class BlockError : std::uint8_t {
    no_coinbase,            ///< the first transaction is not a coinbase, or there is none
    repeated_transactions,  ///< CVE-2012-2459
    wrong_merkle_root,
    unexpected_witness,        ///< witnesses that no commitment covers
    malformed_reserved_value,  ///< the coinbase's witness is not one item of 32 bytes
    wrong_witness_commitment,
};

std::string_view describe(BlockError error);

/// Checks that the header's merkle root commits to the block's transactions and to no other list
/// (Bitcoin Core: validation.cpp, IsBlockMutated), and that the first transaction is a coinbase.
/// Returns the txids in block order.
///
/// The coinbase excludes a list that is an inner level of the merkle tree: hashes cannot spell an
/// input with the null outpoint, and a coinbase cannot be made of two txids.
Expected<std::vector<Txid>, BlockError> check_transactions(const Block& block);
Expected<std::vector<Txid>, BlockError> check_transactions(const BlockView& block);

/// Checks the witnesses of a block's transactions against the commitment in the coinbase. Without a
/// commitment, no transaction may have a witness (BIP141, Bitcoin Core: CheckWitnessMalleation).
/// The block must have been requested with witnesses, at a height where BIP141 is in force. `txids`
/// is the result of check_transactions().
Expected<void, BlockError> check_witnesses(std::span<const Transaction> transactions,
                                           std::span<const Txid> txids);
Expected<void, BlockError> check_witnesses(std::span<const TransactionView> transactions,
                                           std::span<const Txid> txids);

/// The hash that commits to the transactions' witnesses (BIP141). The first transaction is the
/// coinbase, whose witness is passed as `reserved_value`. The first of the `txids` is not used.
Hash256 witness_commitment(std::span<const Transaction> transactions, std::span<const Txid> txids,
                           const std::array<Byte, 32>& reserved_value);

/// The coinbase's witness commitment: the last output with the commitment's form counts (BIP141).
std::optional<Hash256> find_witness_commitment(const Transaction& coinbase);

/// The output script in which a coinbase carries the commitment.
Bytes witness_commitment_script(const Hash256& commitment);

}  // namespace petal::chain
