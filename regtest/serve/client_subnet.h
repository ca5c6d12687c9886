/// Ranges of IP addresses that may use a server.
#pragma once

#include <boost/asio/ip/address.hpp>
#include <optional>
#include <string_view>

namespace petal::regtest {

/// An IP address, or all addresses that start with the same bits.
class ClientSubnet {
public:
    /// Parses `ADDRESS`, `ADDRESS/BITS` or `ADDRESS/NETMASK`, as Bitcoin Core's -rpcallowip. Empty
    /// for other text, also for a netmask with a one after a zero.
    static std::optional<ClientSubnet> parse(std::string_view text);

    /// An IPv4 address in IPv6 form counts as the IPv4 address.
    bool contains(const boost::asio::ip::address& address) const;

private:
    boost::asio::ip::address address_;
    unsigned bits_ = 0;
};

}  // namespace petal::regtest
