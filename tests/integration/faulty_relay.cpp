#include "tests/integration/faulty_relay.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "tests/support/loopback.h"

namespace petal::test {

namespace {

void require(bool succeeded, const char* what) {
    if (!succeeded) throw std::system_error(errno, std::generic_category(), what);
}

constexpr std::size_t kPiece = 4'096;
constexpr std::chrono::seconds kLimit{60};

bool send_all(int socket, const char* bytes, std::size_t size) {
    while (size > 0) {
        const ssize_t count = ::send(socket, bytes, size, MSG_NOSIGNAL);
        if (count <= 0) return false;
        bytes += count;
        size -= static_cast<std::size_t>(count);
    }
    return true;
}

/// Forwards at most `room` bytes, with one wrong bit in the first byte if `garble`. Returns how
/// many bytes were forwarded; 0 if a side is gone.
std::size_t pass_on(int from, int to, std::size_t room, bool garble = false) {
    std::array<char, kPiece> buffer{};
    const ssize_t count = ::recv(from, buffer.data(), room, 0);
    if (count <= 0) return 0;
    if (garble) buffer[0] = static_cast<char>(buffer[0] ^ 1);
    const auto size = static_cast<std::size_t>(count);
    return send_all(to, buffer.data(), size) ? size : 0;
}

}  // namespace

FaultyRelay::FaultyRelay(net::Endpoint server, std::vector<RelayFault> faults,
                         const FaultyRelay* earlier)
    : server_(std::move(server)), faults_(std::move(faults)), earlier_(earlier) {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    stop_event_ = ::eventfd(0, EFD_CLOEXEC);
    require(listener_ >= 0 && stop_event_ >= 0, "socket");
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    require(::bind(listener_, reinterpret_cast<const sockaddr*>(&address), size) == 0, "bind");
    require(::listen(listener_, 8) == 0, "listen");
    require(::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size) == 0, "port");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { run(); });
}

FaultyRelay::~FaultyRelay() {
    static_cast<void>(::eventfd_write(stop_event_, 1));
    thread_.join();
    ::close(listener_);
    ::close(stop_event_);
}

std::size_t FaultyRelay::struck() const {
    const std::lock_guard lock(mutex_);
    return struck_;
}

bool FaultyRelay::wait_for_first(std::chrono::seconds limit) const {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, limit, [this] { return struck_ + over_ > 0; });
}

void FaultyRelay::note(bool struck, bool over) {
    const std::lock_guard lock(mutex_);
    struck_ += struck ? 1 : 0;
    over_ += over ? 1 : 0;
    changed_.notify_all();
}

void FaultyRelay::run() {
    for (std::size_t number = 0;; ++number) {
        std::array<pollfd, 2> files{{{stop_event_, POLLIN, 0}, {listener_, POLLIN, 0}}};
        ::poll(files.data(), files.size(), -1);
        if (files[0].revents != 0) return;
        const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (earlier_ != nullptr) earlier_->wait_for_first(kLimit);
        const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const sockaddr_in address = loopback(server_.port);
        if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
            std::optional<RelayFault> fault;
            if (number < faults_.size()) fault = faults_[number];
            carry(client, server, fault);
        }
        ::close(client);
        ::close(server);
        note(false, true);
    }
}

/// Forwards bytes until either side closes, the fault ends the connection, or the relay ends.
void FaultyRelay::carry(int client, int server, std::optional<RelayFault> fault) {
    bool garble = false;
    for (;;) {
        if (fault && fault->after_bytes == 0) {
            note(true, false);
            if (fault->kind == RelayFault::Kind::stall) wait_for_end(client);
            if (fault->kind != RelayFault::Kind::garble) return;
            garble = true;
            fault.reset();
        }
        std::array<pollfd, 3> files{
            {{stop_event_, POLLIN, 0}, {client, POLLIN, 0}, {server, POLLIN, 0}}};
        ::poll(files.data(), files.size(), -1);
        if (files[0].revents != 0) return;
        if (files[1].revents != 0 && pass_on(client, server, kPiece) == 0) return;
        if (files[2].revents == 0) continue;
        const auto room = fault ? std::min<std::uint64_t>(kPiece, fault->after_bytes) : kPiece;
        const std::size_t count = pass_on(server, client, static_cast<std::size_t>(room), garble);
        if (count == 0) return;
        if (fault) fault->after_bytes -= count;
        garble = false;
    }
}

void FaultyRelay::wait_for_end(int client) const {
    std::array<pollfd, 2> files{{{stop_event_, POLLIN, 0}, {client, POLLRDHUP, 0}}};
    ::poll(files.data(), files.size(), -1);
}

}  // namespace petal::test
