/// A way to a server that breaks where a test wants it to.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include "net/io/endpoint.h"

namespace petal::test {

/// What happens to a connection once the server has sent so many bytes over it.
struct Cut {
    std::uint64_t after_bytes = 0;
    enum class Kind : std::uint8_t { close, stall } kind = Kind::close;
};

/// Listens on the loopback and carries bytes to and from the server, one connection at a time. The
/// first connection suffers the first cut, and so on; further ones none.
class CuttingRelay {
public:
    CuttingRelay(net::Endpoint server, std::vector<Cut> cuts);
    ~CuttingRelay();
    CuttingRelay(const CuttingRelay&) = delete;
    CuttingRelay& operator=(const CuttingRelay&) = delete;

    net::Endpoint endpoint() const { return {"127.0.0.1", port_}; }
    /// Waits until a connection has stalled or the client of one is gone. Returns whether that was
    /// within `timeout`.
    bool wait_for_end(std::chrono::seconds timeout);
    /// Bytes that the server has sent, over all connections, as far as they were carried.
    std::uint64_t carried();

private:
    void run();
    void carry(int client, int server, const Cut* cut);
    void note_end();

    net::Endpoint server_;
    std::vector<Cut> cuts_;
    int listener_ = -1;
    int stop_event_ = -1;
    std::uint16_t port_ = 0;
    std::mutex mutex_;
    std::condition_variable ended_;
    std::uint64_t ends_ = 0;
    std::uint64_t carried_ = 0;
    std::thread thread_;
};

}  // namespace petal::test
