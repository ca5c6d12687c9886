#include "cli/sync/text/endpoint_text.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/options/option_values.h"

namespace petal::cli {
namespace {

using net::DisconnectReason;
using net::EndpointFailure;

const GlobalOptions& signet() {
    static const GlobalOptions global = [] {
        GlobalOptions options;
        options.network = table_network("signet");
        options.given = {"--wallet", "rent"};
        return options;
    }();
    return global;
}

/// The text and the advice about a single endpoint.
struct OneEndpoint {
    const char* name;
    std::uint32_t dials;
    std::optional<EndpointFailure> failure;
    const char* text;
    const char* advice;

    friend void PrintTo(const OneEndpoint& row, std::ostream* out) { *out << row.name; }
};

class EndpointText : public testing::TestWithParam<OneEndpoint> {};

TEST_P(EndpointText, NamesTheEndpointAndItsFailure) {
    const auto& row = GetParam();
    const std::vector<net::EndpointReport> reports{{{"1.2.3.4", 8333}, row.dials, row.failure}};
    const FailedEndpoints failed{reports, {}, {}, signet()};
    EXPECT_EQ(describe(failed), row.text);
    EXPECT_NE(advice(failed).find(row.advice), std::string_view::npos) << advice(failed);
    EXPECT_EQ(advice(failed).empty(), *row.advice == '\0');
}

constexpr const char* kNameAnother = "--connect HOST:PORT names another node";

// clang-format off
INSTANTIATE_TEST_SUITE_P(All, EndpointText, testing::ValuesIn(std::initializer_list<OneEndpoint>{
    {"NotTried", 0, {}, "1.2.3.4:8333 was not tried", kNameAnother},
    {"Silent", 1, {}, "1.2.3.4:8333 has not answered yet", kNameAnother},
    {"Refused", 1, EndpointFailure{DisconnectReason::unreachable, "connection refused"},
     "1.2.3.4:8333 can't be reached (connection refused)", "nodes of signet listen on 38333"},
    {"AnotherNetwork", 1, EndpointFailure{DisconnectReason::wrong_network, "wrong magic"},
     "1.2.3.4:8333 is a node of another network, not of signet", "--network mainnet uses that network"},
    {"NotBitcoin", 1, EndpointFailure{DisconnectReason::not_bitcoin, "it speaks HTTP"},
     "1.2.3.4:8333 is not a Bitcoin node (it speaks HTTP)", "8333 is the port of nodes of mainnet"},
    {"SilentService", 1, EndpointFailure{DisconnectReason::timed_out, ""},
     "1.2.3.4:8333 did not answer in time; is it a node of signet?", "nodes of signet listen on 38333"},
    {"UploadLimit", 1, EndpointFailure{DisconnectReason::upload_limit, ""},
     "1.2.3.4:8333 closed the connection when data were requested, as Bitcoin Core does once its "
     "-maxuploadtarget is reached",
     "start Bitcoin Core with -whitelist=bloomfilter,download,mempool@ and this machine's address"},
    {"Pruned", 1, EndpointFailure{DisconnectReason::pruned, "it serves blocks from 713"},
     "1.2.3.4:8333 is a pruned node, and lacks the old blocks (it serves blocks from 713)",
     "start Bitcoin Core without -prune"},
    {"GoneWithoutAWord", 1, EndpointFailure{DisconnectReason::gone, ""},
     "1.2.3.4:8333 closed the connection without a word; is it a node of signet?",
     "8333 is the port of nodes of mainnet, and nodes of signet listen on 38333; --network mainnet"},
    {"NoBloom", 1, EndpointFailure{DisconnectReason::no_bloom, ""},
     "1.2.3.4:8333 does not serve Bloom filters (BIP37)",
     "start Bitcoin Core with -peerbloomfilters=1, or with -whitelist=bloomfilter@ and this "
     "machine's address, or use --source auto"},
    {"NoCompactFilters", 1, EndpointFailure{DisconnectReason::no_compact_filters, ""},
     "1.2.3.4:8333 does not serve compact filters (BIP157)",
     "start Bitcoin Core with -blockfilterindex=1 and -peerblockfilters=1, or use --source auto"},
    {"LacksFilters", 1, EndpointFailure{DisconnectReason::lacks_filters, "block 9"},
     "1.2.3.4:8333 does not send the compact filters of blocks that it has (block 9)",
     "wait until `bitcoin-cli getindexinfo` says that its basic block filter index is synced, or use --source auto"},
    {"LowWork", 1, EndpointFailure{DisconnectReason::low_work, "less than the minimum of signet"},
     "1.2.3.4:8333 has a chain with too little work (less than the minimum of signet)",
     "; if its chain was made anew, `petal --wallet rent headers reset` forgets the stored one"},
    {"AheadOfClock", 1, EndpointFailure{DisconnectReason::ahead_of_clock, ""},
     "1.2.3.4:8333 has headers more than two hours ahead of this machine's clock", "is the clock right?"},
    {"LighterChain", 1, EndpointFailure{DisconnectReason::lighter_chain, ""},
     "1.2.3.4:8333 does not have the stored chain", "let it sync first"},
    {"ExcludedBranch", 1,
     EndpointFailure{DisconnectReason::excluded_branch, "its chain has an invalid block"},
     "1.2.3.4:8333 is on a branch that does not count (its chain has an invalid block)", kNameAnother},
    {"LesserBranch", 1, EndpointFailure{DisconnectReason::lesser_branch, ""},
     "1.2.3.4:8333 is on another chain", "`petal --wallet rent headers reset` forgets the stored one"},
    {"OtherChain", 1,
     EndpointFailure{DisconnectReason::other_chain, "it follows a fork with another header format after block 9"},
     "1.2.3.4:8333 is on another chain (it follows a fork with another header format after block 9)", kNameAnother},
    {"FaultOfTheProxy", 1, EndpointFailure{DisconnectReason::unreachable, "the proxy refuses", true},
     "the proxy refuses", ""},
}), [](const auto& row) { return std::string(row.param.name); });
// clang-format on

/// A port, and the advice if nothing answers there as a node of signet does.
struct PortAdvice {
    std::uint16_t port;
    const char* advice;

