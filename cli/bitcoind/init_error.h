/// Why petal-bitcoind does not start.
#pragma once

#include <stdexcept>
#include <string>

namespace petal::cli {

/// Ends the start. The message is shown after `Error: `, as by bitcoind.
class InitError : public std::runtime_error {
public:
    explicit InitError(const std::string& message) : std::runtime_error(message) {}
};

}  // namespace petal::cli
