/// The services that usually listen on a port. Users often name the wrong port of the right
/// machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "chain/network_params.h"

namespace petal::net {

enum class PortUse : std::uint8_t {
    peers,  ///< Bitcoin's peer-to-peer protocol
    rpc,    ///< Bitcoin Core's JSON-RPC
    zmq,    ///< Bitcoin Core's ZMQ notifications, as in its documentation
    electrum,
    tor_socks,
    tor_control,
};

/// What a port is used for, and on which network.
struct KnownPort {
    PortUse use = PortUse::peers;
    const chain::NetworkParams* network = nullptr;  ///< null if not specific to a network

    friend bool operator==(const KnownPort&, const KnownPort&) = default;
};

/// Empty for an unknown port. Known are the default ports of Bitcoin Core (chainparamsbase.cpp,
/// doc/zmq.md), of Tor and Tor Browser, and of Electrum servers (ElectrumX, Fulcrum, electrs).
std::optional<KnownPort> known_port(std::uint16_t port);

/// For example "the RPC port", to be combined with the name of the network.
std::string_view describe(PortUse use);

}  // namespace petal::net
