/// A sync over real connections: dials peers, passes their messages to the sync engine, and carries
/// out its commands.
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
    /// The pause before an endpoint that failed is dialled again; doubles with each failure, up to
    /// last_backoff.
    std::chrono::milliseconds first_backoff{250};
    std::chrono::milliseconds last_backoff{10'000};
    /// Without a timeout, and unless persistent, the run ends when every peer has failed, or this
    /// long after the last serving peer was lost.
    std::chrono::milliseconds give_up_after{120'000};
};

/// Functions that a run calls as things happen; each may be empty.
struct SpvEvents {
    /// Called at most ten times a second, after each change of the phase, once when the sync
    /// becomes idle, and then every two seconds; with the bytes of all connections so far. Once
    /// all blocks are in (SyncPhase::listening), flush_headers was called for all headers before.
    std::function<void(const SyncStatus&, const Traffic&)> on_progress;
    /// For logs: called with each message that is sent to a peer (its address) or received.
    std::function<void(const std::string& peer, bool is_sent, std::string_view command,
                       std::size_t bytes)>
        on_message;
    /// Called when an endpoint has failed, or a seed has been looked up, with the result so far.
    std::function<void(const SpvResult&)> on_failure;
    /// Called when an exception ends the run, before run() rethrows it. An exception of this
    /// function is dropped, and ends the other syncs of a group.
    std::function<void(const std::exception_ptr&)> on_exception;
};

/// Writes to disk during a run, besides the watcher's; each function may be empty.
struct SpvSaves {
    /// Called to write headers and to release memory used for reading them: every two seconds or
    /// after some thousand blocks while they arrive, before a report that all blocks are in, and at
    /// the end.
    std::function<void()> flush_headers;
    /// Called when the address manager should be written: every `save_peers_every`, and at the end.
    std::function<void()> save_peers;
    std::chrono::milliseconds save_peers_every{300'000};
};

struct SpvOptions {
    /// The peers to sync from; an endpoint that is named twice counts once.
    std::vector<Endpoint> endpoints;
    /// A SOCKS5 proxy for every connection. It resolves names, too, so that this machine makes no
    /// DNS lookups for them.
    std::optional<Endpoint> proxy;
    /// Finds peers beyond the endpoints; null for none. Must outlive the client.
    EndpointFinder* search = nullptr;
    /// The services that feelers look for. With a search, while all peers are connected, a
    /// connection beyond `max_peers` occasionally tests whether a node is useful. Empty: no
    /// feelers.
    std::optional<HandshakeAims> feelers;
    /// The maximum number of peers connected at once, but for one more while no new block comes
    /// (TipWatch). Endpoints are dialled in their order; when one fails, the next one is dialled.
    std::size_t max_peers = 8;
    /// Ends the run after this time; until then it waits for peers.
    std::optional<std::chrono::milliseconds> timeout;
    /// Whether to wait for peers without a limit, at the start and when all peers are lost.
    bool persistent = false;
    /// The limit for all addresses of one endpoint together.
    std::chrono::milliseconds connect_timeout{5'000};
    SpvRedial redial;
    /// Whether SIGINT, SIGTERM and SIGHUP end the run as stop() does, while it lasts. A second one,
    /// a second later, ends the process, in case that a callback of the run is blocked.
    bool stop_on_signals = false;
    SpvEvents events;
    SpvSaves saves;
};

/// Drives one sync engine over TCP, with several peers at once. Everything happens on the thread
/// that calls run(), including the callbacks of the engine, the watcher and the options.
class SpvClient {
public:
    /// `engine` and `network` must outlive the client.
    SpvClient(SyncEngine& engine, const chain::NetworkParams& network, SpvOptions options);
    ~SpvClient();
    SpvClient(const SpvClient&) = delete;
    SpvClient& operator=(const SpvClient&) = delete;

    /// Syncs until the engine has finished, or until something else ends the sync (SyncOutcome).
    /// Before it returns, verified blocks were applied to the watcher, and flush_headers was
    /// called. Call this once.
    ///
    /// Rethrows exceptions of the watcher and the callbacks, after closing all connections.
    SpvResult run();

    /// Makes run() end soon, with `interrupted` unless it has ended already; also if called before
    /// run(). The only function that any thread may call.
    void stop();

private:
    std::unique_ptr<SpvRun> run_;
};

}  // namespace petal::net
