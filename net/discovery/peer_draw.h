/// Chooses the node to dial: a draw in which no owner gains by having many addresses.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "net/discovery/known_peer.h"
#include "net/peer/random.h"

namespace petal::net {

/// Up to `count` of the candidates, no two of one network group and none of a group in `taken`, to
/// which the groups of those drawn are added. Nodes said to serve filters (BIP111) come before all
/// others. Of either kind, a group is drawn first, each as likely as any other; then one of its
/// hosts; then one of the host's ports. A node is drawn less often the more often it has failed
/// since it last answered: by 0.66 each time, down to the eighth (Bitcoin Core:
/// AddrInfo::GetChance).
/// candidates   in the order of their addresses
std::vector<PeerAddress> draw_peers(const std::vector<const KnownPeer*>& candidates,
                                    std::size_t count, std::set<chain::Bytes>& taken,
                                    SplitMix64& random);

}  // namespace petal::net
