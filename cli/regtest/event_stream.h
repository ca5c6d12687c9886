/// Writes lines of several threads to standard output.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>

namespace petal::cli {

/// Writes complete lines. If the reader is slow or does not read, events wait in a queue, and no
/// thread waits. If the queue is full, further events are only counted, in an event `lost`.
class EventStream {
public:
    /// The maximum number of waiting events.
    static constexpr std::size_t kMaxWaiting = 100'000;

    /// out          standard output. Must outlive the stream
    /// descriptor   the file descriptor that `out` writes to
    EventStream(std::ostream& out, int descriptor);
    /// Writes waiting lines as far as possible without waiting.
    ~EventStream();
    EventStream(const EventStream&) = delete;
    EventStream& operator=(const EventStream&) = delete;

    /// Queues a line. From any thread. Never waits for the reader.
    void push(std::string line);
    /// Writes a line now.
    void write(const std::string& line);

private:
    void run();
    bool wait_until_writable();
    std::string take(std::unique_lock<std::mutex>& lock);

    std::ostream& out_;
    int descriptor_;
    std::mutex writing_;
    std::mutex waiting_mutex_;
    std::condition_variable changed_;
    std::deque<std::string> waiting_;
    std::size_t lost_ = 0;
    bool is_over_ = false;
    std::thread thread_;  // the last member, because the thread uses all members
};

}  // namespace petal::cli
