/// The result of a broadcast.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
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

/// How far one peer has taken part in the broadcast. The README has the transitions.
enum class RelayState : std::uint8_t {
    connecting,          ///< the handshake is not complete
    handshake_complete,  ///< the peer may still send its feefilter, until it answers our ping
    no_relay,            ///< declines all transactions (BIP37's relay flag)
    fee_too_low,         ///< declines the transaction's fee (BIP133's feefilter)
    observing,           ///< would take the transaction, which was not announced to the peer
    relayed,             ///< announced the transaction, and did not get it from us
    announced,           ///< was sent an announcement
    ignored,             ///< was sent an announcement, and did not request the transaction in time
    fetched,             ///< requested the transaction, and got it
    silent,              ///< got the transaction, and did not announce or return it in time
    accepted,            ///< announced or returned the transaction after our announcement
    rejected,            ///< sent `reject` (BIP61)
};

class RelayStates {
public:
    constexpr RelayStates(std::initializer_list<RelayState> states) {
        for (const RelayState state : states) bits_ |= bit_of(state);
    }
    constexpr bool contains(RelayState state) const { return (bits_ & bit_of(state)) != 0; }

private:
    static constexpr unsigned bit_of(RelayState state) {
        return 1U << static_cast<unsigned>(state);
    }

    unsigned bits_ = 0;
};

/// One connection.
struct BroadcastPeer {
    PeerId id = 0;
    PeerIdentity identity;
    PeerClaims claims;
    bool has_filter = false;  ///< see BroadcastOptions::has_filter
    RelayState state = RelayState::connecting;
    bool fetched = false;                ///< got the transaction on request
    std::optional<std::string> refusal;  ///< the reason in its reject message (BIP61)
    std::optional<DisconnectReason> ended;

    /// Whether the transaction was announced to the peer, by us.
    bool was_announced_to() const;
    /// Whether the peer has shown that it has the transaction.
    bool has_it() const { return state == RelayState::accepted || state == RelayState::relayed; }
};

struct BroadcastReport {
    BroadcastOutcome outcome = BroadcastOutcome::no_peer;
    std::vector<BroadcastPeer> peers;  ///< in the order in which they were connected
    std::size_t announced_to = 0;
    std::size_t announced_to_filter_peers = 0;  ///< peers of announced_to that have a filter
    /// Peers with a filter that stayed connected, and only observed.
    std::size_t untold_filter_peers = 0;
    std::size_t fetched_by = 0;
    std::size_t accepted_by = 0;
    std::size_t seen_from = 0;  ///< network groups of the peers that relayed it
    bool timed_out = false;     ///< there was more to wait for
};

/// Computes the report's counts and outcome.
BroadcastReport make_report(std::vector<BroadcastPeer> peers);

}  // namespace petal::net
