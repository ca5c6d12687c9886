/// Whether a peer delivers blocks, but so few that another had better take its place.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace petal::net {

/// Watches one peer while it owes blocks, beyond the patience that is had with each of them: a
/// peer that sends one just before that ends would hold up a sync for weeks.
class SlowPeerDetector {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// It is judged by so long, all of which it owed something.
    static constexpr Milliseconds kWindow{300'000};
    /// One block in three seconds is enough, far less than the slowest disk reads; or what a
    /// megabyte holds of transactions, as a slow line brings few large blocks.
    static constexpr std::size_t kLeastBlocks = 100;
    static constexpr std::size_t kLeastTransactions = 3'000;

    /// It delivered a block, and so many of its transactions.
    void on_block(std::size_t transactions);
    /// Whether it owes blocks now. To be called whenever that may have changed, and at least as
    /// often as a silent peer is looked after.
    void observe(bool owes, Milliseconds now);

    /// When observe() judges it, if it owes blocks until then; nothing while it owes none.
    std::optional<Milliseconds> judged_at() const {
        return since_ ? std::optional(*since_ + kWindow) : std::nullopt;
    }

    /// It was too slow when it was last judged, and has owed blocks ever since.
    bool is_too_slow() const { return too_slow_; }

private:
    std::optional<Milliseconds> since_;
    std::size_t blocks_ = 0;
    std::size_t transactions_ = 0;
    bool too_slow_ = false;
};

}  // namespace petal::net
