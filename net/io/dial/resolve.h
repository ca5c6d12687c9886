/// Names into addresses, by the system's resolver.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/address.hpp>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "chain/expected.h"

namespace petal::net {

enum class ResolveError : std::uint8_t {
    no_such_host,  ///< or it has no addresses
    no_answer,     ///< in time, or of any use
};

/// Never without an address.
using ResolvedHost = chain::Expected<std::vector<boost::asio::ip::address>, ResolveError>;

/// The host's addresses, the host itself where it is one: some thousands at most, as an answer of
/// DNS has room for no more. Neither the limit nor a cancellation waits for the resolver. An onion
/// service's name must not come here (RFC 7686).
boost::asio::awaitable<ResolvedHost> resolve(std::string host,
                                             std::chrono::steady_clock::duration limit);

}  // namespace petal::net
