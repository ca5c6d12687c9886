#include "regtest/block_collector.h"

#include <algorithm>
#include <utility>

#include "chain/headers/header_chain.h"

namespace petal::regtest {
namespace {

std::vector<chain::BlockHash> locator_of(const RegtestChain& chain) {
    std::vector<chain::BlockHash> locator;
    for (const std::uint32_t height : chain::locator_heights(chain.height(), 0)) {
        locator.push_back(chain.blocks().at(height).hash);
    }
    return locator;
}

}  // namespace

void BlockCollector::take(const net::Inv& announcement) {
    for (const auto& entry : announcement.entries) {
        if (entry.type != net::InventoryType::block) continue;
        set_block_of_peer({entry.hash.bytes});
        if (is_unknown({entry.hash.bytes})) asks_for_headers_ = true;
    }
}

std::optional<std::string> BlockCollector::take(const net::Headers& message) {
    if (message.headers.empty()) return std::nullopt;
    const chain::BlockHash& parent = message.headers.front().previous;
    const bool follows_wanted = !wanted_.empty() && parent == last_wanted_;
    const auto parent_height = follows_wanted ? std::optional(wanted_height_) : height_of(parent);
    std::vector<chain::BlockHash> hashes;
    for (const auto& header : message.headers) {
        if (!hashes.empty() && header.previous != hashes.back()) {
            return "misbehaving: headers that do not follow each other";
        }
        if (!has_regtest_work(header)) return "misbehaving: a header without work";
        hashes.push_back(header.hash());
    }
    if (follows_wanted && has_more_work() && wanted_.size() >= headers_per_message_) {
        goes_on_behind_ = last_wanted_;  // the rest is requested later
        return std::nullopt;
    }
    set_block_of_peer(hashes.back());
    const bool is_full = hashes.size() == headers_per_message_;
    if (is_full) goes_on_behind_ = hashes.back();
    if (!parent_height) {
        // The parents must arrive first.
        asks_for_headers_ = asks_for_headers_ || is_unknown(hashes.back());
        return std::nullopt;
    }
    const auto height = *parent_height + static_cast<std::uint32_t>(hashes.size());
    if (!is_full && height <= chain_.height()) {
        if (follows_wanted) wanted_.clear();  // the branch ends without more work
        return std::nullopt;
    }
    if (!follows_wanted) wanted_.clear();
    for (const auto& hash : hashes) {
        if (is_unknown(hash)) wanted_.push_back(hash);
    }
    wanted_height_ = height;
    last_wanted_ = hashes.back();
    return std::nullopt;
}

void BlockCollector::take(const net::FullBlock& message, std::chrono::milliseconds now) {
    const chain::BlockHash hash = message.block.hash();
    const chain::BlockHeader& header = message.block.header();
    set_block_of_peer(hash);
    const bool was_requested = requested_.erase(hash) > 0;
    const bool was_given_up = given_up_.erase(hash) > 0;
    if (was_requested) waits_since_ = now;
    const auto height = height_behind(header);
    if (!was_requested && (!height || !has_room_at(*height) || !is_unknown(hash))) {
        const bool is_ahead =
            !was_given_up && !height && is_unknown(hash) && has_regtest_work(header);
        asks_for_headers_ = asks_for_headers_ || is_ahead;
        return;
    }
    if (height) arrived_.heights.emplace(hash, *height);
    arrived_.blocks.push(message);
}

void BlockCollector::take(const net::NotFound& message) {
    const auto was_requested = [this](const net::Inventory& entry) {
        return entry.type == net::InventoryType::witness_block &&
               requested_.contains({entry.hash.bytes});
    };
    if (std::ranges::none_of(message.entries, was_requested)) return;
    wanted_.clear();
    given_up_ = std::exchange(requested_, {});
    goes_on_behind_.reset();
}

bool BlockCollector::is_late(std::chrono::milliseconds now) const {
    return !requested_.empty() && now - waits_since_ > kAnswerLimit;
}

std::vector<net::Message> BlockCollector::requests(std::chrono::milliseconds now) {
    std::erase_if(requested_, [this](const auto& entry) { return !is_unknown(entry.first); });
    if (requested_.empty()) waits_since_ = now;
    std::vector<net::Message> messages;
    net::GetData blocks;
    while (has_more_work() && requested_.size() < kMaxRequested) {
        const chain::BlockHash hash = wanted_.front();
        const auto height = wanted_height_ - static_cast<std::uint32_t>(wanted_.size()) + 1;
        wanted_.pop_front();
        if (!is_unknown(hash) || !requested_.emplace(hash, height).second) continue;
        blocks.entries.push_back({net::InventoryType::witness_block, {hash.bytes}});
    }
    if (!blocks.entries.empty()) messages.emplace_back(std::move(blocks));
    const bool is_done = wanted_.empty() && requested_.empty() && arrived_.blocks.empty();
    const bool goes_on = is_done || (!wanted_.empty() && !has_more_work());
    if (asks_for_headers_ || (goes_on && goes_on_behind_)) messages.emplace_back(header_request());
    if (goes_on) goes_on_behind_.reset();
    asks_for_headers_ = false;
    return messages;
}

std::optional<chain::Block> BlockCollector::take_one() {
    if (arrived_.blocks.empty()) return std::nullopt;
    auto block = std::get<net::FullBlock>(arrived_.blocks.pop_front()).block.decode();
    if (arrived_.blocks.empty()) arrived_.heights.clear();
    return block;
}

void BlockCollector::set_block_of_peer(const chain::BlockHash& hash) {
    if (const auto* const best = best_known()) shown_.best = best->hash;
    shown_.last = hash;
}

const Chainstate::Entry* BlockCollector::best_known() const {
    const auto* const last = chain_.blocks().find(shown_.last);
    const auto* const best = chain_.blocks().find(shown_.best);
    if (last == nullptr || best == nullptr) return last != nullptr ? last : best;
    return last->height > best->height ? last : best;
}

std::vector<std::uint32_t> BlockCollector::requested_heights() const {
    std::vector<std::uint32_t> heights;
    for (const auto& [hash, height] : requested_) heights.push_back(height);
    std::ranges::sort(heights);
    return heights;
}

std::optional<std::uint32_t> BlockCollector::height_behind(const chain::BlockHeader& header) const {
    const auto arrived = arrived_.heights.find(header.previous);
    if (arrived != arrived_.heights.end()) return arrived->second + 1;
    const auto parent = height_of(header.previous);
    return parent ? std::optional(*parent + 1) : std::nullopt;
}

net::GetHeaders BlockCollector::header_request() const {
    net::GetHeaders request{locator_of(chain_), {}};
    if (goes_on_behind_) request.locator.insert(request.locator.begin(), *goes_on_behind_);
    return request;
}

bool BlockCollector::has_more_work() const {
    return !wanted_.empty() && wanted_height_ > chain_.height();
}

/// The height of a block of any branch.
std::optional<std::uint32_t> BlockCollector::height_of(const chain::BlockHash& hash) const {
    const auto* const entry = chain_.blocks().find(hash);
    return entry ? std::optional(entry->height) : std::nullopt;
}

/// Whether an unrequested block at this height is accepted.
bool BlockCollector::has_room_at(std::uint32_t height) const {
    if (height != chain_.height()) return height > chain_.height();
    return chain_.blocks().rivals_of_tip() < kMaxRivals;
}

bool BlockCollector::is_unknown(const chain::BlockHash& hash) const {
    return chain_.blocks().find(hash) == nullptr && !chain_.blocks().is_wrong(hash);
}

}  // namespace petal::regtest
