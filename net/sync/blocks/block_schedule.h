/// Assigns each block to a peer, and reassigns it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "net/peer/commands.h"
#include "net/sync/filters/height_ranges.h"

namespace petal::net {

/// Assigns heights to peers: all peers work on the lowest blocks that have not arrived. A height is
/// in flight from its assignment until its block arrives; an idle peer is also assigned heights
/// that another peer has had in flight for long.
class BlockSchedule {
public:
    using Milliseconds = std::chrono::milliseconds;
    /// Whether a peer may be assigned the block of this height, among those to be requested again.
    using MayTake = std::function<bool(std::uint32_t)>;

    /// The maximum distance of assigned blocks above the lowest one in flight: bounds the blocks
    /// that wait in memory.
    static constexpr std::uint32_t kMaxAhead = 16'384;

    /// All heights from this one on must be assigned.
    void start_at(std::uint32_t height) { next_ = height; }
    /// The lowest height that has never been assigned.
    std::uint32_t next() const { return next_; }

    /// Heights that are to be assigned again.
    void add(const HeightRanges& again) { again_.add(again); }

    /// Assigns at most `max` heights up to `last` to this peer; first those to be requested again,
    /// unless `may_take` leaves them to another peer.
    std::vector<std::uint32_t> take(PeerId peer, std::size_t max, std::uint32_t last,
                                    const MayTake& may_take, Milliseconds now);

    /// A peer that may be assigned heights that other peers have had in flight for long.
    struct Helper {
        PeerId peer = 0;
        std::uint32_t last = 0;    ///< the highest block that it may be assigned
        Milliseconds open_for{0};  ///< the time that another peer must have had the block
        MayTake may_take;
    };
    /// Assigns to the helper at most `max` heights that other peers have in flight.
    std::vector<std::uint32_t> take_over(const Helper& helper, std::size_t max, Milliseconds now);
    /// The time to call take_over() next; empty if time alone changes nothing.
    std::optional<Milliseconds> next_take_over(const Helper& helper) const;

    /// A block arrived that was in flight.
    void on_arrived(std::uint32_t height);
    /// The peer will not deliver these heights, which were assigned to it.
    void on_lost(PeerId peer, const std::vector<std::uint32_t>& heights);
    /// All heights from this one on are assigned again.
    void restart_at(std::uint32_t height);

    /// The number of heights in flight.
    std::size_t open() const { return open_.size(); }
    /// The heights that are in flight from two peers.
    HeightRanges requested_from_two() const;
    bool is_requested_from_two(std::uint32_t height) const { return helpers_.contains(height); }
    /// Whether this block is in flight, or is to be requested again.
    bool is_awaited(std::uint32_t height) const {
        return open_.contains(height) || again_.contains(height);
    }
    /// The lowest height below next() whose block has not arrived, whether or not it is assigned;
    /// empty if all have arrived.
    std::optional<std::uint32_t> lowest_open() const;

private:
    struct Open {
        PeerId peer = 0;
        Milliseconds since{0};
    };

    std::optional<Milliseconds> free_from(std::uint32_t height, const Open& open,
                                          const Helper& helper) const;

    std::uint32_t next_ = 0;
    HeightRanges again_;
    std::map<std::uint32_t, Open> open_;
    std::map<std::uint32_t, PeerId> helpers_;  // second peers of heights in open_
};

}  // namespace petal::net
