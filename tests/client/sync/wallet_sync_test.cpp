#include "client/sync/wallet_sync.h"

#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "client/sync/single_sync.h"
#include "client/sync/sync_group.h"
#include "regtest/serve/embedded_node.h"
#include "tests/client/wallet_folder.h"
#include "tests/support/test_chain.h"
#include "wallet/descriptors/address.h"

namespace petal::client {
namespace {

/// A wallet, and a node whose chain pays it.
class WalletSyncTest : public testing::Test {
protected:
    WalletSyncTest() {
        options_.connection.connect = {node_.endpoint()};
        for (const char* name : {"a", "b"}) folder_.create(name, number_++);
        const std::string address =
            folder_.open("a", wallet::Access::change).receive_address(false).address;
        const auto script = *wallet::parse_address(address, folder_.data().network());
        node_.with_chain([&](regtest::RegtestChain& chain) {
            chain.mine(120);
            chain.mine_block({chain.make_payment({{50'000, script}})});
            chain.mine(4);
            height_ = chain.height();
        });
    }

    test::WalletFolder folder_;
    regtest::EmbeddedNode node_;
    WalletSyncOptions options_;
    std::uint32_t number_ = 0;
    std::uint32_t height_ = 0;  // of the node's chain
};

TEST_F(WalletSyncTest, IsStoppedBeforeItBegins) {
    options_.follow = true;
    SingleSync sync(options_, folder_.data(), "a");
    sync.stop();
    EXPECT_EQ(sync.run().end, SyncEnd::done);
}

TEST_F(WalletSyncTest, IsStoppedByAnotherThread) {
    options_.follow = true;
    SingleSync sync(options_, folder_.data(), "a");
    std::promise<void> synced;
    sync.events().on_blocks_done = [&] { synced.set_value(); };
    std::thread stopper([&] {
        synced.get_future().wait();
        sync.stop();
    });
    const SyncReport report = sync.run();
    stopper.join();
    EXPECT_EQ(report.end, SyncEnd::done);
    EXPECT_EQ(report.synced_height, height_);
}

TEST_F(WalletSyncTest, ReportsWhatTheWalletHas) {
    SingleSync sync(options_, folder_.data(), "a");
    std::uint32_t height = 0;
    int ends = 0;
    sync.events().on_progress = [&](const net::SyncStatus& status) {
        height = status.synced_height;
    };
    sync.events().on_blocks_done = [&] { ++ends; };
    const SyncReport report = sync.run();
    EXPECT_EQ(report.end, SyncEnd::done);
    EXPECT_EQ(report.wallet, "a");
    EXPECT_EQ(report.synced_height, height_);
    EXPECT_EQ(report.chain.tip.height, height_);
    EXPECT_EQ(report.balance.total(), 50'000);
    EXPECT_EQ(height, height_);
    EXPECT_EQ(ends, 1);
    EXPECT_TRUE(FilterHosts(folder_.data().wallet_file("a")).contains("127.0.0.1:1"))
        << "the node got the wallet's filter";
}

// As help and documents say: tests on regtest see payments that are in the mempool already.
TEST_F(WalletSyncTest, UsesBloomFiltersAtRegtestsDefaultNode) {
    auto network = *chain::find_network("regtest");
    network.default_port = node_.port();
    const DataFolder data(folder_.data().root(),
                          std::make_shared<const chain::NetworkParams>(network));
    options_.connection.connect.clear();
    const SyncReport report = SingleSync(options_, data, "a").run();
    EXPECT_EQ(report.end, SyncEnd::done);
    const SourceChoice expected{net::MatchSourceKind::filtered_blocks, SourceReason::by_default};
    EXPECT_EQ(report.source, expected);
}

TEST_F(WalletSyncTest, LocksTheWallet) {
    const SingleSync sync(options_, folder_.data(), "a");
    try {
        const SingleSync second(options_, folder_.data(), "a");
        ADD_FAILURE() << "only one sync at a time";
    } catch (const wallet::WalletError& error) {
        EXPECT_EQ(error.kind(), wallet::WalletError::Kind::locked_by_other);
    }
}

TEST_F(WalletSyncTest, EndsWithTheAwaitedState) {
    int asked = 0;
    SingleSync sync(options_, folder_.data(), "a", {}, [&asked](const wallet::Wallet& wallet) {
        ++asked;
        return wallet.balance().total() == 50'000;
    });
    EXPECT_EQ(sync.run().end, SyncEnd::done);
    EXPECT_EQ(asked, 1) << "not before all blocks are searched";
}

TEST_F(WalletSyncTest, MissesAStateThatDoesNotCome) {
    options_.connection.timeout = std::chrono::milliseconds{1'000};
    SingleSync sync(options_, folder_.data(), "a", {}, [](const wallet::Wallet&) { return false; });
    const SyncReport report = sync.run();
    EXPECT_EQ(report.end, SyncEnd::state_missed);
    EXPECT_EQ(report.synced_height, height_) << "all blocks are searched nevertheless";
}

TEST_F(WalletSyncTest, FailsWithoutAPeer) {
    node_.stop_listening();
    options_.connection.timeout = std::chrono::milliseconds{300};
    SingleSync sync(options_, folder_.data(), "a");
    std::string words;
    sync.events().failure_words = [&](const net::SpvResult& so_far) {
        return words = describe(*so_far.endpoints.at(0).last_failure);
    };
    const SyncReport report = sync.run();
    EXPECT_EQ(report.end, SyncEnd::failed);
    EXPECT_EQ(report.wallet, "a");
    EXPECT_EQ(report.result.endpoints.size(), 1U);
    EXPECT_EQ(report.chain.tip_age, 0) << "a failed sync has no state to report";
    EXPECT_NE(words, "");
}

// The chain was reorganised while the sync of another wallet went on.
TEST_F(WalletSyncTest, IsOvertakenIfItsBlockHasSinceBeenReplaced) {
    SingleSync single(options_, folder_.data(), "a");
    ASSERT_EQ(single.run().end, SyncEnd::done);
    net::SpvResult synced;
    synced.outcome = net::SyncOutcome::synced;
    EXPECT_EQ(single.sync().finish(synced).end, SyncEnd::done);
    chain::HeaderChain& chain = single.source().chain;
    const auto branch = test::mine_headers(chain.header_at(height_ - 2), 3);
    ASSERT_TRUE(chain.accept(branch, test::kNow).move.is_reorganisation());
    EXPECT_EQ(single.sync().finish(synced).end, SyncEnd::overtaken);
}

TEST_F(WalletSyncTest, TellsOnceOfAnInvalidBlockThatSeveralWalletsFind) {
    SyncGroup group(options_, folder_.data(), chain::genesis_anchor(folder_.data().network()), 2,
                    {});
    std::vector<std::uint32_t> told;
    const auto prepare = [&told](WalletSync& sync) {
        sync.events.on_invalid_block = [&told](const chain::InvalidBlock& invalid) {
            told.push_back(invalid.block.height);
        };
    };
    const auto headers = test::mine_headers(folder_.data().network().genesis, 2);
    for (const char* name : {"a", "b"}) {
        WalletSync& sync = group.add(name, folder_.open(name, wallet::Access::sync), prepare, {});
        sync.engine().events.on_invalid_block({{7, headers[0].hash()}, {}, {}, {}});
        sync.engine().events.on_invalid_block({{7, headers[0].hash()}, {}, {}, {}});
    }
    EXPECT_EQ(told, std::vector<std::uint32_t>{7});
    WalletSync& first = group.add("c",
                                  [&] {
                                      folder_.create("c", 7);
                                      return folder_.open("c", wallet::Access::sync);
                                  }(),
                                  prepare, {});
    first.engine().events.on_invalid_block({{8, headers[1].hash()}, {}, {}, {}});
    EXPECT_EQ(told, (std::vector<std::uint32_t>{7, 8}));
}

TEST_F(WalletSyncTest, SyncsSeveralWalletsOnOneChain) {
    SyncGroup group(options_, folder_.data(), chain::genesis_anchor(folder_.data().network()), 2,
                    {});
    std::vector<WalletSync*> syncs;
    for (const char* name : {"a", "b"}) {
        syncs.push_back(
            &group.add(name, folder_.open(name, wallet::Access::sync), [](WalletSync&) {}, {}));
    }
    const auto ends = group.run();
    ASSERT_EQ(ends.size(), 2U);
    EXPECT_EQ(syncs[0]->finish(ends[0].result).balance.total(), 50'000);
    EXPECT_EQ(syncs[1]->finish(ends[1].result).balance.total(), 0);
    EXPECT_EQ(group.source().chain.tip().height, height_);
}

TEST_F(WalletSyncTest, IsLeftOutOfAGroupIfItCannotBePrepared) {
    SyncGroup group(options_, folder_.data(), chain::genesis_anchor(folder_.data().network()), 2,
                    {});
    const auto refuse = [](WalletSync&) { throw std::runtime_error("refused"); };
    EXPECT_THROW(group.add("a", folder_.open("a", wallet::Access::sync), refuse, {}),
                 std::runtime_error);
    EXPECT_TRUE(group.run().empty());
    EXPECT_NO_THROW(folder_.open("a", wallet::Access::sync)) << "it is closed";
}

TEST(SyncGroup, SharesThePeersThatAreFound) {
    EXPECT_EQ(peers_for_each(8, 1), 8U);
    EXPECT_EQ(peers_for_each(8, 3), 2U);
    EXPECT_EQ(peers_for_each(12, 3), 4U);
    EXPECT_EQ(peers_for_each(8, 20), 2U) << "a second peer shows what the first one leaves out";
    EXPECT_EQ(peers_for_each(1, 3), 1U);
}

TEST(SyncGroup, MayShowAllFiltersToANodeAtHome) {
    for (const char* host : {"localhost", "127.0.0.1", "192.168.1.7", "fd00::7"}) {
        EXPECT_TRUE(is_at_home({host, 8'333})) << host;
    }
    for (const char* host : {"8.8.8.8", "node.example"}) {
        EXPECT_FALSE(is_at_home({host, 8'333})) << host;
    }
}

}  // namespace
}  // namespace petal::client
