/// Which endpoint to dial next, when, and when to give up.
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
    /// How long to go on without any peer that serves. Empty: for ever.
    std::optional<std::chrono::milliseconds> give_up_after{120'000};
    /// Whether to wait for peers that are not there. Without it, an endpoint that fails before
    /// any has served is not dialled again until one has: a mistyped address is reported at once.
    bool patient = false;
    /// When an endpoint that failed permanently (is_permanent()) or misbehaved too often is dialled
    /// again, as its operator may have mended it. Never for one that left transactions out. Empty:
    /// never.
    std::optional<std::chrono::milliseconds> second_look_after = std::nullopt;
    /// Whether an endpoint is dialled only once each time that it is offered.
    bool once = false;
};

/// Chooses endpoints to dial: first in the order given, then those whose pause has passed; none
/// that is in use, and no more at once than the policy allows. Pure: the time is a parameter, on
/// any clock that never goes back.
class DialPlan {
public:
    /// How often an endpoint may break the rules of the protocol before it is dialled no more.
    static constexpr std::uint32_t kMaxMisbehaviours = 3;

    DialPlan(std::size_t endpoint_count, DialPolicy policy, std::chrono::milliseconds now);

    /// Adds an endpoint, and offers it; returns its number, the next one.
    std::size_t add(std::chrono::milliseconds now);
    /// Offers an endpoint that is not in use, to be dialled when a slot is free.
    void offer(std::size_t endpoint, std::chrono::milliseconds now);
    /// The endpoint, neither in use nor offered, whose last connection ended the longest ago. Only
    /// with DialPolicy::once.
    std::optional<std::size_t> longest_idle() const;
    /// The number of free slots beyond the endpoints in use and those offered. Only with
    /// DialPolicy::once.
    std::size_t free_places() const;
    /// When to give up, unless a peer serves by then. Empty: never.
    std::optional<std::chrono::milliseconds> gives_up_at() const;

    struct Next {
        std::size_t endpoint = 0;
        std::chrono::milliseconds time{0};  ///< not to be dialled earlier; may have passed
    };
    /// The endpoint to dial next. Empty while max_in_use endpoints are in use, and if no other
    /// endpoint can be dialled within the policy's time. The functions below may change the answer.
    std::optional<Next> next() const;

    /// How many endpoints are being dialled or connected. When none is, and next() returns
    /// nothing, it will never return anything again.
    std::size_t in_use() const { return in_use_; }

    /// An endpoint, not in use before, is dialled.
    void on_dialled(std::size_t endpoint);
    /// An endpoint in use has begun to bring the sync forward. As long as its connection lasts,
    /// the time without a peer that serves doesn't run.
    void on_serving(std::size_t endpoint);
    /// The dialling of an endpoint in use has failed, or its connection has ended.
    /// served   whether the connection brought the sync forward
    void on_failed(std::size_t endpoint, DisconnectReason reason, bool served,
                   std::chrono::milliseconds now);

private:
    struct State {
        std::chrono::milliseconds next_time;
        std::chrono::milliseconds backoff;
        std::uint32_t misbehaviours = 0;
        bool in_use = false;
        bool serving = false;  // implies in_use
        bool failed = false;
        bool given_up = false;
        bool offered = true;
    };

    bool is_worth_dialling(const State& endpoint) const;

    DialPolicy policy_;
    std::vector<State> endpoints_;
    std::chrono::milliseconds last_served_;  // or the start
    bool any_served_ = false;                // by a connection that has ended
    std::size_t in_use_ = 0;
    std::size_t serving_ = 0;
};

}  // namespace petal::net
