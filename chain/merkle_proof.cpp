// Partial merkle trees: checking and building them (Bitcoin Core: merkleblock.cpp).
#include "chain/merkle_proof.h"

#include <algorithm>
#include <cassert>

#include "chain/byte_writer.h"
#include "chain/enum_table.h"
#include "chain/transaction.h"

namespace petal::chain {

namespace {

Hash256 hash_pair(const Hash256& left, const Hash256& right) {
    return sha256d({left.view(), right.view()});
}

// The number of nodes at `height` in a tree of this many leaves, which are at height 0.
std::uint32_t width_at(std::uint32_t leaves, unsigned height) {
    return (leaves + (1U << height) - 1) >> height;
}

unsigned root_height(std::uint32_t leaves) {
    unsigned height = 0;
    while (width_at(leaves, height) > 1) ++height;
    return height;
}

// Whether two sibling hashes, read as 64 bytes, are a transaction that could be in a block. If so,
// the alleged inner node above them may be this transaction's leaf. Outputs and valid amounts are
// required, as by consensus: without this requirement, one in 16 million honest nodes would look
// like a transaction.
bool reads_as_transaction(const Hash256& left, const Hash256& right) {
    constexpr std::size_t kInputCountAt = 4;
    if (left.bytes[kInputCountAt] != 1) return false;  // 64 bytes have no room for two inputs
    Bytes bytes(left.bytes.begin(), left.bytes.end());
    bytes.insert(bytes.end(), right.bytes.begin(), right.bytes.end());
    const auto transaction = decode_transaction(bytes);
    if (!transaction || transaction->outputs.empty()) return false;
    return std::all_of(
        transaction->outputs.begin(), transaction->outputs.end(),
        [](const TxOutput& output) { return output.value >= 0 && output.value <= kMaxMoney; });
}

// Walks a tree depth first, as the flags direct, and keeps the first error.
class ProofWalk {
public:
    /// branches   receives the matches' branches. The tree must have been checked before: siblings
    ///            are not compared here, since a full block may have accepted an inner node that
    ///            reads as a transaction
    explicit ProofWalk(const PartialMerkleTree& tree, std::vector<MerkleBranch>* branches = nullptr)
        : tree_(tree), branches_(branches) {}

    Expected<ProvenMatches, MerkleProofError> run(const Hash256& merkle_root) {
        const Hash256 root = visit(root_height(tree_.transaction_count), 0);
        if (!error_ && (flags_used_ + 7) / 8 != tree_.flags.size()) {
            error_ = MerkleProofError::unused_flags;
        }
        if (!error_ && hashes_used_ != tree_.hashes.size()) {
            error_ = MerkleProofError::unused_hashes;
        }
        if (!error_ && root != merkle_root) error_ = MerkleProofError::wrong_root;
        if (error_) return Unexpected(*error_);
        return std::move(proven_);
    }

private:
    // The hash of the node. The recursion is at most as deep as the tree's height, 15.
    // NOLINTNEXTLINE(misc-no-recursion)
    Hash256 visit(unsigned height, std::uint32_t position) {
        const bool leads_to_match = next_flag();
        if (height > 0 && leads_to_match) return visit_children(height, position);
        const Hash256 hash = next_hash();
        if (leads_to_match) proven_.matches.push_back({position, Txid{hash.bytes}});
        if (leads_to_match && branches_ != nullptr) branches_->emplace_back();
        return hash;
    }

    // Called only by visit(), with the same depth. NOLINTNEXTLINE(misc-no-recursion)
    Hash256 visit_children(unsigned height, std::uint32_t position) {
        const std::size_t first = proven_.matches.size();
        const Hash256 left = visit(height - 1, 2 * position);
        const std::size_t middle = proven_.matches.size();
        const bool has_right = 2 * position + 1 < width_at(tree_.transaction_count, height - 1);
        if (error_) return {};
        const Hash256 right = has_right ? visit(height - 1, 2 * position + 1) : left;
        if (error_) return {};
        if (branches_ != nullptr) {
            extend_branches(first, middle, right);
            extend_branches(middle, proven_.matches.size(), left);
        } else if (has_right && left == right) {
            error_ = MerkleProofError::equal_siblings;
        } else {
            proven_.is_ambiguous = proven_.is_ambiguous || reads_as_transaction(left, right);
        }
        return hash_pair(left, right);
    }

    // Appends the next hash to the branches of the matches in [first, end).
    void extend_branches(std::size_t first, std::size_t end, const Hash256& sibling) {
        for (std::size_t i = first; i < end; ++i) (*branches_)[i].push_back(sibling);
    }

    bool next_flag() {
        if (flags_used_ == tree_.flags.size() * 8) {
            if (!error_) error_ = MerkleProofError::flags_exhausted;
            return false;
        }
        const unsigned byte = tree_.flags[flags_used_ / 8];
        return (byte >> (flags_used_++ % 8) & 1U) != 0;
    }

