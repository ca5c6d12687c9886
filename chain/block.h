/// Full blocks: their wire form, and the checks of their transactions against the header.
#pragma once

#include <array>
#include <cstdint>
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

namespace petal::chain {

/// No block is larger on the wire: its weight is at least its size (BIP141; Bitcoin Core:
/// consensus.h, MAX_BLOCK_SERIALIZED_SIZE).
inline constexpr std::size_t kMaxBlockBytes = 4'000'000;

/// A full block. A plain value, to be checked by check_transactions().
struct Block {
    BlockHeader header;
    std::vector<Transaction> transactions;  ///< the coinbase first

    friend bool operator==(const Block&, const Block&) = default;

    /// The wire form, with the witnesses that there are.
    Bytes serialize() const;
    /// The wire form without witnesses.
    Bytes serialize_without_witness() const;
};

/// The size of a block of these transactions on the wire, without witnesses, in bytes.
std::size_t stripped_block_size(std::span<const Transaction> transactions);

/// Reads one block and leaves the reader after it. The number of transactions is bounded by
/// kMaxTransactionsPerBlock and by the bytes that are left; the inputs and outputs of all, with
/// their counts, by kMaxStrippedBytes. On failure the reader holds the error and the result is
/// empty.
Block read_block(ByteReader& reader);

/// The block that `bytes` spell, no byte more; `too_large` above kMaxBlockBytes.
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

/// Checks that the header's merkle root is that of the block's transactions, and of no other list
/// (Bitcoin Core: validation.cpp, IsBlockMutated), and then that they begin with a coinbase.
/// Returns their ids, in block order. As the first one must be a coinbase, no level of the tree can
/// be taken for another: a hash above the leaves cannot spend the null outpoint, and a coinbase
/// cannot be made of the hashes of two transactions.
Expected<std::vector<Txid>, BlockError> check_transactions(const Block& block);

/// Checks the witnesses of a block's transactions against the commitment in the coinbase. Without a
/// commitment, no transaction may have a witness (BIP141; Bitcoin Core: CheckWitnessMalleation).
/// For a block that was requested with witnesses, at a height where BIP141 is in force. `txids` is
/// the result of check_transactions().
Expected<void, BlockError> check_witnesses(std::span<const Transaction> transactions,
                                           std::span<const Txid> txids);

/// The hash that commits to the transactions' witnesses (BIP141). The first transaction is the
/// coinbase; its witness, the reserved value, is passed separately. `txids` are the transactions'
/// ids; the coinbase's is not used.
Hash256 witness_commitment(std::span<const Transaction> transactions, std::span<const Txid> txids,
                           const std::array<Byte, 32>& reserved_value);

/// The witness commitment of the coinbase: in the last of the outputs that have the form (BIP141).
std::optional<Hash256> find_witness_commitment(const Transaction& coinbase);

/// The output script by which a coinbase carries the commitment.
Bytes witness_commitment_script(const Hash256& commitment);

}  // namespace petal::chain
