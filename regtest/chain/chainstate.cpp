#include "regtest/chain/chainstate.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <utility>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/headers/header_rules.h"

namespace petal::regtest {
namespace {

/// The maximum number of remembered hashes of invalid blocks.
constexpr std::size_t kMaxWrong = 10'000;

/// Copied out of the writer. The spare capacity of the writer would take a third of a chain's
/// memory.
chain::Bytes wire_form(const std::vector<chain::Transaction>& transactions) {
    chain::ByteWriter writer;
    for (const auto& transaction : transactions) writer.bytes(transaction.serialize());
    return {writer.view().begin(), writer.view().end()};
}

/// Reads `count` transactions, which must take exactly these bytes.
template <typename Read>
auto read_all(chain::ByteView bytes, std::size_t count, Read read) {
    chain::ByteReader reader(bytes);
    std::vector<decltype(read(reader))> transactions;
    transactions.reserve(count);
    for (; count > 0; --count) transactions.push_back(read(reader));
    assert(reader.ok() && reader.remaining() == 0);
    return transactions;
}

}  // namespace

RegtestBlock Chainstate::Entry::block() const {
    const auto read = [](chain::ByteReader& reader) { return chain::read_transaction(reader); };
    return {header, read_all(transaction_bytes, txids.size(), read), txids};
}

chain::Bytes Chainstate::Entry::serialize() const {
    return chain::ByteWriter()
        .bytes(header.serialize())
        .compact_size(txids.size())
        .bytes(transaction_bytes)
        .take();
}

chain::Transaction Chainstate::Entry::transaction(std::size_t position) const {
    return *chain::decode_transaction(transaction_views().at(position).bytes);
}

std::vector<TransactionView> Chainstate::Entry::transaction_views() const {
    return read_all(transaction_bytes, txids.size(), read_transaction_view);
}

Chainstate::Chainstate(const RegtestBlock& genesis) {
    times_.add(genesis.header.time);
    Entry& entry = put(genesis);
    entry.was_connected = true;
    active_.push_back(&entry);
}

Chainstate::Entry& Chainstate::put(const RegtestBlock& block) {
    const auto hash = block.header.hash();
    const auto [at, is_new] = blocks_.try_emplace(hash);
    assert(is_new);
    Entry& entry = at->second;
    entry.header = block.header;
    entry.txids = block.txids;
    entry.transaction_bytes = wire_form(block.transactions);
    entry.hash = hash;
    entry.order = entries_.size();
    entries_.push_back(&entry);
    return entry;
}

const Chainstate::Entry* Chainstate::find(const chain::BlockHash& hash) const {
    const auto found = blocks_.find(hash);
    return found == blocks_.end() ? nullptr : &found->second;
}

bool Chainstate::is_active(const Entry& entry) const {
    return entry.height < active_.size() && active_[entry.height] == &entry;
}

std::size_t Chainstate::rivals_of_tip() const {
    const auto is_as_high = [this](const Entry* entry) { return entry->height == tip().height; };
    return static_cast<std::size_t>(std::ranges::count_if(entries_, is_as_high)) - 1;
}

const Chainstate::Entry& Chainstate::store(const RegtestBlock& block, const Entry& parent) {
    Entry& entry = put(block);
    entry.parent = &parent;
    entry.height = parent.height + 1;
    return entry;
}

std::int64_t Chainstate::median_time_past(const Entry& entry) {
    std::vector<std::uint32_t> times;
    for (const Entry* at = &entry; at != nullptr && times.size() < chain::kMedianTimeSpan;
         at = at->parent) {
        times.push_back(at->header.time);
    }
    return chain::median_time(times);
}

/// Blocks of the active chain have no mark, so the search ends at the fork point.
bool Chainstate::is_invalid(const Entry& entry) const {
    for (const Entry* at = &entry; !is_active(*at); at = at->parent) {
        if (at->is_marked) return true;
    }
    return false;
}

void Chainstate::connect(const Entry& entry) {
    Entry& connected = *entries_[entry.order];
    connected.was_connected = true;
    active_.push_back(&entry);
    times_.add(entry.header.time);
    connected.spent = coins_.connect(entry.transaction_views(), entry.txids, entry.height);
}

template <typename HasMark>
std::vector<bool> Chainstate::inherited(HasMark has_mark) const {
    std::vector<bool> found;
    found.reserve(entries_.size());
    for (const Entry* entry : entries_) {
        found.push_back(has_mark(*entry) || (entry->parent && found[entry->parent->order]));
    }
    return found;
}

void Chainstate::forget_wrong(const Entry& entry) {
    const auto is_forgotten = inherited([&](const Entry& other) { return &other == &entry; });
    std::vector<Entry*> kept;
    for (Entry* other : entries_) {
        if (!is_forgotten[other->order]) {
            kept.push_back(other);
            continue;
        }
        if (other == preferred_) preferred_ = nullptr;
        if (wrong_.insert(other->hash).second) wrong_by_age_.push_back(other->hash);
        blocks_.erase(chain::BlockHash(other->hash));
    }
    entries_ = std::move(kept);
    for (std::size_t i = 0; i < entries_.size(); ++i) entries_[i]->order = i;
    for (; wrong_by_age_.size() > kMaxWrong; wrong_by_age_.pop_front()) {
        wrong_.erase(wrong_by_age_.front());
    }
}

bool Chainstate::unmark(const Entry& entry) {
    bool had_marks = false;
    const auto unmark_one = [&](const Entry& other) {
        had_marks |= std::exchange(entries_[other.order]->is_marked, false);
    };
    const auto descends = inherited([&](const Entry& other) { return &other == &entry; });
    for (const Entry* other : entries_) {
        if (descends[other->order]) unmark_one(*other);
    }
    for (const Entry* at = entry.parent; at != nullptr; at = at->parent) unmark_one(*at);
    return had_marks;
}

std::vector<const Chainstate::Entry*> Chainstate::branch_tips() const {
    std::vector<bool> is_parent(entries_.size());
    for (const Entry* entry : entries_) {
        if (entry->parent != nullptr) is_parent[entry->parent->order] = true;
    }
    std::vector<const Entry*> tips;
    for (const Entry* entry : entries_) {
        if (!is_parent[entry->order]) tips.push_back(entry);
    }
    return tips;
}

const Chainstate::Entry& Chainstate::best_tip() const {
    const auto is_invalid = inherited([](const Entry& entry) { return entry.is_marked; });
    const Entry* best = entries_.front();
    for (const Entry* entry : entries_) {
        const bool is_better =
            entry->height > best->height || (entry->height == best->height && entry == preferred_);
        if (is_better && !is_invalid[entry->order]) best = entry;
    }
    return *best;
}

const Chainstate::Entry& Chainstate::fork_point(const Entry& entry) const {
    const Entry* at = &entry;
    while (!is_active(*at)) at = at->parent;
    return *at;
}

/// Computes the coins again from the first block, so that blocks need not keep the outputs that
/// they spend.
std::vector<chain::Transaction> Chainstate::disconnect_down_to(std::uint32_t height) {
    std::vector<chain::Transaction> dropped;
    for (std::uint32_t above = height + 1; above < active_.size(); ++above) {
        auto transactions = at(above).block().transactions;
        dropped.insert(dropped.end(), std::move_iterator(transactions.begin() + 1),
                       std::move_iterator(transactions.end()));
    }
    active_.resize(height + 1);
    times_.truncate(height);
    coins_.clear();
    for (std::uint32_t below = 1; below <= height; ++below) {
        coins_.connect(at(below).transaction_views(), at(below).txids, below);
    }
    return dropped;
}

}  // namespace petal::regtest
