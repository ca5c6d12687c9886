/// How fast one peer answers, and how much may therefore be asked of it ahead of time.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace petal::net {

/// Measures a peer by what it was asked and when it answered. What lies in flight with one peer is
/// searched by an older filter than need be, and no other peer works on it; so it is no more than
/// keeps the peer busy: what it serves in one round trip and a small reserve (Little's law).
class Pace {
public:
    using Milliseconds = std::chrono::milliseconds;

    static constexpr Milliseconds kReserve{30};

    /// A question that needs no work was answered after this time.
    void on_round_trip(Milliseconds time);

    /// So many blocks were asked for; with those before them, `in_flight` are unanswered.
    void on_asked(std::size_t blocks, std::size_t in_flight, Milliseconds now);
    /// An answer came, and so many are still due.
    void on_answered(std::size_t in_flight, Milliseconds now);

    /// How many blocks may be in flight, at most `limit`.
    /// reserve   beyond the round trip, for what delays us or the network now and then
    std::size_t window(std::size_t limit, Milliseconds reserve = kReserve) const;
    /// How long an answer takes that is asked for now, the whole window before it; a guess before
    /// anything was measured.
    Milliseconds expected_wait() const;

private:
    struct Asked {
        std::uint64_t end = 0;      // how many had ever been asked for, itself included
        std::size_t in_flight = 0;  // likewise
        Milliseconds at{0};
    };

    void measure(const Asked& asked, Milliseconds now);

    std::deque<Asked> asked_;
    std::uint64_t ever_asked_ = 0;
    std::optional<Milliseconds> round_trip_;  // the shortest
    std::optional<double> blocks_per_ms_;
};

}  // namespace petal::net
