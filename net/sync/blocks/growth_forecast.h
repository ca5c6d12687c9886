/// How far ahead blocks are requested while the watch list grows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace petal::net {

/// Predicts the block that makes the watch list grow next, because all blocks above it are searched
/// again. The next growth is expected after about as many blocks as the last (an eighth more, as
/// ranges of addresses grow by an eighth); the longer the list does not grow, the later. The number
/// of blocks searched twice is then a fraction of the chain, however often the list grows.
class GrowthForecast {
public:
    /// The blocks above this height are still to be applied: the scan starts here.
    void start_at(std::uint32_t applied) { grown_at_ = applied; }
    /// The blocks above `fork` left the chain.
    void on_reorganised(std::uint32_t fork) { grown_at_ = std::min(grown_at_, fork); }
    /// The list grew by the block after `applied`, the last one that counts as applied. Two lists
    /// of addresses may grow alternately, so a short span after a long one is not conclusive. A
    /// block that was searched again may be below the last growth.
    void on_grown(std::uint32_t applied) {
        span_ = std::max(applied - std::min(grown_at_, applied), span_.value_or(0) / 2);
        grown_at_ = applied;
    }
    /// The highest block to request.
    std::uint64_t highest_to_request(std::uint32_t applied) const {
        if (!span_) return std::numeric_limits<std::uint64_t>::max();
        const std::uint64_t expected = grown_at_ + std::uint64_t{*span_} * 9 / 8;
        const std::uint64_t applied_since = applied - std::min(grown_at_, applied);
        return std::max(
            {std::uint64_t{applied} + kLeastAhead, expected, applied + applied_since / 2});
    }

private:
    /// The minimum number of blocks requested ahead, even if the watch list grows all the time: a
    /// round trip costs more than searching them again.
    static constexpr std::uint64_t kLeastAhead = 50;

    std::uint32_t grown_at_ = 0;         // the last block applied when the watch list last grew
    std::optional<std::uint32_t> span_;  // how many blocks were applied between two growths
};

}  // namespace petal::net
