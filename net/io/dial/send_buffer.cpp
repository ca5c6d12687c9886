#include "net/io/dial/send_buffer.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace petal::net {

SendBuffer::SendBuffer(const asio::any_io_executor& executor, std::size_t max_bytes)
    : max_bytes_(max_bytes), filled_(executor), written_(executor) {}

bool SendBuffer::push(chain::ByteView bytes) {
    if (write_failed_) return true;
    if (size() >= max_bytes_) return false;
    waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
    filled_.notify();
    return true;
}

asio::awaitable<void> SendBuffer::write_loop(asio::ip::tcp::socket& socket) {
    while (!write_failed_) {
        while (waiting_.empty()) co_await filled_.wait();

        std::swap(waiting_, writing_);
        const auto [error, size] = co_await asio::async_write(socket, asio::buffer(writing_),
                                                              asio::as_tuple(asio::use_awaitable));
        bytes_sent_ += size;
        writing_.clear();
        write_failed_ = error.failed();
        if (write_failed_) waiting_.clear();
        written_.notify();
    }
    co_await pause_forever();
}

asio::awaitable<void> SendBuffer::drained(std::size_t bytes) {
    while (size() > bytes) co_await written_.wait();
}

}  // namespace petal::net
