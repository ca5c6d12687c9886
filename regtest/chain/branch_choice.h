/// Accepts blocks from outside, and chooses the active branch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chain/block.h"
#include "regtest/chain/chainstate.h"

namespace petal::regtest {

/// The verdict on an offered block.
enum class BlockOutcome : std::uint8_t {
    active,   ///< the tip, or an ancestor of it
    aside,    ///< on a branch with no more work than the active chain
    known,    ///< already known
    refused,  ///< see `reason`
};

struct BlockVerdict {
    /// Whether the chain did not have the block before, and has it now.
    bool is_new() const {
        return outcome == BlockOutcome::active || outcome == BlockOutcome::aside;
    }

    /// Whether the peer that sent the block is disconnected. As in Bitcoin Core, not if the time is
    /// too far ahead of the node's clock (BLOCK_TIME_FUTURE), because the clock may be wrong.
    /// Unlike in Bitcoin Core, not if the parent is unknown (BLOCK_MISSING_PREV): BlockCollector
    /// drops blocks with an unknown parent, unless the parent arrived before and was refused for
    /// its time.
    bool is_misbehaviour() const;

    BlockOutcome outcome = BlockOutcome::active;
    std::string reason = {};  ///< Bitcoin Core's reject reason
};

/// A change of the active chain.
struct TipChange {
    bool left_blocks = false;   ///< whether blocks left the active chain, for another branch
    std::size_t connected = 0;  ///< blocks added to the active chain
    /// The transactions of disconnected blocks, without coinbases, parents before children.
    std::vector<chain::Transaction> returned = {};
};

/// Follows the branch with the most work whose blocks are valid and not marked (Bitcoin Core:
/// ActivateBestChain). The inputs of a block are checked when the block is first connected. If they
/// are invalid, the block and its descendants are forgotten. The chainstate must outlive the
/// choice.
class BranchChoice {
public:
    explicit BranchChoice(Chainstate& blocks) : blocks_(blocks) {}

    /// Checks a block with a known parent, adds it, and follows its branch if that is the best.
    /// now   Unix seconds. Empty: no limit on times
    /// change   how the active chain changed
    BlockVerdict offer(chain::Block block, std::optional<std::int64_t> now, TipChange& change);
    /// Removes a block and its descendants from the active chain. As in Bitcoin Core, only the
    /// transactions of the last ten blocks return to the mempool. Empty if the block was removed
    /// before.
    std::optional<TipChange> invalidate(const Chainstate::Entry& entry);
    /// Reverts invalidate(). Empty if there is nothing to revert.
    std::optional<TipChange> reconsider(const Chainstate::Entry& entry);
    /// Follows the block rather than another branch with as much work. Empty if the block is
    /// invalid, or the active chain has it, or has more work.
    std::optional<TipChange> prefer(const Chainstate::Entry& entry);

private:
    struct Fault {
        const Chainstate::Entry* entry = nullptr;  ///< until it is forgotten
        std::string reason;
    };

    void leave(std::uint32_t blocks, TipChange& change);
    /// Makes the best tip the active tip. Returns the first fault found on the way.
    std::optional<Fault> follow(const Chainstate::Entry& tip, TipChange& change);
    std::optional<Fault> switch_to(const Chainstate::Entry& tip, TipChange& change);

    Chainstate& blocks_;
};

}  // namespace petal::regtest
