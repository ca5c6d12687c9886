/// Which blocks are asked of which peer, and when again.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "net/peer/commands.h"
#include "net/sync/filters/height_ranges.h"

namespace petal::net {

/// Hands out heights: all peers work side by side at the low end of what is not done. A height is
/// open from being handed out until its block arrives; a peer that has nothing else to do is given
/// what another one has kept open for long.
class BlockSchedule {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// How far above the lowest open block others may be handed out: what waits for its turn in
    /// memory.
    static constexpr std::uint32_t kMaxAhead = 16'384;

    /// Nothing below this height is handed out by itself, and everything from it on is.
    void start_at(std::uint32_t height) { next_ = height; }
    /// The lowest height that has not been handed out yet.
    std::uint32_t next() const { return next_; }

    /// Heights that are to be handed out once more.
    void add(const HeightRanges& again) { again_.add(again); }

    /// Heights to ask this peer for, at most `max`, up to `last`; first those to be asked for
    /// again.
    std::vector<std::uint32_t> take(PeerId peer, std::size_t max, std::uint32_t last,
                                    Milliseconds now);
    /// Whether take() has anything up to `last`.
    bool has_any(std::uint32_t last) const;

    /// Heights up to `last` that other peers have kept open for at least so long, for this peer to
    /// try as well.
    std::vector<std::uint32_t> take_over(PeerId peer, std::size_t max, std::uint32_t last,
                                         Milliseconds open_for, Milliseconds now);
    /// When take_over() will have something; nothing where that needs more than time.
    std::optional<Milliseconds> next_take_over(PeerId peer, std::uint32_t last,
                                               Milliseconds open_for) const;

    /// A block arrived from one of the peers that were asked. Returns whether another one still
    /// owes it too.
    bool on_arrived(std::uint32_t height);
    /// The peer won't answer for these heights, which it was asked for.
    void on_lost(PeerId peer, const std::vector<std::uint32_t>& heights);
    /// All from this height on is handed out anew.
    void restart_at(std::uint32_t height);

    /// Blocks handed out that have not arrived.
    std::size_t open() const { return open_.size(); }
    HeightRanges open_heights() const;
    /// Those that two peers were asked for, of whom either may answer first.
    HeightRanges owed_twice() const;
    /// The lowest block below next() that has not arrived, whether handed out or waiting for it;
    /// nothing where all have.
    std::optional<std::uint32_t> lowest_open() const;

private:
    struct Open {
        PeerId first = 0;
        std::optional<PeerId> second;
        Milliseconds since{0};
    };

    bool is_free_for(const Open& open, PeerId peer) const;

    std::uint32_t next_ = 0;
    HeightRanges again_;
    std::map<std::uint32_t, Open> open_;
};

}  // namespace petal::net
