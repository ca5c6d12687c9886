/// Chooses the node to dial: a draw in which no owner gains by having many addresses.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "net/discovery/known_peer.h"
#include "net/peer/random.h"

namespace petal::net {

/// Up to `count` of the candidates, at most one of each network group and none of a group in
/// `taken`, to which the drawn groups are added. Nodes said to serve filters (BIP111) precede all
/// others. Within both kinds, a group is drawn first, with equal probability; then one of its
/// hosts; then one of the host's ports. Each failure since a node last answered lowers its
/// probability by a factor of 0.66, down to the eighth failure (Bitcoin Core: AddrInfo::GetChance).
/// candidates   in the order of their addresses
std::vector<PeerAddress> draw_peers(const std::vector<const KnownPeer*>& candidates,
                                    std::size_t count, std::set<chain::Bytes>& taken,
                                    SplitMix64& random);

}  // namespace petal::net
