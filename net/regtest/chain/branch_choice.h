/// Blocks from outside, and which branch is the active one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chain/block.h"
#include "net/regtest/chain/chainstate.h"

namespace petal::net {

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
    /// Nor for an unknown parent, for which Core disconnects (BLOCK_MISSING_PREV): the node offers
    /// such a block only where the parent came before it and was refused for its time, as
    /// BlockCollector keeps no others.
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

/// Follows the branch of most work whose blocks are right and not marked (Bitcoin Core:
/// ActivateBestChain). What a block spends is checked when it first comes onto the active chain; if
/// that is wrong, the block and what descends from it are forgotten. The chainstate must outlive
/// it.
class BranchChoice {
public:
    explicit BranchChoice(Chainstate& blocks) : blocks_(blocks) {}

    /// Checks a block whose parent is known, takes it and follows it where that is the best branch.
    /// now   Unix seconds; without it, no time is too late
    /// change   how the active chain moved
    BlockVerdict offer(chain::Block block, std::optional<std::int64_t> now, TipChange& change);
    /// Takes a block and its descendants off the active chain. As in Bitcoin Core, only the last
    /// ten of them return what they confirmed. Empty if it was taken off before.
    std::optional<TipChange> invalidate(const Chainstate::Entry& entry);
    /// Takes that back. Empty if there is nothing to take back.
    std::optional<TipChange> reconsider(const Chainstate::Entry& entry);

private:
    struct Fault {
        const Chainstate::Entry* entry = nullptr;  ///< until it is forgotten
        std::string reason;
    };

    void leave(std::uint32_t blocks, TipChange& change);
    /// Moves to this tip, which is the best one. Returns the first fault that was found on the way.
    std::optional<Fault> follow(const Chainstate::Entry& tip, TipChange& change);
    std::optional<Fault> switch_to(const Chainstate::Entry& tip, TipChange& change);

    Chainstate& blocks_;
};

}  // namespace petal::net
