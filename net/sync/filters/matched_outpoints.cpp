#include "net/sync/filters/matched_outpoints.h"

#include <algorithm>

namespace petal::net {

namespace {

using chain::kReorganisationReach;

constexpr std::size_t kEntryBytes = 40;
// It is full only when it is asked whether it is, once a batch. A bound for what a damaged store
// can make us allocate.
constexpr std::uint64_t kMaxEntries = 4'000'000;

}  // namespace

void MatchedOutpoints::write_matches(chain::ByteWriter& writer, const Matches& matches) {
    writer.compact_size(matches.size());
    for (const auto& [outpoint, match] : matches) {
        writer.bytes(outpoint.serialize()).u32(match.spent_at);
        write_output(writer, match.output);
    }
}

MatchedOutpoints::Matches MatchedOutpoints::read_matches(chain::ByteReader& reader,
                                                         bool with_outputs) {
    Matches matches;
    const std::size_t count = reader.read_count(kMaxEntries, kEntryBytes);
    matches.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const chain::ByteView txid = reader.read_view(32);
        const std::uint32_t index = reader.read_u32();
        Match match;
        match.spent_at = reader.read_u32();
        if (with_outputs) match.output = read_output(reader);
        if (!reader.ok()) break;
        matches.emplace(chain::Outpoint{chain::Txid::from_view(txid), index}, match);
    }
    return matches;
}

bool MatchedOutpoints::add(const MatchedOutput& output) {
    if (is_settled(output.outpoint)) return false;
    const auto [held, is_new] = held_.try_emplace(output.outpoint, Match{0, output.output});
    if (!held->second.output) held->second.output = output.output;
    return is_new;
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
        for (const chain::TxInput& input : proven.transaction.inputs) {
            const auto entry = held_.find(input.prevout);
            if (entry == held_.end()) continue;
            entry->second.spent_at = height;
            if (is_deep) settled_.insert(held_.extract(entry));
        }
    }
    // Sweeping now and then keeps the cost of a block without matches at nothing.
    if (applied_height >= settled_below_ + 2 * kReorganisationReach) {
        settle_below(applied_height - kReorganisationReach);
    }
}

void MatchedOutpoints::settle_below(std::uint32_t height) {
    for (auto entry = held_.begin(); entry != held_.end();) {
        const auto spent = entry++;
        if (spent->second.spent_at == 0 || spent->second.spent_at >= height) continue;
        settled_.insert(held_.extract(spent));
    }
    settled_below_ = height;
}

void MatchedOutpoints::forget_settled_below(std::uint32_t height) {
    if (height < forgotten_below_ + 2 * kReorganisationReach) return;
    forgotten_below_ = height - kReorganisationReach;
    std::erase_if(settled_,
                  [this](const auto& entry) { return entry.second.spent_at < forgotten_below_; });
}

void MatchedOutpoints::undo_to(std::uint32_t height) {
    for (auto& [outpoint, match] : held_) {
        if (match.spent_at > height) match.spent_at = 0;
    }
    for (auto entry = settled_.begin(); entry != settled_.end();) {
        const auto spent = entry++;
        if (spent->second.spent_at <= height) continue;
        spent->second.spent_at = 0;
        held_.insert(settled_.extract(spent));
    }
    settled_below_ = std::min(settled_below_, height);
    forgotten_below_ = std::min(forgotten_below_, height);
}

void MatchedOutpoints::keep_only(const std::unordered_set<chain::Outpoint>& relevant) {
    std::erase_if(held_, [&](const auto& entry) { return !relevant.contains(entry.first); });
}

void MatchedOutpoints::keep_settled(const std::unordered_set<chain::Outpoint>& relevant) {
    std::erase_if(settled_, [&](const auto& entry) { return !relevant.contains(entry.first); });
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

MatchedOutpoints MatchedOutpoints::read(chain::ByteReader& reader, bool with_outputs) {
    MatchedOutpoints memory;
    memory.held_ = read_matches(reader, with_outputs);
    memory.settled_ = read_matches(reader, with_outputs);
    return memory;
}

}  // namespace petal::net
