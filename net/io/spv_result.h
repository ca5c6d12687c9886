/// The result of a sync: endpoints, bytes, and the outcome.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/io/dial/dial.h"
#include "net/io/dial/endpoint.h"
#include "net/io/search/search_report.h"
#include "net/peer/commands.h"
#include "net/sync/peers/peer_report.h"

namespace petal::net {

/// Bytes on the wire, with message headers but without TCP headers.
struct Traffic {
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_sent = 0;

    Traffic& operator+=(const Traffic& more);
};

enum class SyncOutcome : std::uint8_t {
    synced,
    timed_out,       ///< not synced within SpvOptions::timeout
    no_usable_peer,  ///< see the report of each endpoint
    interrupted,     ///< by stop() or a signal
};

std::string_view describe(SyncOutcome outcome);

/// Why a connection failed or ended.
struct EndpointFailure {
    DisconnectReason reason = DisconnectReason::unreachable;
    std::string detail;     ///< may be empty
    bool by_proxy = false;  ///< the proxy failed, not the endpoint
};

EndpointFailure failure_of(DialError error);

/// A predicate such as "can't be reached (connection refused)".
std::string describe(const EndpointFailure& failure);

struct EndpointReport {
    Endpoint endpoint;
    std::uint32_t dials = 0;
    std::optional<EndpointFailure> last_failure;
};

/// One report per endpoint, even if the endpoint is listed twice.
std::vector<EndpointReport> reports_of(const std::vector<Endpoint>& endpoints);

/// The index of the endpoint's report. Empty if there is none.
std::optional<std::size_t> find_report(const std::vector<EndpointReport>& reports,
                                       const Endpoint& endpoint);

/// The bytes of one connection. See the engine's PeerReport with the same id.
struct PeerTraffic {
    PeerId peer = 0;
    Traffic traffic;
};

/// Drops connections that the engine no longer reports.
void forget_unreported(std::vector<PeerTraffic>& connections,
                       const std::vector<PeerReport>& reports);

struct SpvResult {
    SyncOutcome outcome = SyncOutcome::no_usable_peer;
    /// Endpoints of the options in order, each once, then endpoints of the search.
    std::vector<EndpointReport> endpoints;
    std::vector<PeerTraffic> peers;  ///< in the order of the engine's reports
    Traffic traffic;                 ///< of all connections
    SearchReport search{};
};

}  // namespace petal::net
