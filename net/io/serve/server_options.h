/// How a regtest server behaves.
#pragma once

#include <cstdint>
#include <string>

#include "net/regtest/node_behaviour.h"

namespace petal::net {

struct ServerOptions {
    std::string host = "127.0.0.1";  ///< an address of this machine
    std::uint16_t port = 0;          ///< 0 for any that is free
    NodeBehaviour behaviour;         ///< on each connection
    /// Writes each message by itself, as Bitcoin Core does, which wakes an eager reader for each.
    bool one_write_per_message = false;
};

}  // namespace petal::net
