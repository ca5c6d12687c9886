/// A transaction is announced to each kind of node, and relayed by one node to another.
#include <gtest/gtest.h>

#include "net/io/broadcast_client.h"
#include "tests/integration/scenario.h"

namespace petal::test {
namespace {

using net::BroadcastOutcome;

constexpr std::chrono::seconds kPatience{60};
constexpr std::chrono::seconds kSilence{20};

class BroadcastScenario : public Scenario {
protected:
    /// Mines a coin of the wallet, and returns its spend.
    chain::Transaction paid_and_spent(chain::Satoshis sent) {
        const auto payment = pay(0);
        mine({payment});
        return spend({{payment.txid(), 0}}, {{sent, World::script()}});
    }

    static net::BroadcastResult announce(const chain::Transaction& transaction,
                                         std::vector<net::Endpoint> endpoints,
                                         std::optional<chain::Satoshis> fee = std::nullopt,
                                         std::chrono::seconds patience = kPatience) {
        net::BroadcastRoute route;
        route.endpoints = std::move(endpoints);
        net::BroadcastOptions options;
        options.timeout = patience;
        auto result = net::broadcast({transaction, fee}, *chain::find_network("regtest"),
                                     std::move(route), options);
        for (const auto& endpoint : result.endpoints) {
            EXPECT_FALSE(endpoint.last_failure) << to_string(endpoint.endpoint);
        }
        return result;
    }
};

TEST_P(BroadcastScenario, IsAcceptedByASingleNode) {
    const auto transaction = paid_and_spent(99'000);
    const auto result = announce(transaction, {server->endpoint()}, 1'000);
    EXPECT_EQ(result.report.outcome, BroadcastOutcome::accepted);
    EXPECT_EQ(result.report.fetched_by, 1U);
    mine({transaction});
    sync_and_expect_truth();
}

TEST_P(BroadcastScenario, IsAnnouncedByANodeThatTheFirstOneRelayedTo) {
    const auto transaction = paid_and_spent(99'000);
    const auto companion = server->start_companion();
    if (!companion) GTEST_SKIP() << "these nodes cannot connect to others";
    const auto result = announce(transaction, {server->endpoint(), companion->endpoint()}, 1'000);
    EXPECT_EQ(result.report.outcome, BroadcastOutcome::relayed);
    EXPECT_EQ(result.report.announced_to, 1U);
    EXPECT_EQ(result.report.fetched_by, 1U);
    EXPECT_EQ(result.report.seen_from, 1U);
}

/// With nodes of other programs. petal's node does not say that it refuses a transaction, so a
/// broadcast to it takes its whole timeout. tests/net/io has that case.
class ForeignBroadcastScenario : public BroadcastScenario {};

TEST_P(ForeignBroadcastScenario, IsNotAcceptedIfItCreatesMoney) {
    const auto result = announce(paid_and_spent(kCoin + 1), {server->endpoint()}, {}, kSilence);
    EXPECT_FALSE(net::has_spread(result.report.outcome));
    EXPECT_EQ(result.report.fetched_by, 1U);
    EXPECT_EQ(result.report.accepted_by, 0U);
    if (GetParam().node == NodeKind::bcoin) {
        EXPECT_EQ(result.report.outcome, BroadcastOutcome::refused);
        EXPECT_EQ(result.report.peers.at(0).refusal, "insufficient priority");
    }
}

INSTANTIATE_TEST_SUITE_P(Servers, BroadcastScenario, testing::ValuesIn(kServers), suffix_of);
INSTANTIATE_TEST_SUITE_P(Servers, ForeignBroadcastScenario,
                         testing::Values(Setting{NodeKind::bcoin}, Setting{NodeKind::bitcoind}),
                         suffix_of);

}  // namespace
}  // namespace petal::test
