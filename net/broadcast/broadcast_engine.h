/// Broadcasts one transaction to the network over the connections that it is given.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "chain/watcher.h"
#include "net/broadcast/announcement_policy.h"
#include "net/broadcast/broadcast_report.h"
#include "net/broadcast/broadcast_sessions.h"
#include "net/peer/commands.h"
#include "net/peer/handshake.h"
#include "net/peer/random.h"
#include "net/peer/timers.h"
#include "net/peer/tx_server.h"
#include "net/wire/message_header.h"

namespace petal::net {

struct BroadcastOptions {
    std::string user_agent = kUserAgent;
    /// The time limit of the broadcast.
    std::chrono::milliseconds timeout{120'000};
    std::chrono::milliseconds handshake_timeout{10'000};
    std::uint64_t random_seed = 0;  ///< for nonces
    /// Unconfirmed ancestors of the transaction, each after its own ancestors. Announced with it,
    /// as peers may not have them yet.
    std::vector<chain::OwnTransaction> ancestors{};
    /// Whether this node (PeerIdentity::node) has a filter of the wallet that sends the
    /// transaction: if it is the first recipient, it learns from the filter that the transaction is
    /// the wallet's. Empty: no node has.
    std::function<bool(const std::string& node)> has_filter;
};

/// The decisions of a broadcast. Pure, like SyncEngine: given events and the time, it returns
/// commands. Peer handles handshake, pings and fee filter; BroadcastSessions keeps the state of
/// each connection, and decides when the broadcast ends; AnnouncementPolicy decides to which peers
/// the transaction is announced.
///
/// Announcements by peers to which it was not announced show that the transaction was relayed. No
/// filter is sent to peers: a peer without one announces all transactions, and does not learn which
/// one is awaited. A peer to which the transaction was announced is asked for it in turn, since a
/// node serves only transactions in its mempool. Nothing is announced to a peer before it could
/// state its limits (BIP37's relay flag, BIP133's feefilter). A node that is connected twice counts
/// once: otherwise its second connection would announce the transaction that we announced to its
/// first.
class BroadcastEngine {
public:
    /// The transaction must pass chain::check_transaction().
    BroadcastEngine(chain::OwnTransaction transaction, BroadcastOptions options, Now start);
    ~BroadcastEngine() = default;
    // Not copyable: its parts refer to each other.
    BroadcastEngine(const BroadcastEngine&) = delete;
    BroadcastEngine& operator=(const BroadcastEngine&) = delete;

    /// An outbound connection is open.
    void on_connected(PeerId peer, PeerIdentity identity, Now now);
    /// Whether a message is to be decoded, for on_message(). Returns false for a message that is
    /// dropped undecoded: a block, a `tx` that was not requested or is larger than the transaction,
    /// and any message but a handshake's before the handshake is complete.
    chain::Expected<bool, Violation> expects(PeerId peer, const Frame& frame) const;
    void on_message(PeerId peer, const Message& message, Now now);
    /// The peer sent bytes that are not a valid message; the engine answers with Disconnect.
    void on_bad_bytes(PeerId peer, DisconnectReason reason, std::string detail, Now now);
    /// The connection is closed, by whichever side. Not needed after a Disconnect command.
    void on_closed(PeerId peer, Now now);
    /// The availability of further peers has changed; PeerAvailability::now is assumed at the
    /// start.
    void on_availability(PeerAvailability availability, Now now);
    /// Call this at next_deadline(), or later or more often.
    void on_time(Now now);

    /// Returns the commands to execute, in order, and clears them. Call this after every on_
    /// function.
    std::vector<Command> take_commands();
    std::chrono::milliseconds next_deadline() const;
    /// Whether the peers have nothing more to report, or the time is over.
    bool finished() const { return end_ != End::none; }
    /// The report as of now.
    BroadcastReport report() const;

private:
    using Milliseconds = std::chrono::milliseconds;

    enum class End : std::uint8_t { none, enough, timed_out };

    void drop(BroadcastSession& session, const Violation& why);

    void on_other_message(BroadcastSession& session, const Message& message);
    void on_inventory(BroadcastSession& session, const Inv& message);
    void on_request(BroadcastSession& session, const GetData& message);
    void on_reject(BroadcastSession& session, const Reject& message);
    void on_claim(BroadcastSession& session);
    void apply(BroadcastSession& session, RelayEvent event) {
        sessions_.apply(session, event, now_);
    }

    void drive();
    bool pays(chain::Satoshis least_fee_rate) const;
    Deadline<End> next_end() const;
    void announce_to(BroadcastSession& session);
    void request_back(BroadcastSession& session);
    void request_mempool(BroadcastSession& session);
    void act_on_deadline(BroadcastSession& session, BroadcastSession::Due what);

    chain::Txid txid_;
    BroadcastOptions options_;
    SecretNumbers random_;
    TxServer tx_server_;
    BroadcastSessions sessions_;
    AnnouncementPolicy policy_;
    Outbox outbox_;
    Now now_;  // the time of the last event
    Milliseconds deadline_;
    End end_ = End::none;
};

}  // namespace petal::net
