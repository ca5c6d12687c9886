/// Profiles of privacy against traffic.
#pragma once

#include <cstdint>
#include <string_view>

namespace petal::net {

/// Filters of all profiles have the same size and number of hash functions; only the number of set
/// bits differs. The last one is `private` on the command line; that is a keyword of C++.
// NOLINTNEXTLINE(readability-identifier-naming)
enum class Privacy : std::uint8_t { fast, balanced, private_ };

std::string_view key_of(Privacy privacy);

/// The filter's false positive rate: 1e-5, 5e-5 or 2.5e-4. Traffic grows in proportion to it; the
/// information that a match gives a peer falls with its logarithm.
double rate_of(Privacy privacy);

}  // namespace petal::net
