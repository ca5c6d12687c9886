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

/// How many levels above its leaves the merkle tree of the largest block has.
inline constexpr std::size_t kMaxMerkleTreeHeight = 15;
static_assert(kMaxTransactionsPerBlock > 1U << (kMaxMerkleTreeHeight - 1) &&
              kMaxTransactionsPerBlock <= 1U << kMaxMerkleTreeHeight);

/// One bit for each node of the largest block's merkle tree: at most twice the number of leaves,
/// and one for each of its levels.
inline constexpr std::size_t kMaxMerkleFlagBytes =
    (2 * std::size_t{kMaxTransactionsPerBlock} + kMaxMerkleTreeHeight + 1 + 7) / 8;

/// A partial merkle tree as a `merkleblock` carries it; not yet checked.
struct PartialMerkleTree {
    std::uint32_t transaction_count = 0;  ///< in the full block, as the sender claims
    std::vector<Hash256> hashes;          ///< depth first
    Bytes flags;  ///< one bit for each visited node, least significant bit first

    /// The part of a `merkleblock` after the header (BIP37).
    Bytes serialize() const;

    friend bool operator==(const PartialMerkleTree&, const PartialMerkleTree&) = default;
};

/// Reads the format of serialize(), and leaves the reader after it. On failure the reader holds the
/// error.
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

/// A transaction that a proof shows to be in the block.
struct MerkleMatch {
    std::uint32_t position = 0;  ///< in the block, the coinbase being 0
    Txid txid;

    friend bool operator==(const MerkleMatch&, const MerkleMatch&) = default;
};

/// The transactions that the tree proves to be under `merkle_root`, in block order; empty if a
/// well-formed tree proves only its root. Makes all checks of Bitcoin Core (CPartialMerkleTree),
/// and refuses an inner node whose 64 bytes are a transaction that could be in a block
/// (CVE-2017-12842): it parses, has outputs, and each has a possible amount.
Expected<std::vector<MerkleMatch>, MerkleProofError> check_merkle_proof(
    const PartialMerkleTree& tree, const Hash256& merkle_root);

/// The result of check_ambiguous_merkle_proof().
struct ProvenMatches {
    std::vector<MerkleMatch> matches;
    /// Whether there is an inner node that check_merkle_proof() refuses. Then only the full block
    /// shows whether the matches are its transactions.
    bool is_ambiguous = false;
};

/// As check_merkle_proof(), but reports an inner node that is a transaction instead of refusing it:
/// an attacker can choose the ids of two transactions so that an honest proof has such a node.
Expected<ProvenMatches, MerkleProofError> check_ambiguous_merkle_proof(
    const PartialMerkleTree& tree, const Hash256& merkle_root);

/// The proof for those transactions of a block for which `matches` is true; both have the same,
/// non-zero length. Identical to a server's proof (Bitcoin Core: CPartialMerkleTree).
PartialMerkleTree make_merkle_proof(std::span<const Txid> txids, const std::vector<bool>& matches);

/// The hashes from a transaction to its block's merkle root: one sibling for each level, the leaf's
/// first. The last node of an odd level is its own sibling (as in Electrum's
/// blockchain.transaction.get_merkle).
using MerkleBranch = std::vector<Hash256>;

/// The branches of the transactions that a tree proves, in block order. The tree was made by
/// make_merkle_proof() or accepted by check_merkle_proof().
std::vector<MerkleBranch> merkle_branches(const PartialMerkleTree& tree);

/// Checks that a branch leads from a transaction to `merkle_root`, in a block of
/// `transaction_count` transactions, like check_merkle_proof(). Inner nodes that read as a
/// transaction are allowed here: a full block may have shown that they are not leaves. Returns the
/// proof of this transaction alone, which Bitcoin Core's `gettxoutproof` appends to the block's
/// header.
Expected<PartialMerkleTree, MerkleProofError> check_merkle_branch(const MerkleMatch& transaction,
                                                                  std::uint32_t transaction_count,
                                                                  const MerkleBranch& branch,
                                                                  const Hash256& merkle_root);

/// The root over all of a block's transaction ids; there is at least one.
Hash256 merkle_root(std::span<const Txid> txids);

struct MerkleRoot {
    Hash256 hash;
    /// Whether two siblings are equal: then a list in which leaves are left out or repeated has the
    /// same root (CVE-2012-2459).
    bool is_ambiguous = false;
};

/// The root over leaves of any kind; there is at least one (Bitcoin Core: ComputeMerkleRoot).
MerkleRoot merkle_root_of(std::vector<Hash256> leaves);

/// Whether the stripped size is 64 bytes, the size of an inner node. A merkle proof cannot tell
/// them apart; a full block can, as its first leaf must be a coinbase.
bool is_merkle_node_sized(std::size_t stripped_bytes);

}  // namespace petal::chain
