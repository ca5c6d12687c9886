/// Partial merkle trees: proofs that transactions are in a block (BIP37).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/hash.h"

namespace petal::chain {

/// The maximum number of transactions of at least 60 bytes in a block of 4,000,000 weight units
/// (Bitcoin Core: merkleblock.cpp).
inline constexpr std::uint32_t kMaxTransactionsPerBlock = 4'000'000 / (4 * 60);

/// The number of levels above the leaves in the merkle tree of the largest block.
inline constexpr std::size_t kMaxMerkleTreeHeight = 15;
static_assert(kMaxTransactionsPerBlock > 1U << (kMaxMerkleTreeHeight - 1) &&
              kMaxTransactionsPerBlock <= 1U << kMaxMerkleTreeHeight);

/// One bit for each node of the largest block's merkle tree: at most twice the number of leaves,
/// and one for each level.
inline constexpr std::size_t kMaxMerkleFlagBytes =
    (2 * std::size_t{kMaxTransactionsPerBlock} + kMaxMerkleTreeHeight + 1 + 7) / 8;

/// A partial merkle tree of a `merkleblock`, not yet checked.
struct PartialMerkleTree {
    std::uint32_t transaction_count = 0;  ///< in the full block, as the sender claims
    std::vector<Hash256> hashes;          ///< depth first
    Bytes flags;  ///< one bit for each visited node, least significant bit first

    /// The part of a `merkleblock` after the header (BIP37).
    Bytes serialize() const;

    friend bool operator==(const PartialMerkleTree&, const PartialMerkleTree&) = default;
};

/// Reads the format of serialize(). On failure the reader holds the error.
PartialMerkleTree read_partial_merkle_tree(ByteReader& reader);

enum class MerkleProofError : std::uint8_t {
    no_transactions,
    too_many_transactions,
    more_hashes_than_transactions,
    fewer_flags_than_hashes,
    flags_exhausted,
    hashes_exhausted,
    equal_siblings,  ///< CVE-2012-2459
    unused_flags,
    unused_hashes,
    wrong_root,
    inner_node_is_transaction,  ///< CVE-2017-12842
    malformed_branch,           ///< not a branch of a tree over this number of transactions
};

std::string_view describe(MerkleProofError error);

/// A transaction that a merkle proof shows to be in the block.
struct MerkleMatch {
    std::uint32_t position = 0;  ///< in the block, the coinbase being 0
    Txid txid;

    friend bool operator==(const MerkleMatch&, const MerkleMatch&) = default;
};

/// Returns the transactions that the tree proves to be under `merkle_root`, in block order. Empty
/// if a well-formed tree proves only the root.
///
/// Makes all checks of Bitcoin Core (CPartialMerkleTree). Also refuses an inner node if its 64
/// bytes can be parsed as a transaction with outputs and with amounts in range (CVE-2017-12842).
Expected<std::vector<MerkleMatch>, MerkleProofError> check_merkle_proof(
    const PartialMerkleTree& tree, const Hash256& merkle_root);

/// The result of check_ambiguous_merkle_proof().
struct ProvenMatches {
    std::vector<MerkleMatch> matches;
    /// Whether the tree has an inner node that check_merkle_proof() refuses. If so, only the full
    /// block shows whether the matches are transactions of the block.
    bool is_ambiguous = false;
};

/// Like check_merkle_proof(), but sets `is_ambiguous` instead of refusing an inner node that reads
/// as a transaction. An attacker can grind two txids so that an honest proof contains such a node.
Expected<ProvenMatches, MerkleProofError> check_ambiguous_merkle_proof(
    const PartialMerkleTree& tree, const Hash256& merkle_root);

/// The proof of the transactions for which `matches` is true, as a server makes it (Bitcoin Core:
/// CPartialMerkleTree). `txids` and `matches` have the same length, which is not 0.
PartialMerkleTree make_merkle_proof(std::span<const Txid> txids, const std::vector<bool>& matches);

/// The sibling hashes from a transaction to the merkle root, one for each level, the leaf's sibling
/// first. The last node of a level with an odd number of nodes is its own sibling (as in Electrum's
/// blockchain.transaction.get_merkle).
using MerkleBranch = std::vector<Hash256>;

/// The branches of the transactions that a tree proves, in block order. The tree must come from
/// make_merkle_proof() or have passed check_merkle_proof().
std::vector<MerkleBranch> merkle_branches(const PartialMerkleTree& tree);

/// Checks that a branch leads from a transaction to `merkle_root`, in a block of
/// `transaction_count` transactions. Returns the proof of this transaction, which Bitcoin Core's
/// `gettxoutproof` appends to the block header.
///
/// Unlike check_merkle_proof(), allows inner nodes that read as a transaction, because a full block
/// may have shown that these nodes are not leaves.
Expected<PartialMerkleTree, MerkleProofError> check_merkle_branch(const MerkleMatch& transaction,
                                                                  std::uint32_t transaction_count,
                                                                  const MerkleBranch& branch,
                                                                  const Hash256& merkle_root);

/// The merkle root of a block's txids, of which there must be at least one.
Hash256 merkle_root(std::span<const Txid> txids);

struct MerkleRoot {
    Hash256 hash;
    /// Whether two siblings are equal. If so, another list, in which leaves are repeated or left
    /// out, has the same root (CVE-2012-2459).
    bool is_ambiguous = false;
};

/// The merkle root of any leaves, of which there must be at least one (Bitcoin Core:
/// ComputeMerkleRoot).
MerkleRoot merkle_root_of(std::vector<Hash256> leaves);

/// Whether the stripped size is 64 bytes, like an inner node of a merkle tree. A merkle proof
/// cannot distinguish a transaction of this size from an inner node. A full block can, because its
/// first leaf must be a coinbase.
bool is_merkle_node_sized(std::size_t stripped_bytes);

}  // namespace petal::chain
