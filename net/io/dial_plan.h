/// Which peer is to be dialled next, when, and when there is no use in going on.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "net/sync/commands.h"

namespace petal::net {

struct DialPolicy {
    /// How long an endpoint that failed is left alone; doubles with each failure, up to the other.
    std::chrono::milliseconds first_backoff{250};
    std::chrono::milliseconds last_backoff{10'000};
    /// How long to go on without any peer that served; nothing for ever.
    std::optional<std::chrono::milliseconds> give_up_after{120'000};
    /// Whether to wait for peers that are not there. Without it, an endpoint that fails before
    /// any has served is not dialled again until one has: a mistyped address is reported at once.
    bool patient = false;
};

/// Whether an endpoint that failed so would fail the same way again: it is not what was looked for.
bool is_hopeless(DisconnectReason reason);

/// Dials one endpoint at a time, in the order given at first, then whichever has been left alone
/// long enough. Pure: the time is a parameter, on any clock that never goes back.
class DialPlan {
public:
    /// How often an endpoint may break the rules of the protocol before it is dialled no more.
    static constexpr std::uint32_t kMaxMisbehaviours = 3;

    DialPlan(std::size_t endpoint_count, DialPolicy policy, std::chrono::milliseconds now);

    struct Next {
        std::size_t endpoint = 0;
        std::chrono::milliseconds time{0};  ///< not to be dialled earlier; may have passed
    };
    /// Nothing when no endpoint is worth dialling within the time that the policy grants.
    std::optional<Next> next() const;

    /// An endpoint was dialled, and the connection has failed or ended.
    /// served   whether it brought the sync forward before
    void on_failed(std::size_t endpoint, DisconnectReason reason, bool served,
                   std::chrono::milliseconds now);

private:
    struct State {
        std::chrono::milliseconds next_time;
        std::chrono::milliseconds backoff;
        std::uint32_t misbehaviours = 0;
        bool failed = false;
        bool hopeless = false;
    };

    bool is_out(const State& endpoint) const;

    DialPolicy policy_;
    std::vector<State> endpoints_;
    std::chrono::milliseconds last_served_;  // or the start
    bool any_served_ = false;
};

}  // namespace petal::net
