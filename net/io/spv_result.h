/// The result of a sync, in terms of endpoints and bytes.
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

/// Bytes over the wire, including message headers, but not those of TCP.
struct Traffic {
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_sent = 0;

    Traffic& operator+=(const Traffic& more);
};

enum class SyncOutcome : std::uint8_t {
    synced,
    timed_out,       ///< not synced within SpvOptions::timeout
    no_usable_peer,  ///< the reports state what each endpoint did
    interrupted,     ///< by stop() or a signal
};

std::string_view describe(SyncOutcome outcome);

/// Why a connection failed or ended.
struct EndpointFailure {
    DisconnectReason reason = DisconnectReason::unreachable;
    std::string detail;     ///< may be empty
    bool by_proxy = false;  ///< it is the proxy that failed; the endpoint had no part in it
};

/// The failure of an endpoint that could not be dialled.
EndpointFailure failure_of(DialError error);

/// A sentence's part such as "can't be reached (connection refused)", to follow the endpoint's
/// name.
std::string describe(const EndpointFailure& failure);

struct EndpointReport {
    Endpoint endpoint;
    std::uint32_t dials = 0;
    std::optional<EndpointFailure> last_failure;
};

/// One report for each endpoint, even if it is named twice.
std::vector<EndpointReport> reports_of(const std::vector<Endpoint>& endpoints);

/// The number of the endpoint's report; empty if there is none.
std::optional<std::size_t> find_report(const std::vector<EndpointReport>& reports,
                                       const Endpoint& endpoint);

/// The bytes of one connection; see also the engine's PeerReport of the same id.
struct PeerTraffic {
    PeerId peer = 0;
    Traffic traffic;
};

/// Drops the connections that the engine does not report any more.
void forget_unreported(std::vector<PeerTraffic>& connections,
                       const std::vector<PeerReport>& reports);

struct SpvResult {
    SyncOutcome outcome = SyncOutcome::no_usable_peer;
    /// In the order of the options, each once; then those that were found.
    std::vector<EndpointReport> endpoints;
    std::vector<PeerTraffic> peers;  ///< in the order of the engine's reports
    Traffic traffic;                 ///< of all connections
    SearchReport search{};
};

}  // namespace petal::net
