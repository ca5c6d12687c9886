#include "tests/integration/cutting_relay.h"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace petal::test {
namespace {

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

void require(bool succeeded, const char* what) {
    if (!succeeded) throw std::system_error(errno, std::generic_category(), what);
}

bool send_all(int socket, const char* bytes, std::size_t size) {
    while (size > 0) {
        const ssize_t count = ::send(socket, bytes, size, MSG_NOSIGNAL);
        if (count <= 0) return false;
        bytes += count;
        size -= static_cast<std::size_t>(count);
    }
    return true;
}

bool is_ready(const pollfd& entry) { return entry.revents != 0; }

}  // namespace

CuttingRelay::CuttingRelay(net::Endpoint server, std::vector<Cut> cuts)
    : server_(std::move(server)), cuts_(std::move(cuts)) {
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

CuttingRelay::~CuttingRelay() {
    static_cast<void>(::eventfd_write(stop_event_, 1));
    thread_.join();
    ::close(listener_);
    ::close(stop_event_);
}

bool CuttingRelay::wait_for_end(std::chrono::seconds timeout) {
    std::unique_lock lock(mutex_);
    const std::uint64_t before = ends_;
    return before > 0 || ended_.wait_for(lock, timeout, [&] { return ends_ > 0; });
}

std::uint64_t CuttingRelay::carried() {
    const std::lock_guard lock(mutex_);
    return carried_;
}

void CuttingRelay::note_end() {
    const std::lock_guard lock(mutex_);
    ++ends_;
    ended_.notify_all();
}

void CuttingRelay::run() {
    for (std::size_t number = 0;; ++number) {
        std::array<pollfd, 2> files{{{stop_event_, POLLIN, 0}, {listener_, POLLIN, 0}}};
        ::poll(files.data(), files.size(), -1);
        if (is_ready(files[0])) return;
        const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const sockaddr_in address = loopback(server_.port);
        if (::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
            carry(client, server, number < cuts_.size() ? &cuts_[number] : nullptr);
        }
        ::close(client);
        ::close(server);
        note_end();
    }
}

void CuttingRelay::carry(int client, int server, const Cut* cut) {
    std::array<char, 4096> buffer{};
    std::uint64_t left = cut != nullptr ? cut->after_bytes : UINT64_MAX;
    bool stalled = false;
    while (left > 0 || stalled) {
        // A stalled connection is watched for its end, and carries nothing.
        std::array<pollfd, 3> files{{{stop_event_, POLLIN, 0},
                                     {client, POLLIN, 0},
                                     {stalled ? -1 : server, POLLIN, 0}}};
        ::poll(files.data(), files.size(), -1);
        if (is_ready(files[0])) return;
        if (is_ready(files[1])) {
            const ssize_t count = ::recv(client, buffer.data(), buffer.size(), 0);
            if (count <= 0) return;
            if (!send_all(server, buffer.data(), static_cast<std::size_t>(count))) return;
        }
        if (is_ready(files[2])) {
            const std::size_t room = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), left));
            const ssize_t count = ::recv(server, buffer.data(), room, 0);
            if (count <= 0) return;
            if (!send_all(client, buffer.data(), static_cast<std::size_t>(count))) return;
            left -= static_cast<std::uint64_t>(count);
            const std::lock_guard lock(mutex_);
            carried_ += static_cast<std::uint64_t>(count);
        }
        if (left == 0 && cut->kind == Cut::Kind::stall && !stalled) {
            stalled = true;
            note_end();
        }
    }
}

}  // namespace petal::test
