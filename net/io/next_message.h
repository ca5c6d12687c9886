/// From received bytes to messages.
#pragma once

#include <optional>

#include "chain/expected.h"
#include "net/io/connection.h"
#include "net/io/spv_result.h"
#include "net/wire/messages.h"

namespace petal::net {

/// The next whole message of those that a connection has received; nothing where bytes are missing.
/// Fails for what is no message, behind which nothing means anything.
chain::Expected<std::optional<Message>, EndpointFailure> next_message(Connection& connection);

}  // namespace petal::net
