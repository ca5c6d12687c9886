#include "tests/integration/scenario.h"

#include <algorithm>
#include <map>

#include "wallet/mnemonic.h"

namespace petal::test {
namespace {

/// Starts a server on first use; it ends with the program.
World& world_of(ServerKind kind) {
    static std::map<ServerKind, std::unique_ptr<World>> worlds;
    std::unique_ptr<World>& world = worlds[kind];
    if (world == nullptr) {
        auto fresh = std::make_unique<World>();
        fresh->server = start_server(kind, fresh->treasury.script());
        fresh->log = std::make_unique<BlockLog>(*fresh->server);
        world = std::move(fresh);
    }
    return *world;
}

std::string words_for(const std::string& name) {
    const std::array<chain::Byte, 32> digest = chain::sha256(chain::as_bytes(name));
    const wallet::Mnemonic mnemonic =
        wallet::Mnemonic::from_entropy(chain::ByteView(digest).first(16));
    return std::string(mnemonic.words());
}

std::string join(const LedgerLines& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

LedgerLines lines_of(const SpvWallet& wallet) {
    const wallet::Wallet open = wallet.open();
    return lines_of(open.balance(), open.coins(), open.history(0));
}

}  // namespace

void Scenario::SetUp() {
    const std::string missing = why_missing(GetParam());
    if (!missing.empty()) GTEST_SKIP() << missing;
    world_ = &world_of(GetParam());
    mnemonic_ = words_for(testing::UnitTest::GetInstance()->current_test_info()->name());
    keys_ = std::make_unique<AccountKeys>(mnemonic_);
    wallet_ = std::make_unique<SpvWallet>(mnemonic_, kShortLookAhead);
    truth_ = std::make_unique<Truth>(keys_->book());
}

void Scenario::TearDown() {
    if (world_ == nullptr) return;
    for (int rounds = 0; rounds < 3 && !server().mempool().empty(); ++rounds) mine();
    EXPECT_TRUE(server().mempool().empty()) << "left for the next scenario";
}

chain::Transaction Scenario::pay(const std::vector<std::uint32_t>& indexes, chain::Satoshis value) {
    std::vector<chain::TxOutput> outputs;
    for (const std::uint32_t index : indexes) outputs.push_back({value, keys_->receive(index)});
    return world_->treasury.pay(*world_->log, std::move(outputs));
}

OwnCoin Scenario::coin(const chain::Transaction& transaction, std::uint32_t index) {
    return {transaction.txid(), index, transaction.outputs.at(index)};
}

chain::Transaction Scenario::spend(const std::vector<OwnCoin>& coins,
                                   const std::vector<chain::TxOutput>& outputs) {
    chain::Transaction transaction;
    std::vector<SpendableOutput> spent;
    for (const OwnCoin& coin : coins) {
        spent.push_back({{coin.txid, coin.index}, coin.output});
        // BIP125: may be replaced while it is unconfirmed.
        transaction.inputs.push_back({spent.back().outpoint, {}, 0xfffffffd, {}});
    }
    transaction.outputs = outputs;
    keys_->book().sign(transaction, spent);
    return transaction;
}

chain::Transaction Scenario::sweep(const OwnCoin& coin, const chain::Bytes& script) {
    return spend({coin}, {{coin.output.value - fee_for(1, 1), script}});
}

SyncEnd Scenario::sync() {
    SyncEnd end = wallet_->sync({.endpoints = {server().endpoint()}, .until = {}});
    EXPECT_EQ(end.outcome, net::SyncOutcome::synced);
    return end;
}

void Scenario::sync_and_listen(std::size_t unconfirmed) {
    const auto knows_them = [unconfirmed](const wallet::Wallet& wallet) {
        const std::vector<wallet::HistoryEntry> history = wallet.history(0);
        return static_cast<std::size_t>(std::ranges::count_if(history, [](const auto& entry) {
                   return !entry.height && !entry.replaced_by;
               })) >= unconfirmed;
    };
    const SyncEnd end = wallet_->sync({.endpoints = {server().endpoint()}, .until = knows_them});
    EXPECT_TRUE(end.until_held) << "listened in vain for unconfirmed transactions";
}

void Scenario::expect_exact(Unconfirmed unconfirmed) { expect_exact(*wallet_, unconfirmed); }

void Scenario::expect_exact(const SpvWallet& wallet, Unconfirmed unconfirmed) {
    std::vector<chain::Transaction> mempool;
    if (unconfirmed == Unconfirmed::known) mempool = server().mempool();
    EXPECT_EQ(join(lines_of(wallet)), join(truth_->read(world_->log->blocks(), mempool)));
    EXPECT_EQ(wallet.open().info().synced->height, server().height());
}

void Scenario::expect_same_from_scratch() {
    SpvWallet fresh(mnemonic_, kShortLookAhead);
    const SyncEnd end = fresh.sync({.endpoints = {server().endpoint()}, .until = {}});
    EXPECT_EQ(end.outcome, net::SyncOutcome::synced);
    Truth truth(keys_->book());
    EXPECT_EQ(join(lines_of(fresh)), join(truth.read(world_->log->blocks(), {})));
}

}  // namespace petal::test
