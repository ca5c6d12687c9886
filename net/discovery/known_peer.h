/// The record of one node, and how the end of a connection changes the record.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "net/peer/commands.h"
#include "net/wire/peer_address.h"

namespace petal::net {

// Spans of Unix time, in seconds.
inline constexpr std::int64_t kMinute = 60;
inline constexpr std::int64_t kHour = 60 * kMinute;
inline constexpr std::int64_t kDay = 24 * kHour;

/// The outcome of the last connection to a node.
enum class PeerOutcome : std::uint8_t {
    served,         ///< brought a sync forward
    answered,       ///< sent a version message to a feeler and serves filters
    unreachable,    ///< no connection, while other nodes could be reached
    no_bloom,       ///< does not serve filters or old blocks, or is too old
    wrong_network,  ///< of another network, or not a Bitcoin node
    too_slow,
    bad_data,
    refused,        ///< ended the connection for its own reasons, e.g. an upload target
    low_work,       ///< its chain has less work than required
    lighter_chain,  ///< its chain forks off the stored one near the tip, and has no more work
    other_chain,    ///< it follows another chain for good
    lesser_branch,  ///< its chain forks off the stored one, and has far less work
};

/// A stable kebab-case word; other_chain and lesser_branch have the same, as only their pauses
/// differ.
std::string_view code_of(PeerOutcome outcome);
/// The first outcome with this code; empty for any other text.
std::optional<PeerOutcome> parse_peer_outcome(std::string_view code);

/// Whether a connection was useful.
enum class PeerService : std::uint8_t {
    none,
    answered,  ///< it showed that there is nothing more to fetch, or repeated known data
    advanced,  ///< it brought the sync further
};

/// The outcome that is recorded for a connection's end. Empty if the end says nothing about the
/// node: the sync was finished, or the node is ourselves. All misbehaviour counts as bad data. A
/// node that disconnects before it has advanced the sync is paused, too, so that it is not dialled
/// again and again.
std::optional<PeerOutcome> outcome_of(DisconnectReason reason, PeerService service);

/// One node. Times are Unix seconds.
struct KnownPeer {
    PeerAddress address;
    chain::Bytes source;         ///< the network group of the peer that gossiped it, or a name
    std::uint64_t services = 0;  ///< as gossiped, until the node has stated them
    std::int64_t last_seen = 0;  ///< by gossip, or its last connection
    std::int64_t last_attempt = 0;
    std::int64_t last_success = 0;  ///< when it served or answered a feeler; 0: never
    std::uint32_t failures = 0;     ///< since the last success
    std::optional<PeerOutcome> last_outcome;
    std::int64_t not_before = 0;  ///< not dialled before this time
    bool tried = false;           ///< it has served, or answered a feeler
    bool by_user = false;         ///< never evicted

    friend bool operator==(const KnownPeer&, const KnownPeer&) = default;
};

/// The address without the port, which all ports of a host have in common.
inline PeerAddress host_of(PeerAddress address) {
    address.port = 0;
    return address;
}

/// Whether the outcome is a success.
inline bool is_success(PeerOutcome outcome) {
    return outcome == PeerOutcome::served || outcome == PeerOutcome::answered;
}
/// Whether the node did not answer at all, which may be this machine's fault.
bool is_silence(PeerOutcome outcome);

/// Whether the outcome depends on the chain that is stored here, so that it is void without it.
bool is_by_stored_chain(PeerOutcome outcome);

/// How many seconds a node with this outcome is not dialled.
/// failures   how often it had failed in a row before
/// by_user    added by the user: paused for at most a minute if the cause may be temporary
std::int64_t pause_after(PeerOutcome outcome, std::uint32_t failures, bool by_user);

/// Records that the node served or answered.
void note_success(KnownPeer& peer, PeerOutcome outcome, std::int64_t now);
/// Records that the node failed, and pauses it.
void note_failure(KnownPeer& peer, PeerOutcome outcome, std::int64_t now);

/// Whether the node is in its pause. A pause that ends later than any pause can last was set by a
/// wrong clock, and is ignored.
bool is_left_alone(const KnownPeer& peer, std::int64_t now);

}  // namespace petal::net
