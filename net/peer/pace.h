/// Measures how fast one peer answers, to limit the blocks in flight.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace petal::net {

/// Measures a peer by its requests and answers. Blocks in flight are searched
/// with an older filter than necessary, and no other peer works on them. So their number is only
/// the one that keeps the peer busy: the blocks that it serves in one round trip, and a small
/// reserve (Little's law).
class Pace {
public:
    using Milliseconds = std::chrono::milliseconds;

    static constexpr Milliseconds kReserve{30};
    /// Much longer than a full window of filtered blocks takes an honest peer: that is about a
    /// round trip.
    static constexpr Milliseconds kLongestAnswer{10'000};

    /// A request that needs no work, such as a ping, was answered after this time.
    void on_round_trip(Milliseconds time);

    /// `blocks` blocks were requested; with these, `in_flight` are unanswered.
    void on_asked(std::size_t blocks, std::size_t in_flight, Milliseconds now);
    /// An answer arrived, and `in_flight` are still unanswered.
    void on_answered(std::size_t in_flight, Milliseconds now);

    /// Requests ended without an answer, and `in_flight` blocks are still awaited.
    void on_passed_over(std::size_t in_flight);
    /// When the oldest request that is not answered completely becomes overdue; empty if there is
    /// none.
    std::optional<Milliseconds> overdue_at() const;

    /// The number of blocks that may be in flight, at most `limit`.
    /// reserve   time beyond the round trip, for occasional delays here or in the network
    std::size_t window(std::size_t limit, Milliseconds reserve = kReserve) const;
    /// The expected time until a request sent now, after a full window, is answered; an estimate
    /// before the first measurement.
    Milliseconds expected_wait() const;

private:
    struct Asked {
        std::uint64_t end = 0;      // how many had ever been asked for, itself included
        std::size_t in_flight = 0;  // unanswered, itself included
        Milliseconds at{0};
    };

    void measure(const Asked& asked, Milliseconds now);

    std::deque<Asked> asked_;
    std::uint64_t ever_asked_ = 0;
    std::optional<Milliseconds> round_trip_;  // the shortest
    std::optional<double> blocks_per_ms_;
};

}  // namespace petal::net
