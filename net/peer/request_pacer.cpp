#include "net/peer/request_pacer.h"

#include <algorithm>

namespace petal::net {

namespace {

// Enough for a measurement, and few enough for the slowest peer.
constexpr std::size_t kFirstWindow = 16;
// One block being served and one waiting, so that the peer is never idle.
constexpr std::size_t kSmallestWindow = 2;

}  // namespace

void RequestPacer::on_round_trip(Milliseconds time) {
    if (!round_trip_ || time < *round_trip_) round_trip_ = time;
}

void RequestPacer::on_asked(std::size_t blocks, std::size_t in_flight, Milliseconds now) {
    ever_asked_ += blocks;
    asked_.push_back({ever_asked_, in_flight, now});
}

void RequestPacer::on_answered(std::size_t in_flight, Milliseconds now) {
    const std::uint64_t answered = ever_asked_ - in_flight;
    while (!asked_.empty() && asked_.front().end <= answered) {
        measure(asked_.front(), now);
        asked_.pop_front();
    }
}

void RequestPacer::on_passed_over(std::size_t in_flight) {
    const std::uint64_t ended = ever_asked_ - in_flight;
    while (!asked_.empty() && asked_.front().end <= ended) asked_.pop_front();
}

// Since the request was sent, one round trip has passed, and the peer has served all blocks that
// were in flight.
void RequestPacer::measure(const Asked& asked, Milliseconds now) {
    const Milliseconds took = now - asked.at;
    on_round_trip(took);
    const Milliseconds work = std::max(took - *round_trip_, Milliseconds{1});
    const double pace = static_cast<double>(asked.in_flight) / static_cast<double>(work.count());
    blocks_per_ms_ = blocks_per_ms_ ? (*blocks_per_ms_ + pace) / 2 : pace;
}

std::optional<RequestPacer::Milliseconds> RequestPacer::overdue_at() const {
    if (asked_.empty()) return std::nullopt;
    return asked_.front().at + kLongestAnswer;
}

std::size_t RequestPacer::window(std::size_t limit, Milliseconds reserve) const {
    std::size_t blocks = kFirstWindow;
    if (blocks_per_ms_) {
        const auto time =
            static_cast<double>((round_trip_.value_or(Milliseconds{0}) + reserve).count());
        const double wanted = std::min(*blocks_per_ms_ * time, static_cast<double>(limit));
        blocks = std::max(static_cast<std::size_t>(wanted), kSmallestWindow);
    }
    return std::min(blocks, limit);
}

RequestPacer::Milliseconds RequestPacer::expected_wait() const {
    constexpr Milliseconds kGuess{500};
    if (!blocks_per_ms_) return kGuess;
    const double work = static_cast<double>(kSmallestWindow) / *blocks_per_ms_;
    return round_trip_.value_or(Milliseconds{0}) +
           std::max(kReserve, Milliseconds{static_cast<std::int64_t>(work)});
}

}  // namespace petal::net
