/// Names into addresses, by the system's resolver.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/address.hpp>
#include <chrono>
#include <string>
#include <vector>

namespace petal::net {

/// What a name stands for may be this many addresses; further ones are dropped.
inline constexpr std::size_t kMaxAddressesOfName = 256;

/// The host's addresses, the host itself where it is one; none where it has none, or where that is
/// not known within `limit`. Neither the limit nor a cancellation waits for the resolver. An onion
/// service's name must not come here (RFC 7686).
boost::asio::awaitable<std::vector<boost::asio::ip::address>> resolve(
    std::string host, std::chrono::steady_clock::duration limit);

}  // namespace petal::net
