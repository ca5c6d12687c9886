/// Detects a peer that delivers blocks, but so slowly that it should be replaced.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace petal::net {

/// Detects a peer that answers each request just before its timeout, and so would delay a sync for
/// weeks. A peer is slow if, over kWindow with requests in flight, it delivered fewer than
/// kLeastBlocks blocks and fewer than kLeastTransactions transactions.
class SlowPeerDetector {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// The time over which a peer is judged, with requests in flight throughout.
    static constexpr Milliseconds kWindow{300'000};
    /// One block in three seconds suffices, far slower than the slowest disk reads; or about 1 MB
    /// of transactions, as a few large blocks over a slow line do not make a peer slow.
    static constexpr std::size_t kLeastBlocks = 100;
    static constexpr std::size_t kLeastTransactions = 3'000;

    /// The peer delivered a block with this many transactions.
    void on_block(std::size_t transactions);
    /// Notes whether the peer has requests in flight now. Call this after every possible change,
    /// and at judged_at().
    void observe(bool owes, Milliseconds now);

    /// When observe() judges the peer, if requests stay in flight until then; empty while none is.
    std::optional<Milliseconds> judged_at() const {
        return since_ ? std::optional(*since_ + kWindow) : std::nullopt;
    }

    /// Whether the peer was too slow when it was last judged, and has had requests in flight ever
    /// since.
    bool is_too_slow() const { return too_slow_; }

private:
    std::optional<Milliseconds> since_;
    std::size_t blocks_ = 0;
    std::size_t transactions_ = 0;
    bool too_slow_ = false;
};

}  // namespace petal::net
