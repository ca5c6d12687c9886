#include "net/sync/filter_disputes.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "chain/block_filters/filter_check.h"

namespace petal::net {

using chain::Unexpected;

namespace {

// The number of blocks that are judged in a round. The testimonies for a block take up to 260 kB
// for each peer, and usually 20 kB.
constexpr std::uint64_t kJudgedPerRound = 4;
// What a host pays for leaving a dispute: half of its budget.
constexpr std::uint32_t kDeparture = 32;

/// The height with `index` lower ones. `index` must be below the number of heights.
std::uint32_t height_at(const HeightRanges& heights, std::uint64_t index) {
    auto range = heights.ranges().begin();
    for (; index > range->second - range->first; ++range) {
        index -= range->second - range->first + 1;
    }
    return range->first + static_cast<std::uint32_t>(index);
}

}  // namespace

void FilterDisputes::act(Now now) {
    request_blocks();
    if (cases_.empty() && sync_.scan.is_complete_but_for_disputes()) start_round(now);
}

/// Requests each block whose testimonies are in. Some disputes may have ended without it.
void FilterDisputes::request_blocks() {
    HeightRanges due;
    for (auto entry = cases_.begin(); entry != cases_.end();) {
        auto& [height, each] = *entry;
        if (!each.is_block_requested && !sync_.scan.disputed().contains(height)) {
            entry = cases_.erase(entry);
            continue;
        }
        if (each.awaited.empty() && !std::exchange(each.is_block_requested, true)) due.add(height);
        ++entry;
    }
    if (!due.empty()) request_in_full(due);
}

// Found nodes of one host count as one: a port costs nothing. The user may run several.
std::string FilterDisputes::host_of(PeerId peer) const {
    const std::string& node = sync_.peers.report(peer).node;
    return sync_.options.has_substitutes ? node.substr(0, node.rfind(':')) : node;
}

// With as many hosts on both sides, the server's side pays: without the server, its blocks are
// searched by the other filters, too. So a payment is missed only if both are false.
void FilterDisputes::charge(std::uint32_t height) {
    std::set<std::string> accusers;
    std::set<std::string> defenders;
    const PeerId server = cases_.at(height).searched.server;
    for (const auto& [id, peer] : sync_.peers) {
        const PeerFilterHashes& stated = peer.filter_hashes;
        if (stated.contradicts.contains(height)) accusers.insert(host_of(id));
        if (id == server || stated.agrees.contains(height)) defenders.insert(host_of(id));
    }
    for (const std::string& host : accusers.size() < defenders.size() ? accusers : defenders) {
        ++spent_[host];
    }
}

void FilterDisputes::start_round(Now now) {
    const HeightRanges judged = choose_blocks_to_judge();
    for (const auto& [first, last] : judged.ranges()) {
        for (std::uint32_t height = first; height <= last; ++height) open(height, now);
    }
}

HeightRanges FilterDisputes::choose_blocks_to_judge() {
    HeightRanges left = sync_.scan.disputed();
    HeightRanges chosen;
    while (!left.empty() && chosen.size() < kJudgedPerRound) {
        const std::uint32_t height = height_at(left, sync_.random.next() % left.size());
        left.remove(height);
        chosen.add(height);
    }
    return chosen;
}

void FilterDisputes::open(std::uint32_t height, Now now) {
    const chain::BlockRef block{height, sync_.chain.hash_at(height)};
    Case& opened = cases_[height];
    opened = {block.hash, searched_at_(height), {}, {}};
    for (auto& [id, peer] : sync_.peers) {
        const PeerFilterHashes& stated = peer.filter_hashes;
        const bool has_vouched = id == opened.searched.server || stated.agrees.contains(height) ||
                                 stated.contradicts.contains(height);
        if (!has_vouched) continue;
        opened.awaited.insert(id);
        source_.request_now(peer, {&block, 1}, BlockPurpose::testimony, now);
    }
}

void FilterDisputes::request_in_full(const HeightRanges& blocks) {
    for (const auto& [first, last] : blocks.ranges()) {
        for (std::uint32_t height = first; height <= last; ++height) {
            charge(height);
            source_.request_in_full({height, sync_.chain.hash_at(height)});
        }
    }
    sync_.scan.distrust(blocks);
}

Outcome FilterDisputes::on_testimony(const SyncPeer& peer, Delivery delivery) {
    const chain::BlockRef& block = delivery.block.block;
    const auto found = cases_.find(block.height);
    if (found == cases_.end() || found->second.awaited.erase(peer.id()) == 0) return {};
    Case& judged = found->second;
    const bool is_searched = delivery.filter_hash == judged.searched.hash;
    if (is_searched == peer.filter_hashes.contradicts.contains(block.height)) {
        return Unexpected(Violation{DisconnectReason::false_filter,
                                    "another filter of block " + block.hash.to_hex() +
                                        " than the peer has stated or sent before"});
    }
    judged.testimonies[peer.id()] = std::move(delivery.compact_filter);
    return {};
}

void FilterDisputes::on_full_block(const chain::BlockView& block) {
    const auto found = std::ranges::find(cases_, block.hash(),
                                         [](const auto& entry) { return entry.second.block; });
    if (found == cases_.end()) return;
    const chain::Block full = block.decode();
    for (const auto& [peer, testimony] : found->second.testimonies) {
        const auto filter = chain::decode_basic_filter(block.hash(), testimony);
        const auto fault = filter ? chain::find_filter_fault(full, *filter) : std::nullopt;
        if (!fault) continue;
        const std::string text =
            "filter of block " + block.hash().to_hex() + " " + std::string(chain::describe(*fault));
        convictions_.push_back({peer, {DisconnectReason::false_filter, text}});
        spent_.clear();
    }
    cases_.erase(found);
}

void FilterDisputes::on_lost(PeerId peer, bool leaves_dispute) {
    if (leaves_dispute) spent_[host_of(peer)] += kDeparture;
    for (auto& [height, each] : cases_) each.awaited.erase(peer);
}

void FilterDisputes::drop_above(std::uint32_t height) {
    cases_.erase(cases_.upper_bound(height), cases_.end());
}

}  // namespace petal::net
