/// A header that was refused because its time is too far ahead of the clock.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "chain/block_header.h"
#include "chain/headers/header_rules.h"
#include "net/peer/commands.h"

namespace petal::net {

/// A header is early if it exceeds the limit of two hours by at most this many seconds. Miners may
/// use the two hours to the full, so a header is early by as much as this machine's clock is slow.
/// A header further ahead only shows that one of the clocks is wrong.
inline constexpr std::int64_t kMaxEarlySeconds = std::int64_t{2} * 60 * 60;

/// The first header of a message that the chain refused with chain::HeaderError::time_too_new.
struct TooNewHeader {
    TooNewHeader(const chain::BlockHeader& header, std::uint32_t height_of_header,
                 std::uint32_t last_height, Now now)
        : height(height_of_header),
          counts_from(std::int64_t{header.time} - chain::kMaxFutureTime),
          is_early(counts_from - now.unix_seconds <= kMaxEarlySeconds),
          ask_at(now.steady + std::chrono::seconds{counts_from - now.unix_seconds}),
          shown_height(last_height) {}

    /// Whether the header is valid by now. The clock may have been set since the header arrived.
    bool counts(Now now) const { return now.steady >= ask_at || now.unix_seconds >= counts_from; }

    std::uint32_t height;
    std::int64_t counts_from;          ///< Unix seconds
    bool is_early;                     ///< at most kMaxEarlySeconds too early
    std::chrono::milliseconds ask_at;  ///< the steady time of `counts_from`
    std::uint32_t shown_height;        ///< height of the message's last header
};

/// The header if it is early, otherwise empty.
inline std::optional<TooNewHeader> if_early(const std::optional<TooNewHeader>& header) {
    return header && header->is_early ? header : std::nullopt;
}

}  // namespace petal::net
