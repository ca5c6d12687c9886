/// A filtered block being received: a merkleblock, then its transactions.
#pragma once

#include <vector>

#include "chain/expected.h"
#include "chain/watcher.h"
#include "net/peer/commands.h"
#include "net/wire/messages.h"

namespace petal::net {

/// Fills in the merkle branches of a block's transactions. `proof` proves exactly these, in block
/// order.
void add_branches(std::vector<chain::ProvenTransaction>& transactions,
                  const chain::PartialMerkleTree& proof);

/// Assembles a `merkleblock` and the `tx` messages that follow it. Checks the proof before it
/// accepts any transaction. The block is complete only when every proven transaction has arrived,
/// in block order: a server sends all of them, together and in this order (Bitcoin Core:
/// ProcessGetBlockData).
class FilteredBlock {
public:
    /// Checks the proof against the header's own merkle root. The caller has checked that the
    /// header is the requested one.
    static chain::Expected<FilteredBlock, Violation> start(const MerkleBlock& message,
                                                           const chain::BlockRef& block);

    bool complete() const { return next_ == expected_.size(); }
    std::size_t missing() const { return expected_.size() - next_; }

    /// Whether this transaction must be the next one.
    bool expects(const chain::Txid& txid) const;
    /// Takes a transaction that expects() accepts, without its witnesses. Fails once the
    /// transactions are larger than a block may be: the peers must not fill the memory for a block
    /// that no node accepts.
    chain::Expected<void, Violation> take(chain::Transaction transaction);

    /// Whether the proof proves nothing, because a transaction in it may be an inner node of the
    /// tree or vice versa (CVE-2017-12842). Honest proofs can be ambiguous, too; the full block
    /// resolves the ambiguity.
    bool needs_full_block() const { return needs_full_block_; }
    /// The block; only when complete.
    chain::ProvenBlock finish() &&;

private:
    FilteredBlock() = default;

    chain::PartialMerkleTree proof_;
    std::vector<chain::MerkleMatch> expected_;
    std::size_t next_ = 0;
    std::size_t stripped_bytes_ = 0;  // of the transactions so far
    bool needs_full_block_ = false;
    chain::ProvenBlock block_;
};

}  // namespace petal::net
