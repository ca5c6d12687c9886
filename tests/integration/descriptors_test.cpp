/// Wallets that watch descriptors, against each kind of server.
#include <gtest/gtest.h>

#include <set>

#include "tests/integration/scenario.h"
#include "tests/support/test_chain.h"
#include "wallet/descriptors/new_descriptors.h"

namespace petal::test {
namespace {

using wallet::KeyChain;
using wallet::ScriptKind;

/// The two descriptors of a wallet of kMnemonic.
std::vector<wallet::NewDescriptor> descriptors_of(ScriptKind type) {
    const auto texts = Client({20, 30}, type).open().info().descriptors;
    auto parsed = wallet::parse_new_descriptors(texts, regtest_params());
    EXPECT_TRUE(parsed);
    return parsed->descriptors;
}

class ScenarioOfDescriptors : public Scenario {
protected:
    /// Mines a payment to another account of the same mnemonic, and its spend in a later block.
    void mine_spent_and_unspent(const Owner& other) {
        const auto spent = world->pay({{kCoin, other.receive(0)}});
        mine({spent, world->pay({{kCoin, other.receive(3)}})});
        server->mine_empty(4, World::script());
        chain::Transaction sweep;
        sweep.inputs.push_back({{spent.txid(), 0}, {}, 0xfffffffd, {}});
        sweep.outputs = {{99'000, World::script()}};
        other.sign(sweep, {{{spent.txid(), 0}, {kCoin, other.receive(0)}}});
        mine({sweep});
    }
};

std::set<chain::Outpoint> coins_of(const wallet::Wallet& wallet) {
    std::set<chain::Outpoint> coins;
    for (const wallet::Coin& coin : wallet.coins()) coins.insert(coin.outpoint);
    return coins;
}

std::set<chain::Outpoint> coins_of(const TrueLedger& truth) {
    std::set<chain::Outpoint> coins;
    for (const auto& [outpoint, output] : truth.coins()) coins.insert(outpoint);
    return coins;
}

TEST_P(ScenarioOfDescriptors, WatchOnlyWalletHasTheLedgerOfTheHotOne) {
    const std::vector payments{pay(0), pay(1), pay(25)};
    mine({payments[0], payments[1]});
    mine({payments[2]});
    server->mine_empty(3, World::script());
    mine({spend({{payments[0].txid(), 0}},
                {{60'000, World::script()}, {39'000, owner.script({KeyChain::change, 0})}})});
    sync_and_expect_truth();

    Client watcher(descriptors_of(ScriptKind::wpkh));
    EXPECT_EQ(watcher.sync({server->endpoint()}).result.outcome, net::SyncOutcome::synced);
    TrueLedger(*server, owner).expect_equals(watcher.open());
    EXPECT_EQ(watcher.open().coins(), client.open().coins());
    EXPECT_EQ(watcher.open().history(0), client.open().history(0));
    EXPECT_EQ(watcher.open().filter_padding().secret, client.open().filter_padding().secret);

    mine({spend({{payments[1].txid(), 0}}, {{99'000, World::script()}})});
    EXPECT_EQ(watcher.sync({server->endpoint()}).result.outcome, net::SyncOutcome::synced);
    TrueLedger(*server, owner).expect_equals(watcher.open());
}

TEST_P(ScenarioOfDescriptors, ImportMissesNothingAndFetchesTheBlocksSinceItsBirthday) {
    const Owner other(ScriptKind::pkh);
    mine({pay(0)});
    server->mine_empty(5, World::script());
    sync_and_expect_truth();
    const auto kept = client.open().sync_state().synced;
    ASSERT_TRUE(kept);

    mine_spent_and_unspent(other);
    mine({pay(1)});
    server->mine_empty(6, World::script());
    sync_and_expect_truth();
    const std::uint32_t tip = client.open().sync_state().synced->height;
    {
        auto wallet = client.open(wallet::Access::sync);
        ASSERT_TRUE(wallet.import(descriptors_of(ScriptKind::pkh), {{}, {}, kept}));
        EXPECT_EQ(wallet.balance().confirmed, 2 * kCoin)
            << "unchanged until its blocks are searched";
    }

    const SyncRun run = sync();
    EXPECT_EQ(run.status.counts.filtered_blocks, tip - kept->height);
    auto expected = coins_of(TrueLedger(*server, owner));
    expected.merge(coins_of(TrueLedger(*server, other)));
    EXPECT_EQ(expected.size(), 3U);
    EXPECT_EQ(coins_of(client.open()), expected);
    EXPECT_EQ(client.open().balance().confirmed, 3 * kCoin);
    EXPECT_EQ(client.open().history(0).size(), 5U) << "including the spend and the spent payment";
    EXPECT_EQ(sync().status.counts.filtered_blocks, 0U) << "nothing is left to search";
}

INSTANTIATE_TEST_SUITE_P(Servers, ScenarioOfDescriptors, testing::ValuesIn(kServers), suffix_of);

}  // namespace
}  // namespace petal::test
