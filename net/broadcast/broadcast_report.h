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

/// How far the transaction was relayed, as far as peers show it: few nodes send `reject`.
enum class BroadcastOutcome : std::uint8_t {
    relayed,   ///< peers that did not get it from us announce it
    accepted,  ///< peers that got it from us have it, and others have not announced it yet
    known,     ///< peers that were told of it had it already
    refused,   ///< a peer that got it from us says that it does not take it
    dropped,   ///< peers got it from us, and none shows that it has kept it
    ignored,   ///< no peer that was told of it asked for it
    low_fee,   ///< it pays less than those ask that take transactions
    no_relay,  ///< those that completed a handshake take no transactions
    no_peer,   ///< no peer completed a handshake, or stayed long enough to be told
};

/// A stable kebab-case word for programs.
std::string_view code_of(BroadcastOutcome outcome);

/// Whether the transaction has reached the network.
bool has_spread(BroadcastOutcome outcome);

/// One connection.
struct BroadcastPeer {
    PeerId id = 0;
    PeerIdentity identity;
    std::string user_agent;  ///< empty where it never said
    std::uint64_t services = 0;
    bool greeted = false;  ///< the handshake was completed
    bool takes_transactions = true;
    chain::Satoshis least_fee_rate = 0;  ///< satoshi per 1,000 vB, as far as it said
    bool refuses_fee = false;            ///< the transaction pays less than that
    bool has_filter = false;             ///< see BroadcastOptions::has_filter
    bool announced = false;              ///< we told it
    bool fetched = false;                ///< it asked for the transaction, and got it
    bool has_it = false;                 ///< gave it back on request, or told us of it
    bool saw_it = false;                 ///< told us of it without having been told
    std::optional<std::string> refusal;  ///< why it does not take it, in its words (BIP61)
    std::optional<DisconnectReason> ended;

    /// Whether it takes the transaction, as far as it said, and was neither told nor saw it.
    bool is_untold_taker() const {
        return greeted && takes_transactions && !refuses_fee && !announced && !saw_it;
    }
};

struct BroadcastReport {
    BroadcastOutcome outcome = BroadcastOutcome::no_peer;
    std::vector<BroadcastPeer> peers;  ///< in the order in which they were connected
    std::size_t announced_to = 0;
    std::size_t announced_to_filter_peers = 0;  ///< of these, those that have a filter
    /// Connected to the end, with a filter: that take it, and neither were told nor saw it.
    std::size_t untold_filter_peers = 0;
    std::size_t fetched_by = 0;
    std::size_t accepted_by = 0;  ///< peers that were told and have it
    std::size_t seen_from = 0;    ///< network groups of those that told us
    bool timed_out = false;       ///< there was more to wait for
};

/// Computes the report's counts and outcome.
BroadcastReport make_report(std::vector<BroadcastPeer> peers);

}  // namespace petal::net
