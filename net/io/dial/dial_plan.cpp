#include "net/io/dial/dial_plan.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace petal::net {

namespace {

constexpr std::chrono::hours kOtherChainPause{24};

}  // namespace

DialPlan::DialPlan(std::size_t endpoint_count, DialPolicy policy, std::chrono::milliseconds now)
    : policy_(policy),
      endpoints_(endpoint_count, State{.next_time = now, .backoff = policy.first_backoff}),
      last_served_(now) {}

std::size_t DialPlan::add(std::chrono::milliseconds now) {
    endpoints_.push_back(State{.next_time = now, .backoff = policy_.first_backoff});
    return endpoints_.size() - 1;
}

void DialPlan::offer(std::size_t endpoint, std::chrono::milliseconds now) {
    auto& state = endpoints_.at(endpoint);
    if (state.in_use) return;
    state.offered = true;
    state.on_other_chain = false;
    state.next_time = now;
}

std::optional<std::size_t> DialPlan::longest_idle() const {
    std::optional<std::size_t> longest;
    for (std::size_t i = 0; i < endpoints_.size(); ++i) {
        const auto& endpoint = endpoints_[i];
        if (endpoint.in_use || endpoint.offered) continue;
        if (!longest || endpoint.next_time < endpoints_[*longest].next_time) longest = i;
    }
    return longest;
}

std::size_t DialPlan::free_places() const {
    const auto takes_place = [](const State& of) { return of.in_use || of.offered; };
    const auto taken =
        static_cast<std::size_t>(std::count_if(endpoints_.begin(), endpoints_.end(), takes_place));
    return max_in_use() - std::min(taken, max_in_use());
}

std::optional<std::chrono::milliseconds> DialPlan::gives_up_at() const {
    if (!policy_.give_up_after || serving_ > 0) return std::nullopt;
    return last_served_ + *policy_.give_up_after;
}

bool DialPlan::is_worth_dialling(const State& endpoint) const {
    if (policy_.once) return endpoint.offered;
    if (endpoint.in_use || endpoint.given_up) return false;
    return !endpoint.failed || any_served_ || serving_ > 0 || policy_.patient;
}

// While no other endpoint serves, the pause is not extended to a day: connections are not
// authenticated, so another host may have answered in place of the only endpoint.
std::chrono::milliseconds DialPlan::time_of_next_dial(const State& endpoint) const {
    const bool waits = endpoint.on_other_chain && serving_ > 0 && policy_.second_look_after;
    return waits ? endpoint.next_time - *policy_.second_look_after + kOtherChainPause
                 : endpoint.next_time;
}

std::optional<DialPlan::Next> DialPlan::next() const {
    if (in_use_ >= max_in_use()) return std::nullopt;
    std::optional<Next> best;
    for (std::size_t i = 0; i < endpoints_.size(); ++i) {
        const auto& endpoint = endpoints_[i];
        const auto time = time_of_next_dial(endpoint);
        if (!is_worth_dialling(endpoint) || (best && best->time <= time)) continue;
        best = Next{i, time};
    }
    const auto limit = gives_up_at();
    if (best && limit && best->time >= *limit) return std::nullopt;
    return best;
}

void DialPlan::on_dialled(std::size_t endpoint) {
    auto& state = endpoints_.at(endpoint);
    assert(!state.in_use);
    state.in_use = true;
    state.offered = false;
    ++in_use_;
}

void DialPlan::on_serving(std::size_t endpoint) {
    auto& state = endpoints_.at(endpoint);
    assert(state.in_use);
    if (std::exchange(state.serving, true)) return;
    ++serving_;
}

void DialPlan::on_failed(std::size_t endpoint, DisconnectReason reason, bool served,
                         std::chrono::milliseconds now) {
    auto& state = endpoints_.at(endpoint);
    assert(state.in_use);
    state.in_use = false;
    --in_use_;
    if (std::exchange(state.serving, false)) --serving_;

    state.failed = true;
    if (served) {
        any_served_ = true;
        last_served_ = now;
        state.backoff = policy_.first_backoff;
    }
    const bool has_refused = reason == DisconnectReason::upload_limit;
    if (is_misbehaviour(reason) || has_refused) ++state.strikes;
    state.lacks_services =
        reason == DisconnectReason::no_bloom || reason == DisconnectReason::no_compact_filters;
    state.on_other_chain = reason == DisconnectReason::other_chain;
    // In an endless run, the clock of this machine may be corrected later.
    const bool is_of_clock =
        reason == DisconnectReason::ahead_of_clock && policy_.second_look_after;
    state.given_up = (is_permanent(reason) && !is_of_clock) || state.strikes >= kMaxStrikes;
    state.next_time = now + state.backoff;
    state.backoff = std::min(2 * state.backoff, policy_.last_backoff);
    // A peer that hid transactions could do so again undetected.
    const bool has_hidden =
        reason == DisconnectReason::left_out || reason == DisconnectReason::false_filter;
    const bool for_good = has_hidden || !policy_.second_look_after;
    if (!state.given_up || for_good) return;
    state.given_up = false;
    state.strikes = 0;
    state.next_time = now + *policy_.second_look_after;
}

void DialPlan::on_other_needs(std::chrono::milliseconds now) {
    for (State& state : endpoints_) {
        if (!state.lacks_services || state.in_use) continue;
        state.lacks_services = state.given_up = state.failed = false;
        state.next_time = now;
    }
}

}  // namespace petal::net
