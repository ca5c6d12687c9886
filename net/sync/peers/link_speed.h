/// The speed of the link to a peer, measured by what a sync requests anyway.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace petal::net {

/// Measured by the handshake and by the peer's answers to requests for headers. An answer has at
/// most 2,000 headers (162 kB). The first answers over a long link are slowed down by TCP's slow
/// start, and every answer by the peer's own time. So the fastest answer counts.
struct LinkSpeed {
    /// Answers with fewer bytes are not measured: their time says little about the link.
    static constexpr std::size_t kLeastBytes = 20'000;

    /// The time of the handshake: one round trip, and the peer's own time.
    std::chrono::milliseconds round_trip{0};
    /// Of the fastest answer. 0 before the first one. Usually less than the link carries.
    double bytes_per_second = 0;
    std::size_t answers = 0;

    /// took   the time since the request, with a round trip. At most half of it is taken for the
    ///        round trip, in case the handshake took longer than that
    void on_answer(std::size_t bytes, std::chrono::milliseconds took) {
        if (bytes < kLeastBytes) return;
        const auto transfer = std::max({took - round_trip, took / 2, std::chrono::milliseconds{1}});
        const double seconds = std::chrono::duration<double>(transfer).count();
        bytes_per_second = std::max(bytes_per_second, static_cast<double>(bytes) / seconds);
        ++answers;
    }
};

}  // namespace petal::net
