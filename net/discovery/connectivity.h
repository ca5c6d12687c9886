/// Whether this machine seems to be offline.
#pragma once

#include <chrono>
#include <cstddef>

namespace petal::net {

/// Counts the nodes that could not be reached since the last answer. After too many failures,
/// dialling pauses.
class Connectivity {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// The number of consecutive failures after which this machine counts as offline.
    static constexpr std::size_t kOfflineAfter = 16;
    /// The pause between dials while offline.
    static constexpr Milliseconds kOfflinePause{15'000};

    explicit Connectivity(Milliseconds now) : dial_at_(now) {}

    /// A host accepted or refused a connection.
    void on_contact(Milliseconds now) {
        any_contact_ = true;
        failures_ = 0;
        dial_at_ = now;
    }
    /// Data arrived over a connection.
    void on_traffic() { failures_ = 0; }
    /// A name server answered, possibly with NXDOMAIN.
    void on_name_server() { any_name_server_ = true; }
    /// A node could not be reached.
    /// is_last_hope   whether no DNS seed is left to query
    void on_failure(bool is_last_hope, Milliseconds now) {
        ++failures_;
        if (is_last_hope && has_only_failures()) dial_at_ = now + kOfflinePause;
    }
    /// Ends the pause: there is a new node or seed to try.
    void end_pause(Milliseconds now) { dial_at_ = now; }

    bool has_failures() const { return failures_ > 0; }
    bool has_only_failures() const { return failures_ >= kOfflineAfter; }
    /// Whether neither a node nor a name server has ever answered.
    bool has_reached_nothing() const { return !any_contact_ && !any_name_server_; }
    /// Nodes are not dialled before this time.
    Milliseconds dial_at() const { return dial_at_; }

private:
    bool any_contact_ = false;
    bool any_name_server_ = false;
    std::size_t failures_ = 0;  // since the last contact
    Milliseconds dial_at_;
};

}  // namespace petal::net
