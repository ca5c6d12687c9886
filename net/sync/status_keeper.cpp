#include "net/sync/status_keeper.h"

#include <algorithm>
#include <utility>

namespace petal::net {

using std::chrono::milliseconds;

namespace {

// A sync that has not moved for this long needs an explanation.
constexpr milliseconds kUnexplained{3'000};
// How long a sync that expects several peers waits for a second peer. Usually a second handshake is
// complete within this time, so that the sync does not rely on one peer.
constexpr milliseconds kMeetingTime{2'000};
// The same if a peer was on another chain. The time is shorter for its replacements, so that
// several peers on other chains cost a sync less than two seconds.
constexpr milliseconds kMeetingTimeBesideForks{1'500};
// How long a sync with an end waits for an early header that other peers do not have: clocks differ
// by seconds. A single peer can cost every sync this time.
constexpr milliseconds kEarlyPatience{10'000};
// Once an early header counts, how long its peer may take to send it.
constexpr milliseconds kEarlyAnswer{2'000};

}  // namespace

bool StatusKeeper::are_blocks_complete() const {
    return sync_.scan.complete() && headers_.has_all_headers() && !cross_checker_.is_pending() &&
           !filter_hashes_.is_pending();
}

void StatusKeeper::set_initial_status() {
    update({});
    moved_at_.reset();
    explained_until_.reset();
}

void StatusKeeper::update(Now now) {
    update_heights();
    update_filter();
    update_standing_of_peers();
    update_meeting(now);
    update_early(now);
    sync_.status.phase = phase();
    update_stall_reason(now);
}

void StatusKeeper::on_reorganised(const chain::ChainMove& move) {
    SyncStatus& status = sync_.status;
    ++status.counts.reorgs;
    status.counts.deepest_reorg =
        std::max(status.counts.deepest_reorg, move.old_tip.height - move.fork.height);
    if (sync_.events.on_reorganisation) sync_.events.on_reorganisation(move);
}

void StatusKeeper::update_heights() {
    SyncStatus& status = sync_.status;
    const Scan& scan = sync_.scan;
    status.header_height = status.target_height = sync_.chain.tip().height;
    status.presync_height.reset();
    // Claims of disconnected peers no longer count.
    for (const auto& [id, peer] : sync_.peers) {
        if (!peer.is_ready()) continue;
        status.target_height = std::max(status.target_height, peer.chain.claimed_height);
        status.presync_height =
            std::max(status.presync_height, peer.headers->sync.presync_height());
    }
    status.first_height = scan.first_height();
    status.synced_height = scan.synced_height();
    status.searched_again_from = sync_.keeper.searched_again_from();
    status.counts.scanned_blocks = scan.scanned_blocks();
    status.counts.refetched_blocks = scan.counts().refetched_blocks;
    status.counts.false_positives = scan.counts().false_positives;
    status.counts.cross_checked_blocks =
        cross_checker_.compared_blocks() + filter_hashes_.compared_blocks();
    if (scan.complete()) {
        status.counts.uncompared_filters = sync_.keeper.checkpoint().uncompared.size();
    }
}

void StatusKeeper::update_filter() {
    for (const auto& [id, peer] : sync_.peers) {
        const Mirror* mirror = peer.blocks.filter().latest();
        if (mirror == nullptr) continue;
        sync_.status.filter.false_positive_rate = mirror->false_positive_rate();
        sync_.status.filter.bytes = mirror->filter().bytes().size();
        sync_.status.filter.hash_functions = mirror->filter().hash_functions();
        return;
    }
}

void StatusKeeper::update_stall_reason(Now now) {
    SyncStatus& status = sync_.status;
    const std::uint64_t arrivals =
        status.counts.headers + status.counts.answers() + status.presync_height.value_or(0);
    const bool is_moving = arrivals != std::exchange(arrivals_, arrivals);
    const bool has_blocks = status.phase >= SyncPhase::listening;
    if (is_moving || has_blocks || !moved_at_) moved_at_ = now.steady;
    explained_until_ = *moved_at_ + kUnexplained;
    status.stall_reason = StallReason::none;
    if (has_blocks || now.steady >= *explained_until_) explained_until_.reset();
    if (!has_blocks && !explained_until_) status.stall_reason = stall_reason();
    if (status.phase == SyncPhase::blocks && fetcher_.all_are_slow()) {
        status.stall_reason = StallReason::slow_blocks;
    }
    if (status.phase >= SyncPhase::listening && all_have_lighter_chains()) {
        status.stall_reason = StallReason::lighter_chain;
    }
    if (has_blocks && status.early_until && status.stall_reason == StallReason::none) {
        status.stall_reason = StallReason::ahead_of_clock;
    }
    const bool awaits_undone = status.phase == SyncPhase::listening && listener_.awaits_undone();
    if (awaits_undone && status.stall_reason == StallReason::none) {
        status.stall_reason = StallReason::undone_transactions;
    }
    status.other_chain =
        status.stall_reason == StallReason::lighter_chain ? find_other_chain() : std::nullopt;
}

void StatusKeeper::update_standing_of_peers() {
    // If it is false, the stored chain has too little work, not the peer's.
    const bool has_required_work = headers_.has_required_work();
    for (const auto& [id, peer] : sync_.peers) {
        if (!peer.is_ready()) continue;
        const HeaderSync& headers = peer.headers->sync;
        PeerReport& report = sync_.peers.report(id);
        report.ahead_of_clock = !headers.too_new()            ? AheadOfClock::no
                                : headers.too_new()->is_early ? AheadOfClock::early
                                                              : AheadOfClock::far;
        if (headers_.chains().is_on_other(peer) ||
            (headers.is_on_lesser_branch() && has_required_work)) {
            report.on_best_chain = false;
        } else if (headers.at_end()) {
            report.on_best_chain = true;
        }
    }
}

std::optional<OtherChain> StatusKeeper::find_other_chain() const {
    std::optional<OtherChain> other;
    for (const auto& [id, peer] : sync_.peers) {
        if (!peer.is_ready()) continue;
        if (!peer.chain.stays_on_other) return std::nullopt;
        const chain::BlockHash& shown = *peer.chain.shown;
        other = {id, peer.chain.shown_height, *sync_.chain.height_of(shown),
                 sync_.chain.exclusion_of(shown).has_value()};
    }
    return other;
}

// By the blocks that the connected peers have shown or claimed.
bool StatusKeeper::all_have_lighter_chains() const {
    const chain::HeaderChain& chain = sync_.chain;
    bool any = false;
    for (const auto& [id, peer] : sync_.peers) {
        if (!peer.is_ready()) continue;
        any = true;
        const bool has_less = peer.chain.is_on_branch(chain)
                                  ? chain.chainwork_at(*peer.chain.shown) < chain.chainwork()
                                  : peer.chain.last_block(chain.tip().height) < chain.tip().height;
        if (!has_less) return false;
    }
    return any;
}

void StatusKeeper::update_meeting(Now now) {
    meeting_until_.reset();
    const auto with_version = std::ranges::count_if(
        sync_.peers, [](const auto& entry) { return entry.second.is_ready(); });
    if (with_version > 0 && !first_handshake_at_) first_handshake_at_ = now.steady;
    // Without substitutes, no peer comes in place of one that is on another chain.
    const auto left = std::ranges::count_if(sync_.status.peers, [](const PeerReport& peer) {
        using enum DisconnectReason;
        return peer.ended == other_chain || peer.ended == lesser_branch;
    });
    const auto met =
        static_cast<std::size_t>(with_version + (sync_.options.has_substitutes ? 0 : left));
    if (!first_handshake_at_ || met >= sync_.options.expected_peers) return;
    const milliseconds end =
        *first_handshake_at_ + (left > 0 ? kMeetingTimeBesideForks : kMeetingTime);
    if (sync_.options.expected_peers > 1 && now.steady < end) meeting_until_ = end;
}

void StatusKeeper::update_early(Now now) {
    std::optional<TooNewHeader> first;
    bool all_have_one = true;
    for (const auto& [id, peer] : sync_.peers) {
        if (!peer.is_ready()) continue;
        const auto early = if_early(peer.headers->sync.too_new());
        all_have_one = all_have_one && early;
        if (early && (!first || early->counts_from < first->counts_from)) first = early;
    }
    sync_.status.early_until = first ? std::optional{first->counts_from} : std::nullopt;
    if (!complete_since_ && are_blocks_complete()) complete_since_ = now.steady;
    const milliseconds patience =
        all_have_one ? std::max(sync_.options.blocks.early_patience, kEarlyPatience)
                     : kEarlyPatience;
    early_until_.reset();
    if (!first || !complete_since_ || first->ask_at > *complete_since_ + patience) return;
    const milliseconds end = first->ask_at + kEarlyAnswer;
    if (now.steady < end) early_until_ = end;
}

SyncPhase StatusKeeper::phase() const {
    const SyncPeers& peers = sync_.peers;
    // A sync that has listened for long enough needs no peer to be done.
    const bool complete = peers.empty() ? sync_.scan.complete() : are_blocks_complete();
    const bool is_over = listener_.is_over() && !sync_.keeper.unconfirmed().has_unstored();
    if (is_over && complete && !meeting_until_ && !early_until_) return SyncPhase::done;
    if (peers.empty()) return SyncPhase::no_peer;
    const bool any_ready = std::any_of(peers.begin(), peers.end(),
                                       [](const auto& entry) { return entry.second.is_ready(); });
    if (!any_ready) return SyncPhase::handshake;
    if (complete) return SyncPhase::listening;
    return sync_.scan.first_height() == 0 ? SyncPhase::headers : SyncPhase::blocks;
}

// The first reason for which everything else waits.
StallReason StatusKeeper::stall_reason() const {
    if (sync_.peers.empty()) return StallReason::no_peer;
    const auto any = [this](auto condition) {
        return std::any_of(sync_.peers.begin(), sync_.peers.end(), [&](const auto& entry) {
            return entry.second.is_ready() && condition(entry.second);
        });
    };
    if (!any([](const SyncPeer&) { return true; })) return StallReason::silent_handshake;
    if (any([](const SyncPeer& peer) { return peer.blocks.in_flight() > 0; })) {
        return StallReason::silent_blocks;
    }
    if (!headers_.has_all_headers()) {
        const auto any_falls_short_by = [&](DisconnectReason reason) {
            return any([&](const SyncPeer& peer) {
                const HeaderSync& headers = peer.headers->sync;
                return headers.short_since() && headers.shortfall(sync_.chain).reason == reason;
            });
        };
        if (any_falls_short_by(DisconnectReason::ahead_of_clock))
            return StallReason::ahead_of_clock;
        if (any_falls_short_by(DisconnectReason::low_work)) return StallReason::low_work;
        const bool is_other =
            any_falls_short_by(DisconnectReason::lesser_branch) ||
            any([](const SyncPeer& peer) { return peer.chain.on_other_since.has_value(); });
        return is_other ? StallReason::lighter_chain : StallReason::silent_headers;
    }
    const bool is_aligned = sync_.scan.first_height() > 0;
    return is_aligned ? StallReason::peers_behind : StallReason::short_chain;
}

}  // namespace petal::net
