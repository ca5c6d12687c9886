#include "cli/wallet/wiping_output.h"

#include <unistd.h>

#include <cerrno>

#include "wallet/keys/secret_bytes.h"

namespace petal::cli {

WipingOutput::WipingOutput(int descriptor) : descriptor_(descriptor) {
    setp(block_.data(), block_.data() + block_.size());
}

WipingOutput::~WipingOutput() {
    static_cast<void>(write_all());
}

/// Data that can't be written is dropped; the stream remembers that it failed.
bool WipingOutput::write_all() {
    const char* next = pbase();
    while (next < pptr()) {
        const ssize_t count = write(descriptor_, next, static_cast<std::size_t>(pptr() - next));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) break;
        next += count;
    }
    const bool done = next == pptr();
    wallet::wipe({pbase(), pptr()});
    setp(block_.data(), block_.data() + block_.size());
    return done;
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
