/// A buffer of bytes to be sent over a socket.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <cstdint>

#include "chain/bytes.h"
#include "net/io/dial/first_of.h"

namespace petal::net {

/// Holds bytes to be sent, up to a limit, and writes them when the socket is ready. Not
/// thread-safe.
class SendBuffer {
public:
    /// max_bytes   push() fails while the buffer holds this many bytes
    SendBuffer(const asio::any_io_executor& executor, std::size_t max_bytes);

    /// Adds bytes of any number. Returns false if the limit was reached before. After a failed
    /// write, bytes are dropped.
    [[nodiscard]] bool push(chain::ByteView bytes);
    /// Drops the bytes that are not part of a write yet.
    void clear() { waiting_.clear(); }

    /// Writes the bytes, all pending bytes in one write. Never returns, not even after a failed
    /// write.
    asio::awaitable<void> write_loop(asio::ip::tcp::socket& socket);
    /// Waits until at most `bytes` are left.
    asio::awaitable<void> drained(std::size_t bytes);

    /// Bytes that wait, or that the current write is sending.
    std::size_t size() const { return waiting_.size() + writing_.size(); }
    std::uint64_t bytes_sent() const { return bytes_sent_; }
    bool has_failed() const { return write_failed_; }

private:
    std::size_t max_bytes_;
    chain::Bytes waiting_;
    chain::Bytes writing_;  // bytes of the current write
    WakeUp filled_;
    WakeUp written_;
    bool write_failed_ = false;
    std::uint64_t bytes_sent_ = 0;
};

}  // namespace petal::net
