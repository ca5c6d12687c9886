/// How much the filters of a watcher hide, and what that costs.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace petal::net {

/// Every filter has the same size and the same hash functions whatever its profile; only how full
/// it is differs.
enum class Privacy : std::uint8_t { fast, balanced, high };

std::string_view key_of(Privacy privacy);
std::optional<Privacy> find_privacy(std::string_view key);

/// Which share of strangers' addresses a peer finds in the filter: 1e-5, 5e-5, 2.5e-4. The traffic
/// grows by it, and by its logarithm what a match tells the peer falls.
double rate_of(Privacy privacy);

}  // namespace petal::net
