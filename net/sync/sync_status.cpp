#include "net/sync/sync_status.h"

#include <algorithm>

namespace petal::net {

namespace {

/// From the back: the connected peers are among the latest.
auto* find_in(auto& peers, PeerId peer) {
    const auto report = std::find_if(peers.rbegin(), peers.rend(),
                                     [peer](const PeerReport& of) { return of.id == peer; });
    return report == peers.rend() ? nullptr : &*report;
}

}  // namespace

std::string_view code_of(SyncPhase phase) {
    switch (phase) {
        case SyncPhase::no_peer:
            return "no-peer";
        case SyncPhase::handshake:
            return "handshake";
        case SyncPhase::headers:
            return "headers";
        case SyncPhase::blocks:
            return "blocks";
        case SyncPhase::listening:
            return "listening";
        case SyncPhase::done:
            return "done";
    }
    return "unknown";
}

std::string_view code_of(StallReason stall_reason) {
    switch (stall_reason) {
        case StallReason::none:
            return "none";
        case StallReason::no_peer:
            return "no-peer";
        case StallReason::silent_handshake:
            return "silent-handshake";
        case StallReason::silent_headers:
            return "silent-headers";
        case StallReason::low_work:
            return "low-work";
        case StallReason::short_chain:
            return "short-chain";
        case StallReason::peers_behind:
            return "peers-behind";
        case StallReason::silent_blocks:
            return "silent-blocks";
        case StallReason::slow_blocks:
            return "slow-blocks";
        case StallReason::lighter_chain:
            return "lighter-chain";
    }
    return "unknown";
}

std::string_view describe(StallReason stall_reason) {
    switch (stall_reason) {
        case StallReason::none:
            return "";
        case StallReason::no_peer:
            return "a peer to connect to";
        case StallReason::silent_handshake:
            return "a peer to say who it is";
        case StallReason::silent_headers:
            return "a peer's headers";
        case StallReason::low_work:
            return "a peer whose chain has enough work";
        case StallReason::short_chain:
            return "a peer with as many blocks as the wallet has seen";
        case StallReason::peers_behind:
            return "a peer that has the next blocks";
        case StallReason::silent_blocks:
            return "a peer's blocks";
        case StallReason::slow_blocks:
            return "a peer's blocks, which come very slowly";
        case StallReason::lighter_chain:
            return "a peer whose chain has as much work as the stored one";
    }
    return "";
}

const PeerReport* find_report(const SyncStatus& status, PeerId peer) {
    return find_in(status.peers, peer);
}

PeerReport* find_report(SyncStatus& status, PeerId peer) {
    return find_in(status.peers, peer);
}

}  // namespace petal::net
