#include "net/io/dial/endpoint.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/system/error_code.hpp>
#include <optional>

#include "chain/bytes.h"
#include "chain/enum_table.h"
#include "net/io/dial/onion_address.h"

namespace petal::net {

namespace {

constexpr std::size_t kMaxHostBytes = 253;  // RFC 1035

struct Parts {
    std::string_view host;
    std::optional<std::string_view> port;
};

chain::Expected<Parts, EndpointError> split(std::string_view text) {
    if (text.starts_with('[')) {
        const auto end = text.find(']');
        if (end == std::string_view::npos) return chain::Unexpected{EndpointError::missing_bracket};
        const auto host = text.substr(1, end - 1);
        const auto rest = text.substr(end + 1);
        if (rest.empty()) return Parts{host, {}};
        if (rest[0] != ':') return chain::Unexpected{EndpointError::missing_bracket};
        return Parts{host, rest.substr(1)};
    }
    const auto colon = text.find(':');
    if (colon == std::string_view::npos || text.find(':', colon + 1) != std::string_view::npos) {
        return Parts{text, {}};  // no colon, or a bare IPv6 address
    }
    return Parts{text.substr(0, colon), text.substr(colon + 1)};
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
    const auto port = chain::parse_number<std::uint16_t>(text);
    return port == 0 ? std::nullopt : port;
}

bool may_be_in_host(char c) {
    const bool alphanumeric =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return alphanumeric || std::string_view{".-_:%"}.find(c) != std::string_view::npos;
}

}  // namespace

std::string_view describe(EndpointError error) {
    using enum EndpointError;
    static constexpr auto kTexts = chain::enum_table<EndpointError, std::string_view>({
        {empty_host, "the host is missing"},
        {bad_port, "the port is not a number from 1 to 65535"},
        {missing_bracket, "an IPv6 address with a port is written [ADDRESS]:PORT"},
        {bad_host, "this is neither a host name nor an IP address"},
        {bad_onion,
         "this is no onion address of version 3: 56 characters and .onion, the last few "
         "of which check the others"},
    });
    return kTexts[error];
}

chain::Expected<Endpoint, EndpointError> parse_endpoint(std::string_view text,
                                                        std::uint16_t default_port) {
    const auto parts = split(text);
    if (!parts) return chain::Unexpected{parts.error()};
    if (parts->host.empty()) return chain::Unexpected{EndpointError::empty_host};
    if (parts->host.size() > kMaxHostBytes || !std::ranges::all_of(parts->host, may_be_in_host)) {
        return chain::Unexpected{EndpointError::bad_host};
    }
    const auto port = parts->port ? parse_port(*parts->port) : std::optional{default_port};
    if (!port) return chain::Unexpected{EndpointError::bad_port};
    if (is_onion_name(parts->host)) {
        const auto key = parse_onion(parts->host);
        if (!key) return chain::Unexpected{EndpointError::bad_onion};
        return Endpoint{onion_name(*key), *port};
    }
    return Endpoint{std::string{parts->host}, *port};
}

bool is_ip_address(const std::string& host) {
    boost::system::error_code error;
    boost::asio::ip::make_address(host, error);
    return !error;
}

std::string to_string(const Endpoint& endpoint) {
    const bool bracketed = endpoint.host.find(':') != std::string::npos;
    const std::string host = bracketed ? "[" + endpoint.host + "]" : endpoint.host;
    return host + ":" + std::to_string(endpoint.port);
}

}  // namespace petal::net
