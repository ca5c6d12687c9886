/// From received bytes to messages.
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

/// Whether the command is one of a handshake's; before it is complete, the rest means nothing.
bool is_of_handshake(std::string_view command);

/// The header hash of a `block` message; nothing where the payload is too short for one.
std::optional<chain::BlockHash> hash_of_block_payload(chain::ByteView payload);

/// The message in what a FrameDecoder gave out; nothing where bytes are missing. Fails for what is
/// no message, behind which nothing means anything.
chain::Expected<std::optional<Message>, Violation> received_message(
    const chain::Expected<std::optional<Frame>, FrameError>& frame);

}  // namespace petal::net
