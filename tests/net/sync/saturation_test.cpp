// False positives fill a server's filter. It must never match much more than it was made for.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <optional>

#include "chain/network_params.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"
#include "tests/support/unsigned_spend.h"

namespace petal {
namespace {

using test::ListWatcher;

constexpr double kRate = 1e-3;

/// A P2WPKH script that no wallet watches, a different one for each number.
chain::Bytes strangers_script(std::uint32_t number) {
    chain::Bytes script(22);
    script[1] = 20;
    for (unsigned i = 0; i < 4; ++i) script[2 + i] = static_cast<chain::Byte>(number >> 8 * i);
    return script;
}

/// In each block, the watcher is paid, spends its payment of fifty blocks before, and two strangers
/// are paid.
regtest::RegtestChain busy_chain(std::uint32_t blocks) {
    regtest::RegtestChain chain;
    chain.mine(110);
    std::deque<chain::Outpoint> coins;
    for (std::uint32_t i = 0; i < blocks; ++i) {
        std::vector<chain::Transaction> transactions{
            chain.make_payment(
                {{10'000, strangers_script(3 * i)}, {10'000, strangers_script(3 * i + 1)}}),
            chain.make_payment({{10'000, ListWatcher::script(i % 20)}})};
        coins.push_back({transactions.back().txid(), 0});
        if (coins.size() > 50) {
            transactions.push_back(
                test::make_spend(chain, {{coins.front()}}, {{9'000, strangers_script(3 * i + 2)}}));
            coins.pop_front();
        }
        chain.mine_block(std::move(transactions));
    }
    return chain;
}

/// A sync of a new watcher from one node.
struct SyncFromOne {
    SyncFromOne(const regtest::RegtestChain& chain, const net::SyncOptions& options)
        : engine(headers, watcher, options), peer(network.connect(chain)) {}

    /// The false positive rate of the node's filter; empty if it has none.
    std::optional<double> servers_rate() const {
        const auto& filter = network.node(peer).filter();
        return filter ? std::optional(filter->false_positive_rate()) : std::nullopt;
    }

    chain::HeaderChain headers{*chain::find_network("regtest")};
    ListWatcher watcher;
    net::SyncEngine engine;
    test::SimulatedNetwork network{engine};
    net::PeerId peer;
};

TEST(Saturation, IsDetectedOverALongChain) {
    const regtest::RegtestChain chain = busy_chain(10'000);
    net::SyncOptions options;
    options.false_positive_rate = kRate;
    SyncFromOne sync(chain, options);

    double servers_own = 0;
    double mirrored = 0;
    sync.network.run([&] {
        servers_own = std::max(servers_own, sync.servers_rate().value_or(0));
        mirrored = std::max(mirrored, sync.engine.status().filter.false_positive_rate);
        return false;
    });
    ASSERT_TRUE(sync.engine.finished());
    EXPECT_EQ(sync.watcher.knowledge(), test::read_whole_chain(chain, sync.watcher.watched()));
    EXPECT_GT(sync.engine.status().counts.false_positives, 10U);
    EXPECT_GT(sync.engine.status().counts.filter_loads, 1U);
    // When the filter is loaded, it contains a thousand outpoints that are not known to be spent;
    // its size does not depend on them. Until it is replaced, it may fill by half as much again.
    EXPECT_LT(servers_own, 2.5 * kRate);
    EXPECT_LT(mirrored, 2.5 * kRate);
    EXPECT_EQ(sync.engine.status().filter.false_positive_rate, sync.servers_rate().value());
    RecordProperty("servers_highest_rate", std::to_string(servers_own));
    RecordProperty("filter_loads", std::to_string(sync.engine.status().counts.filter_loads));
    RecordProperty("false_positives", std::to_string(sync.engine.status().counts.false_positives));
}

// Some payments to strangers match, and each adds an outpoint to the server's filter. They are
// spent a few blocks later, so a new filter holds fewer outpoints. The watcher's coins are spent as
// soon: whenever a filter is replaced, there are some that were paid before and are spent after.
TEST(Saturation, IsEndedByANewFilterThatMissesNothing) {
    regtest::RegtestChain chain;
    chain.mine(110);
    const auto payment = [&chain](std::uint32_t script) {
        return chain.make_payment({{10'000, ListWatcher::script(script)}});
    };
    std::deque<std::vector<chain::Outpoint>> coins;
    for (std::uint32_t i = 0; i < 600; ++i) {
        std::vector<chain::Transaction> transactions{payment(i % 10)};
        for (std::uint32_t k = 0; k < 120; ++k) {
            transactions.push_back(payment(1'000 + (i * 120 + k) % 3'000));
        }
        coins.emplace_back();
        for (const auto& paid : transactions) coins.back().push_back({paid.txid(), 0});
        if (coins.size() > 5) {
            for (const chain::Outpoint& coin : coins.front()) {
                transactions.push_back(
                    test::make_spend(chain, {{coin}}, {{9'000, chain::Bytes{0x51}}}));
            }
            coins.pop_front();
        }
        chain.mine_block(std::move(transactions));
    }
    net::SyncOptions options;
    options.false_positive_rate = 0.3;
    options.blocks.in_flight = 10;
    SyncFromOne sync(chain, options);
    double highest = 0;
    sync.network.run([&] {
        highest = std::max(highest, sync.servers_rate().value_or(0));
        return false;
    });
    ASSERT_TRUE(sync.engine.finished());
    EXPECT_EQ(sync.watcher.knowledge(), test::read_whole_chain(chain, sync.watcher.watched()));
    EXPECT_EQ(sync.watcher.sync_state().synced->height, chain.height());
    EXPECT_GT(sync.engine.status().counts.false_positives, 100U);
    EXPECT_GT(sync.engine.status().counts.filter_loads, 1U);
    EXPECT_LT(highest, 2 * *options.false_positive_rate);
}

// Each transaction that a server announces adds to its filter, even while it serves blocks.
TEST(Saturation, CountsWhatAServerAnnouncesWhileBlocksAreMissing) {
    regtest::RegtestChain chain;
    chain.mine(110);
    std::uint32_t number = 0;
    const auto pay_stranger = [&] {
        return chain.make_payment({{10'000, strangers_script(number++)}});
    };
    for (int i = 0; i < 200; ++i) {
        std::vector<chain::Transaction> block;
        for (int k = 0; k < 40; ++k) block.push_back(pay_stranger());
        chain.mine_block(std::move(block));
    }
    net::SyncOptions options;
    options.false_positive_rate = 0.2;
    options.blocks.in_flight = 10;
    SyncFromOne sync(chain, options);
    sync.network.set_portion(10'000);
    for (int step = 0; step < 80; ++step) {
        for (int k = 0; k < 10; ++k) chain.pay(strangers_script(number++), 1'000);
        sync.network.step();
    }
    sync.network.run();
    EXPECT_TRUE(sync.engine.finished());
    EXPECT_EQ(sync.engine.status().peers.front().misbehaviour, 0U);
    // Announcements that come while a new filter is on its way are not counted.
    EXPECT_NEAR(sync.engine.status().filter.false_positive_rate, sync.servers_rate().value(),
                0.001);
}

}  // namespace
}  // namespace petal
