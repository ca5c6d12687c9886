/// Wallets of several types, synced side by side from one node of each kind.
#include <gtest/gtest.h>

#include <ctime>
#include <deque>
#include <filesystem>

#include "chain/headers/header_file.h"
#include "cli/regtest/temporary_folder.h"
#include "net/io/spv_group.h"
#include "tests/integration/scenario.h"
#include "tests/support/test_chain.h"

namespace petal::test {
namespace {

using wallet::ScriptKind;

class ScenarioOfSeveralWallets : public Scenario {
protected:
    struct Holder {
        Holder(ScriptKind type, const std::filesystem::path& folder)
            : owner(type), file(folder / (std::string(describe(type)) + ".db")) {
            wallet::NewWallet wallet;
            wallet.mnemonic = kMnemonic;
            wallet.account.kind = type;
            wallet::Wallet::create(file, regtest_params(), wallet);
        }
        wallet::Wallet open() const {
            return wallet::Wallet::open(file, regtest_params(), wallet::Access::sync);
        }

        Owner owner;
        std::filesystem::path file;
    };

    /// Syncs all wallets with the stored headers, and returns how many headers were downloaded.
    std::uint64_t sync_all() {
        chain::HeaderChain headers(regtest_params());
        chain::HeaderFile file(folder.path() / "headers.dat", headers, std::time(nullptr));
        net::SharedHeaders shared;
        std::deque<wallet::Wallet> wallets;
        std::deque<net::SyncEngine> engines;
        net::SpvGroup group;
        for (const Holder& holder : holders) {
            engines.emplace_back(headers, wallets.emplace_back(holder.open()), net::SyncOptions{},
                                 &shared);
            net::SpvOptions options;
            options.endpoints = {server->endpoint()};
            options.timeout = std::chrono::seconds{60};
            options.saves.flush_headers = [&file] { file.flush(); };
            group.add(engines.back(), regtest_params(), options);
        }
        std::uint64_t fetched = 0;
        for (const auto& end : group.run()) {
            EXPECT_EQ(end.failure, nullptr);
            EXPECT_EQ(end.result.outcome, net::SyncOutcome::synced);
        }
        for (const auto& engine : engines) fetched += engine.status().counts.headers;
        return fetched;
    }

    void expect_truth() const {
        for (const Holder& holder : holders) {
            TrueLedger(*server, holder.owner).expect_equals(holder.open());
        }
    }

    cli::TemporaryFolder folder;
    std::deque<Holder> holders;
};

TEST_P(ScenarioOfSeveralWallets, AreSyncedOverHeadersFetchedOnce) {
    for (const ScriptKind type : {ScriptKind::wpkh, ScriptKind::sh_wpkh, ScriptKind::pkh}) {
        const Owner& holder = holders.emplace_back(type, folder.path()).owner;
        for (std::uint32_t i = 0; i < 3; ++i) {
            mine({world->pay({{kCoin, holder.receive(i)}})});
        }
    }
    server->mine_empty(20, World::script());
    EXPECT_EQ(sync_all(), server->blocks().size() - 1);  // all blocks but the genesis block
    expect_truth();
    mine({world->pay({{kCoin, holders.back().owner.receive(3)}})});
    EXPECT_EQ(sync_all(), 1U);
    expect_truth();
}

INSTANTIATE_TEST_SUITE_P(Servers, ScenarioOfSeveralWallets, testing::ValuesIn(kServers), suffix_of);

}  // namespace
}  // namespace petal::test
