/// Filtered sync: syncs a watcher to the best chain over the connections that it is given.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chain/headers/header_chain.h"
#include "chain/watcher.h"
#include "net/peer/commands.h"
#include "net/peer/peer_identity.h"
#include "net/sync/headers/shared_headers.h"
#include "net/sync/peers/tip_watch.h"
#include "net/sync/state/sync_options.h"
#include "net/sync/state/sync_status.h"
#include "net/wire/message_header.h"

namespace petal::net {

/// The decisions of a sync. Pure: given the connections' events, the time and a seed, it returns
/// commands, and touches neither sockets nor clocks. Reads and extends `chain`, serves `watcher`.
///
/// Headers come from one peer at a time, blocks from all peers. A peer is asked for the lowest
/// blocks that are not in flight from any peer, and for as many as its pace needs. So no peer waits
/// for a slower one.
///
/// Memory is bounded:
/// - at most 16,384 blocks above the lowest missing block, with at most 24 MB of transactions
///   (BlockOptions::max_held_bytes)
/// - from each peer, one block that is arriving
/// - second opinions (SecondOpinions) and unconfirmed transactions (UnconfirmedMatches), within
///   their own limits
///
/// Exceptions of the watcher (a failing disk) pass through every on_ function. The engine is
/// unusable after an exception. Not thread-safe.
class SyncEngine {
public:
    /// `chain`, `watcher` and `shared` must outlive the engine.
    /// shared   by all engines on this chain, or null for a single engine
    SyncEngine(chain::HeaderChain& chain, chain::Watcher& watcher, SyncOptions options,
               SharedHeaders* shared = nullptr);
    ~SyncEngine();
    SyncEngine(const SyncEngine&) = delete;
    SyncEngine& operator=(const SyncEngine&) = delete;

    /// An outbound connection is open.
    void on_connected(PeerId peer, PeerIdentity identity, Now now);
    /// Whether a message is to be decoded, for on_message(). Returns false for a message that is
    /// dropped undecoded: a `tx` that was not requested or is larger than the request allows, and
    /// any message but the handshake's before the handshake is complete. Decoding costs time, and
    /// several times the message's size in memory. Fails for a `block` that was not requested.
    chain::Expected<bool, Violation> expects(PeerId peer, const Frame& frame) const;
    void on_message(PeerId peer, Message message, Now now);
    /// The peer sent bytes that are not a valid message. The engine answers with Disconnect.
    void on_bad_bytes(PeerId peer, DisconnectReason reason, std::string detail, Now now);
    /// The connection is closed, by whichever side. Not needed after a Disconnect command.
    void on_closed(PeerId peer, Now now);
    /// Call this at next_deadline(), or later or more often.
    void on_time(Now now);

    /// Returns the commands to execute, in order, and clears them. Call this after every on_
    /// function.
    std::vector<Command> take_commands();
    /// The steady time of the next on_time(), 0 while !is_current(). Empty if the engine only waits
    /// for peers, or has finished().
    std::optional<std::chrono::milliseconds> next_deadline() const;

    /// Whether the engine has handled the present best chain. False after another engine has moved
    /// the shared chain, until the next on_ function, which is due at once.
    bool is_current() const;

    /// Whether the watcher is synced to the best chain, and SyncOptions::wait_unconfirmed has
    /// passed.
    bool finished() const;
    const SyncStatus& status() const;
    /// Whether the last block is old, and another peer is wanted.
    const TipWatch& tip_watch() const;
    /// The number of network groups whose peers announced an unconfirmed transaction in this run,
    /// as far as remembered.
    std::size_t seen_from(const chain::Txid& txid) const;

    /// Applies complete blocks held for the next batch. Call this on an interruption, so that no
    /// verified block is lost.
    void flush(Now now);

    SyncEvents events;

private:
    struct Parts;
    std::unique_ptr<Parts> parts_;
};

}  // namespace petal::net
