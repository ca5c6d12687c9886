/// The services that usually listen on a port: users name the wrong port of the right machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "chain/network_params.h"

namespace petal::net {

enum class PortUse : std::uint8_t {
    peers,  ///< Bitcoin's peer-to-peer protocol
    rpc,    ///< Bitcoin Core's JSON-RPC
    zmq,    ///< notifications, by the port in Bitcoin Core's documentation
    electrum,
    tor_socks,
    tor_control,
};

/// The use of a port, and the network that uses it so.
struct KnownPort {
    PortUse use = PortUse::peers;
    const chain::NetworkParams* network = nullptr;  ///< null if it is not of one network

    friend bool operator==(const KnownPort&, const KnownPort&) = default;
};

/// Empty for a port that is not known. The ports are the defaults of Bitcoin Core
/// (chainparamsbase.cpp, doc/zmq.md), of Tor and its browser, and of Electrum servers (ElectrumX,
/// Fulcrum, electrs).
std::optional<KnownPort> known_port(std::uint16_t port);

/// Such as "the RPC port"; to follow or precede the network's name.
std::string_view describe(PortUse use);

}  // namespace petal::net
