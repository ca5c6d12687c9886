/// Resolves names to addresses, by the system's resolver.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/address.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "chain/expected.h"

namespace petal::net {

enum class ResolveError : std::uint8_t {
    no_such_host,  ///< no such name, or no addresses
    no_answer,     ///< none in time, or a useless one
};

/// At least one address, or the error.
using ResolvedHost = chain::Expected<std::vector<boost::asio::ip::address>, ResolveError>;

/// Resolves a name. Blocks until the result is known.
using Lookup = std::function<ResolvedHost(const std::string&)>;

/// The result of `lookup`, or no_answer after the limit. A lookup cannot be interrupted. Therefore
/// it runs on its own thread, which is abandoned on a timeout or if the caller is cancelled.
boost::asio::awaitable<ResolvedHost> look_up_in_time(std::string host,
                                                     std::chrono::steady_clock::duration limit,
                                                     Lookup lookup);

/// The addresses of a host, or the host itself if it is an address. A DNS answer has a few thousand
/// addresses at most. Neither the limit nor a cancellation waits for the resolver. Must not be
/// called with the name of an onion service (RFC 7686).
boost::asio::awaitable<ResolvedHost> resolve(std::string host,
                                             std::chrono::steady_clock::duration limit);

}  // namespace petal::net
