/// Names into addresses, by the system's resolver.
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
    no_such_host,  ///< or it has no addresses
    no_answer,     ///< in time, or of any use
};

/// Never without an address.
using ResolvedHost = chain::Expected<std::vector<boost::asio::ip::address>, ResolveError>;

/// Finds the addresses of a name, and blocks meanwhile.
using Lookup = std::function<ResolvedHost(const std::string&)>;

/// The addresses that `lookup` finds, or no_answer after the limit. A lookup can't be interrupted,
/// so it runs on a thread of its own, which is abandoned on a timeout or if the caller is
/// cancelled.
boost::asio::awaitable<ResolvedHost> look_up_in_time(std::string host,
                                                     std::chrono::steady_clock::duration limit,
                                                     Lookup lookup);

/// The host's addresses by the system's resolver, or the host itself if it is an address. At most
/// some thousands, the maximum of a DNS answer. Neither the limit nor a cancellation waits for the
/// resolver. Must not be called with the name of an onion service (RFC 7686).
boost::asio::awaitable<ResolvedHost> resolve(std::string host,
                                             std::chrono::steady_clock::duration limit);

}  // namespace petal::net
