/// Distinguishes peers on the best chain from peers on another one.
#pragma once

#include <chrono>
#include <optional>

#include "net/sync/state/sync_context.h"

namespace petal::net {

/// Judges peers by the blocks that they have shown, in headers or announcements. The known blocks
/// of a peer are in its PeerChain.
class PeerChains {
public:
    using Milliseconds = std::chrono::milliseconds;

    explicit PeerChains(SyncContext& sync) : sync_(sync) {}

    /// The peer has shown that it has this block. An unknown block is ignored.
    void on_shown(SyncPeer& peer, const chain::BlockHash& hash);
    /// The best chain was reorganised, and peers' blocks may be on it or off it now.
    void on_reorganised();
    /// A peer has disconnected. If no peer on the best chain remains, the remaining peers are
    /// judged anew.
    void on_end();

    /// The last block of the best chain that the peer has or claims to have.
    std::uint32_t last_block_of(const SyncPeer& peer) const;
    /// Whether the peer's last headers are of a branch that is excluded from the best chain, or of
    /// another branch that has less work or forked long ago. A race of two new blocks does not
    /// count. Such a peer cannot show how the best chain continues.
    bool is_on_other(const SyncPeer& peer) const;
    /// Whether a peer on the best chain has sent all of its headers.
    bool any_on_best() const;

    /// Records the times at which peers switched to other chains. Call this after every possible
    /// change of the peers or the best chain.
    void update_switch_times(Now now);
    /// While it is suspended, no peer is judged: the best chain itself is in doubt.
    void suspend_judgement(bool suspended) { is_suspended_ = suspended; }
    /// When on_other_for_long() is due. Empty if the peer is on no other chain, was judged before,
    /// or is not judged now.
    std::optional<Milliseconds> judged_at(const SyncPeer& peer) const;
    /// The peer has been on another chain for longer than a reorganisation takes. Fails if it is to
    /// be dropped.
    Outcome on_other_for_long(SyncPeer& peer);

private:
    void readmit(SyncPeer& peer, const chain::BlockHash& hash);

    SyncContext& sync_;
    bool is_suspended_ = false;
    std::size_t readmissions_ = 0;
};

}  // namespace petal::net
