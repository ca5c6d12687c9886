// Follows the chain for days while peers come and go. This is a program of its own because it reads
// the allocator's count of all memory.
#include <gtest/gtest.h>
#include <malloc.h>

#include <deque>
#include <iostream>
#include <optional>
#include <random>

#include "chain/network_params.h"
#include "net/sync/sync_engine.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"
#include "tests/support/unsigned_spend.h"

namespace petal {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using test::ListWatcher;

constexpr std::size_t kSoakPeers = 4;

net::SyncOptions following_for_days() {
    net::SyncOptions options;
    options.wait_unconfirmed = net::SyncOptions::kForever;
    options.expected_peers = kSoakPeers;
    options.ask_for_addresses = true;
    return options;
}

std::size_t allocated_bytes() {
    return ::mallinfo2().uordblks;
}

/// Every ten minutes, a block pays the wallet and spends its previous payment, strangers make an
/// unconfirmed payment, and three peers leave and are replaced. Every third hour has a
/// reorganisation.
class Soak {
public:
    Soak() {
        chain.mine(110);
        for (std::size_t i = 0; i < kSoakPeers; ++i) connect();
    }

    void live_for(hours time) {
        for (int tenth = 0; tenth < 6 * time.count(); ++tenth) {
            for (int change = 0; change < 3; ++change) {
                network.run_for(minutes{3});
                replace_a_peer();
            }
            pay_and_spend();
            network.run_for(minutes{1});
            if (tenth % 18 == 17) {
                chain.reorganise(chain.height() - 2, 3);
            } else {
                chain.mine();
            }
        }
        network.run_for(minutes{3});
    }

    void expect_truth() const {
        test::Knowledge confirmed = watcher.knowledge();
        std::erase_if(confirmed, [](const auto& entry) { return !entry.second; });
        EXPECT_EQ(confirmed, test::read_whole_chain(chain, watcher.watched()));
        EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
        EXPECT_GT(replaced, 0U);
    }

    /// The memory that the engine holds. Measuring it destroys the engine.
    std::size_t measure_engine() {
        const std::size_t before = allocated_bytes();
        engine.reset();
        return before - allocated_bytes();
    }

private:
    void connect() { open.push_back(network.connect(chain)); }

    void replace_a_peer() {
        std::swap(open.front(), open[random() % open.size()]);
        if (network.is_open(open.front())) network.cut(open.front());
        open.pop_front();
        connect();
        ++replaced;
    }

    void pay_and_spend() {
        if (unspent) {
            const auto spend = test::make_spend(chain, {{*unspent}}, {{6'000, chain::Bytes{0x51}}});
            chain.submit(test::signed_by_watcher(spend, chain));
        }
        unspent = {chain.pay(ListWatcher::script(payments++ % 5), 7'000), 0};
        chain.pay(ListWatcher::script(4'000 + payments), 5'000);
    }

    regtest::RegtestChain chain;
    chain::HeaderChain headers{*chain::find_network("regtest")};
    ListWatcher watcher;
    std::optional<net::SyncEngine> engine{std::in_place, headers, watcher, following_for_days()};
    test::SimulatedNetwork network{*engine};
    std::deque<net::PeerId> open;
    std::optional<chain::Outpoint> unspent;
    std::uint32_t payments = 0;
    std::size_t replaced = 0;
    std::mt19937 random{1};
};

std::size_t engine_bytes_after(hours time) {
    Soak soak;
    soak.live_for(time);
    soak.expect_truth();
    return soak.measure_engine();
}

// What is remembered of spent coins, and of transactions that a reorganisation may undo, is swept
// every two days.
TEST(DaysOfFollowing, TakeNoMoreMemoryThanTheFirstTwo) {
    if (allocated_bytes() == 0) GTEST_SKIP() << "a sanitizer's allocator does not count its bytes";
    const std::size_t two_days = engine_bytes_after(hours{48});
    const std::size_t four_days = engine_bytes_after(hours{96});
    std::cout << two_days << " bytes after two days, " << four_days << " after four\n";
    EXPECT_LT(two_days, 1'000'000U);
    // A leak of 28 bytes a block would be more; the sweeps are not at the same point of their turn.
    EXPECT_LT(four_days, two_days + 8'000);
}

}  // namespace
}  // namespace petal