    friend void PrintTo(const PortAdvice& row, std::ostream* out) { *out << row.port; }
};

class EndpointPort : public testing::TestWithParam<PortAdvice> {};

TEST_P(EndpointPort, IsCorrectedIfItIsKnown) {
    const std::vector<net::EndpointReport> reports{
        {{"1.2.3.4", GetParam().port}, 1, EndpointFailure{DisconnectReason::gone, ""}}};
    EXPECT_EQ(advice({reports, {}, {}, signet()}), GetParam().advice);
    const std::string address = "1.2.3.4:" + std::to_string(GetParam().port);
    EXPECT_EQ(advice({reports, {address}, {}, signet()}),
              "; --connect HOST:PORT names another node")
        << "it has answered as a node";
}

INSTANTIATE_TEST_SUITE_P(
    All, EndpointPort,
    testing::Values(
        PortAdvice{38333, "; --connect HOST:PORT names another node"},
        PortAdvice{12345, "; --connect HOST:PORT names another node"},
        PortAdvice{38332,
                   "; 38332 is Bitcoin Core's RPC port of signet, and nodes of signet listen on "
                   "38333"},
        PortAdvice{28332,
                   "; 28332 is Bitcoin Core's ZeroMQ port, and nodes of signet listen on "
                   "38333"},
        PortAdvice{48333,
                   "; 48333 is the port of nodes of testnet4, and nodes of signet listen on "
                   "38333; --network testnet4 uses that network"},
        PortAdvice{9050, "; 9050 is Tor's SOCKS port: --proxy 127.0.0.1:9050 uses it"}));

TEST(EndpointTexts, NameTheUsualPortForAnotherServiceAtAnUnknownPort) {
    const auto advice_for = [](std::uint16_t port, DisconnectReason reason,
                               std::set<std::string> greeted) {
        const std::vector<net::EndpointReport> reports{
            {{"1.2.3.4", port}, 1, EndpointFailure{reason, ""}}};
        return advice({reports, std::move(greeted), {}, signet()});
    };
    const std::string usual =
        "; the port of nodes of signet, not their RPC port, is 38333 unless -port or -bind says "
        "otherwise";
    const std::string another = "; --connect HOST:PORT names another node";
    EXPECT_EQ(advice_for(1'234, DisconnectReason::not_bitcoin, {}), usual);
    EXPECT_EQ(advice_for(1'234, DisconnectReason::timed_out, {}), usual);
    EXPECT_EQ(advice_for(1'234, DisconnectReason::timed_out, {"1.2.3.4:1234"}), another);
    EXPECT_EQ(advice_for(38'333, DisconnectReason::timed_out, {}), another);
    EXPECT_EQ(advice_for(1'234, DisconnectReason::gone, {}), another);
}

TEST(EndpointTexts, AdviseNoOtherSourceIfItIsChosenAlready) {
    for (const auto reason : {DisconnectReason::no_bloom, DisconnectReason::no_compact_filters,
                              DisconnectReason::lacks_filters}) {
        const std::vector<net::EndpointReport> reports{
            {{"1.2.3.4", 38333}, 1, EndpointFailure{reason, ""}}};
        FailedEndpoints failed{reports, {}, {}, signet()};
        failed.has_auto_source = true;
        EXPECT_EQ(remedy(failed).find("--source"), std::string::npos) << remedy(failed);
    }
}

// Neither more headers nor a reset makes such a node usable.
TEST(EndpointTexts, NameNoRemedyForANodeOfAnotherChainForGood) {
    const std::vector<net::EndpointReport> other{
        {{"1.2.3.4", 38333}, 1, EndpointFailure{DisconnectReason::other_chain, ""}}};
    for (const char* network : {"signet", "regtest"}) {
        GlobalOptions global = signet();
        global.network = table_network(network);
        EXPECT_EQ(remedy({other, {}, {}, global}), "") << network;
    }
}

TEST(EndpointTexts, NameTheNodeThatIsMissingOnRegtest) {
    GlobalOptions global;
    global.network = std::make_shared<const chain::NetworkParams>(*chain::find_network("regtest"));
    const auto advice_for = [&global](const char* host, std::uint16_t port) {
        const std::vector<net::EndpointReport> reports{
            {{host, port}, 1, EndpointFailure{DisconnectReason::unreachable, ""}}};
        return advice({reports, {}, {}, global});
    };
    EXPECT_EQ(advice_for("127.0.0.1", 18'444),
              "; `petal regtest-node` starts a node there, --connect HOST:PORT names another");
    EXPECT_EQ(advice_for("127.0.0.1", 18'445), "; --connect HOST:PORT names another node");
    EXPECT_EQ(advice_for("192.0.2.1", 18'444), "; --connect HOST:PORT names another node");
}

TEST(EndpointTexts, AreOfAnotherChainIfAllThatAnsweredAre) {
    using enum DisconnectReason;
    struct Case {
        std::vector<std::optional<DisconnectReason>> failures;
        bool is_other;
    };
    const Case cases[] = {
        {{other_chain}, true},
        {{lighter_chain}, true},
        {{lesser_branch}, true},
        {{excluded_branch}, true},
        {{unreachable, other_chain, std::nullopt, lighter_chain}, true},
        {{other_chain, no_bloom}, false},
        {{other_chain, gone}, false},
        {{unreachable}, false},
        {{}, false},
    };
    for (const Case& row : cases) {
        std::vector<net::EndpointReport> reports;
        for (const auto& reason : row.failures) {
            auto& report = reports.emplace_back();
            if (reason) report.last_failure = EndpointFailure{*reason, ""};
        }
        EXPECT_EQ(is_on_other_chain({reports, {}, {}, signet()}), row.is_other)
            << row.failures.size();
        EXPECT_FALSE(is_on_other_chain({reports, {}, {}, signet(), /*may_be_served=*/true}));
    }
}

TEST(EndpointTexts, AskForTheNetworkOnlyIfTheNodeNeverSpoke) {
    const std::vector<net::EndpointReport> gone{
        {{"1.2.3.4", 8333}, 1, EndpointFailure{DisconnectReason::gone, ""}}};
    const FailedEndpoints failed{gone, {"1.2.3.4:8333"}, {}, signet()};
    EXPECT_EQ(describe(failed), "1.2.3.4:8333 closed the connection");
}

TEST(EndpointTexts, CountFailuresOfManyEndpoints) {
    std::vector<net::EndpointReport> reports;
    for (std::uint16_t port = 1; port <= 9; ++port) {
        const auto reason = port < 3 ? DisconnectReason::no_bloom : DisconnectReason::unreachable;
        reports.push_back({{"1.2.3.4", port}, 1, EndpointFailure{reason, ""}});
    }
    EXPECT_EQ(describe({reports, {}, {}, signet()}),
              "9 nodes were tried: 7 × can't be reached; 2 × does not serve Bloom filters (BIP37)");
}

TEST(EndpointTexts, SayWhyThereIsNoEndpoint) {
    const std::vector<net::EndpointReport> none;
    const auto text = [&](bool offline, bool has_no_known_address, net::SeedLookups lookups) {
        return describe({none, {}, {offline, has_no_known_address, false, lookups}, signet()});
    };
    EXPECT_EQ(text(true, false, {0, 0, 2}),
              "DNS lookup failed for all 2 DNS seeds (no answer); nothing could be reached: this "
              "machine seems to be offline");
    EXPECT_EQ(text(true, false, {}), "nothing could be reached: this machine seems to be offline");
    EXPECT_EQ(text(false, true, {0, 1, 0}),
              "no node is known, and DNS lookup failed for the DNS seed (no such host)");
    EXPECT_EQ(text(false, true, {0, 1, 1}),
              "no node is known, and DNS lookup failed for all 2 DNS seeds (no such host, or no "
              "answer)");
    EXPECT_EQ(text(false, true, {1, 0, 0}),
              "no node is known that may be dialled, and no DNS seed that was asked lists any");
    EXPECT_EQ(text(false, true, {}),
              "no node is known that may be dialled, and no DNS seed is asked for nodes");
    EXPECT_EQ(text(false, false, {}),
              "no node is known that may be dialled now (`petal --wallet rent peers` tells why)");
    EXPECT_EQ(describe({none, {}, {false, false, true, {}}, signet()}),
              "each node that may be dialled has got the filter of another wallet, and gets no "
              "second one in this run");
    EXPECT_EQ(advice({none, {}, {true, false, false, {}}, signet()}), "");
    EXPECT_EQ(advice({none, {}, {false, true, false, {}}, signet()}),
              "; --connect HOST:PORT names one");
}

}  // namespace
}  // namespace petal::cli
