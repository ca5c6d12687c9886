/// How unconfirmed transactions are found.
#pragma once

#include <cstdint>
#include <string_view>

namespace petal::net {

/// A source of matches that loads filters of the watch list finds unconfirmed transactions by these
/// filters, unless the mode is `none`.
enum class UnconfirmedMode : std::uint8_t {
    bloom,  ///< one peer gets a filter of the awaited addresses (AwaitedRelay)
    all,    ///< one peer relays all transactions (FullRelay)
    none,   ///< they are not requested
};

/// A stable word, as in `sync --unconfirmed`.
std::string_view code_of(UnconfirmedMode mode);

}  // namespace petal::net
