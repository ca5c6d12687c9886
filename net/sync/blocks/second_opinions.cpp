#include "net/sync/blocks/second_opinions.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <limits>

#include "bloom/transaction_match.h"
#include "net/peer/random.h"
#include "net/sync/blocks/held_blocks.h"

namespace petal::net {

namespace {

constexpr std::uint64_t kOneInSo = 20;

using Transactions = std::vector<chain::ProvenTransaction>;

bool holds(const Transactions& transactions, const chain::Txid& txid) {
    return std::any_of(transactions.begin(), transactions.end(),
                       [&](const auto& proven) { return proven.txid == txid; });
}

// Whether a server with this filter left out a transaction of `others` that every kind of server
// would send. Matching transactions update the filter in block order, also if they were left out.
bool left_out(const SecondOpinions::Answer& answer, const Transactions& others) {
    const Transactions& own = answer.block.transactions;
    const auto is_own = [&](const auto& proven) { return holds(own, proven.txid); };
    if (std::ranges::all_of(others, is_own)) return false;
    std::map<std::uint32_t, const chain::ProvenTransaction*> all;  // by position
    for (const auto* some : {&own, &others}) {
        for (const auto& proven : *some) all.emplace(proven.position, &proven);
    }
    bloom::BloomFilter filter = *answer.filter;
    return std::ranges::any_of(all, [&](const auto& at) {
        const chain::ProvenTransaction& proven = *at.second;
        if (!is_own(proven) &&
            bloom::matches_on_every_server(filter, proven.transaction, proven.txid)) {
            return true;
        }
        bloom::match_and_update(filter, proven.transaction, proven.txid);
        return false;
    });
}

}  // namespace

bool SecondOpinions::is_selected_for_check(std::uint32_t height) const {
    if (mode_ != CrossCheckMode::sample) return mode_ == CrossCheckMode::all;
    SecretNumbers random(seed_ + height);
    return random.next() < std::numeric_limits<std::uint64_t>::max() / kOneInSo;
}

bool SecondOpinions::add(const Answer& first) {
    const PeerId peer = first.peer;
    const std::uint32_t height = first.block.block.height;
    forget(height);
    const std::size_t bytes = bytes_of(first.block);
    const bool has_new_filter = first.filter && !uses_.contains(first.filter.get());
    const std::size_t all_bytes = bytes + (has_new_filter ? first.filter->bytes().size() : 0);
    if (bytes_ > 0 && bytes_ + all_bytes > max_bytes_) {
        refused_bytes_ = all_bytes;
        return false;
    }
    if (bytes_ + refused_bytes_ <= max_bytes_) refused_bytes_ = 0;
    bytes_ += all_bytes;
    if (first.filter) ++uses_[first.filter.get()];
    unasked_[peer].insert_or_assign(height, Kept{first, bytes});
    return true;
}

std::size_t SecondOpinions::room() const {
    const std::size_t kept = waiting() + asked_.size();
    if (kept >= kMaxChecks || (bytes_ > 0 && bytes_ + refused_bytes_ > max_bytes_)) return 0;
    if (bytes_ < kept || kept == 0) return std::numeric_limits<std::size_t>::max();
    const std::size_t answers = (max_bytes_ - std::min(bytes_, max_bytes_)) / (bytes_ / kept);
    return mode_ == CrossCheckMode::all ? answers : kOneInSo * answers;
}

void SecondOpinions::drop(const Kept& kept) {
    bytes_ -= kept.bytes;
    const bloom::BloomFilter* const filter = kept.answer.filter.get();
    if (filter == nullptr || --uses_.at(filter) > 0) return;
    bytes_ -= filter->bytes().size();
    uses_.erase(filter);
}

std::size_t SecondOpinions::waiting() const {
    std::size_t count = 0;
    for (const auto& [peer, answers] : unasked_) count += answers.size();
    return count;
}

void SecondOpinions::forget(std::uint32_t height) {
    if (const auto asked = asked_.extract(height)) drop(asked.mapped().first);
    for (auto& [peer, answers] : unasked_) {
        if (const auto unasked = answers.extract(height)) drop(unasked.mapped());
    }
    std::erase_if(unasked_, [](const auto& of) { return of.second.empty(); });
}

void SecondOpinions::drop_lowest() {
    auto lowest = std::numeric_limits<std::uint32_t>::max();
    if (!asked_.empty()) lowest = asked_.begin()->first;
    for (const auto& [peer, answers] : unasked_) lowest = std::min(lowest, answers.begin()->first);
    forget(lowest);
}

std::vector<chain::BlockRef> SecondOpinions::take(PeerId peer, std::size_t max, std::uint32_t last,
                                                  const Judgement& may_cross_check,
                                                  const Judgement& is_silent) {
    std::vector<chain::BlockRef> blocks;
    for (auto& [first_peer, answers] : unasked_) {
        if (first_peer == peer || !may_cross_check(first_peer)) continue;
        while (!answers.empty() && blocks.size() < max && answers.begin()->first <= last) {
            auto kept = answers.extract(answers.begin());
            blocks.push_back(kept.mapped().answer.block.block);
            asked_.insert_or_assign(kept.key(), Asked{std::move(kept.mapped()), peer});
        }
    }
    std::erase_if(unasked_, [](const auto& of) { return of.second.empty(); });
    for (auto& [height, asked] : asked_) {
        if (blocks.size() >= max || height > last) break;
        const PeerId first = asked.first.answer.peer;
        if (first == peer || !is_silent(asked.second)) continue;
        if (!may_cross_check(first)) continue;
        asked.second = peer;
        blocks.push_back(asked.first.answer.block.block);
    }
    std::ranges::sort(blocks, {}, &chain::BlockRef::height);
    return blocks;
}

bool SecondOpinions::awaits(PeerId peer, std::uint32_t height) const {
    const auto asked = asked_.find(height);
    return asked != asked_.end() && asked->second.first.answer.peer != peer;
}

bool SecondOpinions::has_answers_of(PeerId peer) const {
    return unasked_.contains(peer) || std::ranges::any_of(asked_, [peer](const auto& asked) {
               return asked.second.first.answer.peer == peer;
           });
}

SecondOpinions::Verdict SecondOpinions::compare(const Answer& second) {
    const auto asked = asked_.extract(second.block.block.height);
    assert(!asked.empty());
    drop(asked.mapped().first);
    const Answer& first = asked.mapped().first.answer;
    ++compared_;

    Verdict verdict;
    const Transactions& said = first.block.transactions;
    const Transactions& confirmed = second.block.transactions;
    if (left_out(first, confirmed)) verdict.omitters.push_back(first.peer);
    if (left_out(second, said)) verdict.omitters.push_back(second.peer);
    verdict.has_more = std::any_of(confirmed.begin(), confirmed.end(),
                                   [&](const auto& proven) { return !holds(said, proven.txid); });
    return verdict;
}

void SecondOpinions::on_lost(PeerId peer) {
    for (auto next = asked_.begin(); next != asked_.end();) {
        const auto asked = next++;
        if (asked->second.second != peer) continue;
        Kept first = std::move(asked->second.first);
        const PeerId whose = first.answer.peer;
        unasked_[whose].insert_or_assign(asked->first, std::move(first));
        asked_.erase(asked);
    }
}

void SecondOpinions::drop_above(std::uint32_t height) {
    while (!asked_.empty() && asked_.rbegin()->first > height) forget(asked_.rbegin()->first);
    for (auto& [peer, answers] : unasked_) {
        while (!answers.empty() && answers.rbegin()->first > height) {
            drop(answers.rbegin()->second);
            answers.erase(std::prev(answers.end()));
        }
    }
    std::erase_if(unasked_, [](const auto& of) { return of.second.empty(); });
}

bool SecondOpinions::is_pending(const std::function<bool(PeerId, std::uint32_t)>& can_ask,
                                const Judgement& is_silent) const {
    const auto is_awaited = [&](const auto& of) {
        const auto& [height, asked] = of;
        return !is_silent(asked.second) || can_ask(asked.first.answer.peer, height);
    };
    const auto may_be_asked = [&](const auto& of) {
        return can_ask(of.first, of.second.begin()->first);
    };
    return std::any_of(asked_.begin(), asked_.end(), is_awaited) ||
           std::any_of(unasked_.begin(), unasked_.end(), may_be_asked);
}

}  // namespace petal::net
