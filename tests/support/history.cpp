#include "tests/support/history.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <set>
#include <utility>

#include "net/sync/sync_engine.h"
#include "tests/support/simulated_network.h"
#include "tests/support/unsigned_spend.h"

namespace petal::test {

namespace {

using net::FaultKind;
using net::RegtestChain;

constexpr std::uint32_t kGap = 5;
constexpr std::uint32_t kStep = 7;
/// After this number of disconnects in one sync, the peers are honest and get the time that they
/// need. After twice this number, the sync counts as endless.
constexpr int kMaxCuts = 40;
/// The deepest reorganisation. A deeper one could undo coinbases that pay for transactions of the
/// old branch, and so leave a gap in the used addresses.
constexpr std::uint32_t kMaxDepth = 20;
static_assert(kMaxDepth < net::kCoinbaseMaturity);

std::uint32_t own_output(const chain::Transaction& transaction, std::uint32_t script) {
    std::uint32_t vout = 0;
    while (transaction.outputs[vout].script_pubkey != ListWatcher::script(script)) ++vout;
    return vout;
}

}  // namespace

History::History(Choice choice, const Scale& scale)
    : choice_(std::move(choice)), scale_(scale), watcher_(kGap, kStep) {
    chain_.mine(kFirstBlocks);
    watcher_.set_birthday({scale.birthday, 0});
}

std::string History::play() {
    const std::uint32_t rounds = 1 + pick(scale_.rounds);
    for (std::uint32_t round = 0; round < rounds; ++round) {
        grow_chain();
        if (pick(3) == 1) reorganise();
        if (pick(6) == 1) headers_ = chain::HeaderChain(*chain::find_network("regtest"));
        sync(/*to_the_end=*/pick(3) != 1);
    }
    sync(/*to_the_end=*/true);
    return difference();
}

/// Pays the next address that a wallet with this gap limit may use.
chain::Transaction History::payment() {
    const std::uint32_t number = used_end_ + pick(kGap);
    const std::uint32_t script = pick(3) == 1 && used_end_ > 0 ? pick(used_end_) : number;
    used_end_ = std::max(used_end_, script + 1);
    auto transaction = chain_.make_payment({{10'000, ListWatcher::script(script)}});
    const chain::Txid txid = transaction.txid();
    coins_.push_back({txid, own_output(transaction, script)});
    script_paid_by_.emplace(txid, script);
    return transaction;
}

chain::Transaction History::sweep() {
    const std::size_t which = pick(static_cast<std::uint32_t>(coins_.size()));
    const chain::Outpoint coin = coins_[which];
    coins_.erase(coins_.begin() + static_cast<std::ptrdiff_t>(which));
    return test::make_spend(chain_, {{coin}}, {{9'000, chain::Bytes{0x51}}});
}

void History::grow_chain() {
    const std::uint32_t blocks = 1 + pick(scale_.blocks);
    for (std::uint32_t i = 0; i < blocks; ++i) {
        std::vector<chain::Transaction> transactions;
        const std::uint32_t payments = pick(4) == 1 ? pick(12) : 0;
        for (std::uint32_t k = 0; k < payments; ++k) transactions.push_back(payment());
        chain_.mine_block(std::move(transactions));
        if (!coins_.empty() && pick(3) == 1) chain_.mine_block({sweep()});
        if (pick(10) == 1) chain_.mine(pick(scale_.blocks));
    }
}

void History::reorganise() {
    const std::uint32_t depth = 1 + pick(std::min(chain_.height() - kFirstBlocks, kMaxDepth));
    if (chain_.height() <= depth + kFirstBlocks) return;
    chain_.reorganise(
        chain_.height() - depth, depth + 1,
        pick(2) == 1 ? RegtestChain::Dropped::to_mempool : RegtestChain::Dropped::forgotten);
    chain_.mine();
    forget_what_is_gone();
}

/// Outputs that the new branch does not contain cannot be spent, and do not extend the used range.
void History::forget_what_is_gone() {
    std::set<chain::Outpoint> unspent;
    for (std::uint32_t i = 0; i < used_end_; ++i) {
        for (const auto& [coin, output] :
             chain_.blocks().coins().of_script(ListWatcher::script(i))) {
            unspent.insert(coin);
        }
    }
    std::erase_if(coins_, [&](const chain::Outpoint& coin) { return !unspent.contains(coin); });
    used_end_ = 0;
    for (const auto& [txid, height] : read_whole_chain(chain_, 5'000)) {
        const auto paid = script_paid_by_.find(txid);
        if (paid != script_paid_by_.end()) used_end_ = std::max(used_end_, paid->second + 1);
    }
}

net::SyncOptions History::options() {
    net::SyncOptions options;
    options.random_seed = pick(std::numeric_limits<std::uint32_t>::max());
    options.false_positive_rate = pick(2) == 0 ? 1e-6 : scale_.high_rate;
    options.blocks.in_flight = 1 + pick(100);
    options.blocks.per_batch = 1 + pick(50);
    options.expected_peers = 1 + pick(5);
    options.blocks.full = pick(6) == 1;
    options.blocks.cross_check = static_cast<net::CrossCheckMode>(pick(3));
    return options;
}

/// One process: an engine with one or several peers, which connect and disconnect; it may be killed
/// at any point.
void History::sync(bool to_the_end) {
    const net::SyncOptions chosen = options();
    net::SyncEngine engine(headers_, watcher_, chosen);
    SimulatedNetwork network(engine);
    network.set_portion(200 + pick(5'000));
    std::uint32_t steps = to_the_end ? 0 : pick(60);
    std::deque<net::PeerId> peers;
    for (int cuts = 0; !engine.finished() && cuts < 2 * kMaxCuts; ++cuts) {
        while (peers.size() < chosen.expected_peers) {
            peers.push_back(
                network.connect(chain_, cuts < kMaxCuts ? behaviour() : net::NodeBehaviour{}));
        }
        // An exhausted input draws 0, and keeps its peers for the longest time.
        std::uint32_t patience = cuts < kMaxCuts ? 204 - pick(200) : 1'000'000;
        network.run([&] { return !to_the_end ? steps-- == 0 : patience-- == 0; });
        if (!to_the_end || engine.finished()) return;  // killed: nothing is flushed
        network.cut(peers.front());
        peers.pop_front();
    }
}

/// The node is near or far, fast or slow. Some nodes disconnect, fall silent for a while, or serve
/// false data.
net::NodeBehaviour History::behaviour() {
    net::NodeBehaviour result;
    if (pick(2) == 1) result.lag = std::chrono::milliseconds{pick(200)};
    if (pick(3) == 1) result.block_time = std::chrono::microseconds{pick(20'000)};
    if (pick(2) == 1) result.faults.push_back(fault());
    return result;
}

net::Fault History::fault() {
    constexpr std::array kKinds{FaultKind::hang_up,
                                FaultKind::pause,
                                FaultKind::stall,
                                FaultKind::pause,
                                FaultKind::add_match,
                                FaultKind::withhold_transaction,
                                FaultKind::swap_transactions,
                                FaultKind::send_unmatched,
                                FaultKind::corrupt_proof,
                                FaultKind::foreign_proof,
                                FaultKind::garbage};
    net::Fault fault;
    fault.kind = kKinds.at(pick(static_cast<std::uint32_t>(kKinds.size())));
    fault.after_blocks = pick(50);
    fault.times = 1 + pick(2);
    if (fault.kind == FaultKind::pause) fault.duration = std::chrono::milliseconds{pick(5'000)};
    return fault;
}

std::string History::difference() const {
    Knowledge confirmed = watcher_.knowledge();
    std::erase_if(confirmed, [](const auto& entry) { return !entry.second; });
    const Knowledge truth = read_whole_chain(chain_, used_end_ + kGap);
    std::string wrong;
    for (const auto& [txid, height] : truth) {
        if (!confirmed.contains(txid)) {
            wrong += "missed at height " + std::to_string(*height) + "; ";
        } else if (confirmed.at(txid) != height) {
            wrong += "not at its height " + std::to_string(*height) + "; ";
        }
    }
    for (const auto& [txid, height] : confirmed) {
        if (!truth.contains(txid)) wrong += "is not there, at " + std::to_string(*height) + "; ";
    }
    const auto synced = watcher_.sync_state().synced;
    if (!synced || synced->hash != chain_.tip()) wrong += "did not end at the tip";
    return wrong;
}

}  // namespace petal::test
