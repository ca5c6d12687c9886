#include "net/io/dial/connection.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <utility>

#include "net/wire/codec.h"

namespace petal::net {

namespace {

// Most connections are quiet, and need little memory. Busy streams are read in large pieces.
constexpr std::size_t kFirstReadBytes = std::size_t{16} * 1024;
constexpr std::size_t kMostReadBytes = std::size_t{256} * 1024;
// Reads of this size mean that the sender was woken often enough.
constexpr std::size_t kLargeReadBytes = std::size_t{64} * 1024;
// Two reads within kBusyGap belong to a busy stream. kReadPause then delays an answer by at most
// half a millisecond.
constexpr auto kBusyGap = std::chrono::milliseconds{2};
constexpr auto kReadPause = std::chrono::microseconds{500};

}  // namespace

void BusyStream::on_read(std::size_t bytes, std::chrono::steady_clock::time_point now) {
    busy_ = pace_ == ReadPace::batched && bytes < kLargeReadBytes && now - last_read_ < kBusyGap;
    last_read_ = now;
}

Connection::Connection(asio::ip::tcp::socket socket, const Magic& magic, ReadPace pace,
                       std::size_t max_unsent_bytes)
    : socket_(std::move(socket)),
      magic_(magic),
      decoder_(magic),
      stream_(pace),
      unsent_(socket_.get_executor(), max_unsent_bytes),
      read_bytes_(kFirstReadBytes) {}

asio::awaitable<boost::system::error_code> Connection::receive() {
    if (stream_.is_busy()) {
        // Without a higher low watermark, the kernel would signal each arrival even while no read
        // is pending.
        set_low_watermark(static_cast<int>(kLargeReadBytes));
        co_await pause_for(kReadPause);
        set_low_watermark(1);
    }

    const auto room = decoder_.prepare(read_bytes_);
    const auto [error, size] = co_await socket_.async_read_some(
        asio::buffer(room.data(), room.size()), asio::as_tuple(asio::use_awaitable));
    decoder_.commit(size);
    if (size == room.size()) read_bytes_ = std::min(2 * read_bytes_, kMostReadBytes);
    bytes_received_ += size;
    stream_.on_read(size, std::chrono::steady_clock::now());
    co_return error;
}

/// Sets how many bytes must wait before the kernel wakes this thread.
void Connection::set_low_watermark(int bytes) {
    boost::system::error_code ignored;  // closed, or the thread is woken too early
    socket_.set_option(asio::socket_base::receive_low_watermark{bytes}, ignored);
}

bool Connection::send(const Message& message) {
    return unsent_.push(encode_message(magic_, message));
}

void Connection::close() {
    boost::system::error_code ignored;  // nothing can be done if closing fails
    socket_.close(ignored);
    unsent_.clear();
}

}  // namespace petal::net
