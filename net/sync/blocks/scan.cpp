#include "net/sync/blocks/scan.h"

#include <algorithm>
#include <cassert>
#include <unordered_set>
#include <utility>

#include "net/sync/filters/privacy.h"

namespace petal::net {

namespace {

// What waits for lower blocks is never more than this, and what peers have in flight.
constexpr std::size_t kMaxHeldBytes = 16'000'000;

// For a watcher whose last block the chain does not know at all.
chain::BlockRef last_known_block(const std::vector<chain::BlockHash>& locator,
                                 const chain::HeaderChain& chain) {
    for (const chain::BlockHash& hash : locator) {
        if (const auto fork = chain.fork_point(hash)) return *fork;
    }
    return chain.root();
}

}  // namespace

Scan::Scan(chain::HeaderChain& chain, chain::Watcher& watcher, std::optional<double> rate)
    : chain_(chain), watcher_(watcher), base_(watcher), unconfirmed_(memory_, base_) {
    const chain::SyncState state = watcher.sync_state();
    // A memory of another version, or none, costs a filter with false outpoints less, and the
    // blocks above what was covered a second search: no coin of the watcher's depends on it.
    memory_.rate = rate_of(Privacy::fast);
    if (auto memory = decode_sync_checkpoint(state.sync_checkpoint)) memory_ = *std::move(memory);
    has_new_rate_ = rate.value_or(memory_.rate) != memory_.rate;
    memory_.rate = rate.value_or(memory_.rate);
    base_.set_rate(memory_.rate);
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
    stored.coverage.note_doubtful(held_.searched_again());
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
    // A rescan: filters lack what was spent long ago, and its spends are to be found again.
    memory_.undo_to(first - 1);
    start_above(first - 1);
    return true;
}

bool Scan::align_known_watcher(bool headers_complete) {
    const chain::BlockRef& applied = *memory_.applied;
    const auto fork = chain_.fork_point(applied.hash);
    // The stored headers are lost. A chain that is shorter than what was scanned proves no
    // reorganisation: the peer that sent it may just have no more.
    if (!fork && (!headers_complete || chain_.tip().height < applied.height)) return false;
    const chain::BlockRef place = fork ? *fork : last_known_block(memory_.locator, chain_);
    move_back_to(place);
    start_above(place.height);
    return true;
}

// The watcher may hold blocks above, which it took before its list grew, and of which nothing else
// is known: they may have left the best chain since.
void Scan::start_above(std::uint32_t height) {
    watcher_.undo_to({height, chain_.hash_at(height)});
    held_.set_applied(height);
    highest_taken_ = height;
    schedule_.start_at(height + 1);
}

void Scan::on_chain_moved(const chain::ChainMove& move) {
    if (!aligned_ || !move.is_reorganisation()) return;
    const chain::BlockRef& fork = move.fork;
    move_back_to(fork);
    watcher_.undo_to(fork);  // it may hold the block above applied_ that made its list grow
    held_.set_applied(std::min(held_.applied(), fork.height));
    highest_taken_ = std::min(highest_taken_, fork.height);
    held_.drop_above(fork.height);
    schedule_.restart_at(fork.height + 1);
}

// Stored before anything is undone: of what is undone above it, another process must not believe
// that it was applied.
void Scan::move_back_to(const chain::BlockRef& block) {
    memory_.undo_to(block.height);
    held_.drop_above(block.height);
    if (!memory_.applied || memory_.applied->height <= block.height) return;
    memory_.applied = block;
    store_memory();
}

std::vector<chain::BlockRef> Scan::blocks_at(const std::vector<std::uint32_t>& heights) {
    std::vector<chain::BlockRef> blocks;
    blocks.reserve(heights.size());
    for (const std::uint32_t height : heights) {
        if (height <= highest_taken_) ++counts_.refetched_blocks;
        highest_taken_ = std::max(highest_taken_, height);
        blocks.push_back({height, chain_.hash_at(height)});
    }
    return blocks;
}

std::vector<chain::BlockRef> Scan::take(PeerId peer, std::size_t max, std::uint32_t last,
                                        Milliseconds now) {
    if (!aligned_ || (held_.bytes() > kMaxHeldBytes && schedule_.open() > 0)) return {};
    // What is open is searched again at the end, and all in one: by then most of what was missed
    // has been found spent elsewhere.
    const bool at_end = held_.applied() >= chain_.tip().height && schedule_.open() == 0;
    if (at_end && !memory_.coverage.empty()) schedule_.add(memory_.coverage.open());
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
    held_.add(std::move(delivery.block));
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
    unconfirmed_.note_outputs(unknown);
    return found;
}

// What matched only because of the outpoints that a server's filter had got by then is a false
// positive. Re-inserting those would saturate the filter and make it depend on which peers served
// which blocks.
std::vector<MatchedOutput> Scan::matched_by_base(const Delivery& delivery) {
    const std::unordered_set<chain::Outpoint> inserted(delivery.inserted.begin(),
                                                       delivery.inserted.end());
    std::vector<MatchedOutput> matched;
    for (const chain::ProvenTransaction& proven : delivery.block.transactions) {
        for (const MatchedOutput& coin : base_.coins_of(proven.transaction, proven.txid)) {
            if (inserted.contains(coin.outpoint)) matched.push_back(coin);
        }
    }
    return matched;
}

Scan::StoredUnconfirmed Scan::store_unconfirmed() {
    auto [transactions, found] = unconfirmed_.take_batch();
    return {std::move(found), watcher_.apply_unconfirmed(transactions, state_to_store())};
}

void Scan::distrust(const HeightRanges& blocks) {
    memory_.coverage.note_doubtful(blocks);
    memory_.coverage.drop_above(schedule_.next() - 1);
}

void Scan::restart() {
    base_.on_grown();
    if (!aligned_) return;
    held_.drop_above(held_.applied());
    schedule_.restart_at(next_height());
}

// What is settled goes by what the watcher has taken: of this batch, it may refuse the blocks
// behind one that makes its list grow.
void Scan::remember(const std::vector<chain::ProvenBlock>& blocks) {
    const std::uint32_t applied = held_.applied();
    const std::uint32_t tip = chain_.tip().height;
    memory_.unconfirmed.forget_settled(applied);
    for (const chain::ProvenBlock& block : blocks) {
        memory_.outpoints.on_block(block, std::max(applied, block.block.height));
        // Deeper blocks no reorganisation makes unconfirmed.
        const bool is_deep = block.block.height + chain::kReorganisationReach <= tip;
        if (!is_deep) unconfirmed_.remember_confirmed(block);
        memory_.unconfirmed.on_block(block);
        for (const chain::ProvenTransaction& proven : block.transactions) {
            for (const auto& input : proven.transaction.inputs) {
                memory_.coverage.on_spent(input.prevout);
            }
        }
    }
    memory_.unconfirmed.keep_last_confirmed();
    if (!blocks.empty() && blocks.back().block.height > applied) {
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
    const bool has_news = held_.ready() > 0 || covered_by(memory_.coverage) != memory_.covered;
    if (!aligned_ || !has_news) return false;
    const auto blocks = held_.take_ready();
    remember(blocks);
    const auto result = watcher_.apply(blocks, {memory_.covered, memory_.encode()});
    assert(result.grew ? result.applied > 0 : result.applied == blocks.size());

    std::size_t transactions = 0;
    for (std::size_t i = 0; i < result.applied; ++i) transactions += blocks[i].transactions.size();
    counts_.false_positives += transactions - result.relevant;

    if (result.grew) {
        base_.on_grown();
        const std::uint32_t applied = blocks[result.applied - 1].block.height - 1;
        held_.set_applied(applied);
        memory_.applied = chain::BlockRef{applied, chain_.hash_at(applied)};
        memory_.undo_to(applied);  // blocks behind it may not have been shown
        memory_.covered = covered_by(memory_.coverage);
        held_.drop_above(applied);
        schedule_.restart_at(next_height());
    } else if (memory_.applied) {
        held_.set_applied(memory_.applied->height);
    }
    forget_irrelevant();
    return result.grew;
}

// What a block that is still on its way pays would be found anew, as if it were unspent; and what
// this batch spends may come back, as above.
void Scan::forget_settled() {
    if (!memory_.covered) return;
    const std::uint32_t above = schedule_.lowest_open().value_or(schedule_.next());
    memory_.outpoints.forget_settled_below(
        std::min({memory_.covered->height, above - 1, held_.applied()}));
}

// Only the watcher knows which of the outpoints are its own.
void Scan::forget_irrelevant() {
    auto& outpoints = memory_.outpoints;
    const bool too_many = outpoints.is_full() || outpoints.has_too_many_settled();
    if (memory_.coverage.empty() && !too_many) return;
    const chain::WatchList list = watcher_.watch_list();
    std::unordered_set<chain::Outpoint> relevant(list.outpoints.begin(), list.outpoints.end());
    relevant.insert(list.unconfirmed.begin(), list.unconfirmed.end());
    memory_.coverage.keep_only(relevant, held_.applied());
    if (!too_many) return;
    for (const auto& [height, block] :
         held_.blocks()) {  // whose they are, the watcher does not know yet
        for (const auto& [position, txid, transaction] : block.transactions) {
            for (std::uint32_t i = 0; i < transaction.outputs.size(); ++i)
                relevant.insert({txid, i});
        }
    }
    if (outpoints.has_too_many_settled()) outpoints.keep_settled(relevant);
    if (outpoints.is_full()) outpoints.keep_only(relevant);
}

bool Scan::complete() const {
    return aligned_ && held_.empty() && held_.applied() >= chain_.tip().height &&
           schedule_.open() == 0 && memory_.coverage.empty() && memory_.covered == memory_.applied;
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
