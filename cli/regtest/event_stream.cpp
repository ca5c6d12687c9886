#include "cli/regtest/event_stream.h"

#include <poll.h>

#include <utility>

namespace petal::cli {

EventStream::EventStream(std::ostream& out, int descriptor)
    : out_(out), descriptor_(descriptor), thread_([this] { run(); }) {}

EventStream::~EventStream() {
    {
        const std::lock_guard lock(waiting_mutex_);
        is_over_ = true;
    }
    changed_.notify_one();
    thread_.join();
}

void EventStream::push(std::string line) {
    {
        const std::lock_guard lock(waiting_mutex_);
        if (waiting_.size() >= kMaxWaiting) {
            ++lost_;
            return;
        }
        waiting_.push_back(std::move(line));
    }
    changed_.notify_one();
}

void EventStream::write(const std::string& line) {
    const std::lock_guard lock(writing_);
    out_ << line << std::endl;
}

void EventStream::run() {
    for (;;) {
        std::unique_lock lock(waiting_mutex_);
        changed_.wait(lock, [this] { return is_over_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        lock.unlock();
        if (!wait_until_writable()) return;
        lock.lock();
        const std::string line = take(lock);
        write(line);
    }
}

/// Takes the first line. If later lines were lost and the queue has room again, queues the event
/// `lost`.
std::string EventStream::take(std::unique_lock<std::mutex>& lock) {
    std::string line = std::move(waiting_.front());
    waiting_.pop_front();
    if (lost_ > 0 && waiting_.empty()) {
        line += "\n{\"event\":\"lost\",\"count\":" + std::to_string(std::exchange(lost_, 0)) + "}";
    }
    lock.unlock();
    return line;
}

/// False if the reader is gone, or if the stream ends and a write would wait. A pipe that poll()
/// reports as writable has room for a line.
bool EventStream::wait_until_writable() {
    constexpr int kPatience = 100;
    for (;;) {
        pollfd place{descriptor_, POLLOUT, 0};
        const int ready = poll(&place, 1, kPatience);
        if (ready > 0 && (place.revents & (POLLERR | POLLNVAL)) != 0) return false;
        if (ready > 0 && (place.revents & POLLOUT) != 0) return true;
        const std::lock_guard lock(waiting_mutex_);
        if (is_over_) return false;
    }
}

}  // namespace petal::cli
