/// The address at which a peer listens, as users write it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "chain/expected.h"

namespace petal::net {

/// A name or IP address, without brackets, and a TCP port.
struct Endpoint {
    std::string host;
    std::uint16_t port = 0;

    friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

enum class EndpointError : std::uint8_t {
    empty_host,
    bad_port,         ///< not a number from 1 to 65535
    missing_bracket,  ///< `[` without `]`, or text other than `:PORT` after it
    bad_host,         ///< longer than a name may be (253), or has characters that none may have
    bad_onion,        ///< ends in .onion, and is no onion service's name of version 3
};

std::string_view describe(EndpointError error);

/// Reads `HOST`, `HOST:PORT`, `[IPv6]`, `[IPv6]:PORT` or a bare IPv6 address; `default_port` is
/// used if the port is missing. An onion service's name is checked, and put into lower case.
chain::Expected<Endpoint, EndpointError> parse_endpoint(std::string_view text,
                                                        std::uint16_t default_port);

/// Whether the host is an IP address, and not a name that must be resolved.
bool is_ip_address(const std::string& host);

/// As parse_endpoint() reads it, the port always included.
std::string to_string(const Endpoint& endpoint);

}  // namespace petal::net
