/// Chooses the endpoint to dial next, the time to dial, and when to give up.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "net/peer/commands.h"

namespace petal::net {

struct DialPolicy {
    /// The maximum number of endpoints in use at once.
    std::size_t max_in_use = 8;
    /// The pause before a failed endpoint is dialled again. Doubles with each failure, up to
    /// last_backoff.
    std::chrono::milliseconds first_backoff{250};
    std::chrono::milliseconds last_backoff{10'000};
    /// The time limit without a peer that serves. Empty: no limit.
    std::optional<std::chrono::milliseconds> give_up_after{120'000};
    /// Whether to wait for unreachable peers. If false, an endpoint that fails before any endpoint
    /// has served is dialled again only once an endpoint serves. A mistyped address is then
    /// reported at once.
    bool patient = false;
    /// When an endpoint is dialled again after a permanent failure (is_permanent()) or too many
    /// strikes (DialPlan::kMaxStrikes), because its operator may have fixed the cause. Never after
    /// an endpoint left out transactions. An endpoint on another chain waits for a day while
    /// another endpoint serves. Empty: never.
    std::optional<std::chrono::milliseconds> second_look_after = std::nullopt;
    /// Whether an endpoint is dialled only once each time that it is offered.
    bool once = false;
};

/// Chooses endpoints to dial: first in the given order, then by the end of their pause. Skips
/// endpoints in use, and keeps within the policy's maximum. Pure: the time is a parameter, on a
/// monotonic clock.
class DialPlan {
public:
    /// How often an endpoint may misbehave or refuse (DisconnectReason::upload_limit) before it is
    /// no longer dialled.
    static constexpr std::uint32_t kMaxStrikes = 3;

    DialPlan(std::size_t endpoint_count, DialPolicy policy, std::chrono::milliseconds now);

    /// Whether one more endpoint than DialPolicy::max_in_use may be in use.
    void set_extra(bool may_use_extra) { extra_ = may_use_extra ? 1 : 0; }
    /// Adds an endpoint and offers it. Returns the index of the endpoint.
    std::size_t add(std::chrono::milliseconds now);
    /// Offers an endpoint, to be dialled when a slot is free. Ignored if the endpoint is in use.
    void offer(std::size_t endpoint, std::chrono::milliseconds now);
    /// The endpoint that has been idle longest, neither in use nor offered. Only with
    /// DialPolicy::once.
    std::optional<std::size_t> longest_idle() const;
    /// The number of slots that are not taken by endpoints in use or offered. Only with
    /// DialPolicy::once.
    std::size_t free_places() const;
    /// When to give up unless a peer serves before. Empty: never.
    std::optional<std::chrono::milliseconds> gives_up_at() const;

    struct Next {
        std::size_t endpoint = 0;
        std::chrono::milliseconds time{0};  ///< earliest time to dial, possibly in the past
    };
    /// The endpoint to dial next. Empty if max_in_use endpoints are in use, or if no endpoint can
    /// be dialled within the policy's time. Any call below may change the result.
    std::optional<Next> next() const;

    /// The number of endpoints dialled or connected. If this is 0 and next() is empty, next() stays
    /// empty until an endpoint is offered.
    std::size_t in_use() const { return in_use_; }

    /// The endpoint is being dialled. It must not be in use.
    void on_dialled(std::size_t endpoint);
    /// The endpoint began to advance the sync. The give-up timer stops while the connection lasts.
    void on_serving(std::size_t endpoint);
    /// The dial failed, or the connection ended.
    /// served   whether the connection advanced the sync
    void on_failed(std::size_t endpoint, DisconnectReason reason, bool served,
                   std::chrono::milliseconds now);
    /// Other services are needed from now on: endpoints that lacked the earlier ones may be dialled
    /// at once.
    void on_other_needs(std::chrono::milliseconds now);

private:
    struct State {
        std::chrono::milliseconds next_time;
        std::chrono::milliseconds backoff;
        std::uint32_t strikes = 0;
        bool in_use = false;
        bool serving = false;  // implies in_use
        bool failed = false;
        bool on_other_chain = false;
        bool lacks_services = false;
        bool given_up = false;
        bool offered = true;
    };

    bool is_worth_dialling(const State& endpoint) const;
    std::size_t max_in_use() const { return policy_.max_in_use + extra_; }
    std::chrono::milliseconds time_of_next_dial(const State& endpoint) const;

    DialPolicy policy_;
    std::vector<State> endpoints_;
    std::chrono::milliseconds last_served_;  // or the start time
    bool any_served_ = false;                // by a connection that has ended
    std::size_t extra_ = 0;
    std::size_t in_use_ = 0;
    std::size_t serving_ = 0;
};

}  // namespace petal::net
