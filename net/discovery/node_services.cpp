#include "net/discovery/node_services.h"

#include <algorithm>

#include "net/wire/messages.h"

namespace petal::net {

bool has_service(std::uint64_t services, NodeService service) {
    const auto has = [services](std::uint64_t bit) { return (services & bit) != 0; };
    switch (service) {
        case NodeService::full_chain:
            return has(kNodeNetwork);
        case NodeService::recent_blocks:
            return has(kNodeNetworkLimited) && !has(kNodeNetwork);
        case NodeService::bloom:
            return has(kNodeBloom);
        case NodeService::compact_filters:
            return has(kNodeCompactFilters);
        case NodeService::v2_transport:
            return has(kNodeV2Transport);
    }
    return false;
}

std::vector<ServiceCount> count_services(const std::vector<KnownPeer>& peers, std::int64_t now) {
    std::vector<ServiceCount> counts;
    for (const NodeService service : kNodeServices) {
        ServiceCount& count = counts.emplace_back(ServiceCount{service});
        for (const KnownPeer& peer : peers) {
            if (!has_service(peer.services, service)) continue;
            ++count.known;
            if (!has_stated_services(peer, now)) continue;
            ++count.stated;
            count.last_statement = std::max(count.last_statement, peer.services_time);
        }
    }
    return counts;
}

}  // namespace petal::net
