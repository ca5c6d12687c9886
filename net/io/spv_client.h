/// A whole sync over real connections: dials peers, feeds the sync engine, and does what it says.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chain/network_params.h"
#include "net/io/dial_plan.h"
#include "net/io/endpoint.h"
#include "net/sync/sync_engine.h"

namespace petal::net {

/// Bytes over the wire, headers of messages included, those of TCP not.
struct Traffic {
    std::uint64_t bytes_received = 0;
    std::uint64_t bytes_sent = 0;

    Traffic& operator+=(const Traffic& more);
};

struct SpvOptions {
    /// Whom to sync from: one at a time, in this order as long as each fails.
    std::vector<Endpoint> endpoints;
    /// Bounds the whole run, which then waits that long for peers that are not there yet. Without
    /// it the run ends when every peer has failed, or `give_up_after` one that served is gone.
    std::optional<std::chrono::milliseconds> timeout;
    std::chrono::milliseconds give_up_after{120'000};
    /// For all addresses of one endpoint together.
    std::chrono::milliseconds connect_timeout{5'000};
    /// How long an endpoint that failed is left alone; doubles with each failure, up to the other.
    std::chrono::milliseconds first_backoff{250};
    std::chrono::milliseconds last_backoff{10'000};
    /// Whether SIGINT and SIGTERM end the run as stop() does, while it lasts.
    bool stop_on_signals = false;

    /// Called at most ten times a second, and whenever the phase has changed; with the bytes of all
    /// connections so far.
    std::function<void(const SyncStatus&, const Traffic&)> on_progress;
    /// Called when headers should be written to disk: every two seconds at most, and at the end.
    std::function<void()> flush_headers;
};

enum class SyncOutcome : std::uint8_t {
    synced,
    timed_out,       ///< not synced within SpvOptions::timeout
    no_usable_peer,  ///< the reports say what each endpoint did
    interrupted,     ///< by stop() or a signal
};

/// Why a connection failed or ended.
struct EndpointFailure {
    DisconnectReason reason = DisconnectReason::unreachable;
    std::string detail;  ///< what exactly; may be empty
};

/// A sentence's part such as "can't be reached (connection refused)", to follow the endpoint's
/// name.
std::string describe(const EndpointFailure& failure);

struct EndpointReport {
    Endpoint endpoint;
    std::uint32_t dials = 0;
    std::optional<EndpointFailure> last_failure;
};

/// The bytes of one connection, which the engine's PeerReport of the same id tells more of.
struct PeerTraffic {
    PeerId peer = 0;
    Traffic traffic;
};

struct SpvResult {
    SyncOutcome outcome = SyncOutcome::no_usable_peer;
    std::vector<EndpointReport> endpoints;  ///< as in the options
    std::vector<PeerTraffic> peers;         ///< in the order in which they were connected
    Traffic traffic;                        ///< of them all
};

/// Drives one sync engine over TCP. Everything happens on the thread that calls run(), the
/// callbacks of the engine, the watcher and the options included.
class SpvClient {
public:
    /// `engine` and `network` must outlive the client.
    SpvClient(SyncEngine& engine, const chain::NetworkParams& network, SpvOptions options);
    ~SpvClient();
    SpvClient(const SpvClient&) = delete;
    SpvClient& operator=(const SpvClient&) = delete;

    /// Syncs until the engine has finished or the outcome is another. What was verified by then has
    /// gone to the watcher, and the headers to flush_headers. To be called once.
    ///
    /// Whatever the watcher and the callbacks throw leaves it unchanged, with all connections
    /// closed.
    SpvResult run();

    /// Makes run() end soon, with `interrupted` unless it has ended already; also when called
    /// before it. The only function that any thread may call.
    void stop();

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace petal::net
