/// The result of a broadcast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chain/transaction.h"
#include "net/peer/commands.h"
#include "net/peer/peer_identity.h"

namespace petal::net {

/// How far the transaction was relayed, as far as peers show: few nodes send `reject`.
enum class BroadcastOutcome : std::uint8_t {
    relayed,   ///< peers that did not get it from us announce it
    accepted,  ///< peers that got it from us have it; no other peer has announced it yet
    known,     ///< peers to which it was announced had it already
    refused,   ///< a peer that got it from us rejected it
    dropped,   ///< peers got it from us, and none shows that it has kept it
    ignored,   ///< no peer to which it was announced requested it
    low_fee,   ///< its fee is below the feefilter of all peers that take transactions
    no_relay,  ///< those that completed a handshake take no transactions
    no_peer,   ///< no peer completed a handshake, or stayed until it could be announced
};

/// A stable kebab-case word for programs.
std::string_view code_of(BroadcastOutcome outcome);

/// A sentence about the transaction, which it calls "it".
std::string_view describe(BroadcastOutcome outcome);

/// Whether the transaction has reached the network.
bool has_spread(BroadcastOutcome outcome);

/// One connection.
struct BroadcastPeer {
    PeerId id = 0;
    PeerIdentity identity;
    PeerClaims claims;
    bool greeted = false;                ///< the handshake was completed
    bool refuses_fee = false;            ///< the transaction pays less than its feefilter
    bool has_filter = false;             ///< see BroadcastOptions::has_filter
    bool announced = false;              ///< to the peer, by us
    bool fetched = false;                ///< it asked for the transaction, and got it
    bool has_it = false;                 ///< gave it back on request, or announced it
    bool saw_it = false;                 ///< announced it, though we had not announced it before
    std::optional<std::string> refusal;  ///< the reason in its reject message (BIP61)
    std::optional<DisconnectReason> ended;

    /// Whether it accepts the transaction as far as it has stated, and has neither received nor
    /// sent an announcement of it.
    bool is_observer() const {
        return greeted && claims.takes_transactions && !refuses_fee && !announced && !saw_it;
    }
};

struct BroadcastReport {
    BroadcastOutcome outcome = BroadcastOutcome::no_peer;
    std::vector<BroadcastPeer> peers;  ///< in the order in which they were connected
    std::size_t announced_to = 0;
    std::size_t announced_to_filter_peers = 0;  ///< those of them that have a filter
    /// Peers with a filter that stayed connected and only observed (BroadcastPeer::is_observer()).
    std::size_t untold_filter_peers = 0;
    std::size_t fetched_by = 0;
    std::size_t accepted_by = 0;  ///< peers to which it was announced, and that have it
    std::size_t seen_from = 0;    ///< network groups of the peers that saw it
    bool timed_out = false;       ///< there was more to wait for
};

/// Computes the report's counts and outcome.
BroadcastReport make_report(std::vector<BroadcastPeer> peers);

}  // namespace petal::net
