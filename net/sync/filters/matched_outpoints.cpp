#include "net/sync/filters/matched_outpoints.h"

#include <algorithm>
#include <utility>

namespace petal::net {

namespace {

using chain::kReorganisationReach;

constexpr std::size_t kEntryBytes = 40;
// is_full() is checked only once a batch. This bounds the allocation for a damaged store.
constexpr std::uint64_t kMaxEntries = 4'000'000;

/// The outpoint's match in one of these; null if there is none.
template <class Matches>
auto find_in(Matches& held, Matches& settled, const chain::Outpoint& outpoint)
    -> decltype(&held.begin()->second) {
    for (Matches* const matches : {&held, &settled}) {
        const auto match = matches->find(outpoint);
        if (match != matches->end()) return &match->second;
    }
    return nullptr;
}

void erase_spend(std::map<std::uint32_t, std::vector<chain::Outpoint>>& spends,
                 const chain::Outpoint& outpoint, std::uint32_t height) {
    const auto at_height = spends.find(height);
    if (at_height != spends.end()) std::erase(at_height->second, outpoint);
}

}  // namespace

void MatchedOutpoints::write_matches(chain::ByteWriter& writer, const Matches& matches) {
    writer.compact_size(matches.size());
    for (const auto& [outpoint, match] : matches) {
        writer.bytes(outpoint.serialize()).u32(match.spent_at).u32(match.created_at);
        write_output(writer, match.output);
    }
}

MatchedOutpoints::Matches MatchedOutpoints::read_matches(chain::ByteReader& reader,
                                                         Content content) {
    Matches matches;
    const std::size_t count = reader.read_count(kMaxEntries, kEntryBytes);
    matches.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const chain::ByteView txid = reader.read_view(32);
        const std::uint32_t index = reader.read_u32();
        Match match;
        match.spent_at = reader.read_u32();
        if (content >= Content::output_and_height) match.created_at = reader.read_u32();
        if (content >= Content::output) match.output = read_output(reader);
        if (!reader.ok()) break;
        matches.emplace(chain::Outpoint{chain::Txid::from_view(txid), index}, match);
    }
    return matches;
}

bool MatchedOutpoints::add(const MatchedOutput& output) {
    if (is_settled(output.outpoint)) return false;
    const auto [held, is_new] = held_.try_emplace(output.outpoint, Match{0, 0, output.output});
    if (!held->second.output) held->second.output = output.output;
    return is_new;
}

MatchedOutpoints::Match* MatchedOutpoints::find(const chain::Outpoint& outpoint) {
    return find_in(held_, settled_, outpoint);
}

std::optional<std::uint32_t> MatchedOutpoints::forget_unexplained_spend(
    const chain::Outpoint& outpoint, std::uint32_t height) {
    Match* const match = find(outpoint);
    if (match == nullptr || match->created_at != 0 || match->spent_at <= height) return {};
    const std::uint32_t spent_at = std::exchange(match->spent_at, 0);
    erase_spend(spends_, outpoint, spent_at);
    held_.insert(settled_.extract(outpoint));
    return spent_at;
}

bool MatchedOutpoints::is_repeated(const chain::ProvenTransaction& proven,
                                   std::uint32_t height) const {
    const auto is_below = [height](std::uint32_t at) { return at != 0 && at < height; };
    for (std::uint32_t i = 0; i < proven.transaction.outputs.size(); ++i) {
        const Match* const output = find_in(held_, settled_, {proven.txid, i});
        if (output != nullptr && is_below(output->created_at)) return true;
    }
    return std::ranges::any_of(proven.transaction.inputs, [&](const chain::TxInput& input) {
        const Match* const spent = find_in(held_, settled_, input.prevout);
        return spent != nullptr && is_below(spent->spent_at);
    });
}

bool MatchedOutpoints::is_spent(const chain::Outpoint& outpoint) const {
    const auto held = held_.find(outpoint);
    return is_settled(outpoint) || (held != held_.end() && held->second.spent_at != 0);
}

std::optional<chain::TxOutput> MatchedOutpoints::find_output(
    const chain::Outpoint& outpoint) const {
    const auto held = held_.find(outpoint);
    return held == held_.end() ? std::nullopt : held->second.output;
}

