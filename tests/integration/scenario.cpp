#include "tests/integration/scenario.h"

#include <algorithm>
#include <utility>

namespace petal::test {

void PrintTo(const Setting& setting, std::ostream* out) {
    *out << name_of(setting.node) << ' ' << describe(setting.type);
}

std::string suffix_of(const testing::TestParamInfo<Setting>& row) {
    const Setting& setting = row.param;
    std::string suffix(name_of(setting.node));
    if (setting.type == wallet::ScriptKind::wpkh) return suffix;
    suffix += '_' + std::string(describe(setting.type));
    std::ranges::replace(suffix, '-', '_');
    return suffix;
}

void Scenario::SetUp() {
    const NodeKind node = GetParam().node;
    if (const auto why = why_missing(node); !why.empty()) GTEST_SKIP() << why;
    server = FullNode::start(node);
    world.emplace(*server);
    world->prepare();
}

chain::Transaction Scenario::pay(std::uint32_t index, chain::Satoshis value) {
    return world->pay({{value, owner.receive(index)}});
}

chain::Transaction Scenario::spend(const std::vector<chain::Outpoint>& coins,
                                   std::vector<chain::TxOutput> outputs) {
    chain::Transaction transaction;
    std::map<chain::Outpoint, chain::TxOutput> spent;
    for (const auto& coin : coins) {
        transaction.inputs.push_back({coin, {}, 0xfffffffd, {}});
        spent[coin] = {kCoin, script_of(coin)};
    }
    transaction.outputs = std::move(outputs);
    owner.sign(transaction, spent);
    return transaction;
}

chain::Transaction Scenario::spend_at_once(const chain::Transaction& payment, std::uint32_t index) {
    pending_scripts_[{payment.txid(), 0}] = owner.receive(index);
    return spend({{payment.txid(), 0}}, {{99'000, World::script()}});
}

chain::Bytes Scenario::script_of(const chain::Outpoint& coin) const {
    for (const auto& block : server->blocks()) {
        for (std::size_t i = 0; i < block.txids.size(); ++i) {
            if (block.txids[i] != coin.txid) continue;
            return block.transactions[i].outputs.at(coin.index).script_pubkey;
        }
    }
    return pending_scripts_.at(coin);
}

void Scenario::mine(std::vector<chain::Transaction> transactions) {
    server->mine(std::move(transactions), World::script());
}

void Scenario::mine_long_history() {
    for (std::uint32_t i = 0; i < 15; ++i) {
        const auto payment = pay(i);
        mine({payment});
        server->mine_empty(10, World::script());
        const std::vector<chain::TxOutput> outputs{{50'000, World::script()},
                                                   {49'000, owner.receive(i + 1)}};
        mine({spend({{payment.txid(), 0}}, outputs)});
    }
}

SyncRun Scenario::sync(net::SyncOptions options) {
    SyncRun run = client.sync({server->endpoint()}, std::move(options));
    EXPECT_EQ(run.result.outcome, net::SyncOutcome::synced);
    return run;
}

void Scenario::sync_and_expect_truth() {
    sync();
    TrueLedger(*server, owner).expect_equals(client.open());
}

std::uint64_t Scenario::bytes_of_whole_sync() {
    const SyncRun run = Client({20, 30}, GetParam().type).sync({server->endpoint()});
    EXPECT_EQ(run.result.outcome, net::SyncOutcome::synced);
    return run.result.traffic.bytes_received;
}

void Scenario::listen_until_seen(std::uint64_t transactions) {
    const auto run = client.follow(server->endpoint(), [&](const net::SyncStatus& status) {
        return status.phase == net::SyncPhase::listening &&
               status.counts.transactions >= transactions;
    });
    EXPECT_EQ(run.result.outcome, net::SyncOutcome::interrupted);
}

}  // namespace petal::test
