/// Messages that wait to be handled or sent, with their size.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <vector>

#include "net/wire/messages.h"

namespace petal::regtest {

/// The size of a message on the wire, to within a few bytes for messages with transactions, blocks,
/// headers or inventories. An estimate for all others.
std::size_t wire_bytes(const net::Message& message);
std::size_t wire_bytes(const chain::Transaction& transaction);

/// A queue of messages with its total size.
class MessageQueue {
public:
    /// Appends a message with a time.
    void push(net::Message message, std::chrono::milliseconds time = {});
    /// Removes and returns the first messages: at least one if there is any, until `max_bytes` are
    /// reached.
    std::vector<net::Message> take(std::size_t max_bytes);
    net::Message pop_front();
    void clear();

    bool empty() const { return waiting_.empty(); }
    /// The time of the first message. The queue must not be empty.
    std::chrono::milliseconds front_time() const { return waiting_.front().time; }
    std::size_t bytes() const { return bytes_; }

private:
    struct Waiting {
        net::Message message;
        std::chrono::milliseconds time;
    };

    std::deque<Waiting> waiting_;
    std::size_t bytes_ = 0;
};

}  // namespace petal::regtest
