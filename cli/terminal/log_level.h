/// The amount of output on standard error.
#pragma once

#include <cstdint>

namespace petal::cli {

/// The amount of output on standard error besides errors.
enum class LogLevel : std::uint8_t { error, warning, info, debug };

}  // namespace petal::cli
