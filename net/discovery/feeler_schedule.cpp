#include "net/discovery/feeler_schedule.h"

#include <utility>

namespace petal::net {

std::optional<PeerAddress> FeelerSchedule::choose(const std::set<PeerAddress>& in_use,
                                                  bool is_online, Now now) {
    if (!has_come(next_at(), now)) return std::nullopt;
    next_ = now.steady + interval_;
    if (!is_online) return std::nullopt;
    const auto contested = addrman_.choose_contested(reach_, now.unix_seconds);
    if (contested && in_use.contains(*contested)) {
        // A connected node needs no feeler (Bitcoin Core: ThreadOpenConnections).
        addrman_.on_outcome(*contested, PeerOutcome::answered, now.unix_seconds);
    } else {
        tested_ = contested;
    }
    if (!tested_) tested_ = addrman_.choose_newcomer(in_use, reach_, now.unix_seconds);
    if (tested_) addrman_.on_attempt(*tested_, now.unix_seconds);
    return tested_;
}

std::optional<FeelerSchedule::Milliseconds> FeelerSchedule::next_at() const {
    return tested_ ? std::nullopt : std::optional{next_};
}

void FeelerSchedule::on_answered(std::uint64_t services, Now now) {
    if (!tested_) return;
    const PeerAddress address = *std::exchange(tested_, std::nullopt);
    addrman_.on_feeler_answered(address, services, now.unix_seconds);
}

void FeelerSchedule::on_failed(DisconnectReason reason, Now now) {
    if (!tested_) return;
    const PeerAddress address = *std::exchange(tested_, std::nullopt);
    if (reason == DisconnectReason::self) addrman_.forget(address);
    if (const auto outcome = outcome_of(reason, PeerService::none)) {
        addrman_.on_outcome(address, *outcome, now.unix_seconds);
    }
}

}  // namespace petal::net
