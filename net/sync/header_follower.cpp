#include "net/sync/header_follower.h"

#include <algorithm>
#include <string>
#include <utility>

#include "net/wire/codec.h"

namespace petal::net {

using chain::Unexpected;
using std::chrono::milliseconds;

namespace {

// If the peer that was asked for headers is silent for this long, the next peer is asked, and the
// sync no longer waits for the silent peer.
constexpr milliseconds kHeaderPatience{2'000};
// The interval at which all peers are asked for the early headers of disconnected peers.
constexpr milliseconds kLostEarlyInterval{60'000};

// Empty if no headers are awaited from the peer.
std::optional<milliseconds> overdue_at(const PeerHeaders& headers) {
    return headers.is_awaited() ? std::optional(headers.last_progress + kHeaderPatience)
                                : std::nullopt;
}

// The last block of the message that may be stored: the last one before a header that is too new.
chain::BlockHash last_shown(const Headers& message, const chain::AcceptResult& result) {
    const auto& headers = message.headers;
    if (!result.error) return headers.back().hash();
    return headers[std::min(result.accepted, headers.size() - 1)].previous;
}

Violation in_other_format(const Headers& message, const chain::HeaderChain& chain) {
    const auto height =
        message.headers.empty() ? std::nullopt : chain.height_of(message.headers.back().hash());
    return {DisconnectReason::other_chain,
            "it follows a fork with another header format" +
                (height ? " after block " + std::to_string(*height) : std::string())};
}

}  // namespace

HeaderFollower::HeaderFollower(SyncContext& sync)
    : sync_(sync), tip_tracker_(sync.chain), chains_(sync) {
    if (sync_.shared) sync_.shared->add(*this);
}

HeaderFollower::~HeaderFollower() {
    if (sync_.shared) sync_.shared->remove(*this);
}

void HeaderFollower::on_handshake_complete(SyncPeer& peer, Now now) {
    peer.link.round_trip = now.steady - peer.connection.connected_at();
    const std::int32_t claimed = peer.connection.version()->start_height;
    const HeaderSyncOptions options{sync_.options.threshold, sync_.options.header_limits,
                                    sync_.random.next()};
    peer.headers.emplace(PeerHeaders{HeaderSync{claimed, options}});
    peer.chain.claimed_height = static_cast<std::uint32_t>(std::max(claimed, 0));
}

void HeaderFollower::on_end(const SyncPeer& peer) {
    if (header_peer_ == peer.id()) header_peer_.reset();
    chains_.on_end();
    const auto early = peer.is_ready() ? if_early(peer.headers->sync.too_new()) : std::nullopt;
    if (early && sync_.shared) {
        sync_.shared->expect_early(*early);
    } else if (early) {
        expect_early(*early);
    }
}

void HeaderFollower::expect_early(const TooNewHeader& header) {
    if (!lost_early_) lost_early_ = LostEarly{header.ask_at, header.ask_at};
    lost_early_->next = std::min(lost_early_->next, header.ask_at);
    lost_early_->last = std::max(lost_early_->last, header.ask_at);
}

void HeaderFollower::request(SyncPeer& peer, Now now) {
    PeerHeaders& headers = *peer.headers;
    if (!std::exchange(headers.asked, true)) headers.last_progress = now.steady;
    if (!headers.sync.waiting_since()) headers.last_progress_or_request = now.steady;
    for (Message& message : headers.sync.request(sync_.chain, sync_.random.next(), now)) {
        sync_.outbox.send(peer.id(), std::move(message));
    }
    // At once: otherwise a block that is announced after a pause would be waited for, but only
    // until the next wake-up.
    if (has_come(overdue_at(headers), now)) stop_waiting_for(peer);
}

void HeaderFollower::stop_waiting_for(SyncPeer& peer) {
    peer.headers->overdue = true;
    if (header_peer_ == peer.id()) header_peer_.reset();
}

Outcome HeaderFollower::on_headers(SyncPeer& peer, const Headers& message, Now now) {
    PeerHeaders& headers = *peer.headers;
    const auto asked_at = headers.sync.waiting_since();
    const bool was_open = asked_at.has_value();
    if (was_open) {
        peer.link.on_answer(message.headers.size() * kHeaderEntryBytes, now.steady - *asked_at);
    }
    auto progress = headers.sync.on_headers(message, sync_.chain, now);
    if (!progress) return Unexpected(progress.error());
    sync_.peers.report(peer.id()).answered = true;
    if (progress->advanced) {
        headers.last_progress_or_request = headers.last_progress = now.steady;
        headers.overdue = false;
        peer.chain.on_other_since.reset();  // its chain grows
    }
    sync_.status.counts.headers += progress->result.added;
    if (!message.headers.empty()) chains_.on_shown(peer, last_shown(message, progress->result));
    record_end_of_answer(peer, was_open);
    if (message.in_other_format > 0) return Unexpected(in_other_format(message, sync_.chain));
    // Sent before any request for blocks: the server answers it only after earlier requests.
    if (progress->ask_on) request(peer, now);
    return {};
}

void HeaderFollower::on_pong(SyncPeer& peer, const Pong& pong, Now now) {
    const bool was_open = peer.headers->sync.waiting_since().has_value();
    const bool asks_on = peer.headers->sync.on_pong(pong, sync_.chain, now);
    record_end_of_answer(peer, was_open);
    if (asks_on) request(peer, now);
}

void HeaderFollower::record_end_of_answer(SyncPeer& peer, bool was_open) {
    const HeaderSync& headers = peer.headers->sync;
    if (!was_open || headers.waiting_since() || !headers.at_end()) return;
    if (!peer.chain.is_on_branch(sync_.chain)) peer.chain.ended_height = sync_.chain.tip().height;
}

void HeaderFollower::on_announced(SyncPeer& peer, const Inv& message, Now now) {
    std::optional<chain::BlockHash> last;
    for (const Inventory& entry : message.entries) {
        if (entry.type != InventoryType::block) continue;
        const chain::BlockHash hash{entry.hash.bytes};
        if (sync_.chain.find(hash)) last = hash;
        if (peer.headers->sync.on_block_announced(hash, sync_.chain)) request(peer, now);
    }
    // Only the last: finding the fork of a block on a long branch takes long.
    if (last) chains_.on_shown(peer, *last);
}

bool HeaderFollower::is_downloading() const {
    const SyncPeer* const asked = header_peer_ ? sync_.peers.find(*header_peer_) : nullptr;
    return asked && asked->headers->sync.waiting_since();
}

// Another sync need not wait for a sync that failed with an open request.
std::optional<milliseconds> HeaderFollower::downloads_until() const {
    if (!is_downloading() || chains_.any_on_best()) return std::nullopt;
    return overdue_at(*sync_.peers.find(*header_peer_)->headers);
}

// The peer to ask next: at once, unless another sync is downloading the headers that both share.
std::optional<Deadline<PeerId>> HeaderFollower::next_turn() const {
    if (is_downloading()) return std::nullopt;
    for (const auto& [id, peer] : sync_.peers) {
        if (!peer.is_ready() || peer.headers->asked) continue;
        const auto busy_until = sync_.shared ? sync_.shared->busy_until(*this) : std::nullopt;
        return Deadline<PeerId>{busy_until.value_or(milliseconds{0}), id};
    }
    return std::nullopt;
}

void HeaderFollower::ask_for_early(Now now) {
    const bool asks_all = lost_early_ && has_come(lost_early_->next, now);
    for (auto& [id, peer] : sync_.peers) {
        if (!peer.is_ready() || !peer.headers->asked) continue;
        const HeaderSync& headers = peer.headers->sync;
        if (headers.waiting_since()) continue;
        const auto early = if_early(headers.too_new());
        if (asks_all || (early && early->counts(now))) request(peer, now);
    }
    if (!asks_all) return;
    if (has_come(lost_early_->last, now)) return lost_early_.reset();
    lost_early_->next = std::min(now.steady + kLostEarlyInterval, lost_early_->last);
}

void HeaderFollower::take_turns(Now now) {
    ask_for_early(now);
    for (auto turn = next_turn(); has_come(time_of(turn), now); turn = next_turn()) {
        if (!header_peer_) header_peer_ = turn->what;
        request(*sync_.peers.find(turn->what), now);  // which is then asked
    }
}

bool HeaderFollower::can_get(const chain::BlockRef& block) const {
    if (sync_.scan.served_height() >= block.height) return true;
    return std::ranges::any_of(sync_.peers, [&](const auto& entry) {
        return entry.second.is_ready() && chains_.last_block_of(entry.second) >= block.height;
    });
}

bool HeaderFollower::has_all_headers() const {
    for (const auto& [id, peer] : sync_.peers) {
        if (peer.is_ready() && peer.headers->is_awaited()) return false;
    }
    return chains_.any_on_best();
}

bool HeaderFollower::has_required_work() const {
    return sync_.options.threshold.is_reached_by(sync_.chain);
}

// A branch so far below the best chain does not overtake it. If no peer has the best chain, the
// stored one may be wrong.
bool HeaderFollower::is_judged_by_work(const SyncPeer& peer) const {
    return peer.headers->sync.is_on_lesser_branch() && has_required_work() && chains_.any_on_best();
}

std::optional<Deadline<HeaderFollower::Due>> HeaderFollower::next_deadline(
    const SyncPeer& peer) const {
    EarliestDeadline<Due> next;
    if (!peer.is_ready()) return next.get();
    const PeerHeaders& headers = *peer.headers;
    const milliseconds patience = sync_.options.timeouts.answer;
    next.consider(overdue_at(headers), Due::overdue);
    // Answers arrive after the blocks that were requested before.
    if (headers.sync.waiting_since() && peer.blocks.in_flight() == 0) {
        next.consider(std::max(headers.last_progress_or_request, peer.served_at) + patience,
                      Due::give_up);
    }
    if (const auto since = headers.sync.short_since()) {
        next.consider(is_judged_by_work(peer) ? *since : *since + patience, Due::short_chain);
    }
    next.consider(chains_.judged_at(peer), Due::other_chain);
    next.consider(headers.sync.ask_again_at(), Due::ask_again);
    return next.get();
}

Outcome HeaderFollower::act(SyncPeer& peer, Due what, Now now) {
    switch (what) {
        case Due::overdue:
            stop_waiting_for(peer);
            break;
        case Due::give_up:
            return Unexpected(Violation{DisconnectReason::timed_out, ""});
        case Due::short_chain:
            return Unexpected(peer.headers->sync.shortfall(sync_.chain));
        case Due::other_chain:
            return chains_.on_other_for_long(peer);
        case Due::ask_again:
            request(peer, now);
            break;
    }
    return {};
}

std::optional<milliseconds> HeaderFollower::wakes_at() const {
    const auto next =
        sync_.peers.earliest([this](const SyncPeer& peer) { return next_deadline(peer); });
    const auto lost_early = lost_early_ ? std::optional{lost_early_->next} : std::nullopt;
    return earlier_of(earlier_of(next, lost_early), time_of(next_turn()));
}

void HeaderFollower::on_wake(Now now) {
    sync_.peers.work_off_each(
        now, [this](const SyncPeer& peer) { return next_deadline(peer); },
        [&](SyncPeer& peer, Due what) { return act(peer, what, now); });
    take_turns(now);
}

}  // namespace petal::net
