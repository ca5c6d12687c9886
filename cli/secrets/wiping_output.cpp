#include "cli/secrets/wiping_output.h"

#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "net/io/signals.h"
#include "wallet/keys/secret_bytes.h"

namespace petal::cli {

WipingOutput::WipingOutput(int descriptor) : descriptor_(descriptor) {
    setp(block_.data(), block_.data() + block_.size());
}

WipingOutput::~WipingOutput() {
    static_cast<void>(write_all());
}

/// Data that can't be written is dropped. The stream remembers the failure.
bool WipingOutput::write_all() {
    const char* next = pbase();
    while (next < pptr() && wait_until_writable()) {
        // A pipe that poll() reports as writable has room for this many bytes.
        const auto size = std::min<std::ptrdiff_t>(pptr() - next, PIPE_BUF);
        const ssize_t count = write(descriptor_, next, static_cast<std::size_t>(size));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) break;
        next += count;
    }
    const bool done = next == pptr();
    wallet::wipe({pbase(), pptr()});
    setp(block_.data(), block_.data() + block_.size());
    return done;
}

/// False if a signal asks the process to stop, and nothing can be written soon.
bool WipingOutput::wait_until_writable() const {
    constexpr int kPatience = 250;  // for a reader that still reads
    for (;;) {
        const bool is_last_try = net::is_stop_requested();
        pollfd place{descriptor_, POLLOUT, 0};
        const int ready = poll(&place, 1, kPatience);
        if (ready > 0) return true;  // write() reports an error
        if (ready == 0 && is_last_try) return false;
        if (ready < 0 && errno != EINTR) return false;
    }
}

WipingOutput::int_type WipingOutput::overflow(int_type byte) {
    if (!write_all()) return traits_type::eof();
    if (traits_type::eq_int_type(byte, traits_type::eof())) return traits_type::not_eof(byte);
    return sputc(traits_type::to_char_type(byte));
}

int WipingOutput::sync() {
    return write_all() ? 0 : -1;
}

}  // namespace petal::cli
