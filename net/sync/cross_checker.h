/// Requests delivered blocks from a second peer, too, and disconnects peers that left matches out.
#pragma once

#include <cstdint>
#include <vector>

#include "net/sync/blocks/second_opinions.h"
#include "net/sync/state/sync_context.h"

namespace petal::net {

class CrossChecker {
public:
    explicit CrossChecker(SyncContext& sync)
        : sync_(sync),
          opinions_(sync.options.blocks.cross_check, sync.random.next(),
                    sync.options.blocks.max_unchecked_bytes) {}

    /// Keeps the first answer if the block is selected for a check. Returns false if there is no
    /// room for it: then the block is to be requested again. A full block is complete, and needs no
    /// check.
    bool on_first_answer(const SyncPeer& peer, const Delivery& delivery);
    /// Returns blocks for which this peer is to give the second answer.
    std::vector<chain::BlockRef> take(const SyncPeer& peer, std::size_t max, std::uint32_t last);
    /// Whether the peer was asked for a second answer for this block.
    bool awaits(const SyncPeer& peer, const Delivery& delivery) const {
        return opinions_.awaits(peer.id(), delivery.block.block.height);
    }

    struct Verdict {
        bool has_more = false;  ///< the second answer has transactions that the first lacks
        bool any_omitted = false;
        Outcome on_second{};  ///< fails if the second peer is to be dropped
    };
    /// Compares both answers, and disconnects the first peer if it left out a transaction that
    /// every server with its filter would send.
    Verdict on_second_opinion(SyncPeer& peer, const Delivery& delivery);

    /// Two blocks of the chain contradict each other, which an honest node has noticed: disconnects
    /// the peers that served the later one. Returns whether lower blocks that they served are
    /// searched again. Higher ones are not: only a peer that has the invalid block has them.
    bool on_invalid_block(const chain::InvalidBlock& invalid);

    /// The peer is about to be dropped for this violation. Returns whether the blocks that it
    /// served are searched again.
    bool on_violation(PeerId peer, const Violation& why);
    /// The peer has disconnected, or does not have blocks that were requested from it.
    void on_lost(PeerId peer);
    void drop_above(std::uint32_t height) { opinions_.drop_above(height); }
    /// A second answer for this block is useless.
    void forget(std::uint32_t height) { opinions_.forget(height); }

    /// Whether a second answer is awaited or can still be requested. The sync does not end before.
    bool is_pending() const;
    /// Whether as many checks are pending as memory allows, so that no further blocks should be
    /// requested.
    bool is_full() const { return opinions_.is_full() && is_pending(); }
    /// The number of blocks that should be in flight at most: for more there may be no room to
    /// check them. 0 if is_full().
    std::size_t room() const;
    std::uint64_t compared_blocks() const { return opinions_.compared_blocks(); }

private:
    bool distrust(PeerId peer);
    void punish(PeerId peer, const Violation& violation);
    bool may_check(const SyncPeer& peer, PeerId first) const;
    bool can_ask_about(PeerId first, std::uint32_t height) const;
    bool is_silent(PeerId peer) const;

    SyncContext& sync_;
    SecondOpinions opinions_;
};

}  // namespace petal::net
