#include "net/io/dial/peer_endpoint.h"

#include <algorithm>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>
#include <cassert>
#include <string>

#include "net/discovery/dns_seed_list.h"
#include "net/io/dial/onion_address.h"

namespace petal::net {

namespace ip = boost::asio::ip;

namespace {

template <typename Array>
Array to_array(const chain::Bytes& host) {
    Array bytes{};
    assert(host.size() == bytes.size());
    std::copy(host.begin(), host.end(), bytes.begin());
    return bytes;
}

std::string host_text(const PeerAddress& address) {
    switch (address.kind) {
        case AddressKind::ipv4:
            return ip::address_v4{to_array<ip::address_v4::bytes_type>(address.host)}.to_string();
        case AddressKind::ipv6:
            return ip::address_v6{to_array<ip::address_v6::bytes_type>(address.host)}.to_string();
        case AddressKind::onion:
            return onion_name(to_array<OnionKey>(address.host));
    }
    return {};
}

/// The canonical form of a name, without the service label of a DNS seed.
std::string plain_name(std::string name) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    std::ranges::transform(name, name.begin(), lower);
    if (name.ends_with('.')) name.pop_back();
    if (services_asked_of(name) != 0) name.erase(0, name.find('.') + 1);
    return name == "localhost" || name.ends_with(".localhost") ? "127.0.0.1" : name;
}

template <typename Array>
chain::Bytes to_bytes(const Array& array) {
    return {array.begin(), array.end()};
}

}  // namespace

Endpoint endpoint_of(const PeerAddress& address) {
    return {host_text(address), address.port};
}

PeerAddress address_of(const ip::address& host, std::uint16_t port) {
    if (host.is_v4()) return {AddressKind::ipv4, to_bytes(host.to_v4().to_bytes()), port};
    const auto v6 = host.to_v6();
    if (v6.is_v4_mapped()) {
        const auto v4 = ip::make_address_v4(ip::v4_mapped, v6);
        return {AddressKind::ipv4, to_bytes(v4.to_bytes()), port};
    }
    return {AddressKind::ipv6, to_bytes(v6.to_bytes()), port};
}

std::optional<PeerAddress> address_of(const Endpoint& endpoint) {
    if (const auto key = parse_onion(endpoint.host)) {
        return PeerAddress{AddressKind::onion, to_bytes(*key), endpoint.port};
    }
    boost::system::error_code error;
    const auto host = ip::make_address(endpoint.host, error);
    if (error) return std::nullopt;
    return address_of(host, endpoint.port);
}

PeerIdentity identity_of(const Endpoint& dialled, const std::optional<ip::address>& reached) {
    const Endpoint plain{plain_name(dialled.host), dialled.port};
    const auto address =
        reached ? std::optional{address_of(*reached, dialled.port)} : address_of(plain);
    if (address)
        return {to_string(dialled), to_string(endpoint_of(*address)), network_group(*address)};
    return {to_string(dialled), to_string(plain), {plain.host.begin(), plain.host.end()}};
}

PeerIdentity identity_of(const Endpoint& dialled, const ip::tcp::socket& socket,
                         const std::optional<Endpoint>& proxy) {
    boost::system::error_code closed;  // the peer is gone
    const auto reached = socket.remote_endpoint(closed);
    if (proxy || closed) return identity_of(dialled);
    return identity_of(dialled, reached.address());
}

}  // namespace petal::net
