#include "net/sync/peers/peer_report.h"

#include <algorithm>

namespace petal::net {

namespace {

/// Searched from the back: the connected peers are among the latest.
auto* find_in(auto& reports, PeerId peer) {
    const auto report = std::find_if(reports.rbegin(), reports.rend(),
                                     [peer](const PeerReport& of) { return of.id == peer; });
    return report == reports.rend() ? nullptr : &*report;
}

}  // namespace

const PeerReport* find_report(const std::vector<PeerReport>& reports, PeerId peer) {
    return find_in(reports, peer);
}

PeerReport* find_report(std::vector<PeerReport>& reports, PeerId peer) {
    return find_in(reports, peer);
}

}  // namespace petal::net
