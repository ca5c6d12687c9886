/// The name or address and the port of a peer, as users write them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "chain/expected.h"

namespace petal::net {

/// A name or IP address without brackets, and a TCP port.
struct Endpoint {
    std::string host;
    std::uint16_t port = 0;

    friend bool operator==(const Endpoint&, const Endpoint&) = default;
};

enum class EndpointError : std::uint8_t {
    empty_host,
    bad_port,         ///< not a number from 1 to 65535
    missing_bracket,  ///< `[` without `]`, or text other than `:PORT` after `]`
    bad_host,         ///< longer than 253 characters, or invalid characters
    bad_onion,        ///< ends in .onion, but is not a Tor v3 name
};

std::string_view describe(EndpointError error);

/// Parses `HOST`, `HOST:PORT`, `[IPv6]`, `[IPv6]:PORT` or a bare IPv6 address. A missing port is
/// replaced by `default_port`. The name of an onion service is checked and converted to lower case.
chain::Expected<Endpoint, EndpointError> parse_endpoint(std::string_view text,
                                                        std::uint16_t default_port);

/// Whether the host is an IP address, not a name.
bool is_ip_address(const std::string& host);

/// The form that parse_endpoint() reads, always with the port.
std::string to_string(const Endpoint& endpoint);

}  // namespace petal::net
