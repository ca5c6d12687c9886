/// The report of a sync's peers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "net/peer/commands.h"
#include "net/peer/peer_identity.h"

namespace petal::net {

/// Whether a peer has shown a header that is too far ahead of the clock (HeaderSync::too_new()).
enum class AheadOfClock : std::uint8_t {
    no,
    early,  ///< it will count soon, and is asked for again (if_early())
    far,    ///< nothing waits for it: some clock is wrong
};

/// A peer as users see it.
struct PeerReport {
    PeerId id = 0;
    std::string address;
    std::string node;    ///< see PeerIdentity
    chain::Bytes group;  ///< see PeerIdentity
    PeerClaims claims;
    bool answered = false;    ///< sent headers, or said that it has no more
    bool has_filter = false;  ///< got one in this run, or is about to get one
    /// Whether the last block that the peer has shown is on the best chain, or on a branch near its
    /// tip. Empty while the peer has not sent all its headers.
    std::optional<bool> on_best_chain;
    AheadOfClock ahead_of_clock = AheadOfClock::no;
    std::uint64_t blocks = 0;               ///< filtered blocks it served
    std::uint64_t misbehaviour = 0;         ///< how often it broke a rule
    std::optional<DisconnectReason> ended;  ///< empty while connected
};

/// The peer's report. Null if the report was dropped.
const PeerReport* find_report(const std::vector<PeerReport>& reports, PeerId peer);
PeerReport* find_report(std::vector<PeerReport>& reports, PeerId peer);

}  // namespace petal::net
