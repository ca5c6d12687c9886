/// Whether this machine seems to be offline.
#pragma once

#include <chrono>
#include <cstddef>

namespace petal::net {

/// Counts failures to reach a node since anything answered. When there are too many, the next node
/// is dialled only after a pause.
class Connectivity {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// After this many failures in a row, this machine seems to be offline,
    static constexpr std::size_t kOfflineAfter = 16;
    /// and dials again only so often.
    static constexpr Milliseconds kOfflinePause{15'000};

    explicit Connectivity(Milliseconds now) : dial_at_(now) {}

    /// A host has answered, with a connection or by refusing one.
    void on_contact(Milliseconds now) {
        any_contact_ = true;
        failures_ = 0;
        dial_at_ = now;
    }
    /// Something came over a connection.
    void on_traffic() { failures_ = 0; }
    /// A name server has answered, even if with NXDOMAIN.
    void on_name_server() { any_name_server_ = true; }
    /// A node could not be reached.
    /// is_last_hope   whether no seed is left to query
    void on_failure(bool is_last_hope, Milliseconds now) {
        ++failures_;
        if (is_last_hope && has_only_failures()) dial_at_ = now + kOfflinePause;
    }
    /// Ends the pause, as there is a new node or seed to try.
    void end_pause(Milliseconds now) { dial_at_ = now; }

    bool has_failures() const { return failures_ > 0; }
    bool has_only_failures() const { return failures_ >= kOfflineAfter; }
    /// Neither a node nor a name server has ever answered.
    bool has_reached_nothing() const { return !any_contact_ && !any_name_server_; }
    /// No node is to be dialled before this time.
    Milliseconds dial_at() const { return dial_at_; }

private:
    bool any_contact_ = false;
    bool any_name_server_ = false;
    std::size_t failures_ = 0;  // since the last contact
    Milliseconds dial_at_;
};

}  // namespace petal::net
