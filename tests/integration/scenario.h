/// The base of every scenario: a server with a chain, the world, and a client.
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

/// The amount of a payment to the wallet, unless a scenario gives an amount.
inline constexpr chain::Satoshis kCoin = 100'000;

/// The kind of server, and the type of the wallet.
struct Setting {
    NodeKind node = NodeKind::embedded;
    wallet::ScriptKind type = wallet::ScriptKind::wpkh;
};

void PrintTo(const Setting& setting, std::ostream* out);

/// All kinds of servers, with wallets of the default type.
inline constexpr std::array kServers{Setting{NodeKind::embedded}, Setting{NodeKind::bcoin},
                                     Setting{NodeKind::bitcoind}};

/// All kinds of servers, with wallets of each type that the server supports. bcoin has no taproot.
inline constexpr std::array kServersOfEachType{
    Setting{NodeKind::embedded, wallet::ScriptKind::wpkh},
    Setting{NodeKind::embedded, wallet::ScriptKind::pkh},
    Setting{NodeKind::embedded, wallet::ScriptKind::sh_wpkh},
    Setting{NodeKind::embedded, wallet::ScriptKind::tr},
    Setting{NodeKind::bcoin, wallet::ScriptKind::wpkh},
    Setting{NodeKind::bcoin, wallet::ScriptKind::pkh},
    Setting{NodeKind::bcoin, wallet::ScriptKind::sh_wpkh},
    Setting{NodeKind::bitcoind, wallet::ScriptKind::wpkh},
    Setting{NodeKind::bitcoind, wallet::ScriptKind::pkh},
    Setting{NodeKind::bitcoind, wallet::ScriptKind::sh_wpkh},
    Setting{NodeKind::bitcoind, wallet::ScriptKind::tr}};

/// The suffix of a test's name.
std::string suffix_of(const testing::TestParamInfo<Setting>& row);

class Scenario : public testing::TestWithParam<Setting> {
protected:
    Scenario() : owner(GetParam().type), client({20, 30}, GetParam().type) {}

    void SetUp() override;

    chain::Transaction pay(std::uint32_t index, chain::Satoshis value = kCoin);
    /// A spend of these coins of the wallet, kCoin each. No change unless `outputs` has the change.
    chain::Transaction spend(const std::vector<chain::Outpoint>& coins,
                             std::vector<chain::TxOutput> outputs);
    /// Spends a payment that is not yet in a block.
    chain::Transaction spend_at_once(const chain::Transaction& payment, std::uint32_t index);

    void mine(std::vector<chain::Transaction> transactions);
    /// Mines payments to and spends of the wallet all over a chain, and many blocks without either.
    void mine_long_history();

    SyncRun sync(net::SyncOptions options = {});
    void sync_and_expect_truth();
    /// The number of bytes that a server sends to a client without any data.
    std::uint64_t bytes_of_whole_sync();

    /// Listens until this number of matching transactions has come since the start. All nodes but
    /// the embedded node delay the answer to `mempool` by some five seconds.
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
