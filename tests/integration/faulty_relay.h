/// A proxy to a server that fails where a test wants a failure.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "net/io/dial/endpoint.h"

namespace petal::test {

/// The fault of one connection.
struct RelayFault {
    enum class Kind : std::uint8_t {
        close,   ///< both sides see the connection closed
        stall,   ///< stays open and forwards nothing more
        garble,  ///< continues with one wrong bit
    };
    Kind kind = Kind::close;
    std::uint64_t after_bytes = 0;  ///< sent by the server before the fault
};

/// Listens on the loopback interface and forwards bytes between clients and a server, one
/// connection at a time. The first connection has the first fault, and so on. Further connections
/// have no fault.
class FaultyRelay {
public:
    /// earlier   if given, this relay forwards nothing until the first connection of `earlier` has
    ///           had its fault or has ended. Must outlive this relay
    explicit FaultyRelay(net::Endpoint server, std::vector<RelayFault> faults = {},
                         const FaultyRelay* earlier = nullptr);
    ~FaultyRelay();
    FaultyRelay(const FaultyRelay&) = delete;
    FaultyRelay& operator=(const FaultyRelay&) = delete;

    net::Endpoint endpoint() const { return {"127.0.0.1", port_}; }

    /// The number of faults that have occurred.
    std::size_t struck() const;
    /// Waits until the first connection has had its fault or has ended. False after `limit`.
    bool wait_for_first(std::chrono::seconds limit) const;

private:
    void run();
    void carry(int client, int server, std::optional<RelayFault> fault);
    void wait_for_end(int client) const;
    void note(bool struck, bool over);

    net::Endpoint server_;
    std::vector<RelayFault> faults_;
    const FaultyRelay* earlier_;
    int listener_ = -1;
    int stop_event_ = -1;
    std::uint16_t port_ = 0;

    mutable std::mutex mutex_;
    mutable std::condition_variable changed_;
    std::size_t struck_ = 0;
    std::size_t over_ = 0;
    std::thread thread_;
};

}  // namespace petal::test
