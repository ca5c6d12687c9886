/// Chooses the next endpoint to dial and its time, and when to give up.
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
    /// The pause before an endpoint that failed is dialled again; doubles with each failure, up to
    /// last_backoff.
    std::chrono::milliseconds first_backoff{250};
    std::chrono::milliseconds last_backoff{10'000};
    /// The time limit without any peer that serves. Empty: no limit.
    std::optional<std::chrono::milliseconds> give_up_after{120'000};
    /// Whether to wait for unreachable peers. Otherwise, an endpoint that fails before any has
    /// served is not dialled again until one has: a mistyped address is reported at once.
    bool patient = false;
    /// The time after which an endpoint that failed permanently (is_permanent()), or misbehaved or
    /// refused to serve too often, is dialled again, as its operator may have fixed it. Never for
    /// an endpoint that left transactions out. Empty: never.
    /// An endpoint on another chain waits for a day while another endpoint serves.
    std::optional<std::chrono::milliseconds> second_look_after = std::nullopt;
    /// Whether an endpoint is dialled only once each time that it is offered.
    bool once = false;
};

/// Chooses endpoints to dial: first in the order given, then those whose pause has passed; never
/// one that is in use, and at most the policy's number at once. Pure: the time is a parameter, on a
/// monotonic clock.
class DialPlan {
public:
    /// The number of times that an endpoint may misbehave, or refuse to serve
    /// (DisconnectReason::upload_limit), before it is not dialled any more.
    static constexpr std::uint32_t kMaxStrikes = 3;

    DialPlan(std::size_t endpoint_count, DialPolicy policy, std::chrono::milliseconds now);

    /// Whether one endpoint more than DialPolicy::max_in_use may be in use.
    void set_extra(bool may_use_extra) { extra_ = may_use_extra ? 1 : 0; }
    /// Adds an endpoint, and offers it; returns its number, the next one.
    std::size_t add(std::chrono::milliseconds now);
    /// Offers an endpoint, unless it is in use, to be dialled when a slot is free.
    void offer(std::size_t endpoint, std::chrono::milliseconds now);
    /// The endpoint, neither in use nor offered, whose last connection ended the longest ago. Only
    /// with DialPolicy::once.
    std::optional<std::size_t> longest_idle() const;
    /// The number of free slots beyond the endpoints in use and those offered. Only with
    /// DialPolicy::once.
    std::size_t free_places() const;
    /// The time at which to give up, unless a peer serves before. Empty: never.
    std::optional<std::chrono::milliseconds> gives_up_at() const;

    struct Next {
        std::size_t endpoint = 0;
        std::chrono::milliseconds time{0};  ///< not to be dialled earlier; may have passed
    };
    /// The endpoint to dial next. Empty while max_in_use endpoints are in use, and if no other
    /// endpoint can be dialled within the policy's time. The functions below may change the answer.
    std::optional<Next> next() const;

    /// The number of endpoints that are being dialled or connected. If this is 0 and next() is
    /// empty, next() stays empty unless an endpoint is offered.
    std::size_t in_use() const { return in_use_; }

    /// An endpoint, not in use before, is dialled.
    void on_dialled(std::size_t endpoint);
    /// An endpoint in use has begun to advance the sync. The give-up timer is stopped while the
    /// connection lasts.
    void on_serving(std::size_t endpoint);
    /// The dialling of an endpoint in use has failed, or its connection has ended.
    /// served   whether the connection advanced the sync
    void on_failed(std::size_t endpoint, DisconnectReason reason, bool served,
                   std::chrono::milliseconds now);

private:
    struct State {
        std::chrono::milliseconds next_time;
        std::chrono::milliseconds backoff;
        std::uint32_t strikes = 0;
        bool in_use = false;
        bool serving = false;  // implies in_use
        bool failed = false;
        bool on_other_chain = false;
        bool given_up = false;
        bool offered = true;
    };

    bool is_worth_dialling(const State& endpoint) const;
    std::size_t max_in_use() const { return policy_.max_in_use + extra_; }
    std::chrono::milliseconds time_of_next_dial(const State& endpoint) const;

    DialPolicy policy_;
    std::vector<State> endpoints_;
    std::chrono::milliseconds last_served_;  // or the start
    bool any_served_ = false;                // by a connection that has ended
    std::size_t extra_ = 0;
    std::size_t in_use_ = 0;
    std::size_t serving_ = 0;
};

}  // namespace petal::net
