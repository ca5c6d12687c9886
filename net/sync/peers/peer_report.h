/// What a sync says of its peers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "net/peer/commands.h"

namespace petal::net {

/// A peer as users see it.
struct PeerReport {
    PeerId id = 0;
    std::string address;
    std::string node;  ///< see PeerIdentity
    std::string user_agent;
    std::uint64_t services = 0;
    std::int32_t height = 0;             ///< as its version message claims
    bool answered = false;               ///< sent headers, or said that it has no more
    bool has_filter = false;             ///< got one in this run, or is about to
    chain::Satoshis least_fee_rate = 0;  ///< satoshi per 1,000 vB, as far as it said (BIP133)
    /// Whether the last block that it has shown is one of the best chain, or stands where that
    /// ends; nothing while it has not shown all its headers.
    std::optional<bool> on_best_chain;
    std::uint64_t blocks = 0;               ///< filtered blocks it served
    std::uint64_t misbehaviour = 0;         ///< how often it broke a rule
    std::optional<DisconnectReason> ended;  ///< empty while connected
};

/// The peer's report; null if it was dropped.
const PeerReport* find_report(const std::vector<PeerReport>& reports, PeerId peer);
PeerReport* find_report(std::vector<PeerReport>& reports, PeerId peer);

}  // namespace petal::net
