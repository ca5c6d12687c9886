#include "client/sync/sync_watch.h"

#include <algorithm>
#include <utility>

namespace petal::client {

void SyncWatch::update_chains(const net::SyncStatus& status, const SyncWatchEvents& events) {
    const bool is_other = status.other_chain.has_value();
    const bool was_other = std::exchange(of_other_chain_, is_other);
    if (is_other && !was_other && events.on_other_chain) events.on_other_chain(status);
    const bool is_shorter = status.stall_reason == net::StallReason::lighter_chain &&
                            status.phase >= net::SyncPhase::listening;
    if (!is_shorter || std::exchange(of_shorter_chain_, true)) return;
    if (events.on_shorter_chain) events.on_shorter_chain();
}

void SyncWatch::update_age(bool is_old, const SyncWatchEvents& events) {
    const bool was_old = std::exchange(of_old_tip_, is_old);
    if (is_old && !was_old && events.on_old_tip) events.on_old_tip();
}

// On testnet4, many blocks are ahead by the seconds by which clocks differ. A follower does not
// wait for a block that is hours ahead, so only this event shows the block.
void SyncWatch::update_clock(const net::SyncStatus& status, std::int64_t now,
                             const SyncWatchEvents& events) {
    constexpr std::int64_t kWorthTelling = 30;
    const bool any_is_far = std::ranges::count(status.peers, net::AheadOfClock::far,
                                               &net::PeerReport::ahead_of_clock) > 0;
    const bool is_new_far = any_is_far && !std::exchange(of_far_ahead_, true);
    const bool is_early = status.early_until && *status.early_until >= now + kWorthTelling;
    const bool is_new_early = is_early && !std::exchange(of_early_, true);
    if (!status.early_until) of_early_ = false;
    if (!events.on_ahead_of_clock) return;
    if (is_new_far) events.on_ahead_of_clock(status);
    if (is_new_early) events.on_ahead_of_clock(status);
}

void SyncWatch::update_relay(const net::SyncStatus& status, const SyncWatchEvents& events) {
    const bool was_told = std::exchange(of_no_relay_peer_, status.lacks_relay_peer);
    if (!was_told && of_no_relay_peer_ && events.on_no_relay_peer) events.on_no_relay_peer(status);
}

}  // namespace petal::client
