// Random histories: whatever the chain, the peers and the restarts do, the watcher ends in the
// whole truth.
#include <gtest/gtest.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <random>
#include <set>

#include "chain/network_params.h"
#include "net/sync/sync_engine.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"

namespace petal {
namespace {

using net::RegtestChain;
using test::ListWatcher;

constexpr std::uint32_t kGap = 5;
constexpr std::uint32_t kStep = 7;

/// One history from one seed, played against a sync that is interrupted all the time.
class History {
public:
    explicit History(std::uint64_t seed) : random_(seed) { chain_.mine(101); }

    void play() {
        const std::uint32_t rounds = 1 + pick(4);
        for (std::uint32_t round = 0; round < rounds; ++round) {
            grow_chain();
            if (pick(3) == 0) reorganise();
            if (pick(6) == 0) headers_ = chain::HeaderChain(*chain::find_network("regtest"));
            sync(/*to_the_end=*/pick(3) != 0);
        }
        sync(/*to_the_end=*/true);
        expect_truth();
    }

private:
    std::uint32_t pick(std::uint32_t below) {
        return static_cast<std::uint32_t>(random_() % below);
    }

    // The next address is one that a wallet with this gap limit may use.
    chain::Transaction payment() {
        const std::uint32_t number = used_end_ + pick(kGap);
        const std::uint32_t script = pick(3) == 0 && used_end_ > 0 ? pick(used_end_) : number;
        used_end_ = std::max(used_end_, script + 1);
        auto transaction = chain_.make_payment({{10'000, ListWatcher::script(script)}});
        const chain::Txid txid = transaction.txid();
        coins_.push_back({txid, own_output(transaction, script)});
        script_paid_by_.emplace(txid, script);
        return transaction;
    }

    static std::uint32_t own_output(const chain::Transaction& transaction, std::uint32_t script) {
        std::uint32_t vout = 0;
        while (transaction.outputs[vout].script_pubkey != ListWatcher::script(script)) ++vout;
        return vout;
    }

    chain::Transaction sweep() {
        const std::size_t which = pick(static_cast<std::uint32_t>(coins_.size()));
        const chain::Outpoint coin = coins_[which];
        coins_.erase(coins_.begin() + static_cast<std::ptrdiff_t>(which));
        return chain_.make_spend({{coin}}, {{9'000, chain::Bytes{0x51}}});
    }

    void grow_chain() {
        const std::uint32_t blocks = 1 + pick(40);
        for (std::uint32_t i = 0; i < blocks; ++i) {
            std::vector<chain::Transaction> transactions;
            const std::uint32_t payments = pick(4) == 0 ? pick(12) : 0;
            for (std::uint32_t k = 0; k < payments; ++k) transactions.push_back(payment());
            chain_.mine_block(std::move(transactions));
            if (!coins_.empty() && pick(3) == 0) chain_.mine_block({sweep()});
            if (pick(10) == 0) chain_.mine(pick(30));
        }
    }

    void reorganise() {
        const std::uint32_t depth = 1 + pick(std::min(chain_.height() - 101, 20U));
        if (chain_.height() <= depth + 101) return;
        chain_.reorganise(
            chain_.height() - depth, depth + 1,
            pick(2) == 0 ? RegtestChain::Dropped::to_mempool : RegtestChain::Dropped::forgotten);
        chain_.mine();
        forget_what_is_gone();
    }

    // What the new branch does not have can neither be spent nor does it reach over a gap.
    void forget_what_is_gone() {
        std::set<chain::Outpoint> unspent;
        for (std::uint32_t i = 0; i < used_end_; ++i) {
            for (const auto& [coin, output] : chain_.unspent(ListWatcher::script(i))) {
                unspent.insert(coin);
            }
        }
        std::erase_if(coins_, [&](const chain::Outpoint& coin) { return !unspent.contains(coin); });
        used_end_ = 0;
        for (const auto& [txid, height] : test::read_whole_chain(chain_, 5'000)) {
            const auto paid = script_paid_by_.find(txid);
            if (paid != script_paid_by_.end()) used_end_ = std::max(used_end_, paid->second + 1);
        }
    }

    // One process: an engine with one peer or several, which come and go; it may be killed at any
    // point.
    void sync(bool to_the_end) {
        net::SyncOptions options;
        options.random_seed = random_();
        options.false_positive_rate = pick(2) == 0 ? 1e-5 : 0.05;
        options.blocks.in_flight = 1 + pick(100);
        options.blocks.per_batch = 1 + pick(50);
        options.expected_peers = 1 + pick(5);
        options.blocks.full = pick(6) == 0;
        options.blocks.cross_check = static_cast<net::CrossCheckMode>(pick(3));
        net::SyncEngine engine(headers_, watcher_, options);
        test::SimulatedNetwork network(engine);
        network.set_portion(200 + pick(5'000));
        std::uint32_t steps = to_the_end ? 0 : pick(60);
        std::deque<net::PeerId> peers;
        while (!engine.finished()) {
            while (peers.size() < options.expected_peers) {
                peers.push_back(network.connect(chain_, behaviour()));
            }
            std::uint32_t patience = 5 + pick(200);
            network.run([&] { return !to_the_end ? steps-- == 0 : patience-- == 0; });
            if (!to_the_end) return;  // killed: nothing is flushed
            if (engine.finished()) return;
            network.cut(peers.front());
            peers.pop_front();
        }
    }

    // Honest nodes, near or far, quick or slow; some leave, and some fall silent for a while.
    net::NodeBehaviour behaviour() {
        net::NodeBehaviour result;
        if (pick(2) == 0) result.lag = std::chrono::milliseconds{pick(200)};
        if (pick(3) == 0) result.block_time = std::chrono::microseconds{pick(20'000)};
        net::Fault fault;
        fault.after_blocks = pick(50);
        fault.times = 1;
        if (pick(4) == 0) {
            fault.kind = net::FaultKind::pause;
            fault.duration = std::chrono::milliseconds{pick(5'000)};
            result.faults.push_back(fault);
        } else if (pick(4) == 0) {
            fault.kind = pick(2) == 0 ? net::FaultKind::hang_up : net::FaultKind::stall;
            result.faults.push_back(fault);
        }
        return result;
    }

    void expect_truth() {
        test::Knowledge confirmed = watcher_.knowledge();
        std::erase_if(confirmed, [](const auto& entry) { return !entry.second; });
        const test::Knowledge truth = test::read_whole_chain(chain_, used_end_ + kGap);
        for (const auto& [txid, height] : truth) {
            EXPECT_TRUE(confirmed.contains(txid)) << "missed at height " << *height;
        }
        for (const auto& [txid, height] : confirmed) {
            EXPECT_TRUE(truth.contains(txid)) << "is not there, at height " << *height;
        }
        EXPECT_EQ(confirmed, truth);
        EXPECT_EQ(watcher_.sync_state().synced->hash, chain_.tip());
    }

    std::mt19937_64 random_;
    RegtestChain chain_;
    chain::HeaderChain headers_{*chain::find_network("regtest")};
    ListWatcher watcher_{kGap, kStep};
    std::uint32_t used_end_ = 0;
    std::vector<chain::Outpoint> coins_;
    std::map<chain::Txid, std::uint32_t> script_paid_by_;
};

TEST(RandomHistories, EndInTheWholeTruth) {
    // PETAL_HISTORIES=FIRST-LAST plays others than these, for a long search or to see one again.
    std::uint64_t first = 1;
    std::uint64_t last = 60;
    if (const char* range = std::getenv("PETAL_HISTORIES")) {
        ASSERT_EQ(std::sscanf(range, "%" SCNu64 "-%" SCNu64, &first, &last), 2) << range;
    }
    for (std::uint64_t seed = first; seed <= last; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        History(seed).play();
        if (testing::Test::HasFailure()) return;
    }
}

}  // namespace
}  // namespace petal
