/// Counts nodes by the services that they state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "net/discovery/known_peer.h"

namespace petal::net {

/// A service that nodes are counted by.
enum class NodeService : std::uint8_t {
    full_chain,       ///< all blocks (NODE_NETWORK)
    recent_blocks,    ///< only the last 288 blocks (NODE_NETWORK_LIMITED without NODE_NETWORK)
    bloom,            ///< Bloom filters (BIP111)
    compact_filters,  ///< compact filters (BIP157)
    v2_transport,     ///< encrypted transport (BIP324)
};

/// In the order of tables.
inline constexpr std::array kNodeServices{NodeService::full_chain, NodeService::recent_blocks,
                                          NodeService::bloom, NodeService::compact_filters,
                                          NodeService::v2_transport};

/// Whether these service bits include the service.
bool has_service(std::uint64_t services, NodeService service);

/// How many known nodes have a service.
struct ServiceCount {
    NodeService service = NodeService::full_chain;
    std::size_t known = 0;            ///< by gossip, by seeds, or by their own version message
    std::size_t stated = 0;           ///< by their own version message within kServicesLast
    std::int64_t last_statement = 0;  ///< Unix time of the last one (0: none)
};

/// A count for each of kNodeServices.
std::vector<ServiceCount> count_services(const std::vector<KnownPeer>& peers, std::int64_t now);

}  // namespace petal::net
