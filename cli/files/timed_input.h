/// A file that is read only until a given time.
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <streambuf>

namespace petal::cli {

/// Reads a file descriptor, e.g. standard input's, without closing the descriptor. At the deadline,
/// the input seems to end.
class TimedInput : public std::streambuf {
public:
    /// deadline   empty for none
    TimedInput(int file, std::optional<std::chrono::steady_clock::time_point> deadline)
        : file_(file), deadline_(deadline) {}

    /// Whether the input ended because of the deadline.
    bool timed_out() const { return timed_out_; }

protected:
    int_type underflow() override;

private:
    bool wait();

    int file_;
    std::optional<std::chrono::steady_clock::time_point> deadline_;
    std::array<char, 65'536> buffer_{};
    bool timed_out_ = false;
};

}  // namespace petal::cli
