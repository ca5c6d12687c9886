#include "net/sync/unconfirmed_intake.h"

#include <algorithm>
#include <map>
#include <utility>

namespace petal::net {

using std::chrono::milliseconds;

namespace {

// Transactions that arrive together, as after `mempool`, are stored in one batch.
constexpr milliseconds kLongestWait{2'000};
// A node that lacks up to this many blocks may still relay transactions. A node that claims to lack
// more may do so to have blocks searched again.
constexpr std::uint32_t kSenderLag = 6;

// The transaction was requested with witnesses, if the peer serves them.
bool is_to_blame(const SyncPeer& peer, const SpendFault& fault) {
    if (fault.blame == FaultBlame::every_peer) return true;
    return fault.blame == FaultBlame::peers_with_witnesses && peer.connection.serves_witnesses();
}

}  // namespace

void UnconfirmedIntake::on_announced(SyncPeer& peer, const Inv& message, bool blocks_are_in) {
    std::vector<chain::Txid> txids;
    for (const Inventory& entry : message.entries) {
        if (entry.type != InventoryType::tx) continue;
        const chain::Txid& txid = txids.emplace_back(chain::Txid{entry.hash.bytes});
        peer.blocks.filter().on_announced(txid, sync_.peers.max_txids_per_peer());
        if (peer.connection.announced_to_peer().contains(txid)) continue;
        inv_counter_.add(txid, peer.network_group);
    }
    if (relay_.takes_from(peer, blocks_are_in)) request(peer, txids);
}

void UnconfirmedIntake::request(SyncPeer& peer, std::span<const chain::Txid> txids) {
    GetData wanted = peer.transactions.request(txids, sync_.peers.max_txids_per_peer(),
                                               peer.connection.serves_witnesses());
    if (!wanted.entries.empty()) sync_.outbox.send(peer.id(), std::move(wanted));
}

Outcome UnconfirmedIntake::on_transaction(SyncPeer& peer, chain::Transaction transaction,
                                          const chain::Txid& txid, bool is_shown, Now now) {
    // A peer must not choose the transactions that the wallet processes.
    if (!peer.transactions.take_request(txid)) {
        const std::size_t bytes = memory_bytes(transaction);
        if (peer.transactions.allows_unrequested(bytes, now.steady)) return {};
        return chain::Unexpected(Violation{DisconnectReason::unrequested, "transactions"});
    }
    ++sync_.status.counts.transactions;
    if (auto outcome = relay_.check(peer, transaction, txid); !outcome) return outcome;
    peer.blocks.filter().on_unconfirmed(transaction, txid);
    if (!is_shown) return {};
    const FirstSeen first_seen{peer.network_group, now.unix_seconds};
    const bool is_first = !sync_.keeper.unconfirmed().has_unstored();
    const bool is_store_due = wakes_at().has_value();
    const auto verdict = sync_.keeper.unconfirmed().add(std::move(transaction), txid, first_seen);
    // Only a transaction that matches is verified.
    const bool may_blame = relay_.traits().may_show_matches;
    if (may_blame && verdict.fault && is_to_blame(peer, *verdict.fault)) {
        return chain::Unexpected(Violation{DisconnectReason::invalid_transaction,
                                           txid.to_hex() + ", " + verdict.fault->what});
    }
    add_source(peer, txid);
    // Drawn at random: the sender must not know when to measure how long storing takes.
    if (!is_store_due) {
        const auto half = kLongestWait / 2;
        const auto more = sync_.random.next() % static_cast<std::uint64_t>(half.count());
        store_at_ = now.steady + half + milliseconds{static_cast<milliseconds::rep>(more)};
    }
    if (!verdict.is_tracked) return {};
    source_.on_unconfirmed_changed();
    // For another version of a tracked transaction, filters hold its outpoints already.
    const std::uint32_t tip = sync_.chain.tip().height;
    const std::uint32_t known = verdict.is_new ? peer.chain.last_block(tip) : tip;
    seen_at_ = is_first ? known : std::min(seen_at_, known);
    ask_again_for_unjudged();
    return {};
}

// The watcher must learn soon that a first peer shows the transaction, and which peers show which
// of several conflicting transactions. Further sources are stored with the next transactions.
void UnconfirmedIntake::add_source(const SyncPeer& peer, const chain::Txid& txid) {
    const auto& tracked = sync_.keeper.checkpoint().unconfirmed;
    const UnconfirmedMatch* const match = tracked.find(txid);
    if (match == nullptr || !match->is_open()) return;
    const auto [news, spenders] = sources_.add(txid, match->inputs, peer.id());
    if (news == TxSources::News::none) return;
    new_sources_.insert(txid);
    // The peer may have shown one of the spenders before, which now no peer may show.
    new_sources_.insert(spenders.begin(), spenders.end());
    are_sources_due_ = are_sources_due_ || news != TxSources::News::more;
}

/// The present sources of all transactions whose sources have changed.
std::vector<chain::PresentSources> UnconfirmedIntake::take_sources() {
    are_sources_due_ = false;
    const auto& tracked = sync_.keeper.checkpoint().unconfirmed;
    const std::set<chain::Txid> txids = std::exchange(new_sources_, {});
    std::map<PeerId, chain::TxSource> numbers;
    for (const auto& [id, peer] : sync_.peers) {
        numbers[id] = source_of(peer.network_group, sync_.peers.report(id).node);
    }
    std::vector<chain::PresentSources> result;
    for (const chain::Txid& txid : txids) {
        const UnconfirmedMatch* const match = tracked.find(txid);
        if (match == nullptr) continue;
        auto& sources = result.emplace_back(chain::PresentSources{txid, {}}).sources;
        for (const PeerId id : sources_.peers_of(txid, match->inputs)) {
            sources.push_back(numbers.at(id));
        }
        std::ranges::sort(sources);
        sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
    }
    sources_.keep_only([&](const chain::Txid& txid) { return tracked.find(txid) != nullptr; });
    return result;
}

void UnconfirmedIntake::ask_again_for_unjudged() {
    const auto unjudged = sync_.keeper.unconfirmed().take_unjudged();
    if (!relay_.traits().may_show_matches) return;
    for (const chain::Txid& txid : unjudged) {
        for (auto& [id, peer] : sync_.peers) {
            if (!peer.connection.announced_by_peer().contains(txid)) continue;
            request(peer, {&txid, 1});
        }
    }
}

void UnconfirmedIntake::on_reorganised(std::uint32_t fork_height) {
    seen_at_ = std::min(seen_at_, fork_height);
    // The watcher judges anew which of the undone transactions count.
    for (const chain::Txid& txid : sources_.txids()) new_sources_.insert(txid);
    if (!new_sources_.empty() && !wakes_at()) {
        are_sources_due_ = true;
        store_at_ = milliseconds{0};
    }
}

void UnconfirmedIntake::store() {
    const bool has_unstored = sync_.keeper.unconfirmed().has_unstored();
    if (!has_unstored && new_sources_.empty()) return;
    if (has_unstored) distrust_blocks_of_others();
    const auto sources = take_sources();
    const auto stored = sync_.keeper.store_unconfirmed(sources, sync_.scan.held().searched_again());
    ++sync_.status.counts.stored_batches;
    source_.on_unconfirmed_changed();
    source_.on_found(stored.found, /*has_them=*/nullptr);
    if (stored.grew && on_grown) on_grown();
}

void UnconfirmedIntake::store_at_next_wake() {
    store_at_ = milliseconds{0};
    if (!sync_.keeper.unconfirmed().has_unstored()) store();  // nothing waits for these sources
}

// Blocks that the senders did not have may hold conflicts. If such a block was requested from
// another peer before, it was searched without the outpoints that the conflict spends.
void UnconfirmedIntake::distrust_blocks_of_others() {
    const std::uint32_t next = sync_.scan.schedule().next();
    const std::uint32_t first = std::max(seen_at_ + 1, next - std::min(next, kSenderLag));
    if (first >= next) return;
    HeightRanges doubtful;
    doubtful.add(first, next - 1);
    sync_.scan.distrust(doubtful);
}

std::uint32_t UnconfirmedIntake::last_block_to_ask(const SyncPeer& peer) const {
    std::uint32_t last = peer.chain.last_block(sync_.chain.tip().height);
    // A node disconnects if it is asked for filters up to a block that it does not have.
    if (source_.traits().has_compact_filters) {
        last = std::min(last, peer.last_known_block(sync_.chain));
    }
    if (relay_.is_reserved(peer)) return 0;
    const bool waits =
        sync_.keeper.unconfirmed().has_unstored() && source_.traits().covers_as_of_request;
    return waits ? std::min(last, seen_at_) : last;
}

std::optional<milliseconds> UnconfirmedIntake::wakes_at() const {
    const bool waits = sync_.keeper.unconfirmed().has_unstored() || are_sources_due_;
    return waits ? std::optional(store_at_) : std::nullopt;
}

}  // namespace petal::net
