#include "net/sync/unconfirmed/inv_counter.h"

#include <gtest/gtest.h>

#include <vector>

#include "net/peer/recent_txids.h"

namespace petal {
namespace {

TEST(InvCounter, KeepsTheMostRecentSources) {
    net::InvCounter announcements;
    for (std::size_t i = 0; i < net::InvCounter::kMaxGroups; ++i) {
        announcements.add(chain::Txid{}, {static_cast<chain::Byte>(i)});
    }
    announcements.add(chain::Txid{{1}}, {0});
    announcements.add(chain::Txid{{2}}, {1, 2});
    EXPECT_EQ(announcements.count(chain::Txid{}), net::InvCounter::kMaxGroups - 1);
    EXPECT_EQ(announcements.count(chain::Txid{{1}}), 1U) << "group 0 has announced since";
}

// The share of each source while there are at most eight.
constexpr std::uint32_t kMaxOfEach = net::kMaxTxids / 8;

TEST(InvCounter, IsBoundedOverAllSources) {
    net::InvCounter announcements;
    std::vector<chain::Txid> txids;
    for (std::uint32_t i = 0; i < kMaxOfEach; ++i) {
        chain::Txid& txid = txids.emplace_back();
        for (unsigned j = 0; j < 4; ++j) txid.bytes[j] = static_cast<chain::Byte>(i >> 8 * j);
        announcements.add(txid, {0});
    }
    EXPECT_EQ(announcements.count(txids.front()), 1U);
    for (std::size_t i = 1; i < 32; ++i) {
        announcements.add(txids.front(), {static_cast<chain::Byte>(i)});
    }
    EXPECT_EQ(announcements.count(txids.front()), 31U)
        << "the first group's share is a 32nd by now";
    EXPECT_EQ(announcements.count(txids[kMaxOfEach - net::kMaxTxids / 32]), 1U);
    EXPECT_EQ(announcements.count(txids[kMaxOfEach - net::kMaxTxids / 32 - 1]), 0U);
}

TEST(InvCounter, CountsEachSourceOnceWithASeparateBound) {
    net::InvCounter announcements;
    const auto txid = [](std::uint32_t number) {
        chain::Txid id;
        for (unsigned i = 0; i < 4; ++i) id.bytes[i] = static_cast<chain::Byte>(number >> 8 * i);
        return id;
    };
    announcements.add(txid(0), {'a'});
    announcements.add(txid(0), {'a'});
    announcements.add(txid(0), {'b'});
    EXPECT_EQ(announcements.count(txid(0)), 2U);
    for (std::uint32_t i = 1; i < kMaxOfEach; ++i) {
        announcements.add(txid(i), {'a'});
    }
    EXPECT_EQ(announcements.count(txid(0)), 2U);
    announcements.add(txid(kMaxOfEach), {'a'});
    EXPECT_EQ(announcements.count(txid(0)), 1U);
    EXPECT_EQ(announcements.count(txid(1)), 1U);
}

}  // namespace
}  // namespace petal
