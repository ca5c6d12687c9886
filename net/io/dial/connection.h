/// An open TCP connection that carries messages, for clients and servers.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <chrono>
#include <cstdint>
#include <optional>

#include "net/io/dial/first_of.h"
#include "net/io/dial/send_buffer.h"
#include "net/wire/message_header.h"
#include "net/wire/messages.h"

namespace petal::net {

/// When to read.
enum class ReadPace : std::uint8_t {
    at_once,  ///< whenever data arrives
    batched,  ///< every half millisecond while much data arrives, so that the sender of many small
              ///< messages does not wake the reader for each. At once on a quiet connection
};

/// Detects a stream of many small messages, by the time and the size of reads.
class BusyStream {
public:
    explicit BusyStream(ReadPace pace) : pace_(pace) {}

    void on_read(std::size_t bytes, std::chrono::steady_clock::time_point now);
    /// Whether the next read should wait for more bytes. Always false with ReadPace::at_once.
    bool is_busy() const { return busy_; }

private:
    ReadPace pace_;
    std::chrono::steady_clock::time_point last_read_;
    bool busy_ = false;
};

/// Reads and writes for one owner, which must outlive the loops that it runs. Not thread-safe.
class Connection {
public:
    /// The default limit on unsent bytes. Beyond the limit, send() fails.
    static constexpr std::size_t kMaxUnsentBytes = 4'000'000;

    Connection(asio::ip::tcp::socket socket, const Magic& magic, ReadPace pace,
               std::size_t max_unsent_bytes = kMaxUnsentBytes);

    /// Waits for bytes, and reads some of them for next_frame(): at most 16 KiB at first, up to 256
    /// KiB when much data arrives. Returns the error that ended the stream: end of file, a reset,
    /// or operation_aborted after close().
    asio::awaitable<boost::system::error_code> receive();

    /// The next complete message. Empty if bytes are missing.
    chain::Expected<std::optional<Frame>, FrameError> next_frame() { return decoder_.next(); }

    /// Sends a message as soon as the socket accepts it. Returns false if too many bytes are
    /// unsent. After a failed write, messages are dropped.
    [[nodiscard]] bool send(const Message& message);

    /// Writes unsent bytes, all pending bytes in one write. Never returns, not even after a failed
    /// write: received bytes may still be unread, and receive() reports the end.
    asio::awaitable<void> write_loop() { return unsent_.write_loop(socket_); }

    /// Waits until at most `bytes` are unsent.
    asio::awaitable<void> drained(std::size_t bytes) { return unsent_.drained(bytes); }

    /// Ends all loops, and drops unsent bytes.
    void close();
    bool is_open() const { return socket_.is_open(); }
    /// Whether the connection is open, and no write has failed.
    bool can_send() const { return is_open() && !unsent_.has_failed(); }

    asio::any_io_executor executor() { return socket_.get_executor(); }

    /// Bytes that wait, or that the current write is sending.
    std::size_t unsent_bytes() const { return unsent_.size(); }
    std::uint64_t bytes_received() const { return bytes_received_; }
    std::uint64_t bytes_sent() const { return unsent_.bytes_sent(); }

private:
    void set_low_watermark(int bytes);

    asio::ip::tcp::socket socket_;
    Magic magic_;
    FrameDecoder decoder_;
    BusyStream stream_;
    SendBuffer unsent_;
    std::size_t read_bytes_;  // minimum room for the next read
    std::uint64_t bytes_received_ = 0;
};

}  // namespace petal::net
