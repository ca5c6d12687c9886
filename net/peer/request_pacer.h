/// Measures how fast a peer answers, to limit the blocks in flight.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace petal::net {

/// Computes how many blocks to keep in flight from a peer. The server searches blocks in flight
/// with an older filter than necessary, and no other peer works on them. Therefore only as many are
/// in flight as keep the peer busy: the blocks of one round trip, and a small reserve (Little's
/// law).
class RequestPacer {
public:
    using Milliseconds = std::chrono::milliseconds;

    static constexpr Milliseconds kReserve{30};
    /// An honest peer needs about one round trip for a full window of filtered blocks, far less
    /// than this.
    static constexpr Milliseconds kLongestAnswer{10'000};

    /// A request without work for the peer, such as a ping, was answered after this time.
    void on_round_trip(Milliseconds time);

    /// `blocks` blocks were requested. `in_flight` counts the blocks in flight, including the new
    /// ones.
    void on_asked(std::size_t blocks, std::size_t in_flight, Milliseconds now);
    /// An answer arrived. `in_flight` blocks remain in flight.
    void on_answered(std::size_t in_flight, Milliseconds now);

    /// Requests ended without an answer. `in_flight` blocks remain in flight.
    void on_passed_over(std::size_t in_flight);
    /// When the oldest unfinished request becomes overdue. Empty if no blocks are in flight.
    std::optional<Milliseconds> overdue_at() const;

    /// The number of blocks that may be in flight, at most `limit`.
    /// reserve   time beyond the round trip, for occasional delays here or in the network
    std::size_t window(std::size_t limit, Milliseconds reserve = kReserve) const;
    /// The expected time until a request sent now, after a full window, is answered. A guess before
    /// the first measurement.
    Milliseconds expected_wait() const;

private:
    struct Asked {
        std::uint64_t end = 0;      // blocks requested so far, including this request
        std::size_t in_flight = 0;  // including this request
        Milliseconds at{0};
    };

    void measure(const Asked& asked, Milliseconds now);

    std::deque<Asked> asked_;
    std::uint64_t ever_asked_ = 0;
    std::optional<Milliseconds> round_trip_;  // the shortest
    std::optional<double> blocks_per_ms_;
};

}  // namespace petal::net
