/// Times in Unix seconds.
#pragma once

#include <cstdint>

namespace petal::chain {

/// The last second of the year 9999. Times from outside are bounded by it, so that sums with
/// durations do not overflow, and dates have four digits.
inline constexpr std::int64_t kLastUnixTime = 253'402'300'799;

}  // namespace petal::chain
