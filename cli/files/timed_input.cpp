#include "cli/files/timed_input.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace petal::cli {

using std::chrono::milliseconds;

/// Returns whether there is input, or the end of the input.
bool TimedInput::wait() {
    constexpr int kForEver = -1;
    while (true) {
        int time = kForEver;
        if (deadline_) {
            const auto left =
                std::chrono::ceil<milliseconds>(*deadline_ - std::chrono::steady_clock::now());
            constexpr milliseconds::rep kMost = std::numeric_limits<int>::max();
            time = static_cast<int>(std::clamp<milliseconds::rep>(left.count(), 0, kMost));
        }
        pollfd file{.fd = file_, .events = POLLIN, .revents = 0};
        const int ready = poll(&file, 1, time);
        if (ready >= 0 || errno != EINTR) return ready != 0;
    }
}

TimedInput::int_type TimedInput::underflow() {
    timed_out_ = !wait();
    if (timed_out_) return traits_type::eof();
    const auto size = read(file_, buffer_.data(), buffer_.size());
    if (size <= 0) return traits_type::eof();
    setg(buffer_.data(), buffer_.data(), buffer_.data() + size);
    return traits_type::to_int_type(buffer_[0]);
}

}  // namespace petal::cli
