#include "net/io/dial_plan.h"

#include <algorithm>

namespace petal::net {

bool is_hopeless(DisconnectReason reason) {
    switch (reason) {
        case DisconnectReason::wrong_network:
        case DisconnectReason::not_bitcoin:
        case DisconnectReason::no_bloom:
        case DisconnectReason::no_network:
        case DisconnectReason::too_old:
        case DisconnectReason::self:
            return true;
        case DisconnectReason::finished:
        case DisconnectReason::unreachable:
        case DisconnectReason::gone:
        case DisconnectReason::timed_out:
        case DisconnectReason::incomplete:
        case DisconnectReason::malformed_message:
        case DisconnectReason::invalid_header:
        case DisconnectReason::invalid_proof:
        case DisconnectReason::unrequested:
        case DisconnectReason::contradicts_filter:
            return false;
    }
    return false;
}

DialPlan::DialPlan(std::size_t endpoint_count, DialPolicy policy, std::chrono::milliseconds now)
    : policy_(policy),
      endpoints_(endpoint_count, State{.next_time = now, .backoff = policy.first_backoff}),
      last_served_(now) {}

bool DialPlan::is_out(const State& endpoint) const {
    const bool given_up = endpoint.failed && !any_served_ && !policy_.patient;
    return endpoint.hopeless || given_up;
}

std::optional<DialPlan::Next> DialPlan::next() const {
    std::optional<Next> best;
    for (std::size_t i = 0; i < endpoints_.size(); ++i) {
        const auto& endpoint = endpoints_[i];
        if (is_out(endpoint) || (best && best->time <= endpoint.next_time)) continue;
        best = Next{i, endpoint.next_time};
    }
    if (!best) return std::nullopt;
    if (policy_.give_up_after && best->time >= last_served_ + *policy_.give_up_after)
        return std::nullopt;
    return best;
}

void DialPlan::on_failed(std::size_t endpoint, DisconnectReason reason, bool served,
                         std::chrono::milliseconds now) {
    auto& state = endpoints_.at(endpoint);
    state.failed = true;
    if (served) {
        any_served_ = true;
        last_served_ = now;
        state.backoff = policy_.first_backoff;
    }
    if (is_misbehaviour(reason)) ++state.misbehaviours;
    state.hopeless = is_hopeless(reason) || state.misbehaviours >= kMaxMisbehaviours;
    state.next_time = now + state.backoff;
    state.backoff = std::min(2 * state.backoff, policy_.last_backoff);
}

}  // namespace petal::net
