/// A census: greets nodes to learn their services.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "net/discovery/addrman.h"
#include "net/io/dial/endpoint.h"
#include "net/io/search/endpoint_finder.h"
#include "net/io/search/search_report.h"
#include "net/wire/message_header.h"

namespace petal::net {

struct CensusOptions {
    /// Names that list nodes regardless of their services. Otherwise the nodes are no fair sample.
    /// Not queried through a proxy, which does not tell addresses.
    std::vector<std::string> seeds;
    std::uint16_t default_port = 0;
    Magic magic{};
    /// A SOCKS5 proxy for every connection.
    std::optional<Endpoint> proxy;
    bool onion_only = false;
    /// The maximum number of nodes that are greeted.
    std::size_t most_nodes = 500;
    /// The maximum number of connections at once.
    std::size_t at_once = 16;
    std::chrono::milliseconds connect_timeout{5'000};
    /// For the whole census.
    std::chrono::milliseconds timeout{120'000};
    bool stop_on_signals = false;
    SeedResolver resolver = resolve;
};

struct CensusResult {
    std::size_t known = 0;                ///< nodes to greet if there were no limits
    std::size_t greeted = 0;              ///< nodes with an outcome
    std::vector<std::uint64_t> services;  ///< of each node that answered
    SeedLookups seed_lookups{};
    bool is_complete = true;   ///< neither the timeout nor a signal ended it
    bool interrupted = false;  ///< by a signal
    std::chrono::milliseconds duration{0};
};

/// Queries the seeds, then greets known nodes in random order (AddrMan::draw_for_census()): one
/// connection to each, on which only our version message is sent (run_feeler()). Records services
/// and outcomes in the address manager. Ends when no node is left, at the timeout or by a signal.
CensusResult take_census(AddrMan& addrman, const CensusOptions& options);

}  // namespace petal::net
