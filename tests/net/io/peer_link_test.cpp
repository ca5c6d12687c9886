// What one connection contributed to the sync, without what other peers did meanwhile.
#include "net/io/peer_link.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <ostream>
#include <vector>

#include "chain/network_params.h"

namespace petal::net {
namespace {

using enum DisconnectReason;
using enum PeerService;

constexpr PeerId kPeer = 2;
constexpr std::uint32_t kSyncedBefore = 100;

PeerLink make_link(asio::io_context& io) {
    return {kPeer, {}, asio::ip::tcp::socket{io}, chain::find_network("regtest")->magic};
}

/// A status in which this peer served `blocks` blocks, and the peers listed before and after it
/// served more.
SyncStatus status_of(std::uint64_t blocks, std::uint32_t synced_height) {
    SyncStatus status;
    status.phase = SyncPhase::blocks;
    status.synced_height = synced_height;
    for (const PeerId id : {1U, kPeer, 3U}) {
        PeerReport report;
        report.id = id;
        report.blocks = id == kPeer ? blocks : 1'000;
        status.peers.push_back(report);
    }
    return status;
}

struct Ending {
    const char* name;
    std::uint64_t blocks;
    std::uint32_t synced_height;
    bool raised_headers;
    bool listened;
    DisconnectReason reason;
    PeerService service;

    friend void PrintTo(const Ending& row, std::ostream* out) { *out << row.name; }
};

class PeerLinkEndings : public testing::TestWithParam<Ending> {};

TEST_P(PeerLinkEndings, HaveTheirDegreeOfService) {
    const auto& row = GetParam();
    asio::io_context io;
    auto link = make_link(io);
    link.set_synced_before(kSyncedBefore);
    auto status = status_of(row.blocks, row.synced_height);
    if (row.listened) status.phase = SyncPhase::listening;
    EXPECT_FALSE(link.serves());
    link.record_progress(status, row.raised_headers);
    EXPECT_EQ(link.serves(), row.raised_headers || row.listened || row.blocks > 0);
    EXPECT_EQ(link.service_until(status, row.reason), row.service);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(All, PeerLinkEndings, testing::Values(
    Ending{"gone without a word", 0, 100, false, false, gone, none},
    Ending{"gone while others served", 0, 200, false, false, gone, none},
    Ending{"gone after blocks", 1, 100, false, false, gone, answered},
    Ending{"gone after headers", 0, 100, true, false, gone, advanced},
    Ending{"gone while we listened", 0, 100, false, true, gone, answered},
    Ending{"silent after headers", 0, 100, true, false, timed_out, advanced},
    Ending{"silent while others served", 0, 200, false, false, timed_out, none},
    Ending{"silent after blocks that helped", 1, 101, false, false, timed_out, advanced},
    Ending{"silent after blocks that didn't help", 1, 100, false, false, timed_out, none},
    Ending{"silent while we listened", 0, 100, false, true, timed_out, none},
    Ending{"lied after blocks that helped", 1, 101, false, false, invalid_proof, advanced},
    Ending{"lied after blocks that didn't help", 1, 100, false, false, invalid_proof, none}));
// clang-format on

TEST(PeerLink, RemembersHeadersThatItRaisedOnce) {
    asio::io_context io;
    auto link = make_link(io);
    link.record_progress(status_of(0, kSyncedBefore), /*raised_headers=*/true);
    link.record_progress(status_of(0, kSyncedBefore), /*raised_headers=*/false);
    EXPECT_TRUE(link.serves());
    EXPECT_EQ(link.service_until(status_of(0, kSyncedBefore), timed_out), PeerService::advanced);
}

TEST(PeerLink, SaysThatThePeerHasGoneUnlessWeDisconnected) {
    asio::io_context io;
    auto link = make_link(io);
    EXPECT_EQ(link.failure().reason, gone);
    EXPECT_FALSE(link.ended_by_engine());
    link.disconnect({invalid_header, "why"});
    EXPECT_EQ(link.failure().reason, invalid_header);
    EXPECT_EQ(link.failure().detail, "why");
    EXPECT_TRUE(link.ended_by_engine());
}

TEST(PeerLink, HasServedNothingIfTheEngineNeverSawIt) {
    asio::io_context io;
    const auto link = make_link(io);
    EXPECT_EQ(link.service_until(SyncStatus{}, gone), PeerService::none);
}

}  // namespace
}  // namespace petal::net
