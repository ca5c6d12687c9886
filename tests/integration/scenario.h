/// The ground that every scenario stands on: a server, and a wallet that nobody else uses.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/integration/block_log.h"
#include "tests/integration/server.h"
#include "tests/integration/spv_wallet.h"
#include "tests/integration/truth.h"

namespace petal::test {

/// One server with what belongs to it, shared by all scenarios of a run.
struct World {
    Treasury treasury;
    std::unique_ptr<Server> server;
    std::unique_ptr<BlockLog> log;
};

/// One coin of the wallet's that a scenario spends.
struct OwnCoin {
    chain::Txid txid;
    std::uint32_t index = 0;
    chain::TxOutput output;
};

/// Each scenario has words of its own, made from its name, so that it finds nothing of the others'
/// on the chain that it shares with them.
class Scenario : public testing::TestWithParam<ServerKind> {
protected:
    void SetUp() override;
    void TearDown() override;

    Server& server() { return *world_->server; }
    AccountKeys& keys() { return *keys_; }
    SpvWallet& wallet() { return *wallet_; }
    const std::string& mnemonic() const { return mnemonic_; }

    /// A transaction of the treasury's that pays the wallet's receive keys, `value` each.
    chain::Transaction pay(const std::vector<std::uint32_t>& indexes, chain::Satoshis value);
    /// What a transaction pays at an output, to be spent.
    static OwnCoin coin(const chain::Transaction& transaction, std::uint32_t index = 0);
    /// Spends a coin of the wallet's: so much to each script, the rest for the miner.
    chain::Transaction spend(const std::vector<OwnCoin>& coins,
                             const std::vector<chain::TxOutput>& outputs);
    /// A spend to `script` that leaves nothing but a fee.
    chain::Transaction sweep(const OwnCoin& coin, const chain::Bytes& script);
    /// A script that is not the wallet's.
    const chain::Bytes& foreign() const { return world_->treasury.script(); }
    void mine(std::uint32_t count = 1) { server().mine(count, foreign()); }

    /// A plain sync that has to succeed.
    SyncEnd sync();
    /// A sync that listens until the wallet knows so many unconfirmed transactions that are not
    /// replaced.
    void sync_and_listen(std::size_t unconfirmed);
    /// The wallet's whole ledger is what the server's blocks say, beside its mempool where the
    /// wallet has listened.
    enum class Unconfirmed : std::uint8_t { unknown, known };
    void expect_exact(Unconfirmed unconfirmed = Unconfirmed::unknown);
    void expect_exact(const SpvWallet& wallet, Unconfirmed unconfirmed);
    /// A wallet with the same words that starts from nothing finds the same.
    void expect_same_from_scratch();

    World* world_ = nullptr;

private:
    std::string mnemonic_;
    std::unique_ptr<AccountKeys> keys_;
    std::unique_ptr<SpvWallet> wallet_;
    std::unique_ptr<Truth> truth_;
};

/// Few enough addresses that a scenario can outrun them.
inline constexpr wallet::LookAhead kShortLookAhead{20, 30};

}  // namespace petal::test
