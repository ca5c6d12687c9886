#include "net/sync/cross_check.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "bloom/transaction_match.h"
#include "net/sync/random.h"

namespace petal::net {

namespace {

constexpr std::uint64_t kOneInSo = 20;

using Transactions = std::vector<chain::ProvenTransaction>;

bool holds(const Transactions& transactions, const chain::Txid& txid) {
    return std::any_of(transactions.begin(), transactions.end(),
                       [&](const auto& proven) { return proven.txid == txid; });
}

bool matches(bloom::BloomFilter filter, const chain::ProvenTransaction& proven) {
    return bloom::match_and_update(filter, proven.transaction, proven.txid).matched;
}

// Whether a server with this filter had to send one of these that it did not send.
bool left_out(const CrossCheck::Answer& answer, const Transactions& others) {
    return std::any_of(others.begin(), others.end(), [&](const auto& proven) {
        return !holds(answer.block.transactions, proven.txid) && matches(*answer.filter, proven);
    });
}

}  // namespace

std::string_view code_of(CrossCheckMode mode) {
    switch (mode) {
        case CrossCheckMode::none:
            return "none";
        case CrossCheckMode::sample:
            return "sample";
        case CrossCheckMode::all:
            return "all";
    }
    return "unknown";
}

bool CrossCheck::chooses(std::uint32_t height) const {
    if (mode_ != CrossCheckMode::sample) return mode_ == CrossCheckMode::all;
    SplitMix64 random(seed_ + height);
    return random.next() < std::numeric_limits<std::uint64_t>::max() / kOneInSo;
}

void CrossCheck::add(Answer first) {
    const std::uint32_t height = first.block.block.height;
    if (is_full()) checks_.erase(checks_.begin());  // there has been nobody to ask
    checks_[height] = {std::move(first), std::nullopt, Milliseconds{0}};
}

std::vector<chain::BlockRef> CrossCheck::take(PeerId peer, std::size_t max, std::uint32_t last,
                                              const std::function<bool(PeerId)>& suits,
                                              Milliseconds now) {
    std::vector<chain::BlockRef> blocks;
    for (auto& [height, check] : checks_) {
        if (blocks.size() == max || height > last) break;
        if (check.second || check.first.peer == peer || !suits(check.first.peer)) continue;
        check.second = peer;
        check.asked_at = now;
        blocks.push_back(check.first.block.block);
    }
    return blocks;
}

bool CrossCheck::awaits(PeerId peer, std::uint32_t height) const {
    const auto check = checks_.find(height);
    return check != checks_.end() && check->second.second == peer;
}

CrossCheck::Verdict CrossCheck::compare(const Answer& second) {
    const auto found = checks_.find(second.block.block.height);
    assert(found != checks_.end());
    const Answer first = std::move(found->second.first);
    checks_.erase(found);
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

void CrossCheck::on_lost(PeerId peer) {
    for (auto& [height, check] : checks_) {
        if (check.second == peer) check.second.reset();
    }
}

void CrossCheck::drop_above(std::uint32_t height) {
    checks_.erase(checks_.upper_bound(height), checks_.end());
}

bool CrossCheck::is_pending(const std::function<bool(PeerId, std::uint32_t)>& can_ask,
                            Milliseconds now) const {
    return std::any_of(checks_.begin(), checks_.end(), [&](const auto& entry) {
        const Check& check = entry.second;
        return check.second ? now < check.asked_at + kPatience
                            : can_ask(check.first.peer, entry.first);
    });
}

std::optional<CrossCheck::Milliseconds> CrossCheck::patience_ends() const {
    std::optional<Milliseconds> end;
    for (const auto& [height, check] : checks_) {
        if (check.second && (!end || check.asked_at + kPatience < *end))
            end = check.asked_at + kPatience;
    }
    return end;
}

}  // namespace petal::net
