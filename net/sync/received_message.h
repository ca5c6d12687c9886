/// From received bytes to messages.
#pragma once

#include <optional>

#include "chain/expected.h"
#include "net/sync/commands.h"
#include "net/wire/message_header.h"
#include "net/wire/messages.h"

namespace petal::net {

/// The message in what a FrameDecoder gave out; nothing where bytes are missing. Fails for what is
/// no message, behind which nothing means anything.
chain::Expected<std::optional<Message>, Violation> received_message(
    const chain::Expected<std::optional<Frame>, FrameError>& frame);

}  // namespace petal::net
