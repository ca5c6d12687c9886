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

/// Whether the command belongs to the handshake. Other messages are ignored before it is complete.
bool is_of_handshake(std::string_view command);

/// The header hash of a `block` message; empty if the payload is too short for one.
std::optional<chain::BlockHash> hash_of_block_payload(chain::ByteView payload);

/// The message in a frame from a FrameDecoder; empty if bytes are missing. Fails for bytes that are
/// not a valid message; the rest of the stream is then unusable.
chain::Expected<std::optional<Message>, Violation> received_message(
    const chain::Expected<std::optional<Frame>, FrameError>& frame);

}  // namespace petal::net
