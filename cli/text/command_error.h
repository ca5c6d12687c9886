/// How a command fails: the exit status, a word for programs, a line for people.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace petal::cli {

/// The exit status of the process. Other programs rely on these numbers.
enum class ExitStatus : std::uint8_t {
    done = 0,
    failed = 1,
    usage = 2,
    no_peer = 3,  ///< no usable peer, or not synced in time
    wallet = 4,   ///< missing, locked, or a wrong password
    damaged = 5,  ///< stored data contradict themselves
    interrupted = 130,
};

/// Ends a command that can't continue. Caught only in run().
class CommandError : public std::runtime_error {
public:
    /// code      a stable kebab-case word
    /// message   one line with the remedy. Private keys and mnemonics in the message are not shown
    CommandError(ExitStatus status, std::string_view code, const std::string& message)
        : std::runtime_error(message), status_(status), code_(code) {}

    ExitStatus status() const { return status_; }
    const std::string& code() const { return code_; }
    /// The details that --json prints in addition to the error: an object, or null.
    const nlohmann::ordered_json& details() const { return details_; }
    void set_details(nlohmann::ordered_json details) { details_ = std::move(details); }

private:
    ExitStatus status_;
    std::string code_;
    nlohmann::ordered_json details_;
};

/// Ends a command with ExitStatus::failed after the whole result was printed, because the result
/// fails a test that the user asked for. Caught only in run(), which prints the message to standard
/// error.
class FailedTest : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The error of a wrong command line.
inline CommandError usage_error(const std::string& message) {
    return {ExitStatus::usage, "usage", message};
}

}  // namespace petal::cli
