/// Decodes received bytes to messages.
#pragma once

#include <optional>
#include <string_view>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/hash.h"
#include "net/peer/commands.h"
#include "net/wire/message_header.h"
#include "net/wire/messages.h"

namespace petal::net {

/// Whether the command is `version` or `verack`.
bool is_of_handshake(std::string_view command);

/// Whether the command is one of BIP157's (compact block filters). An engine drops these messages
/// undecoded, except answers that it has requested.
bool is_of_block_filters(std::string_view command);

/// The block hash of a `block` message. Empty if the payload is shorter than a header.
std::optional<chain::BlockHash> hash_of_block_payload(chain::ByteView payload);

/// Decodes a frame from a FrameDecoder. Empty if the frame is incomplete. Fails for bytes that are
/// not a valid message, which make the rest of the stream unusable.
chain::Expected<std::optional<Message>, Violation> received_message(
    const chain::Expected<std::optional<Frame>, FrameError>& frame);

}  // namespace petal::net
