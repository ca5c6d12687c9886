/// The handshake of an outbound connection: which node answers, and whether it has the services
/// needed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chain/expected.h"
#include "net/peer/commands.h"
#include "net/wire/messages.h"

namespace petal::net {

/// Filters exist since protocol 70001, but nodes state only since 70011 whether they serve them
/// (BIP111).
inline constexpr std::int32_t kMinProtocolVersion = 70011;

/// The first version whose nodes understand `sendaddrv2` (BIP155).
inline constexpr std::int32_t kAddrV2ProtocolVersion = 70016;

/// How petal names itself to nodes (BIP14).
inline constexpr const char* kUserAgent = "/petal:0.1.0/";

/// The services that the node must have.
struct HandshakeAims {
    bool filters = true;     ///< a peer must serve filters
    bool blocks = true;      ///< a peer must have old blocks
    bool addresses = false;  ///< the peer is asked for addresses
};

/// One connection's handshake: our version, the peer's version and whether it is acceptable, then
/// both veracks. Other messages are ignored until then, as every node does.
class Handshake {
public:
    /// ours   our version message; its nonce must be the connection's own
    explicit Handshake(Version ours, HandshakeAims aims = {})
        : ours_(std::move(ours)), aims_(aims) {}

    /// The message to send when the connection is open.
    Message open() const { return ours_; }

    /// The messages to answer with, or why the peer is useless.
    chain::Expected<std::vector<Message>, Violation> on_message(const Message& message);

    /// Whether the handshake is complete; other messages are ignored before.
    bool complete() const { return theirs_.has_value() && verack_received_; }

    /// The peer's version message; empty before it arrived.
    const std::optional<Version>& peer() const { return theirs_; }

private:
    chain::Expected<std::vector<Message>, Violation> on_version(const Version& version);

    Version ours_;
    HandshakeAims aims_;
    std::optional<Version> theirs_;
    bool verack_received_ = false;
};

}  // namespace petal::net