void MatchedOutpoints::on_block(const chain::ProvenBlock& block, std::uint32_t applied_height) {
    const std::uint32_t height = block.block.height;
    const bool is_deep = height + kReorganisationReach < applied_height;
    for (const chain::ProvenTransaction& proven : block.transactions) {
        for (std::uint32_t i = 0; i < proven.transaction.outputs.size(); ++i) {
            Match* const created = find({proven.txid, i});
            if (created == nullptr) continue;
            const bool is_first = created->created_at == 0 || height < created->created_at;
            if (is_first) created->created_at = height;
        }
        for (const chain::TxInput& input : proven.transaction.inputs) {
            record_spend(input.prevout, height, is_deep);
        }
    }
    // Sweeping only now and then makes blocks without matches free of cost.
    if (applied_height >= settled_below_ + 2 * kReorganisationReach) {
        settle_below(applied_height - kReorganisationReach);
    }
}

void MatchedOutpoints::record_spend(const chain::Outpoint& outpoint, std::uint32_t height,
                                    bool is_deep) {
    Match* const match = find(outpoint);
    if (match == nullptr || (match->spent_at != 0 && match->spent_at <= height)) return;
    erase_spend(spends_, outpoint, std::exchange(match->spent_at, height));
    spends_[height].push_back(outpoint);
    if (is_deep) settled_.insert(held_.extract(outpoint));
}

void MatchedOutpoints::settle_below(std::uint32_t height) {
    for (auto at = spends_.begin(); at != spends_.lower_bound(height); ++at) {
        for (const chain::Outpoint& outpoint : at->second) {
            settled_.insert(held_.extract(outpoint));
        }
    }
    settled_below_ = height;
}

void MatchedOutpoints::forget_settled_below(std::uint32_t height) {
    if (height < forgotten_below_ + 2 * kReorganisationReach) return;
    forgotten_below_ = height - kReorganisationReach;
    if (settled_below_ < forgotten_below_) settle_below(forgotten_below_);
    const auto end = spends_.lower_bound(forgotten_below_);
    for (auto at = spends_.begin(); at != end; ++at) {
        for (const chain::Outpoint& outpoint : at->second) settled_.erase(outpoint);
    }
    spends_.erase(spends_.begin(), end);
}

void MatchedOutpoints::undo_to(std::uint32_t height) {
    const auto first = spends_.upper_bound(height);
    for (auto at = first; at != spends_.end(); ++at) {
        for (const chain::Outpoint& outpoint : at->second) {
            held_.insert(settled_.extract(outpoint));
            const auto spent = held_.find(outpoint);
            if (spent != held_.end()) spent->second.spent_at = 0;
        }
    }
    spends_.erase(first, spends_.end());
    for (Matches* const matches : {&held_, &settled_}) {
        for (auto& [outpoint, match] : *matches) {
            if (match.created_at > height) match.created_at = 0;
        }
    }
    settled_below_ = std::min(settled_below_, height);
    forgotten_below_ = std::min(forgotten_below_, height);
}

void MatchedOutpoints::keep_only(const std::unordered_set<chain::Outpoint>& relevant) {
    std::erase_if(held_, [&](const auto& entry) { return !relevant.contains(entry.first); });
    limit_ = std::max(kMaxRemembered, held_.size() + held_.size() / 2);
    index_spends();
}

void MatchedOutpoints::keep_settled(const std::unordered_set<chain::Outpoint>& relevant) {
    std::erase_if(settled_, [&](const auto& entry) { return !relevant.contains(entry.first); });
    index_spends();
}

void MatchedOutpoints::index_spends() {
    spends_.clear();
    for (const Matches* matches : {&held_, &settled_}) {
        for (const auto& [outpoint, match] : *matches) {
            if (match.spent_at != 0) spends_[match.spent_at].push_back(outpoint);
        }
    }
}

std::vector<chain::Outpoint> MatchedOutpoints::outpoints() const {
    std::vector<chain::Outpoint> result;
    result.reserve(held_.size());
    for (const auto& [outpoint, match] : held_) result.push_back(outpoint);
    return result;
}

std::vector<chain::Outpoint> MatchedOutpoints::unspent() const {
    std::vector<chain::Outpoint> result;
    for (const auto& [outpoint, match] : held_) {
        if (match.spent_at == 0) result.push_back(outpoint);
    }
    return result;
}

void MatchedOutpoints::write(chain::ByteWriter& writer) const {
    write_matches(writer, held_);
    write_matches(writer, settled_);
}

MatchedOutpoints MatchedOutpoints::read(chain::ByteReader& reader, Content content) {
    MatchedOutpoints memory;
    memory.held_ = read_matches(reader, content);
    memory.settled_ = read_matches(reader, content);
    memory.index_spends();
    return memory;
}

}  // namespace petal::net
