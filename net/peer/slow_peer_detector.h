/// Detects a peer that delivers blocks so slowly that it should be replaced.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace petal::net {

/// Detects a peer that answers each request just before the timeout, and would delay a sync for
/// weeks. A peer is slow if, with requests in flight for all of kWindow, it delivered fewer than
/// kLeastBlocks blocks and fewer than kLeastTransactions transactions.
class SlowPeerDetector {
public:
    using Milliseconds = std::chrono::milliseconds;

    static constexpr Milliseconds kWindow{300'000};
    /// One block in three seconds is enough, far slower than the slowest disk. So is about 1 MB of
    /// transactions, because a few large blocks may take long over a slow line.
    static constexpr std::size_t kLeastBlocks = 100;
    static constexpr std::size_t kLeastTransactions = 3'000;

    /// The peer delivered a block with this many transactions.
    void on_block(std::size_t transactions);
    /// Records whether the peer has requests in flight. Call observe() after every possible change,
    /// and at judged_at().
    void observe(bool owes, Milliseconds now);

    /// When observe() judges the peer if requests stay in flight until then. Empty while no request
    /// is in flight.
    std::optional<Milliseconds> judged_at() const {
        return since_ ? std::optional(*since_ + kWindow) : std::nullopt;
    }

    /// Whether the peer was too slow at the last judgement, with requests in flight ever since.
    bool is_too_slow() const { return too_slow_; }

private:
    std::optional<Milliseconds> since_;
    std::size_t blocks_ = 0;
    std::size_t transactions_ = 0;
    bool too_slow_ = false;
};

}  // namespace petal::net
