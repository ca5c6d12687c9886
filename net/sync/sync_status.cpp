#include "net/sync/sync_status.h"

#include <algorithm>

namespace petal::net {

namespace {

/// From the back: who is connected is among the latest.
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

std::string_view code_of(Hindrance hindrance) {
    switch (hindrance) {
        case Hindrance::none:
            return "none";
        case Hindrance::no_peer:
            return "no-peer";
        case Hindrance::silent_handshake:
            return "silent-handshake";
        case Hindrance::silent_headers:
            return "silent-headers";
        case Hindrance::low_work:
            return "low-work";
        case Hindrance::short_chain:
            return "short-chain";
        case Hindrance::peers_behind:
            return "peers-behind";
        case Hindrance::silent_blocks:
            return "silent-blocks";
        case Hindrance::slow_blocks:
            return "slow-blocks";
    }
    return "unknown";
}

std::string_view describe(Hindrance hindrance) {
    switch (hindrance) {
        case Hindrance::none:
            return "";
        case Hindrance::no_peer:
            return "a peer to connect to";
        case Hindrance::silent_handshake:
            return "a peer to say who it is";
        case Hindrance::silent_headers:
            return "a peer's headers";
        case Hindrance::low_work:
            return "a peer whose chain has enough work";
        case Hindrance::short_chain:
            return "a peer with as many blocks as the wallet has seen";
        case Hindrance::peers_behind:
            return "a peer that has the next blocks";
        case Hindrance::silent_blocks:
            return "a peer's blocks";
        case Hindrance::slow_blocks:
            return "a peer's blocks, which come very slowly";
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
