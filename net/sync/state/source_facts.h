/// The choice of a sync's source of matches, by what the connected peers serve.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "net/sync/peers/link_speed.h"
#include "net/sync/state/source_kind.h"
#include "net/wire/messages.h"

namespace petal::net {

/// A connected peer that has completed the handshake.
struct SourcePeer {
    /// As in its version message, but with NODE_NETWORK for a pruned node that is accepted, and
    /// without NODE_COMPACT_FILTERS for a node that has left filters out.
    std::uint64_t services = 0;
    LinkSpeed link;
    /// The node has not sent requested compact filters in this run, though it states the service.
    bool has_left_filters_out = false;
};

struct SourceFacts {
    std::vector<SourcePeer> peers;
    /// Whether a peer on the best chain has sent all headers, so that no further answer is
    /// measured.
    bool has_all_headers = false;
    /// The time since the first of `peers` completed the handshake.
    std::chrono::milliseconds since_handshake{0};
};

struct SourceDecision {
    std::optional<MatchSourceKind> source;  ///< empty: no choice yet
    /// Without a choice: the services that the next peers must have.
    std::uint64_t services = kNodeNetwork;
};

/// Called after each event and several times a second, until it chooses a source that
/// SourceFacts::peers serve. Peers that do not serve the source are then disconnected.
using ChooseSource = std::function<SourceDecision(const SourceFacts&)>;

}  // namespace petal::net
