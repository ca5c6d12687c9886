/// How a regtest server behaves, and misbehaves.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "net/regtest/regtest_node.h"

namespace petal::net {

/// What goes wrong on each connection, for tests of clients.
struct ServerFaults {
    /// Closes the connection instead of serving one filtered block more than that.
    std::optional<std::uint64_t> drop_after_blocks;
    /// Sends nothing any more instead of serving one filtered block more than that.
    std::optional<std::uint64_t> stall_after_blocks;
    /// Waits before each filtered block.
    std::chrono::microseconds block_delay{0};
};

struct ServerOptions {
    std::uint16_t port = 0;  ///< 0 for any that is free
    NodeBehaviour behaviour;
    ServerFaults faults;
    /// Writes each message by itself, as Bitcoin Core does, which wakes an eager reader for each.
    bool one_write_per_message = false;
};

}  // namespace petal::net
