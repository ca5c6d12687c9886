#include "tests/support/history.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>

#include "net/peer/disconnect_reason.h"
#include "net/sync/sync_engine.h"
#include "tests/support/signing.h"
#include "tests/support/unsigned_spend.h"

namespace petal::test {

namespace {

using regtest::FaultKind;
using regtest::RegtestChain;

constexpr std::uint32_t kGap = HistoryOwner::kGap;
/// After this number of disconnects in one sync, the peers are honest and get the time that they
/// need. After twice this number, the sync counts as endless.
constexpr int kMaxCuts = 40;
/// The maximum number of changes of the chain during a sync.
constexpr int kMaxChanges = 3;
/// The deepest reorganisation. A deeper one could undo coinbases that pay for transactions of the
/// old branch, and so leave a gap in the used addresses.
constexpr std::uint32_t kMaxDepth = 20;
static_assert(kMaxDepth < chain::kCoinbaseMaturity);

constexpr chain::Satoshis kPaid = 10'000;

/// Whether a peer with this fault may be dropped, but not for false data.
bool is_harmless(const regtest::Fault& fault) {
    return fault.kind == regtest::FaultKind::pause || fault.kind == regtest::FaultKind::stall ||
           fault.kind == regtest::FaultKind::hang_up;
}

/// Lets the sync end when peers have shown the mempools.
void wait_for_mempools(net::SyncOptions& options) {
    options.blocks.source = net::MatchSourceKind::filtered_blocks;
    options.wait_unconfirmed = std::chrono::seconds{60};
}

std::uint32_t output_to(const chain::Bytes& script, const chain::Transaction& transaction) {
    std::uint32_t vout = 0;
    while (transaction.outputs[vout].script_pubkey != script) ++vout;
    return vout;
}

}  // namespace

History::History(Choice choice, const Scale& scale, HistoryOwner& owner)
    : choice_(std::move(choice)), scale_(scale), owner_(owner) {
    chain_.mine(kFirstBlocks);
    // The first payment fills the purse. No reorganisation may empty the purse.
    static_cast<void>(chain_.make_payment({{kPaid, {0x51}}}));
    lasting_height_ = chain_.height();
}

std::string History::play() {
    has_omissions_ = pick(4) == 1;
    const std::uint32_t rounds = 1 + pick(scale_.rounds);
    for (std::uint32_t round = 0; round < rounds; ++round) {
        change_chain();
        if (owner_.endures_made_up_blocks() && pick(2) == 1) make_up_blocks();
        if (pick(4) == 1) lose_state();
        sync(pick(3) == 1 ? End::killed : End::complete);
    }
    overtake_made_up_blocks();
    sync(End::last);
    return wrong_ + difference() + difference_to_restored();
}

/// Whether the purse has enough coins. Reorganisations and forgotten transactions cost coins of the
/// purse.
bool History::can_pay() const {
    constexpr chain::Satoshis kReserve = 1'000'000;
    return chain_.purse().confirmed_value() >= kReserve;
}

/// Makes a payment of 10,000 satoshi that is not in a block or the mempool yet.
chain::Transaction History::pay(std::uint32_t script) {
    auto transaction = chain_.make_payment({{kPaid, owner_.script(script)}});
    script_paid_by_.emplace(transaction.txid(), script);
    return transaction;
}

/// Pays an address that a wallet with this gap limit may use, for the next block.
chain::Transaction History::payment() {
    const std::uint32_t number = used_end_ + pick(kGap);
    const std::uint32_t script = pick(3) == 1 && used_end_ > 0 ? pick(used_end_) : number;
    used_end_ = std::max(used_end_, script + 1);
    chain::Transaction transaction = pay(script);
    if (!owner_.key(script).empty()) {
        coins_.push_back({transaction.txid(), output_to(owner_.script(script), transaction)});
    }
    return transaction;
}

/// Spends a coin of the owner. Signed, because the spend can become unconfirmed in a
/// reorganisation.
chain::Transaction History::sweep() {
    const std::size_t which = pick(static_cast<std::uint32_t>(coins_.size()));
    const chain::Outpoint coin = coins_[which];
    coins_.erase(coins_.begin() + static_cast<std::ptrdiff_t>(which));
    const std::uint32_t script = script_paid_by_.at(coin.txid);
    auto transaction = test::make_spend(chain_, {{coin}}, {{9'000, chain::Bytes{0x51}}});
    sign_input(transaction, 0, owner_.key(script), {kPaid, owner_.script(script)});
    return transaction;
}

void History::grow_chain() {
    const std::uint32_t blocks = 1 + pick(scale_.blocks);
    for (std::uint32_t i = 0; i < blocks; ++i) {
        std::vector<chain::Transaction> transactions;
        const std::uint32_t payments = pick(4) == 1 ? pick(12) : 0;
        for (std::uint32_t k = 0; k < payments && can_pay(); ++k) {
            transactions.push_back(payment());
        }
        chain_.mine_block(std::move(transactions));
        if (!coins_.empty() && pick(3) == 1) chain_.mine_block({sweep()});
        if (pick(10) == 1) chain_.mine(pick(scale_.blocks));
    }
    if (pick(4) == 1) add_unconfirmed();
}

/// Pays only scripts in use. An unconfirmed payment may never be seen, so the payment must not
/// extend the range of used scripts.
void History::add_unconfirmed() {
    if (used_end_ > 0 && can_pay()) chain_.submit(pay(pick(used_end_)));
    if (!coins_.empty()) chain_.submit(sweep());
}

void History::change_chain() {
    grow_chain();
    if (pick(3) == 1) reorganise();
}

/// Changes between two processes: the header file lags behind or is gone, the wallet must be
/// searched again, addresses were given out.
void History::lose_state() {
    if (pick(2) == 0) {
        headers_ = chain::HeaderChain(*chain::find_network("regtest"));
        std::vector<chain::BlockHeader> kept;
        for (std::uint32_t height = pick(chain_.height() + 1); height > 0; --height) {
            kept.push_back(chain_.blocks().at(height).header);
        }
        std::ranges::reverse(kept);
        headers_.accept(kept, SimulatedNetwork::kStartTime);
    }
    if (pick(2) == 1) owner_.rescan();
    if (pick(2) == 1) owner_.grow_elsewhere();
}

void History::reorganise() {
    const std::uint32_t depth = 1 + pick(std::min(chain_.height() - lasting_height_, kMaxDepth));
    if (chain_.height() <= depth + lasting_height_) return;
    // Unconfirmed transactions may depend on dropped transactions. A wallet keeps transactions that
    // it was shown. A restored wallet would not know these transactions.
    const bool is_kept =
        owner_.endures_made_up_blocks() || !chain_.mempool().entries().empty() || pick(2) == 1;
    chain_.reorganise(chain_.height() - depth, depth + 1,
                      is_kept ? regtest::RegtestChain::Dropped::to_mempool
                              : regtest::RegtestChain::Dropped::forgotten);
    chain_.mine();
    forget_what_is_gone();
}

/// Forgets outputs that the new branch does not contain: such outputs can't be spent, and do not
/// extend the used range.
void History::forget_what_is_gone() {
    std::set<chain::Outpoint> unspent;
    for (std::uint32_t i = 0; i < used_end_; ++i) {
        for (const auto& [coin, output] : chain_.blocks().coins().of_script(owner_.script(i))) {
            unspent.insert(coin);
        }
    }
    std::erase_if(coins_, [&](const chain::Outpoint& coin) { return !unspent.contains(coin); });
    used_end_ = 0;
    const auto is_own = [this](chain::ByteView script) {
        return owner_.number_of(script).has_value();
    };
    for (const auto& [txid, height] : read_whole_chain(chain_, is_own)) {
        const auto paid = script_paid_by_.find(txid);
        if (paid != script_paid_by_.end()) used_end_ = std::max(used_end_, paid->second + 1);
    }
}

/// One or two blocks more than the honest chain has, on its tip or below.
void History::make_up_blocks() {
    const std::uint32_t lacking = pick(3);
    if (chain_.height() <= lasting_height_ + lacking) return;
    if (!hostile_) hostile_.emplace();
    catch_up(*hostile_, lacking);
    for (std::uint32_t more = 1 + pick(2); more > 0;) {
        if (hostile_->height() >= chain_.height()) --more;
        hostile_->mine_made_up(make_up_block());
    }
    made_up_height_ = std::max(made_up_height_, hostile_->height());
}

/// Brings the chain to the honest chain without the last blocks, if that is more work.
void History::catch_up(regtest::RegtestChain& other, std::uint32_t lacking) {
    for (std::uint32_t height = 1; height + lacking <= chain_.height(); ++height) {
        if (other.blocks().find(chain_.blocks().at(height).hash) != nullptr) continue;
        auto [header, transactions, txids] = chain_.block_at(height);
        other.offer_block({header, std::move(transactions)});
    }
}

/// Repeats confirmed and unconfirmed transactions, spends the owner's coins without a signature,
/// spent or not, and pays the owner, in any order. Leaves out the transactions of the honest
/// blocks.
std::vector<chain::Transaction> History::make_up_block() {
    std::vector<chain::Transaction> known = chain_.mempool().transactions();
    std::vector<chain::Outpoint> paid;
    for (std::uint32_t height = kFirstBlocks; height <= chain_.height(); ++height) {
        const auto block = chain_.block_at(height);
        for (std::size_t i = 1; i < block.transactions.size(); ++i) {
            if (block.transactions[i].outputs.size() > 100) continue;  // fills the purse
            known.push_back(block.transactions[i]);
        }
    }
    for (const chain::Transaction& transaction : known) {
        const chain::Txid txid = transaction.txid();
        for (std::uint32_t vout = 0; vout < transaction.outputs.size(); ++vout) {
            const bool is_own =
                owner_.number_of(transaction.outputs[vout].script_pubkey).has_value();
            if (is_own) paid.push_back({txid, vout});
        }
    }
    std::vector<chain::Transaction> block;
    const std::uint32_t count = pick(8);
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!known.empty() && pick(2) == 1) {
            block.push_back(known[pick(static_cast<std::uint32_t>(known.size()))]);
            continue;
        }
        chain::Transaction invented;
        invented.inputs.resize(1);
        auto& prevout = invented.inputs[0].prevout;
        prevout.txid.bytes.fill(static_cast<chain::Byte>(1 + pick(200)));
        if (!paid.empty() && pick(3) != 1) {
            prevout = paid[pick(static_cast<std::uint32_t>(paid.size()))];
        } else if (!block.empty() && pick(2) == 1) {
            prevout = {block.back().txid(), 0};
        }
        // Within the gap limit of a restored wallet.
        const bool pays_owner = used_end_ > 0 && pick(2) == 1;
        const chain::Satoshis amount = 1'000 + pick(9'000);
        invented.outputs.push_back(
            {amount, pays_owner ? owner_.script(pick(used_end_)) : chain::Bytes{0x51}});
        block.push_back(std::move(invented));
    }
    // Children before parents.
    for (std::uint32_t i = 1; i < block.size(); ++i) std::swap(block[i], block[pick(i + 1)]);
    return block;
}

void History::overtake_made_up_blocks() {
    while (chain_.height() <= made_up_height_) chain_.mine();
}

net::SyncOptions History::options() {
    net::SyncOptions options;
    options.random_seed = pick(std::numeric_limits<std::uint32_t>::max());
    options.false_positive_rate = pick(2) == 0 ? 1e-6 : scale_.high_rate;
    options.filter_bytes = scale_.filter_bytes;
    options.header_limits = scale_.header_limits;
    options.blocks.in_flight = 1 + pick(100);
    options.blocks.per_batch = 1 + pick(50);
    // Room for a few matches only, so that waiting blocks are often dropped.
    const std::size_t few_bytes = options.random_seed % 4'000;
    if (options.random_seed % 4 == 0) options.blocks.max_held_bytes = few_bytes;
    if (options.random_seed % 3 == 0) options.blocks.max_unchecked_bytes = 20 * few_bytes;
    options.expected_peers = 1 + pick(5);
    options.has_substitutes = pick(4) == 1;
    using enum net::MatchSourceKind;
    constexpr std::array kSources{filtered_blocks, full_blocks,     compact_filters,
                                  filtered_blocks, filtered_blocks, filtered_blocks};
    options.blocks.source = kSources.at(pick(kSources.size()));
    options.blocks.cross_check = static_cast<net::CrossCheckMode>(pick(3));
    if (pick(3) == 1) options.wait_unconfirmed = std::chrono::milliseconds{pick(5'000)};
    if (pick(3) == 1) options.refresh_watcher_every = std::chrono::milliseconds{1 + pick(2'000)};
    if (pick(3) == 1) {
        options.threshold.minimum_chainwork = chain::Uint256(2 * pick(chain_.height() + 1));
    }
    return options;
}

/// One process: an engine with one or several peers that connect and disconnect. The process may be
/// killed at any point, and then flushes nothing.
void History::sync(End end) {
    net::SyncOptions chosen = options();
    if (end == End::last && owner_.endures_made_up_blocks()) wait_for_mempools(chosen);
    owner_.restart();
    const bool is_to_fail = end == End::killed && pick(4) == 1;
    const bool has_full_disk = owner_.fail_next_apply(is_to_fail) && is_to_fail;
    net::SyncEngine engine(headers_, owner_.watcher(), chosen);
    SimulatedNetwork network(engine);
    network.set_portion(200 + pick(5'000));
    try {
        run(network, engine, end, chosen.expected_peers);
    } catch (const std::runtime_error&) {
        if (!has_full_disk) throw;
    }
    shorter_.reset();
    hostile_.reset();
}

void History::run(SimulatedNetwork& network, net::SyncEngine& engine, End end,
                  std::size_t most_peers) {
    std::uint32_t left = end == End::killed ? pick(60) : std::numeric_limits<std::uint32_t>::max();
    int changes = end == End::last ? 0 : kMaxChanges;
    std::deque<Peer> peers;
    for (int cuts = 0; !engine.finished() && left > 0 && cuts < 2 * kMaxCuts; ++cuts) {
        const bool is_fair = cuts >= kMaxCuts;
        while (peers.size() < most_peers) {
            peers.push_back(is_fair ? Peer{network.connect(chain_), {}} : connect(network, end));
        }
        // An exhausted input draws 0, and keeps the peers for the longest time.
        std::uint32_t patience = is_fair ? 1'000'000 : 204 - pick(200);
        network.run([&] {
            const bool is_over = left == 0 || patience == 0;
            if (!is_over) {
                --left;
                --patience;
            }
            return is_over;
        });
        for (const Peer& peer : peers) record_blame(peer, network.dropped(peer.id));
        if (changes > 0 && pick(3) == 1) {
            --changes;
            change_chain();
            if (owner_.endures_made_up_blocks() && pick(2) == 1) make_up_blocks();
        } else {
            network.cut(peers.front().id);
            peers.pop_front();
        }
    }
}

void History::record_blame(const Peer& peer, std::optional<net::DisconnectReason> reason) {
    if (!reason || peer.is_hostile) return;
    const bool is_wrong = peer.faults.empty() ? net::is_misbehaviour(*reason)
                                              : std::ranges::all_of(peer.faults, is_harmless) &&
                                                    net::is_proof_of_bad_data(*reason);
    if (is_wrong) wrong_ += "blamed an honest peer: " + std::string(net::code_of(*reason)) + "; ";
}

History::Peer History::connect(SimulatedNetwork& network, End end) {
    // A sync ends with the best chain of the peers. The last sync must end with the longest chain.
    if (end != End::last && hostile_ && pick(3) != 1) {
        return {network.connect(*hostile_, behaviour()), {}, /*is_hostile=*/true};
    }
    const bool is_behind = end != End::last && pick(8) == 1;
    const regtest::NodeBehaviour chosen = behaviour();
    return {network.connect(is_behind ? shorter_chain() : chain_, chosen), chosen.faults};
}

/// The chain of a node that lacks the last blocks, and may have a different block on top.
const regtest::RegtestChain& History::shorter_chain() {
    if (shorter_) return *shorter_;
    shorter_.emplace();
    const std::uint32_t lacks = 2 + pick(kMaxDepth);
    for (std::uint32_t height = 1; height + lacks <= chain_.height(); ++height) {
        auto [header, transactions, txids] = chain_.block_at(height);
        shorter_->offer_block({header, std::move(transactions)});
    }
    shorter_->mine(pick(2));
    return *shorter_;
}

/// The node is near or far, fast or slow. Some nodes disconnect, fall silent for a while, or serve
/// false data.
regtest::NodeBehaviour History::behaviour() {
    regtest::NodeBehaviour result;
    result.limits = scale_.node_limits;
    if (pick(2) == 1) result.lag = std::chrono::milliseconds{pick(200)};
    if (pick(3) == 1) result.block_time = std::chrono::microseconds{pick(20'000)};
    if (pick(2) == 1) result.faults.push_back(fault());
    return result;
}

regtest::Fault History::fault() {
    constexpr std::array kKinds{
        regtest::FaultKind::hang_up,        regtest::FaultKind::pause,
        regtest::FaultKind::stall,          regtest::FaultKind::pause,
        regtest::FaultKind::add_match,      regtest::FaultKind::withhold_transaction,
        regtest::FaultKind::omit_match,     regtest::FaultKind::swap_transactions,
        regtest::FaultKind::send_unmatched, regtest::FaultKind::corrupt_proof,
        regtest::FaultKind::foreign_proof,  regtest::FaultKind::garbage};
    regtest::Fault fault;
    fault.kind = kKinds.at(pick(static_cast<std::uint32_t>(kKinds.size())));
    fault.after_blocks = pick(50);
    fault.times = 1 + pick(2);
    if (fault.kind == regtest::FaultKind::omit_match && !has_omissions_) {
        fault.kind = regtest::FaultKind::withhold_transaction;
    }
    if (fault.kind == regtest::FaultKind::pause)
        fault.duration = std::chrono::milliseconds{pick(5'000)};
    return fault;
}

std::string History::difference() const {
    Knowledge confirmed = owner_.knowledge();
    std::erase_if(confirmed, [](const auto& entry) { return !entry.second; });
    const Knowledge truth = read_whole_chain(chain_, [this](chain::ByteView script) {
        const auto number = owner_.number_of(script);
        return number && *number < used_end_ + kGap;
    });
    std::string wrong;
    for (const auto& [txid, height] : truth) {
        if (!confirmed.contains(txid)) {
            if (has_omissions_) continue;
            wrong += "missed at height " + std::to_string(*height) + "; ";
        } else if (confirmed.at(txid) != height) {
            wrong += "not at its height " + std::to_string(*height) + "; ";
        }
    }
    for (const auto& [txid, height] : confirmed) {
        if (!truth.contains(txid)) wrong += "is not there, at " + std::to_string(*height) + "; ";
    }
    const auto synced = owner_.watcher().sync_state().synced;
    if (!synced || synced->hash != chain_.tip()) wrong += "did not end at the tip";
    return wrong.empty() && !has_omissions_ ? owner_.compare_coins(chain_) : wrong;
}

/// Restores the owner from an honest peer.
std::string History::difference_to_restored() {
    const auto restored = owner_.restored();
    if (!restored || has_omissions_) return {};
    net::SyncOptions options;
    wait_for_mempools(options);
    chain::HeaderChain headers(*chain::find_network("regtest"));
    net::SyncEngine engine(headers, restored->watcher(), options);
    SimulatedNetwork network(engine);
    network.connect(chain_);
    if (!network.run()) return "the restored owner did not sync";
    return owner_.compare_with(*restored);
}

}  // namespace petal::test
