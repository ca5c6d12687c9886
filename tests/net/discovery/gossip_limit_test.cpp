#include "net/discovery/gossip_limit.h"

#include <gtest/gtest.h>

namespace petal::net {
namespace {

using std::chrono::milliseconds;

TEST(GossipLimit, AllowsOneAnswerThenOneAddressInTenSeconds) {
    EXPECT_EQ(gossip_left(0, milliseconds{0}), 1'000U);
    EXPECT_EQ(gossip_left(999, milliseconds{0}), 1U);
    EXPECT_EQ(gossip_left(1'000, milliseconds{9'999}), 0U);
    EXPECT_EQ(gossip_left(1'000, milliseconds{10'000}), 1U);
    EXPECT_EQ(gossip_left(1'001, milliseconds{3'600'000}), 359U);
}

TEST(GossipLimit, AllowsNoneToAPeerThatHasSentTooMany) {
    EXPECT_EQ(gossip_left(50'000, milliseconds{10'000}), 0U);
}

}  // namespace
}  // namespace petal::net
