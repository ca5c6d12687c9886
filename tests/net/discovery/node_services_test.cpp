#include "net/discovery/node_services.h"

#include <gtest/gtest.h>

#include "tests/net/discovery/nth_node.h"

namespace petal::net {
namespace {

using enum NodeService;

constexpr std::int64_t kCountedAt = 1'750'000'000;

struct ServiceCase {
    const char* name;
    std::uint64_t bits;
    std::vector<NodeService> services;
};

TEST(NodeServices, AreReadFromTheBits) {
    const ServiceCase cases[] = {
        {"none", 0, {}},
        {"witness", kNodeWitness, {}},
        {"full", kNodeNetwork | kNodeNetworkLimited, {full_chain}},
        {"pruned", kNodeNetworkLimited | kNodeBloom, {recent_blocks, bloom}},
        {"compact", kNodeNetwork | kNodeCompactFilters, {full_chain, compact_filters}},
        {"BIP324", 0x800, {v2_transport}},
    };
    for (const ServiceCase& row : cases) {
        std::vector<NodeService> services;
        for (const NodeService service : kNodeServices) {
            if (has_service(row.bits, service)) services.push_back(service);
        }
        EXPECT_EQ(services, row.services) << row.name;
    }
}

TEST(NodeServices, AreCountedByKnownAndByFreshStatements) {
    std::vector<KnownPeer> peers;
    const auto add = [&peers](std::uint64_t services, std::int64_t stated) {
        KnownPeer peer;
        peer.services = services;
        peer.services_time = stated;
        peers.push_back(peer);
    };
    add(kNodeNetwork | kNodeBloom, 0);
    add(kNodeNetwork | kNodeBloom, kCountedAt - kServicesLast);
    add(kNodeNetwork | kNodeBloom, kCountedAt - kServicesLast + 1);
    add(kNodeNetwork, kCountedAt - 5);
    add(kNodeNetwork, kCountedAt + 1);  // by a wrong clock
    const auto counts = count_services(peers, kCountedAt);
    ASSERT_EQ(counts.size(), kNodeServices.size());
    for (const ServiceCount& count : counts) {
        const bool is_full = count.service == full_chain;
        const bool is_bloom = count.service == bloom;
        EXPECT_EQ(count.known, is_full ? 5U : is_bloom ? 3U : 0U);
        EXPECT_EQ(count.stated, is_full ? 2U : is_bloom ? 1U : 0U);
        EXPECT_EQ(count.last_statement, is_full    ? kCountedAt - 5
                                        : is_bloom ? kCountedAt - kServicesLast + 1
                                                   : 0);
    }
}

}  // namespace
}  // namespace petal::net
