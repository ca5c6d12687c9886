#include "cli/sync/text/sync_report.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "cli/options/option_values.h"

namespace petal::cli {
namespace {

using net::DisconnectReason;

/// A sync that found peers on another chain, and ran out of time.
class SyncError : public testing::Test {
protected:
    SyncError() {
        global.network = table_network("regtest");
        result.outcome = net::SyncOutcome::timed_out;
    }

    /// Adds a peer that has greeted.
    void add(const std::string& host, std::optional<bool> on_best_chain,
             std::optional<DisconnectReason> ended = {}) {
        net::PeerReport& peer = status.peers.emplace_back();
        peer.id = static_cast<net::PeerId>(status.peers.size());
        peer.address = host + ":18444";
        peer.claims.has_version = true;
        peer.on_best_chain = on_best_chain;
        peer.ended = ended;
        net::EndpointReport& endpoint = result.endpoints.emplace_back();
        endpoint = {{host, 18444}, 1, {}};
        if (ended) endpoint.last_failure = net::EndpointFailure{*ended, ""};
    }
    CommandError error() const {
        return sync_error(result, status, /*has_auto_source=*/false, global);
    }

    GlobalOptions global;
    net::SpvResult result;
    net::SyncStatus status;
};

TEST_F(SyncError, IsOtherChainIfOnlyPeersOnOtherChainsWereFound) {
    add("10.0.0.1", std::nullopt, DisconnectReason::other_chain);
    EXPECT_EQ(error().code(), "other-chain");
    // Neither peer has the stored chain.
    add("10.0.0.2", false);
    EXPECT_EQ(error().code(), "other-chain");
    EXPECT_NE(std::string(error().what()).find("no peer has the stored chain"), std::string::npos);
}

// A slow peer may have the stored chain.
TEST_F(SyncError, IsTimedOutWhileAPeerServes) {
    for (const std::optional<bool> on_best_chain : {std::optional<bool>{}, {true}}) {
        status.peers.clear();
        result.endpoints.clear();
        add("10.0.0.1", false, DisconnectReason::other_chain);
        add("10.0.0.2", on_best_chain);
        EXPECT_EQ(error().code(), "timed-out");
        const std::string text = error().what();
        EXPECT_EQ(text.find("no peer has the stored chain"), std::string::npos) << text;
    }
}

TEST_F(SyncError, NamesTheRemedyIfNoPeerHasTheNextBlocks) {
    add("10.0.0.1", true);
    const std::string remedy = "headers reset` forgets their headers";
    for (const auto outcome : {net::SyncOutcome::timed_out, net::SyncOutcome::interrupted}) {
        result.outcome = outcome;
        status.stall_reason = net::StallReason::silent_blocks;
        EXPECT_EQ(std::string(error().what()).find(remedy), std::string::npos);
        status.stall_reason = net::StallReason::peers_behind;
        EXPECT_NE(std::string(error().what()).find(remedy), std::string::npos);
    }
}

TEST(SyncReport, SaysHowLongAndWhyASyncWentOn) {
    client::SyncReport report;
    report.last_seconds = 0.01;
    const std::string none =
        "No unconfirmed payments were awaited (--wait-unconfirmed SECONDS does).\n";
    EXPECT_EQ(unconfirmed_text(report), none);
    report.last_seconds = 2;
    EXPECT_EQ(unconfirmed_text(report), "The sync waited 2.0 s for more peers.\n" + none);
    report.status.early_until = 1;
    EXPECT_EQ(unconfirmed_text(report), none) << "a warning tells of it";
    report.last_seconds = 30;
    report.awaited_undone = true;
    EXPECT_EQ(unconfirmed_text(report),
              "Peers were asked for transactions of replaced blocks for 30 s.\n");
    report.listened = std::chrono::seconds{40};
    EXPECT_EQ(unconfirmed_text(report),
              "Unconfirmed transactions were listened for, 40 s at most.\n");
}

}  // namespace
}  // namespace petal::cli
