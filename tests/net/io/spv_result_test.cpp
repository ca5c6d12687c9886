#include "net/io/spv_result.h"

#include <gtest/gtest.h>

#include <vector>

namespace petal::net {
namespace {

TEST(UnreportedConnections, AreForgottenWhileAnOlderPeerStays) {
    std::vector<PeerReport> reports(2);
    reports[0].id = 1;
    reports[1].id = 4;
    std::vector<PeerTraffic> connections{{1, {}}, {2, {}}, {3, {}}, {4, {}}};
    forget_unreported(connections, reports);
    ASSERT_EQ(connections.size(), 2U);
    EXPECT_EQ(connections[0].peer, 1U);
    EXPECT_EQ(connections[1].peer, 4U);
}

}  // namespace
}  // namespace petal::net
