#include "cli/sync/text/sync_report.h"

#include <gtest/gtest.h>

#include <optional>
#include <sstream>
#include <string>
#include <vector>

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
    report.blocks_seconds = 1.5;
    EXPECT_EQ(unconfirmed_text(report),
              "After that, the sync waited 2.0 s for more peers: 3.5 s in all.\n" + none);
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

/// A report on a sync from a named node that serves.
class NodesOfAReport : public testing::Test {
protected:
    NodesOfAReport() {
        global_.network = table_network("regtest");
        report_.source = client::SourceChoice{};
        report_.status.counts.filtered_blocks = 9;
        add("10.0.0.1", /*blocks=*/9, {});
    }

    void add(const std::string& host, std::uint64_t blocks,
             std::optional<DisconnectReason> failure) {
        net::PeerReport& peer = report_.status.peers.emplace_back();
        peer.address = host + ":18444";
        peer.claims.has_version = peer.answered = true;
        peer.blocks = blocks;
        peer.ended = failure;
        net::EndpointReport& endpoint = report_.result.endpoints.emplace_back();
        endpoint = {{host, 18444}, 1, {}};
        if (failure) endpoint.last_failure = net::EndpointFailure{*failure, ""};
    }
    std::string text() {
        std::istringstream in;
        std::ostringstream out;
        std::ostringstream err;
        const Console console(in, out, err, {}, /*no_colour=*/true);
        Explanations explanations({}, /*shows_all=*/false);
        return wallet_part_text(report_, explanations, global_, console);
    }
    std::vector<std::string> useless() const {
        return useless_node_texts(report_.result, report_.status, /*has_auto_source=*/true,
                                  global_);
    }

    GlobalOptions global_;
    client::SyncReport report_;
};

TEST_F(NodesOfAReport, AreNamedIfTheyServed) {
    add("10.0.0.2", /*blocks=*/5, DisconnectReason::timed_out);
    add("10.0.0.3", /*blocks=*/0, DisconnectReason::no_compact_filters);
    EXPECT_NE(text().find("10.0.0.1"), std::string::npos) << text();
    EXPECT_NE(text().find("10.0.0.2"), std::string::npos) << text();
    EXPECT_EQ(text().find("10.0.0.3"), std::string::npos) << text();
}

TEST_F(NodesOfAReport, AreWarnedOfIfTheyServedNothing) {
    add("10.0.0.2", /*blocks=*/5, DisconnectReason::timed_out);
    EXPECT_TRUE(useless().empty());
    add("10.0.0.3", /*blocks=*/0, DisconnectReason::no_compact_filters);
    const std::vector<std::string> expected{
        "10.0.0.3:18444 does not serve compact filters (BIP157); if it is yours, start Bitcoin "
        "Core with -blockfilterindex=1 and -peerblockfilters=1"};
    EXPECT_EQ(useless(), expected);
}

TEST_F(NodesOfAReport, FindNothingWithoutABlock) {
    EXPECT_NE(text().find("found by"), std::string::npos) << text();
    report_.status.counts.filtered_blocks = 0;
    EXPECT_EQ(text().find("found by"), std::string::npos) << text();
}

}  // namespace
}  // namespace petal::cli
