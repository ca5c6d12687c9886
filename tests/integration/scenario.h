/// What every scenario begins with: a server with a chain, the world, and a client of its own.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "tests/integration/actors.h"
#include "tests/integration/client.h"
#include "tests/integration/full_node.h"
#include "tests/integration/true_ledger.h"

namespace petal::test {

/// What payments to the wallet carry, unless a scenario says otherwise.
inline constexpr chain::Satoshis kCoin = 100'000;

/// Against which server, and of which type the wallet is.
struct Setting {
    NodeKind node = NodeKind::embedded;
    wallet::ScriptKind type = wallet::ScriptKind::wpkh;
};

void PrintTo(const Setting& setting, std::ostream* out);

/// All kinds of servers, with wallets of the default type.
inline constexpr std::array kServers{Setting{NodeKind::embedded}, Setting{NodeKind::bcoin},
                                     Setting{NodeKind::bitcoind}};

/// How a test's name ends.
std::string suffix_of(const testing::TestParamInfo<Setting>& row);

class Scenario : public testing::TestWithParam<Setting> {
protected:
    Scenario() : owner(GetParam().type), client({20, 30}, GetParam().type) {}

    void SetUp() override;

    chain::Transaction pay(std::uint32_t index, chain::Satoshis value = kCoin);
    /// The wallet spends these coins of its own, of kCoin each; without change where `outputs` has
    /// none.
    chain::Transaction spend(const std::vector<chain::Outpoint>& coins,
                             std::vector<chain::TxOutput> outputs);
    /// Spends a payment that is not in a block yet.
    chain::Transaction spend_at_once(const chain::Transaction& payment, std::uint32_t index);

    void mine(std::vector<chain::Transaction> transactions);
    /// Payments and spends of the wallet's all over a chain, and many blocks that do not concern
    /// it.
    void mine_long_history();

    SyncRun sync(net::SyncOptions options = {});
    void sync_and_expect_truth();
    /// How many bytes a server sends to a client that knows nothing yet.
    std::uint64_t bytes_of_whole_sync();

    /// Listens until so many transactions that match have come since it began: other nodes than
    /// ours hold the answer to `mempool` back for some five seconds.
    void listen_until_seen(std::uint64_t transactions);

    Owner owner;
    std::unique_ptr<FullNode> server;
    std::optional<World> world;
    Client client;

private:
    chain::Bytes script_of(const chain::Outpoint& coin) const;

    std::map<chain::Outpoint, chain::Bytes> pending_scripts_;
};

}  // namespace petal::test
