#include "net/sync/scan.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "net/sync/privacy.h"

namespace petal::net {

namespace {

// What waits for lower blocks is never more than this, and what peers have in flight.
constexpr std::size_t kMaxHeldBytes = 16'000'000;

std::size_t size_of(const chain::ProvenBlock& block) {
    std::size_t bytes = 0;
    for (const auto& proven : block.transactions) {
        bytes += sizeof proven + proven.transaction.weight() / 4;
    }
    return bytes;
}

// Both proven, both in block order.
void unite(std::vector<chain::ProvenTransaction>& transactions,
           std::vector<chain::ProvenTransaction> more) {
    transactions.insert(transactions.end(), std::make_move_iterator(more.begin()),
                        std::make_move_iterator(more.end()));
    std::ranges::sort(transactions, {}, &chain::ProvenTransaction::position);
    const auto same = [](const auto& a, const auto& b) { return a.position == b.position; };
    transactions.erase(std::unique(transactions.begin(), transactions.end(), same),
                       transactions.end());
}

}  // namespace

Scan::Scan(chain::HeaderChain& chain, chain::Watcher& watcher, std::optional<double> rate)
    : chain_(chain), watcher_(watcher) {
    const chain::SyncState state = watcher.sync_state();
    // A memory of another version, or none, costs a filter with false outpoints less, and the
    // blocks above what was covered a second search: no coin of the watcher's depends on it.
    memory_.rate = rate_of(Privacy::fast);
    if (auto memory = decode_sync_checkpoint(state.sync_checkpoint)) memory_ = *std::move(memory);
    has_new_rate_ = rate.value_or(memory_.rate) != memory_.rate;
    memory_.rate = rate.value_or(memory_.rate);
    // Something was undone, or the list has grown since: only what the watcher says itself is sure.
    const bool grew = memory_.watched_elements != watcher.watch_list().elements.size();
    if (state.synced != memory_.covered || grew) {
        memory_.applied = state.synced;
        memory_.covered = state.synced;
        memory_.coverage = {};
    }
}

bool Scan::align(bool headers_complete) {
    if (aligned_) return true;
    aligned_ = memory_.applied ? align_known_watcher(headers_complete)
                               : align_new_watcher(headers_complete);
    if (!aligned_) return false;
    first_height_ = next_height();
    // Before a filter shows it: no later sync may show another unasked.
    if (std::exchange(has_new_rate_, false) && memory_.applied) {
        store_memory();
    }
    return true;
}

// Without a block. Of what is held the watcher knows nothing yet: it is stored as still to be
// searched, lest it be missed should the process end now.
void Scan::store_memory() {
    watcher_.apply({}, state_to_store());
}

chain::SyncState Scan::state_to_store() {
    SyncCheckpoint stored = memory_;
    HeightRanges held;
    for (const auto& [height, block] : held_) {
        if (height <= applied_) held.add(height);
    }
    stored.coverage.note_doubtful(held);
    memory_.covered = stored.covered = covered_by(stored.coverage);
    return {stored.covered, stored.encode()};
}

bool Scan::align_new_watcher(bool headers_complete) {
    const chain::Birthday birthday = watcher_.birthday();
    const std::uint32_t tip = chain_.tip().height;
    std::uint32_t first = std::max({next_height(), birthday.height, chain_.root().height + 1});
    while (first <= tip && chain_.header_at(first).time < birthday.time) ++first;
    // Born after the last block: that one alone is shown, so that the watcher's place is on record.
    if (first > tip) {
        if (!headers_complete) return false;
        first = std::max(tip, chain_.root().height + 1);
    }
    start_above(first - 1);
    return true;
}

bool Scan::align_known_watcher(bool headers_complete) {
    const chain::BlockRef& applied = *memory_.applied;
    const auto fork = chain_.fork_point(applied.hash);
    // The stored headers are lost. A chain that is shorter than what was scanned proves no
    // reorganisation: whoever sent it may just have no more.
    if (!fork && (!headers_complete || chain_.tip().height < applied.height)) return false;
    const chain::BlockRef place = fork ? *fork : last_known_block();
    move_back_to(place);
    start_above(place.height);
    return true;
}

// For a watcher whose last block the chain does not know at all.
chain::BlockRef Scan::last_known_block() const {
    for (const chain::BlockHash& hash : memory_.locator) {
        if (const auto fork = chain_.fork_point(hash)) return *fork;
    }
    return chain_.root();
}

// The watcher may hold blocks above, which it took before its list grew, and of which nothing else
// is known: they may have left the best chain since.
void Scan::start_above(std::uint32_t height) {
    watcher_.undo_to({height, chain_.hash_at(height)});
    applied_ = height;
    highest_taken_ = height;
    run_end_ = height;
    schedule_.start_at(height + 1);
}

void Scan::on_chain_moved(const chain::ChainMove& move) {
    if (!aligned_ || !move.is_reorganisation()) return;
    const chain::BlockRef& fork = move.fork;
    move_back_to(fork);
    watcher_.undo_to(fork);  // it may hold the block above applied_ that made its list grow
    applied_ = std::min(applied_, fork.height);
    highest_taken_ = std::min(highest_taken_, fork.height);
    drop_held_above(fork.height);
    schedule_.restart_at(fork.height + 1);
}

// Stored before anything is undone: of what is undone above it, another process must not believe
// that it was applied.
void Scan::move_back_to(const chain::BlockRef& block) {
    undo_memory_to(block.height);
    drop_held_above(block.height);
    if (!memory_.applied || memory_.applied->height <= block.height) return;
    memory_.applied = block;
    store_memory();
}

void Scan::undo_memory_to(std::uint32_t height) {
    memory_.outpoints.undo_to(height);
    memory_.unconfirmed.undo_to(height);
    memory_.coverage.drop_above(height);
}

void Scan::drop_held_above(std::uint32_t height) {
    while (!held_.empty() && held_.rbegin()->first > height) {
        held_bytes_ -= size_of(held_.rbegin()->second);
        held_.erase(std::prev(held_.end()));
    }
    count_ready();
}

void Scan::count_ready() {
    searched_again_ = 0;
    run_end_ = applied_;
    for (const auto& [height, block] : held_) {
        if (height <= applied_) {
            ++searched_again_;
        } else if (height == run_end_ + 1) {
            ++run_end_;
        } else {
            break;
        }
    }
}

std::vector<chain::BlockRef> Scan::blocks_at(const std::vector<std::uint32_t>& heights) {
    std::vector<chain::BlockRef> blocks;
    blocks.reserve(heights.size());
    for (const std::uint32_t height : heights) {
        if (height <= highest_taken_) ++refetched_;
        highest_taken_ = std::max(highest_taken_, height);
        blocks.push_back({height, chain_.hash_at(height)});
    }
    return blocks;
}

std::vector<chain::BlockRef> Scan::take(PeerId peer, std::size_t max, std::uint32_t last,
                                        Milliseconds now) {
    if (!aligned_ || (held_bytes_ > kMaxHeldBytes && schedule_.open() > 0)) return {};
    search_again_what_is_open();
    return blocks_at(schedule_.take(peer, max, std::min(last, chain_.tip().height), now));
}

std::vector<chain::BlockRef> Scan::take_over(PeerId peer, std::size_t max, std::uint32_t last,
                                             Milliseconds open_for, Milliseconds now) {
    return blocks_at(schedule_.take_over(peer, max, last, open_for, now));
}

Scan::Arrival Scan::deliver(Delivery delivery, const HeightRanges& covered) {
    const std::uint32_t height = delivery.block.block.height;
    Arrival arrival;
    arrival.owed_twice = schedule_.on_arrived(height);
    memory_.coverage.on_served(height, delivery.asked_at);
    arrival.found = deliver_more(std::move(delivery), covered);
    return arrival;
}

std::vector<chain::Outpoint> Scan::deliver_more(Delivery delivery, const HeightRanges& covered) {
    auto found = note_found(delivery, covered);
    hold(std::move(delivery.block));
    return found;
}

std::vector<chain::Outpoint> Scan::note_found(const Delivery& delivery,
                                              const HeightRanges& covered) {
    std::vector<chain::Outpoint> found;
    if (delivery.inserted.empty()) return found;
    const std::uint32_t height = delivery.block.block.height;
    HeightRanges missed;
    if (height + 1 < schedule_.next()) missed.add(height + 1, schedule_.next() - 1);
    // Where another peer owes a block too, its answer may be the first, and know nothing of this.
    HeightRanges surely_covered = covered;
    surely_covered.remove(schedule_.owed_twice());
    missed.remove(surely_covered);
    std::vector<MatchedOutput> unknown;
    for (const MatchedOutput& output : matched_by_base(delivery)) {
        const chain::Outpoint& outpoint = output.outpoint;
        if (!memory_.outpoints.add(output)) continue;
        memory_.coverage.note_found(outpoint, height, missed);
        found.push_back(outpoint);
        if (!memory_.unconfirmed.knows(outpoint.txid)) unknown.push_back(output);
    }
    note_unjudged_spenders(unknown);
    return found;
}

// What matched only because of the outpoints that a server's filter had got by then is nobody's. To
// carry it on would have filters fill ever faster, and differ by who served what.
std::vector<MatchedOutput> Scan::matched_by_base(const Delivery& delivery) {
    const std::unordered_set<chain::Outpoint> inserted(delivery.inserted.begin(),
                                                       delivery.inserted.end());
    std::vector<MatchedOutput> matched;
    for (const chain::ProvenTransaction& proven : delivery.block.transactions) {
        for (const MatchedOutput& coin : coins_of(proven.transaction, proven.txid)) {
            if (inserted.contains(coin.outpoint)) matched.push_back(coin);
        }
    }
    return matched;
}

std::vector<MatchedOutput> Scan::coins_of(const chain::Transaction& transaction,
                                          const chain::Txid& txid) {
    std::vector<MatchedOutput> coins;
    for (std::uint32_t i = 0; i < transaction.outputs.size(); ++i) {
        const chain::TxOutput& output = transaction.outputs[i];
        if (filter_base().matches(output)) coins.push_back({{txid, i}, P2wpkhOutput::from(output)});
    }
    return coins;
}

// The watcher's own and strangers' alike.
Scan::UnconfirmedVerdict Scan::on_unconfirmed(chain::Transaction transaction,
                                              const chain::Txid& txid, const TxSource& source) {
    auto& tracked = memory_.unconfirmed;
    const bool is_new = !tracked.knows(txid);
    if (!aligned_ || !memory_.applied || !(is_new || tracked.may_come_again(txid))) return {};
    auto coins = explained_coins(transaction, txid);
    const auto is_spent = [this](const chain::TxInput& input) {
        return memory_.outpoints.is_spent(input.prevout);
    };
    if (!coins || std::ranges::any_of(transaction.inputs, is_spent)) return {};
    if (is_new && !tracked.has_room_for(transaction, coins->size(), source)) return {};
    auto is_judged = check_spends(transaction, std::bind_front(&Scan::find_output, this));
    if (!is_judged) return {false, std::move(is_judged.error())};
    if (is_new) note_unjudged_spenders(*coins);
    const auto answer = tracked.add(transaction, txid, *std::move(coins), source, *is_judged);
    if (answer == UnconfirmedMatches::Answer::no_room) return {};
    // One version from each network group, which bounds the batch.
    const chain::Bytes group(source.network_group.begin(), source.network_group.end());
    std::erase_if(unstored_, [&](const Unstored& other) {
        return other.transaction.txid == txid && other.network_group == group;
    });
    unstored_.push_back({{txid, std::move(transaction), source.time}, group});
    return {true, std::nullopt};
}

std::optional<P2wpkhOutput> Scan::find_output(const chain::Outpoint& outpoint) const {
    const auto output = memory_.outpoints.find_output(outpoint);
    return output ? output : memory_.unconfirmed.find_output(outpoint);
}

// Now their signatures can be judged.
void Scan::note_unjudged_spenders(const std::vector<MatchedOutput>& outputs) {
    const auto spenders = memory_.unconfirmed.unjudged_spenders(outputs);
    unjudged_.insert(unjudged_.end(), spenders.begin(), spenders.end());
}

// What a block has decided meanwhile, the watcher is not shown.
Scan::StoredUnconfirmed Scan::store_unconfirmed() {
    StoredUnconfirmed stored;
    std::unordered_set<chain::Txid> found;
    std::vector<chain::UnconfirmedTransaction> transactions;
    auto& tracked = memory_.unconfirmed;
    for (auto& [transaction, network_group] : std::exchange(unstored_, {})) {
        const chain::Txid txid = transaction.txid;
        if (!tracked.is_shown(txid) && found.insert(txid).second) {
            std::ranges::copy(tracked.outpoints_of(txid), std::back_inserter(stored.found));
        }
        if (tracked.is_open(txid)) transactions.push_back(std::move(transaction));
    }
    tracked.mark_shown();
    stored.grew = watcher_.apply_unconfirmed(transactions, state_to_store());
    return stored;
}

std::optional<std::vector<MatchedOutput>> Scan::explained_coins(
    const chain::Transaction& transaction, const chain::Txid& txid) {
    auto coins = coins_of(transaction, txid);
    const auto is_in_filters = [this](const chain::TxInput& input) {
        return memory_.outpoints.contains(input.prevout) ||
               memory_.unconfirmed.contains(input.prevout);
    };
    if (coins.empty() && std::ranges::none_of(transaction.inputs, is_in_filters)) return {};
    return coins;
}

const FilterBase& Scan::filter_base() {
    if (!filter_base_) {
        filter_base_.emplace(watcher_.watch_list().elements, watcher_.filter_padding(),
                             memory_.rate);
    }
    return *filter_base_;
}

void Scan::hold(chain::ProvenBlock block) {
    const std::uint32_t height = block.block.height;
    const auto [held, is_new] = held_.try_emplace(height);
    if (is_new) {
        held->second = std::move(block);
    } else {
        held_bytes_ -= size_of(held->second);
        unite(held->second.transactions, std::move(block.transactions));
    }
    held_bytes_ += size_of(held->second);
    if (is_new && height <= applied_) ++searched_again_;
    for (auto next = held; next != held_.end() && next->first == run_end_ + 1; ++next) ++run_end_;
}

void Scan::distrust(const HeightRanges& blocks) {
    memory_.coverage.note_doubtful(blocks);
    memory_.coverage.drop_above(schedule_.next() - 1);
}

void Scan::restart() {
    filter_base_.reset();
    drop_held_above(applied_);
    schedule_.restart_at(next_height());
}

// Blocks that are searched again first: they are the lower ones.
std::vector<chain::ProvenBlock> Scan::take_ready() {
    std::vector<chain::ProvenBlock> blocks;
    const std::size_t count = ready_blocks();
    blocks.reserve(count);
    while (blocks.size() < count) {
        held_bytes_ -= size_of(held_.begin()->second);
        blocks.push_back(std::move(held_.begin()->second));
        held_.erase(held_.begin());
    }
    return blocks;
}

// What a reorganisation may make unconfirmed, as far as filters would hold it then.
void Scan::remember_confirmed(const chain::ProvenBlock& block) {
    if (block.block.height + chain::kReorganisationReach <= chain_.tip().height) return;
    for (const auto& [position, txid, transaction] : block.transactions) {
        if (transaction.is_coinbase()) continue;
        auto coins = explained_coins(transaction, txid);
        if (!coins) continue;
        memory_.unconfirmed.add_confirmed(transaction, txid, *std::move(coins), block.block.height);
    }
}

// What is settled goes by what the watcher has taken: of this batch, it may refuse the blocks
// behind one that makes its list grow.
void Scan::remember(const std::vector<chain::ProvenBlock>& blocks) {
    memory_.unconfirmed.forget_settled(applied_);
    for (const chain::ProvenBlock& block : blocks) {
        memory_.outpoints.on_block(block, std::max(applied_, block.block.height));
        remember_confirmed(block);
        memory_.unconfirmed.on_block(block);
        for (const chain::ProvenTransaction& proven : block.transactions) {
            for (const auto& input : proven.transaction.inputs) {
                memory_.coverage.on_spent(input.prevout);
            }
        }
    }
    memory_.unconfirmed.keep_last_confirmed();
    if (!blocks.empty() && blocks.back().block.height > applied_) {
        memory_.applied = blocks.back().block;
        memory_.locator = chain_.locator(memory_.applied->height);
    }
    memory_.covered = covered_by(memory_.coverage);
    forget_settled();
    memory_.watched_elements = watcher_.watch_list().elements.size();
}

std::optional<chain::BlockRef> Scan::covered_by(const Coverage& coverage) const {
    if (!memory_.applied) return std::nullopt;
    const auto open = coverage.open().lowest();
    if (!open || *open > memory_.applied->height) return memory_.applied;
    return chain::BlockRef{*open - 1, chain_.hash_at(*open - 1)};
}

bool Scan::apply() {
    const bool has_news = ready_blocks() > 0 || covered_by(memory_.coverage) != memory_.covered;
    if (!aligned_ || !has_news) return false;
    const auto blocks = take_ready();
    remember(blocks);
    const auto result = watcher_.apply(blocks, {memory_.covered, memory_.encode()});
    assert(result.grew ? result.applied > 0 : result.applied == blocks.size());

    std::size_t transactions = 0;
    for (std::size_t i = 0; i < result.applied; ++i) transactions += blocks[i].transactions.size();
    false_positives_ += transactions - result.relevant;

    if (result.grew) {
        filter_base_.reset();
        applied_ = blocks[result.applied - 1].block.height - 1;
        memory_.applied = chain::BlockRef{applied_, chain_.hash_at(applied_)};
        undo_memory_to(applied_);  // blocks behind it may not have been shown
        memory_.covered = covered_by(memory_.coverage);
        drop_held_above(applied_);
        schedule_.restart_at(next_height());
    } else if (memory_.applied) {
        applied_ = memory_.applied->height;
    }
    count_ready();
    forget_irrelevant();
    return result.grew;
}

// What a block that is still on its way pays would be found anew, as if it were unspent; and what
// this batch spends may come back, as above.
void Scan::forget_settled() {
    if (!memory_.covered) return;
    const std::uint32_t above = schedule_.lowest_open().value_or(schedule_.next());
    memory_.outpoints.forget_settled_below(
        std::min({memory_.covered->height, above - 1, applied_}));
}

// Only the watcher knows which of the outpoints are its own.
void Scan::forget_irrelevant() {
    auto& outpoints = memory_.outpoints;
    const bool too_many = outpoints.is_full() || outpoints.has_too_many_settled();
    if (memory_.coverage.empty() && !too_many) return;
    const chain::WatchList list = watcher_.watch_list();
    std::unordered_set<chain::Outpoint> relevant(list.outpoints.begin(), list.outpoints.end());
    relevant.insert(list.unconfirmed.begin(), list.unconfirmed.end());
    memory_.coverage.keep_only(relevant, applied_);
    if (!too_many) return;
    for (const auto& [height, block] : held_) {  // whose they are, the watcher does not know yet
        for (const auto& [position, txid, transaction] : block.transactions) {
            for (std::uint32_t i = 0; i < transaction.outputs.size(); ++i)
                relevant.insert({txid, i});
        }
    }
    if (outpoints.has_too_many_settled()) outpoints.keep_settled(relevant);
    if (outpoints.is_full()) outpoints.keep_only(relevant);
}

// At the end, and all in one: by then most of what was missed has been found spent elsewhere.
void Scan::search_again_what_is_open() {
    if (memory_.coverage.empty() || applied_ < chain_.tip().height || schedule_.open() > 0) return;
    schedule_.add(memory_.coverage.open());
}

bool Scan::complete() const {
    return aligned_ && held_.empty() && applied_ >= chain_.tip().height && schedule_.open() == 0 &&
           memory_.coverage.empty() && memory_.covered == memory_.applied;
}

std::uint64_t Scan::scanned_blocks() const {
    if (!aligned_) return 0;
    const std::uint64_t handed_out = schedule_.next() - std::min(first_height_, schedule_.next());
    return handed_out - std::min<std::uint64_t>(handed_out, schedule_.open());
}

std::uint32_t Scan::synced_height() const {
    if (memory_.covered) return memory_.covered->height;
    return first_height_ == 0 ? 0 : first_height_ - 1;
}

}  // namespace petal::net
