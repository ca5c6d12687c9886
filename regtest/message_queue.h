/// Messages that wait to be handled or sent, and how much they are.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <vector>

#include "net/wire/messages.h"

namespace petal::regtest {

/// How many bytes a message takes on the wire, to within a few for those that are not small.
std::size_t wire_bytes(const net::Message& message);
std::size_t wire_bytes(const chain::Transaction& transaction);

/// A queue of messages that knows its size.
class MessageQueue {
public:
    /// Puts a message at the end, and remembers `time` with it.
    void push(net::Message message, std::chrono::milliseconds time = {});
    /// The first messages, at least one if there is any, until `max_bytes` are reached.
    std::vector<net::Message> take(std::size_t max_bytes);
    net::Message pop_front();
    void clear();

    bool empty() const { return waiting_.empty(); }
    /// The time that was pushed with the first message; there must be a message.
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