    Hash256 next_hash() {
        if (hashes_used_ == tree_.hashes.size()) {
            if (!error_) error_ = MerkleProofError::hashes_exhausted;
            return {};
        }
        return tree_.hashes[hashes_used_++];
    }

    const PartialMerkleTree& tree_;
    std::vector<MerkleBranch>* branches_;
    std::size_t flags_used_ = 0;
    std::size_t hashes_used_ = 0;
    ProvenMatches proven_;
    std::optional<MerkleProofError> error_;
};

// One level of a complete tree, and for each node whether a match is below.
struct Level {
    std::vector<Hash256> hashes;
    std::vector<bool> matches;
};

// The levels from the leaves, first, to the root.
std::vector<Level> make_levels(Level leaves) {
    std::vector<Level> levels{std::move(leaves)};
    while (levels.back().hashes.size() > 1) {
        const Level& below = levels.back();
        Level level;
        for (std::size_t left = 0; left < below.hashes.size(); left += 2) {
            const std::size_t right = std::min(left + 1, below.hashes.size() - 1);
            level.hashes.push_back(hash_pair(below.hashes[left], below.hashes[right]));
            level.matches.push_back(below.matches[left] || below.matches[right]);
        }
        levels.push_back(std::move(level));
    }
    return levels;
}

std::vector<Hash256> to_nodes(std::span<const Txid> txids) {
    std::vector<Hash256> nodes;
    nodes.reserve(txids.size());
    for (const Txid& txid : txids) nodes.push_back({txid.bytes});
    return nodes;
}

void append_flag(PartialMerkleTree& tree, std::size_t& flag_count, bool leads_to_match) {
    if (flag_count % 8 == 0) tree.flags.push_back(0);
    if (leads_to_match) {
        tree.flags.back() = static_cast<Byte>(tree.flags.back() | 1U << flag_count % 8);
    }
    ++flag_count;
}

// Appends the hashes and flags for the walk over the node at `position` of levels[height]. The
// recursion is as deep as the tree is high. NOLINTNEXTLINE(misc-no-recursion)
void append_node(const std::vector<Level>& levels, std::size_t height, std::size_t position,
                 PartialMerkleTree& tree, std::size_t& flag_count) {
    const Level& level = levels[height];
    const bool leads_to_match = level.matches[position];
    append_flag(tree, flag_count, leads_to_match);
    if (height == 0 || !leads_to_match) {
        tree.hashes.push_back(level.hashes[position]);
        return;
    }
    append_node(levels, height - 1, 2 * position, tree, flag_count);
    if (2 * position + 1 < levels[height - 1].hashes.size()) {
        append_node(levels, height - 1, 2 * position + 1, tree, flag_count);
    }
}

// The proof of one transaction from a branch with one hash for each level. Depth first: siblings to
// the left are added on the way down, siblings to the right on the way back.
PartialMerkleTree follow_branch(const MerkleMatch& transaction, std::uint32_t transaction_count,
                                const MerkleBranch& branch) {
    PartialMerkleTree tree;
    tree.transaction_count = transaction_count;
    std::size_t flag_count = 0;
    const auto append_sibling = [&](unsigned height) {
        append_flag(tree, flag_count, false);
        tree.hashes.push_back(branch[height]);
    };
    append_flag(tree, flag_count, true);
    for (auto height = static_cast<unsigned>(branch.size()); height-- > 0;) {
        const bool is_right = (transaction.position >> height & 1U) != 0;
        if (is_right) append_sibling(height);
        append_flag(tree, flag_count, true);
    }
    tree.hashes.push_back({transaction.txid.bytes});
    for (unsigned height = 0; height < branch.size(); ++height) {
        const std::uint32_t node = transaction.position >> height;
        const bool is_left = (node & 1U) == 0;
        if (is_left && node + 1 < width_at(transaction_count, height)) append_sibling(height);
    }
    return tree;
}

}  // namespace

Bytes PartialMerkleTree::serialize() const {
    ByteWriter writer;
    writer.u32(transaction_count).compact_size(hashes.size());
    for (const Hash256& hash : hashes) writer.bytes(hash.view());
    return writer.var_bytes(flags).take();
}

PartialMerkleTree read_partial_merkle_tree(ByteReader& reader) {
    PartialMerkleTree tree;
    tree.transaction_count = reader.read_u32();
    tree.hashes.resize(reader.read_count(kMaxTransactionsPerBlock, sizeof(Hash256)));
    for (Hash256& hash : tree.hashes) hash.bytes = reader.read_array<sizeof(Hash256)>();
    tree.flags = reader.read_var_bytes(kMaxMerkleFlagBytes);
    return tree;
}

std::string_view describe(MerkleProofError error) {
    using enum MerkleProofError;
    static constexpr auto kTexts = enum_table<MerkleProofError, std::string_view>({
        {no_transactions, "the block claims to have no transactions"},
        {too_many_transactions, "the block claims more transactions than fit into one"},
        {more_hashes_than_transactions,
         "the proof has more hashes than the block has transactions"},
        {fewer_flags_than_hashes, "the proof has fewer flags than hashes"},
        {flags_exhausted, "the proof has too few flags"},
        {hashes_exhausted, "the proof has too few hashes"},
        {equal_siblings, "two halves of the tree are the same (CVE-2012-2459)"},
        {unused_flags, "the proof has flags that it does not need"},
        {unused_hashes, "the proof has hashes that it does not need"},
        {wrong_root, "the proof leads to another block's merkle root"},
        {inner_node_is_transaction, "an inner node of the tree is a transaction (CVE-2017-12842)"},
        {malformed_branch, "the branch does not fit a block of so many transactions"},
    });
    return kTexts[error];
}

Expected<std::vector<MerkleMatch>, MerkleProofError> check_merkle_proof(
    const PartialMerkleTree& tree, const Hash256& merkle_root) {
    auto proven = check_ambiguous_merkle_proof(tree, merkle_root);
    if (!proven) return Unexpected(proven.error());
    if (proven->is_ambiguous) return Unexpected(MerkleProofError::inner_node_is_transaction);
    return std::move(proven->matches);
}

Expected<ProvenMatches, MerkleProofError> check_ambiguous_merkle_proof(
    const PartialMerkleTree& tree, const Hash256& merkle_root) {
    if (tree.transaction_count == 0) return Unexpected(MerkleProofError::no_transactions);
    if (tree.transaction_count > kMaxTransactionsPerBlock) {
        return Unexpected(MerkleProofError::too_many_transactions);
    }
    if (tree.hashes.size() > tree.transaction_count) {
        return Unexpected(MerkleProofError::more_hashes_than_transactions);
    }
    if (tree.flags.size() * 8 < tree.hashes.size()) {
        return Unexpected(MerkleProofError::fewer_flags_than_hashes);
    }
    return ProofWalk(tree).run(merkle_root);
}

PartialMerkleTree make_merkle_proof(std::span<const Txid> txids, const std::vector<bool>& matches) {
    assert(!txids.empty() && txids.size() == matches.size());
    const std::vector<Level> levels = make_levels({to_nodes(txids), matches});
    PartialMerkleTree tree;
    tree.transaction_count = static_cast<std::uint32_t>(txids.size());
    std::size_t flag_count = 0;
    append_node(levels, levels.size() - 1, 0, tree, flag_count);
    return tree;
}

std::vector<MerkleBranch> merkle_branches(const PartialMerkleTree& tree) {
    std::vector<MerkleBranch> branches;
    static_cast<void>(ProofWalk(tree, &branches).run({}));  // the root was checked before
    return branches;
}

Expected<PartialMerkleTree, MerkleProofError> check_merkle_branch(const MerkleMatch& transaction,
                                                                  std::uint32_t transaction_count,
                                                                  const MerkleBranch& branch,
                                                                  const Hash256& merkle_root) {
    if (transaction_count == 0) return Unexpected(MerkleProofError::no_transactions);
    if (transaction_count > kMaxTransactionsPerBlock) {
        return Unexpected(MerkleProofError::too_many_transactions);
    }
    if (transaction.position >= transaction_count ||
        branch.size() != root_height(transaction_count)) {
        return Unexpected(MerkleProofError::malformed_branch);
    }
    PartialMerkleTree tree = follow_branch(transaction, transaction_count, branch);
    const auto proved = check_ambiguous_merkle_proof(tree, merkle_root);
    if (!proved) return Unexpected(proved.error());
    // The tree lacks the hashes of nodes that are their own siblings.
    if (merkle_branches(tree).front() != branch) {
        return Unexpected(MerkleProofError::malformed_branch);
    }
    return tree;
}

Hash256 merkle_root(std::span<const Txid> txids) {
    return merkle_root_of(to_nodes(txids)).hash;
}

MerkleRoot merkle_root_of(std::vector<Hash256> leaves) {
    assert(!leaves.empty());
    bool is_ambiguous = false;
    for (auto& level = leaves; level.size() > 1; sha256d_pairs(level)) {
        for (std::size_t left = 0; left + 1 < level.size(); left += 2) {
            is_ambiguous = is_ambiguous || level[left] == level[left + 1];
        }
        if (level.size() % 2 != 0) level.push_back(level.back());
    }
    return {leaves.front(), is_ambiguous};
}

bool is_merkle_node_sized(std::size_t stripped_bytes) {
    return stripped_bytes == 64;
}

}  // namespace petal::chain
