/// The sources of matches, and the services that they need.
#pragma once

#include <cstdint>

#include "net/wire/messages.h"

namespace petal::net {

/// The source of matches (MatchSource).
enum class MatchSourceKind : std::uint8_t {
    filtered_blocks,  ///< peers search the blocks by filters (BIP37)
    /// The blocks are searched here: peers learn nothing, and can leave nothing out.
    full_blocks,
    /// The blocks' compact filters are searched here, and the blocks whose filters match (BIP157).
    compact_filters,
};

/// The services that each peer must have. Old blocks are needed from each peer, unless a pruned
/// node (NODE_NETWORK_LIMITED) is accepted, which serves only the last 288.
constexpr std::uint64_t services_needed(MatchSourceKind source) {
    switch (source) {
        case MatchSourceKind::filtered_blocks:
            return kNodeNetwork | kNodeBloom;
        case MatchSourceKind::compact_filters:
            return kNodeNetwork | kNodeCompactFilters;
        case MatchSourceKind::full_blocks:
            break;
    }
    return kNodeNetwork;
}

}  // namespace petal::net
