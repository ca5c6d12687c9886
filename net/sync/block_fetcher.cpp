#include "net/sync/block_fetcher.h"

#include <algorithm>
#include <string>
#include <utility>

namespace petal::net {

using chain::Unexpected;
using std::chrono::milliseconds;

namespace {

// The number of blocks in one request. Larger requests do not keep the pipeline full, smaller
// requests take more messages.
constexpr std::size_t kBlocksPerRequest = 250;

// A peer that sends no requested block for this long is silent (SyncPeer::is_silent). Its second
// answers are requested from other peers, and the sync does not wait for them.
constexpr milliseconds kPatience{2'000};

}  // namespace

Outcome BlockFetcher::on_pong(SyncPeer& peer, const Pong& pong, Now now) {
    const auto passed_over = peer.blocks.on_pong(pong);
    if (peer.blocks.in_flight() == 0) peer.is_silent = false;  // no open requests
    return on_passed_over(peer, passed_over, now);
}

Outcome BlockFetcher::on_not_found(SyncPeer& peer, const NotFound& message, Now now) {
    return on_passed_over(peer, peer.blocks.on_not_found(message), now);
}

// Servers do not report blocks that they lack. A peer whose chain ends early, or differs at the
// end, is not blamed. A peer that has shown the block is.
Outcome BlockFetcher::on_passed_over(SyncPeer& peer, const std::vector<BlockRequest>& requests,
                                     Now now) {
    peer.pacer.on_passed_over(peer.blocks.in_flight());
    if (requests.empty()) return {};
    std::uint32_t lowest = requests.front().block.height;
    std::vector<std::uint32_t> of_scan;  // a block may also be requested as a second opinion
    for (const BlockRequest& request : requests) {
        lowest = std::min(lowest, request.block.height);
        if (request.purpose == BlockPurpose::scan) of_scan.push_back(request.block.height);
    }
    // Even if the peer is blamed: when its connection ends, its requests no longer include these
    // blocks.
    sync_.scan.on_lost(peer.id(), of_scan);
    for (const BlockRequest& request : requests) {
        if (peer.is_too_old(request)) {
            return Unexpected(lacks_old_blocks(*peer.connection.version()));
        }
        // Filters are requested from peers that have shown no headers, too.
        const bool is_filter = request.form == BlockForm::compact_filter;
        const std::uint32_t last =
            is_filter ? peer.last_known_block(sync_.chain) : peer.chain.shown_height;
        const bool is_known_to_have_it =
            request.purpose == BlockPurpose::testimony || request.block.height <= last;
        if (!is_known_to_have_it) continue;
        if (is_filter) {
            return Unexpected(Violation{DisconnectReason::lacks_filters,
                                        "block " + std::to_string(request.block.height)});
        }
        return Unexpected(Violation{DisconnectReason::incomplete,
                                    "no complete answer for block " + request.block.hash.to_hex()});
    }
    peer.chain.claimed_height = std::min(peer.chain.claimed_height, lowest - 1);
    if (!peer.chain.behind_since) peer.chain.behind_since = now.steady;
    cross_checker_.on_lost(peer.id());
    return {};
}

bool BlockFetcher::may_have_more(const SyncPeer& peer) const {
    return peer.is_ready() && peer.headers->sync.at_end() && !peer.chain.behind_since &&
           !peer.chain.is_on_branch(sync_.chain);
}

bool BlockFetcher::can_look_beyond_claims() const {
    const std::uint32_t tip = sync_.chain.tip().height;
    const std::uint32_t next = sync_.scan.next_height();
    if (next > tip) return false;
    bool any = false;
    for (const auto& [id, peer] : sync_.peers) {
        if (peer.is_ready() && peer.chain.last_block(tip) >= next) return false;
        any = any || may_have_more(peer);
    }
    return any;
}

void BlockFetcher::look_beyond_claims() {
    if (!can_look_beyond_claims()) return;
    for (auto& [id, peer] : sync_.peers) {
        if (may_have_more(peer)) peer.chain.claimed_height = sync_.chain.tip().height;
    }
}

void BlockFetcher::fetch(Now now) {
    is_fetching_ = true;
    // A run without an end waits for the peer's next block, unless that takes long.
    if (!sync_.options.is_endless()) look_beyond_claims();
    for (auto& [id, peer] : sync_.peers) serve(peer, now);
}

std::uint32_t BlockFetcher::lowest_needed() const {
    const auto open = sync_.keeper.checkpoint().coverage.open().lowest();
    return std::min(sync_.scan.next_height(), open.value_or(sync_.scan.next_height()));
}

// A pruned node that is asked for an old block disconnects. It is asked for one nevertheless if no
// other node can be: the user may have given this machine the permission to ask (Bitcoin Core:
// noban).
bool BlockFetcher::may_ask(const SyncPeer& peer) const {
    const std::uint32_t first = peer.first_block();
    if (first == 0 || first <= lowest_needed()) return true;
    if (sync_.options.has_substitutes) return false;
    return std::ranges::all_of(sync_.peers, [](const auto& entry) {
        return !entry.second.is_ready() || entry.second.first_block() > 0;
    });
}

void BlockFetcher::serve(SyncPeer& peer, Now now) {
    if (!peer.is_ready() || !may_ask(peer)) return;
    while (true) {
        const Task task = next_task(peer, now);
        if (task.blocks.empty()) return;
        source_.request_now(peer, task.blocks, task.purpose, now);
    }
}

BlockFetcher::Task BlockFetcher::next_task(SyncPeer& peer, Now now) {
    const std::size_t window = source_.window(peer);
    const std::size_t in_flight = peer.blocks.in_flight();
    const std::size_t share = std::clamp<std::size_t>(window / 4, 1, kBlocksPerRequest);
    if (in_flight > 0 && in_flight + share > window) return {};
    const std::uint32_t last = unconfirmed_.last_block_to_ask(peer);
    auto blocks = cross_checker_.take(peer, share, last);
    if (!blocks.empty()) return {std::move(blocks), BlockPurpose::second_opinion};
    const std::size_t room = cross_checker_.room();
    if (room == 0) return {};
    const auto its_room = std::max<std::size_t>(room / sync_.peers.size(), 1);
    const std::size_t room_left = its_room - std::min(in_flight, its_room);
    blocks =
        sync_.scan.take(peer.id(), std::min(share, room_left), last, may_take(peer), now.steady);
    if (blocks.empty()) {
        const auto helper = as_helper(peer);
        if (helper) blocks = sync_.scan.take_over(*helper, share, now.steady);
    }
    return {std::move(blocks), BlockPurpose::scan};
}

// An idle peer is also asked for blocks that another peer has had for twice as long as the idle
// peer would need.
std::optional<BlockSchedule::Helper> BlockFetcher::as_helper(const SyncPeer& peer) const {
    const bool is_idle = peer.is_ready() && peer.blocks.in_flight() == 0;
    if (!is_fetching_ || !is_idle || sync_.peers.size() < 2 || cross_checker_.is_full()) return {};
    if (!may_ask(peer)) return {};
    return BlockSchedule::Helper{peer.id(), unconfirmed_.last_block_to_ask(peer),
                                 2 * peer.pacer.expected_wait(), may_take(peer)};
}

// If the peer with the highest rank leaves or falls silent, the next one is asked.
BlockSchedule::MayTake BlockFetcher::may_take(const SyncPeer& peer) const {
    return [this, &peer](std::uint32_t height) {
        const std::uint64_t rank = source_.rank(peer, height);
        return std::ranges::none_of(sync_.peers, [&](const auto& entry) {
            const SyncPeer& other = entry.second;
            return source_.rank(other, height) > rank && other.is_ready() && may_ask(other) &&
                   !other.is_silent && unconfirmed_.last_block_to_ask(other) >= height;
        });
    };
}

void BlockFetcher::observe(Now now) {
    for (auto& [id, peer] : sync_.peers) {
        peer.slowness.observe(peer.blocks.in_flight() > 0, now.steady);
    }
}

// A slow peer is kept while no other peer can replace it, or a slot is free. Slow peers are
// replaced one at a time: this machine's line may be the slow part.
bool BlockFetcher::is_to_be_replaced(const SyncPeer& peer) const {
    const bool takes_a_place =
        sync_.options.has_substitutes && sync_.peers.size() >= sync_.options.expected_peers;
    return takes_a_place && peer.slowness.is_too_slow();
}

bool BlockFetcher::all_are_slow() const {
    bool any = false;
    for (const auto& [id, peer] : sync_.peers) {
        if (peer.blocks.in_flight() == 0) continue;
        if (!peer.slowness.is_too_slow()) return false;
        any = true;
    }
    return any;
}

// If so, a peer whose chain ends on a branch delays nothing. PeerChains judges it.
bool BlockFetcher::any_has_the_tip() const {
    const std::uint32_t tip = sync_.chain.tip().height;
    return std::ranges::any_of(sync_.peers, [tip](const auto& entry) {
        return entry.second.is_ready() && entry.second.chain.last_block(tip) == tip;
    });
}

std::optional<Deadline<BlockFetcher::Due>> BlockFetcher::next_deadline(const SyncPeer& peer) const {
    EarliestDeadline<Due> next;
    if (!peer.is_ready()) return next.get();
    if (peer.blocks.in_flight() > 0) {
        const BlockForm awaited = peer.blocks.requests().front().form;
        const milliseconds timeout =
            is_full(awaited) ? kFullBlockTimeout : sync_.options.timeouts.answer;
        next.consider(peer.served_at + timeout, Due::stalling);
        if (!peer.is_silent) {
            next.consider(peer.served_at + kPatience, Due::silent);
            next.consider(peer.pacer.overdue_at(), Due::silent);
        }
        next.consider(peer.slowness.judged_at(), Due::judge_pace);
        if (is_to_be_replaced(peer)) next.consider(milliseconds{0}, Due::replace);
    }
    const std::uint32_t tip = sync_.chain.tip().height;
    const bool is_behind = peer.chain.behind_since && peer.chain.last_block(tip) < tip;
    if (is_behind && !(peer.chain.is_on_branch(sync_.chain) && any_has_the_tip())) {
        next.consider(*peer.chain.behind_since + sync_.options.timeouts.answer, Due::behind);
    }
    if (is_fetching_ && sync_.options.has_substitutes && !may_ask(peer)) {
        next.consider(milliseconds{0}, Due::pruned);
    }
    if (const auto helper = as_helper(peer)) {
        next.consider(sync_.scan.schedule().next_take_over(*helper), Due::take_over);
    }
    return next.get();
}

Outcome BlockFetcher::act(SyncPeer& peer, Due what, Now now) {
    switch (what) {
        case Due::stalling:
            return Unexpected(Violation{DisconnectReason::timed_out, ""});
        case Due::judge_pace:
            peer.slowness.observe(/*owes=*/true, now.steady);
            break;
        case Due::replace:
            return Unexpected(
                Violation{DisconnectReason::timed_out, "sends blocks far too slowly"});
        case Due::behind:
            return Unexpected(Violation{DisconnectReason::timed_out,
                                        "does not have the blocks that are missing"});
        case Due::silent:
            peer.is_silent = true;
            break;
        case Due::take_over:
            serve(peer, now);
            break;
        case Due::pruned:
            return Unexpected(lacks_old_blocks(*peer.connection.version()));
    }
    return {};
}

std::optional<milliseconds> BlockFetcher::wakes_at() const {
    return sync_.peers.earliest([this](const SyncPeer& peer) { return next_deadline(peer); });
}

void BlockFetcher::on_wake(Now now) {
    sync_.peers.work_off_each(
        now, [this](const SyncPeer& peer) { return next_deadline(peer); },
        [&](SyncPeer& peer, Due what) { return act(peer, what, now); });
}

}  // namespace petal::net
