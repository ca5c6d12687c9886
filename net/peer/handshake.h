/// The handshake of an outbound connection, and the services that the peer must have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chain/expected.h"
#include "net/peer/commands.h"
#include "net/wire/messages.h"

namespace petal::net {

/// The first protocol version with NODE_BLOOM (BIP111). Filters exist since 70001 (BIP37), but
/// older nodes do not signal whether they serve filters.
inline constexpr std::int32_t kMinProtocolVersion = 70011;

/// The first protocol version whose nodes understand `sendaddrv2` (BIP155).
inline constexpr std::int32_t kAddrV2ProtocolVersion = 70016;

/// The user agent in petal's `version` message (BIP14).
inline constexpr const char* kUserAgent = "/petal:0.1.0/";

/// A pruned node serves at least this many of its last blocks (BIP159; Bitcoin Core:
/// NODE_NETWORK_LIMITED_MIN_BLOCKS). Bitcoin Core disconnects a peer that asks for an older block.
/// To a peer with the permission noban, Bitcoin Core sends older blocks as far as the node has
/// them, and skips the rest.
inline constexpr std::uint32_t kPrunedBlocks = 288;

/// Whether a node with these services serves its last blocks only.
constexpr bool is_pruned(std::uint64_t services) {
    return (services & (kNodeNetwork | kNodeNetworkLimited)) == kNodeNetworkLimited;
}

/// What a connection is for.
struct HandshakeAims {
    std::uint64_t services = kNodeNetwork | kNodeBloom;  ///< the peer must have all of them
    bool addresses = false;                              ///< the peer is asked for addresses
    bool accepts_pruned = false;  ///< a pruned node counts as if it had NODE_NETWORK
};

/// Why a node with this version message is unsuitable. Empty if it is suitable.
std::optional<Violation> missing_service(const HandshakeAims& aims, const Version& version);

/// Why a node without NODE_NETWORK is unsuitable if old blocks are needed.
Violation lacks_old_blocks(const Version& version);

/// The handshake of one connection: our version, the peer's version, the check of its services, and
/// both veracks. Until then, other messages are ignored, as every node does.
class Handshake {
public:
    /// ours   our version message, with a nonce that no other connection uses
    explicit Handshake(Version ours, HandshakeAims aims = {})
        : ours_(std::move(ours)), aims_(aims) {}

    /// The message to send when the connection is open.
    Message open() const { return ours_; }

    /// Returns the messages to answer with, or why the peer is unsuitable.
    chain::Expected<std::vector<Message>, Violation> on_message(const Message& message);

    /// Whether both the peer's version and its verack have arrived.
    bool complete() const { return theirs_.has_value() && verack_received_; }

    /// The peer's version message. Empty until it arrives.
    const std::optional<Version>& peer() const { return theirs_; }

private:
    chain::Expected<std::vector<Message>, Violation> on_version(const Version& version);

    Version ours_;
    HandshakeAims aims_;
    std::optional<Version> theirs_;
    bool verack_received_ = false;
};

}  // namespace petal::net
