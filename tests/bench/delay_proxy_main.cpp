// Adds latency: forwards TCP connections to a port of this machine, and delays all of their bytes.
//
//     petal_bench_delay_proxy HOST:PORT [MILLISECONDS]
//
// In each direction, every byte is delayed by this time (default: 50 ms), whatever the throughput.
// At most kMaxBytesOnTheWay are in flight in each direction of a connection; until some arrive, no
// more are read. Prints its address as one line of JSON on standard output, and ends with its
// standard input.

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <deque>
#include <exception>
#include <list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "chain/bytes.h"
#include "net/io/dial/endpoint.h"
#include "tests/support/loopback.h"

namespace petal::net {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint16_t kRegtestPort = 18'444;
constexpr std::size_t kMaxBytesOnTheWay = 32U << 20;
constexpr std::size_t kReadBytes = 256U << 10;
/// Limits how often sockets are read, because a reader that wakes for each small message slows its
/// writer down. The pause is part of the delay.
constexpr std::chrono::microseconds kReadPause{500};

[[noreturn]] void throw_errno(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

class Descriptor {
public:
    explicit Descriptor(int fd) : fd_(fd) {
        if (fd_ < 0) throw_errno("socket");
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() { ::close(fd_); }
    int get() const { return fd_; }

private:
    int fd_;
};

void make_prompt(int fd) {
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

bool would_block() {
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

/// One direction of a connection.
class Way {
public:
    Way(int from, int to, Clock::duration delay) : from_(from), to_(to), delay_(delay) {}

    /// Whether nothing more is to be carried: the writer has ended, or the reader is gone.
    bool finished() const { return broken_ || (ended_ && chunks_.empty()); }

    /// Adds the events to wait for, and lowers `wake` to the time of the next action.
    void prepare(std::vector<pollfd>& polled, Clock::time_point now,
                 Clock::time_point& wake) const {
        if (finished()) return;
        if (!ended_ && bytes_ < kMaxBytesOnTheWay) {
            if (now >= next_read_)
                polled.push_back({from_, POLLIN, 0});
            else
                wake = std::min(wake, next_read_);
        }
        if (chunks_.empty()) return;
        if (chunks_.front().due > now)
            wake = std::min(wake, chunks_.front().due);
        else
            polled.push_back({to_, POLLOUT, 0});
    }

    void carry(Clock::time_point now) {
        if (finished()) return;
        if (!ended_ && now >= next_read_ && bytes_ < kMaxBytesOnTheWay) read(now);
        while (!broken_ && !chunks_.empty() && chunks_.front().due <= now) {
            if (!write_front()) break;
        }
    }

private:
    /// Bytes, with the time at which they arrive; empty bytes mean the end of the stream.
    struct Chunk {
        Clock::time_point due;
        chain::Bytes bytes;
        std::size_t written = 0;
    };

    void read(Clock::time_point now) {
        chain::Bytes bytes(kReadBytes);
        const ssize_t size = ::recv(from_, bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (size < 0 && would_block()) return;
        next_read_ = now + kReadPause;
        ended_ = size <= 0;
        bytes.resize(ended_ ? 0 : static_cast<std::size_t>(size));
        bytes.shrink_to_fit();
        bytes_ += bytes.size();
        chunks_.push_back({now + delay_, std::move(bytes)});
    }

    /// Returns whether the first chunk has been written completely.
    bool write_front() {
        Chunk& chunk = chunks_.front();
        if (chunk.bytes.empty()) {
            ::shutdown(to_, SHUT_WR);
        } else {
            const ssize_t size = ::send(to_, chunk.bytes.data() + chunk.written,
                                        chunk.bytes.size() - chunk.written, MSG_NOSIGNAL);
            broken_ = size < 0 && !would_block();
            if (size > 0) chunk.written += static_cast<std::size_t>(size);
            if (chunk.written < chunk.bytes.size()) return false;
        }
        bytes_ -= chunk.bytes.size();
        chunks_.pop_front();
        return true;
    }

    int from_;
    int to_;
    Clock::duration delay_;
    std::deque<Chunk> chunks_;
    std::size_t bytes_ = 0;
    Clock::time_point next_read_{};
    bool ended_ = false;
    bool broken_ = false;
};

class Wire {
public:
    Wire(int client, std::uint16_t port, Clock::duration delay)
        : client_(client),
          server_(::socket(AF_INET, SOCK_STREAM, 0)),
          forth_(client_.get(), server_.get(), delay),
          back_(server_.get(), client_.get(), delay) {
        const auto address = test::loopback(port);
        if (::connect(server_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
            0) {
            throw_errno("connect");
        }
        make_prompt(client_.get());
        make_prompt(server_.get());
    }

    bool finished() const { return forth_.finished() && back_.finished(); }
    void prepare(std::vector<pollfd>& polled, Clock::time_point now,
                 Clock::time_point& wake) const {
        forth_.prepare(polled, now, wake);
        back_.prepare(polled, now, wake);
    }
    void carry(Clock::time_point now) {
        forth_.carry(now);
        back_.carry(now);
    }

private:
    Descriptor client_;
    Descriptor server_;
    Way forth_;
    Way back_;
};

class DelayProxy {
public:
    DelayProxy(std::uint16_t target, Clock::duration delay)
        : target_(target), delay_(delay), listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
        const auto address = test::loopback(0);
        if (::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
                0 ||
            ::listen(listener_.get(), 64) != 0) {
            throw_errno("listen");
        }
    }

    std::uint16_t port() const {
        sockaddr_in address{};
        socklen_t size = sizeof address;
        ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size);
        return ntohs(address.sin_port);
    }

    /// Runs until standard input ends.
    void run() {
        for (;;) {
            std::vector<pollfd> polled = {{STDIN_FILENO, POLLIN, 0}, {listener_.get(), POLLIN, 0}};
            auto wake = Clock::now() + std::chrono::hours{1};
            for (const Wire& wire : wires_) wire.prepare(polled, Clock::now(), wake);
            wait(polled, wake);
            if (polled[0].revents != 0 && input_ended()) return;
            if ((polled[1].revents & POLLIN) != 0) accept();
            const auto now = Clock::now();
            for (Wire& wire : wires_) wire.carry(now);
            wires_.remove_if([](const Wire& wire) { return wire.finished(); });
        }
    }

private:
    static void wait(std::vector<pollfd>& polled, Clock::time_point wake) {
        const auto left = std::max(wake - Clock::now(), Clock::duration{0});
        const auto seconds = std::chrono::floor<std::chrono::seconds>(left);
        const timespec limit{seconds.count(), (left - seconds) / std::chrono::nanoseconds{1}};
        ::ppoll(polled.data(), polled.size(), &limit, nullptr);
    }

    static bool input_ended() {
        char byte = 0;
        return ::read(STDIN_FILENO, &byte, 1) <= 0;
    }

    void accept() {
        const int client = ::accept(listener_.get(), nullptr, nullptr);
        if (client < 0) return;  // the client is gone already
        try {
            wires_.emplace_back(client, target_, delay_);
            // Nothing listens there; the client's connection is closed.
        } catch (const std::system_error& failure) {
            std::fprintf(stderr, "error: %s\n", failure.what());
        }
    }

    std::uint16_t target_;
    Clock::duration delay_;
    Descriptor listener_;
    std::list<Wire> wires_;
};

int run(int argc, char** argv) {
    if (argc < 2) throw std::runtime_error("usage: HOST:PORT [MILLISECONDS]");
    const auto target = parse_endpoint(argv[1], kRegtestPort);
    if (!target) throw std::runtime_error(std::string(describe(target.error())));
    const std::chrono::milliseconds delay{argc > 2 ? std::stol(argv[2]) : 50};
    DelayProxy proxy(target->port, delay);
    std::printf("{\"endpoint\":\"127.0.0.1:%u\"}\n", static_cast<unsigned>(proxy.port()));
    std::fflush(stdout);
    proxy.run();
    return 0;
}

}  // namespace
}  // namespace petal::net

int main(int argc, char** argv) {
    try {
        return petal::net::run(argc, argv);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "error: %s\n", failure.what());
        return 1;
    }
}
