/// Whether a run dials the anchors first, and the choice of anchors for the next run.
#pragma once

#include <set>

#include "net/discovery/addrman.h"
#include "net/discovery/known_peer.h"
#include "net/peer/disconnect_reason.h"

namespace petal::net {

/// Anchors are peers that served at the end of an earlier run. Dialling anchors first makes an
/// eclipse attack by a restart harder (Bitcoin Core: anchors.dat).
class AnchorPolicy {
public:
    /// `addrman` stores the anchors, and must outlive the policy.
    explicit AnchorPolicy(AddrMan& addrman) : addrman_(addrman) {}

    void dial_first() { are_first_ = true; }
    /// Keeps the anchors unchanged. Used with several watchers: the next run may number the
    /// watchers differently, and an anchor would then receive the filters of two watchers.
    void leave_alone() { are_left_alone_ = true; }
    bool are_first() const { return are_first_; }

    void on_service(const PeerAddress& address, PeerService service) {
        if (service != PeerService::none) serving_.insert(address);
    }
    void on_ended(const PeerAddress& address, DisconnectReason reason, PeerService service) {
        if (reason == DisconnectReason::finished && service != PeerService::none) {
            serving_.insert(address);
        } else {
            serving_.erase(address);
        }
    }
    /// Draws the anchors for the next run from the peers that serve now, or served until we ended
    /// the connection.
    void draw() {
        if (!are_left_alone_) addrman_.draw_anchors(serving_);
    }

private:
    AddrMan& addrman_;
    std::set<PeerAddress> serving_;
    bool are_first_ = false;
    bool are_left_alone_ = false;
};

}  // namespace petal::net
