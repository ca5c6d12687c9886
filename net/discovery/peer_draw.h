/// Draws the node to dial so that owning many addresses is no advantage.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "net/discovery/known_peer.h"
#include "net/peer/random.h"

namespace petal::net {

/// Draws up to `count` candidates from different network groups, none from a group in `taken`, and
/// adds the drawn groups to `taken`. A draw picks a network group, a host of the group, and a port
/// of the host, each with equal probability. Each failure since the node last answered lowers the
/// node's probability by a factor of 0.66, up to eight failures (Bitcoin Core:
/// AddrInfo::GetChance).
/// candidates   ordered by address
std::vector<PeerAddress> draw_peers(const std::vector<const KnownPeer*>& candidates,
                                    std::size_t count, std::set<chain::Bytes>& taken,
                                    SplitMix64& random);

}  // namespace petal::net
