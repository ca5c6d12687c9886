/// Blocks from outside, and the choice of the active branch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chain/block.h"
#include "regtest/chain/chainstate.h"

namespace petal::regtest {

/// The verdict on a block that was offered.
enum class BlockOutcome : std::uint8_t {
    active,   ///< it is the tip, or below it
    aside,    ///< on a branch that has no more work than the active one
    known,    ///< it was there already
    refused,  ///< for the verdict's reason
};

struct BlockVerdict {
    /// Whether the chain had no block of this hash, and has one now.
    bool is_new() const {
        return outcome == BlockOutcome::active || outcome == BlockOutcome::aside;
    }

    /// Whether the peer that sent the block is disconnected. As in Bitcoin Core, not for a time
    /// that is too far ahead of the node's clock (BLOCK_TIME_FUTURE), as that clock may be wrong.
    /// Unlike in Core, not for an unknown parent (BLOCK_MISSING_PREV): the node offers such a block
    /// only if the parent arrived before it and was refused for its time, as BlockCollector keeps
    /// no other such blocks.
    bool is_misbehaviour() const;

    BlockOutcome outcome = BlockOutcome::active;
    std::string reason = {};  ///< Bitcoin Core's words for why it was refused
};

/// How the active chain moved.
struct TipChange {
    bool left_blocks = false;   ///< of the active chain, for another branch
    std::size_t connected = 0;  ///< how many blocks were put on it
    /// The transactions of the blocks that were disconnected, without coinbases, parents before
    /// children.
    std::vector<chain::Transaction> returned = {};
};

/// Follows the branch with the most work whose blocks are valid and not marked (Bitcoin Core:
/// ActivateBestChain). The spends of a block are checked when it is first connected to the active
/// chain; if they are invalid, the block and its descendants are forgotten. The chainstate must
/// outlive it.
class BranchChoice {
public:
    explicit BranchChoice(Chainstate& blocks) : blocks_(blocks) {}

    /// Checks a block whose parent is known, adds it, and follows it if its branch is the best.
    /// now   Unix seconds; without it, no time is too late
    /// change   how the active chain moved
    BlockVerdict offer(chain::Block block, std::optional<std::int64_t> now, TipChange& change);
    /// Removes a block and its descendants from the active chain. As in Bitcoin Core, only the
    /// transactions of the last ten return to the mempool. Empty if it was removed before.
    std::optional<TipChange> invalidate(const Chainstate::Entry& entry);
    /// Reverts invalidate(). Empty if there is nothing to revert.
    std::optional<TipChange> reconsider(const Chainstate::Entry& entry);

private:
    struct Fault {
        const Chainstate::Entry* entry = nullptr;  ///< until it is forgotten
        std::string reason;
    };

    void leave(std::uint32_t blocks, TipChange& change);
    /// Moves to this tip, which is the best one. Returns the first fault found on the way.
    std::optional<Fault> follow(const Chainstate::Entry& tip, TipChange& change);
    std::optional<Fault> switch_to(const Chainstate::Entry& tip, TipChange& change);

    Chainstate& blocks_;
};

}  // namespace petal::regtest
