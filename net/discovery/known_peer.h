/// The record of one node, and how the end of a connection changes the record.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "net/peer/commands.h"
#include "net/wire/peer_address.h"

namespace petal::net {

// Unix time, in seconds.
inline constexpr std::int64_t kMinute = 60;
inline constexpr std::int64_t kHour = 60 * kMinute;
inline constexpr std::int64_t kDay = 24 * kHour;

/// The outcome of the last connection to a node.
enum class PeerOutcome : std::uint8_t {
    served,          ///< advanced a sync
    answered,        ///< answered a feeler, and has the services needed
    unreachable,     ///< no connection, although other nodes could be reached
    lacks_services,  ///< has not the services that the run needed (lacks_services())
    too_old,
    wrong_network,  ///< another network, or not a Bitcoin node
    too_slow,
    bad_data,
    refused,        ///< ended the connection for its own reasons, such as an upload target
    low_work,       ///< chain with less work than required
    lighter_chain,  ///< chain forks from the stored chain near the tip, without more work
    other_chain,    ///< follows another chain for good
    lesser_branch,  ///< chain forks from the stored chain, with far less work
};

/// A stable kebab-case word. other_chain and lesser_branch share a word, because they differ only
/// in the pause.
std::string_view code_of(PeerOutcome outcome);
/// The first outcome with this code. Empty for an unknown code.
std::optional<PeerOutcome> parse_peer_outcome(std::string_view code);

/// Whether a connection was useful.
enum class PeerService : std::uint8_t {
    none,
    answered,  ///< showed that there is nothing to fetch, or repeated known data
    advanced,  ///< advanced the sync
};

/// The outcome to record for the end of a connection. Empty if the end says nothing about the node:
/// the sync was finished, or the node is ourselves. All misbehaviour counts as bad data. A node
/// that disconnects before any progress is paused, too, and not dialled over and over.
std::optional<PeerOutcome> outcome_of(DisconnectReason reason, PeerService service);

/// One node. Times are Unix seconds.
struct KnownPeer {
    PeerAddress address;
    chain::Bytes source;         ///< network group of the peer that gossiped the address, or a name
    std::uint64_t services = 0;  ///< gossiped, later from the version message
    std::int64_t last_seen = 0;  ///< last gossip or connection
    std::int64_t last_attempt = 0;
    std::int64_t last_success = 0;  ///< last time that it served or answered a feeler (0: never)
    std::uint32_t failures = 0;     ///< since the last success
    std::optional<PeerOutcome> last_outcome;
    std::int64_t not_before = 0;     ///< not dialled before this time
    bool tried = false;              ///< has served, or answered a feeler
    bool by_user = false;            ///< never evicted
    std::int64_t services_time = 0;  ///< last version message (0: services are only gossiped)

    friend bool operator==(const KnownPeer&, const KnownPeer&) = default;
};

/// The address with port 0, which is the same for all ports of a host.
inline PeerAddress host_of(PeerAddress address) {
    address.port = 0;
    return address;
}

/// Whether the node is said to have all of these services.
inline bool has_services(const KnownPeer& peer, std::uint64_t services) {
    return (peer.services & services) == services;
}

/// How long a node's own statement of its services counts.
inline constexpr std::int64_t kServicesLast = 7 * kDay;

/// Whether the node itself stated its services lately.
bool has_stated_services(const KnownPeer& peer, std::int64_t now);

/// Whether the node itself stated its services lately, and they are not all of these. A node is
/// dialled in vain then, but a run with other needs may use the node.
bool lacks_services(const KnownPeer& peer, std::uint64_t services, std::int64_t now);

inline bool is_success(PeerOutcome outcome) {
    return outcome == PeerOutcome::served || outcome == PeerOutcome::answered;
}
/// Whether the node did not answer at all. The cause may be this machine.
bool is_silence(PeerOutcome outcome);

/// Whether the outcome depends on the stored chain, and is void if that chain is dropped.
bool is_by_stored_chain(PeerOutcome outcome);

/// For how many seconds a node with this outcome is not dialled.
/// failures   consecutive failures before this one
/// by_user    added by the user: paused for at most a minute if the cause may be temporary
std::int64_t pause_after(PeerOutcome outcome, std::uint32_t failures, bool by_user);

/// Records that the node served or answered a feeler.
void record_success(KnownPeer& peer, PeerOutcome outcome, std::int64_t now);
/// Records that the node failed, and pauses the node.
void record_failure(KnownPeer& peer, PeerOutcome outcome, std::int64_t now);

/// Whether the node is paused. A pause that ends later than the longest pause was set by a wrong
/// clock, and is ignored.
bool is_left_alone(const KnownPeer& peer, std::int64_t now);

}  // namespace petal::net
