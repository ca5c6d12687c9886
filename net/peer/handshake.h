/// The opening of a connection that we dialled: which node answers, and does it serve us?
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chain/expected.h"
#include "net/peer/commands.h"
#include "net/wire/messages.h"

namespace petal::net {

/// Filters came with protocol 70001, but only with 70011 does a node say whether it serves them
/// (BIP111).
inline constexpr std::int32_t kMinProtocolVersion = 70011;

/// From here on a node understands `sendaddrv2` (BIP155).
inline constexpr std::int32_t kAddrV2ProtocolVersion = 70016;

/// What is wanted of the node that answers.
struct HandshakeAims {
    bool filters = true;     ///< a peer that does not serve them is of no use
    bool blocks = true;      ///< nor is one that does not have the old blocks
    bool addresses = false;  ///< it is asked for other nodes
};

/// One connection's handshake: our version first, theirs and its judgement, then both veracks.
/// Whatever else comes before is ignored, as every node does.
class Handshake {
public:
    /// ours   what we say of ourselves; its nonce must be the connection's own
    explicit Handshake(Version ours, HandshakeAims aims = {})
        : ours_(std::move(ours)), aims_(aims) {}

    /// What to send when the connection stands.
    Message open() const { return ours_; }

    /// What to answer, or why the peer is of no use.
    chain::Expected<std::vector<Message>, Violation> on_message(const Message& message);

    /// Both sides have agreed; other messages count from now on.
    bool complete() const { return theirs_.has_value() && verack_received_; }

    /// Their version message; nothing before it came.
    const std::optional<Version>& peer() const { return theirs_; }

private:
    chain::Expected<std::vector<Message>, Violation> on_version(const Version& version);

    Version ours_;
    HandshakeAims aims_;
    std::optional<Version> theirs_;
    bool verack_received_ = false;
};

}  // namespace petal::net
