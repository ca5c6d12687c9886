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
    /// transaction: as first recipient, this node would learn from the filter that the wallet owns
    /// the transaction. Empty if no node has a filter.
    std::function<bool(const std::string& node)> has_filter;
};

/// The decisions of a broadcast. Pure, like SyncEngine: given events and the time, it returns
/// commands. Peer handles handshake, pings and fee filter. BroadcastSessions keeps the state of
/// each connection, and decides when the broadcast ends. AnnouncementPolicy chooses the recipients.
///
/// A relay is an announcement by a peer that got none from us. Observers get no filter: they
/// announce all transactions, and do not learn which transaction is awaited. The transaction is
/// requested back from its recipients, since a node serves only transactions in its mempool.
/// Nothing is announced to a peer before the peer could state its limits (BIP37's relay flag,
/// BIP133's feefilter). A second connection to a node is closed. Otherwise the node would seem to
/// relay on one connection what we announced on the other.
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
    /// The peer sent bytes that are not a valid message. The engine answers with Disconnect.
    void on_bad_bytes(PeerId peer, DisconnectReason reason, std::string detail, Now now);
    /// The connection is closed, by whichever side. Not needed after a Disconnect command.
    void on_closed(PeerId peer, Now now);
    /// The availability of further peers has changed. PeerAvailability::now is assumed at the
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
