/// A sync over real connections: dials peers, passes their messages to the sync engine, and
/// executes its commands.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "chain/network_params.h"
#include "net/io/dial/endpoint.h"
#include "net/io/search/endpoint_finder.h"
#include "net/io/spv_result.h"
#include "net/peer/handshake.h"
#include "net/sync/sync_engine.h"

namespace petal::net {

class SpvRun;

/// When a failed endpoint is dialled again, and when the run gives up.
struct SpvRedial {
    /// The pause before a failed endpoint is dialled again. Doubles with each failure, up to
    /// last_backoff.
    std::chrono::milliseconds first_backoff{250};
    std::chrono::milliseconds last_backoff{10'000};
    /// The run ends when every peer has failed, or this long after the last serving peer was lost.
    /// Ignored with a timeout or with `persistent`.
    std::chrono::milliseconds give_up_after{120'000};
};

/// Callbacks of a run. Each may be empty.
struct SpvEvents {
    /// Called at most ten times a second, after each change of the phase, once when the sync
    /// becomes idle, and then every two seconds. Traffic counts the bytes of all connections.
    /// Before the phase SyncPhase::listening is reported, flush_headers is called for all headers.
    std::function<void(const SyncStatus&, const Traffic&)> on_progress;
    /// For logs: called with each message that is sent to a peer (its address) or received.
    std::function<void(const std::string& peer, bool is_sent, std::string_view command,
                       std::size_t bytes)>
        on_message;
    /// Called with the result so far when an endpoint failed or a seed was looked up.
    std::function<void(const SpvResult&)> on_failure;
    /// Called when no further node can be found, although nodes were reached. Returns whether the
    /// search looks for other nodes from now on (EndpointFinder::look_for()). If not, a run without
    /// a timeout that is not persistent gives up. May be called again.
    std::function<bool()> on_exhausted;
    /// Called when an exception ends the run, before run() rethrows the exception. If this function
    /// throws, its exception is dropped, and the other syncs of the group end.
    std::function<void(const std::exception_ptr&)> on_exception;
};

/// Writes to disk during a run, besides the watcher's. Each function may be empty.
struct SpvSaves {
    /// Called to write headers, and to release the memory used for reading them: every two seconds
    /// or after some thousand blocks while data arrives, before SyncPhase::listening is reported,
    /// and at the end.
    std::function<void()> flush_headers;
    /// Called to write the address manager: every `save_peers_every`, and at the end.
    std::function<void()> save_peers;
    std::chrono::milliseconds save_peers_every{300'000};
};

struct SpvOptions {
    /// The peers to sync from. An endpoint that is listed twice counts once.
    std::vector<Endpoint> endpoints;
    /// A SOCKS5 proxy for every connection. The proxy also resolves names, so that this machine
    /// makes no DNS lookups for them.
    std::optional<Endpoint> proxy;
    /// Finds peers beyond the endpoints. Null: only the endpoints are used. Must outlive the
    /// client.
    EndpointFinder* search = nullptr;
    /// With a search, while all slots are taken, one connection beyond `max_peers` occasionally
    /// tests whether a node is useful (a feeler).
    bool feelers = false;
    /// The maximum number of peers connected at once, plus one while no new block arrives
    /// (TipWatch). Endpoints are dialled in order. When one fails, the next is dialled.
    std::size_t max_peers = 8;
    /// Ends the run after this time. Until then, the run waits for peers.
    std::optional<std::chrono::milliseconds> timeout;
    /// Whether to wait for peers without limit, at the start and when all peers are lost.
    bool persistent = false;
    /// The time limit for an endpoint, including all its addresses.
    std::chrono::milliseconds connect_timeout{5'000};
    SpvRedial redial;
    /// Whether SIGINT, SIGTERM and SIGHUP end the run like stop(). A second signal, at least one
    /// second later, ends the process, in case a callback of the run is blocked.
    bool stop_on_signals = false;
    SpvEvents events;
    SpvSaves saves;
};

/// Drives a sync engine over TCP, with several peers at once. Everything happens on the thread that
/// calls run(), including the callbacks of the engine, the watcher and the options.
class SpvClient {
public:
    /// `engine` and `network` must outlive the client.
    SpvClient(SyncEngine& engine, const chain::NetworkParams& network, SpvOptions options);
    ~SpvClient();
    SpvClient(const SpvClient&) = delete;
    SpvClient& operator=(const SpvClient&) = delete;

    /// Syncs until the engine has finished, or until the sync ends for another reason
    /// (SyncOutcome). Before run() returns, verified blocks are applied to the watcher, and
    /// flush_headers is called. Call run() once.
    ///
    /// Rethrows exceptions of the watcher and the callbacks, after closing all connections.
    SpvResult run();

    /// Makes run() end soon, with `interrupted` unless it has ended already. May be called before
    /// run(). The only function that other threads may call.
    void stop();

private:
    std::unique_ptr<SpvRun> run_;
};

}  // namespace petal::net
