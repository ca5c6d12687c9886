#include "cli/sync/display/failure_reporter.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/options/option_values.h"

namespace petal::cli {
namespace {

using std::chrono::seconds;

GlobalOptions regtest_options() {
    GlobalOptions options;
    options.network = table_network("regtest");
    return options;
}

/// A search for peers, and the warnings about it on standard error.
class FailureReporterWhileSearching : public testing::Test {
protected:
    /// The warning at this time, in this phase.
    std::string told(seconds time, net::SyncPhase phase = net::SyncPhase::no_peer) {
        err_.str({});
        net::SyncStatus status;
        status.phase = phase;
        reporter_.update(status, start_ + time);
        return err_.str();
    }

    std::istringstream in_;
    std::ostringstream out_;
    std::ostringstream err_;
    Console console_{in_, out_, err_, {}, /*no_colour=*/true};
    FailureReporter::Clock::time_point start_ = FailureReporter::Clock::now();
    const GlobalOptions global_ = regtest_options();
    FailureReporter reporter_{console_, global_, {.searches = true}, [] {}, [](auto&, auto&) {}};
    net::SpvResult so_far_;
};

TEST_F(FailureReporterWhileSearching, WarnsOnceOfEachTroubleWhileThereIsNoPeer) {
    EXPECT_EQ(told(seconds{60}), "") << "nothing has failed";
    so_far_.search.offline = true;
    reporter_.on_failure(so_far_, {});
    EXPECT_EQ(told(seconds{4}), "") << "a search may take some time";
    const std::string offline = told(seconds{60});
    EXPECT_TRUE(offline.starts_with("warning: no peer yet: ")) << offline;
    EXPECT_TRUE(offline.ends_with("; petal goes on trying\n")) << offline;
    EXPECT_EQ(told(seconds{61}), "") << "the warning was given already";

    so_far_.search.offline = false;
    const std::string unknown = told(seconds{62});
    EXPECT_TRUE(unknown.starts_with("warning: no peer yet: ")) << unknown;
    EXPECT_NE(unknown, offline);
}

TEST_F(FailureReporterWhileSearching, WarnsAgainOnceAPeerIsLost) {
    so_far_.search.offline = true;
    reporter_.on_failure(so_far_, {});
    EXPECT_NE(told(seconds{60}), "");
    EXPECT_EQ(told(seconds{70}, net::SyncPhase::headers), "");
    EXPECT_EQ(told(seconds{74}), "") << "a new search may take some time";
    EXPECT_NE(told(seconds{75}), "");
}

TEST(FailureReporterOfNamedNodes, SaysAtOnceWhatANodeThatAnsweredNeeds) {
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    Console console(in, out, err, {}, /*no_colour=*/true);
    const GlobalOptions global = regtest_options();
    int events = 0;
    FailureReporter reporter(
        console, global, {}, [] {}, [&](auto&, auto&) { ++events; });
    net::SpvResult so_far;
    so_far.endpoints = {
        {{"1.2.3.4", 8333}, 1, net::EndpointFailure{net::DisconnectReason::no_bloom, ""}}};
    net::SyncStatus status;
    net::PeerReport peer;
    peer.address = "1.2.3.4:8333";
    peer.claims.has_version = true;  // without a user agent, as BIP14 allows
    peer.ended = net::DisconnectReason::no_bloom;
    status.peers.push_back(peer);
    reporter.on_failure(so_far, status);
    EXPECT_NE(err.str().find("-peerbloomfilters=1"), std::string::npos) << err.str();
    EXPECT_EQ(events, 0) << "FollowEvents has reported its end";

    // The node is dialled again, and another endpoint fails after this one has completed only the
    // handshake.
    const std::string told = err.str();
    status.peers.back().ended.reset();
    reporter.on_failure(so_far, status);
    status.peers.back().ended = net::DisconnectReason::no_bloom;
    reporter.on_failure(so_far, status);
    EXPECT_EQ(err.str(), told) << "it is reported only once";

    so_far.endpoints[0].last_failure = net::EndpointFailure{net::DisconnectReason::gone, ""};
    status.peers.back().ended = net::DisconnectReason::gone;
    reporter.on_failure(so_far, status);
    EXPECT_EQ(err.str(), told) << "the end of an established connection is no failure";
}

}  // namespace
}  // namespace petal::cli
