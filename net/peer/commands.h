/// The commands of an engine (send, disconnect), which net/io executes.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "net/peer/disconnect_reason.h"
#include "net/wire/messages.h"

namespace petal::net {

/// Identifies a connection. An engine never reuses an id.
using PeerId = std::uint32_t;

/// The time of an event, read by the engine's driver, because an engine reads no clock. `steady`
/// never goes back, and is used for deadlines. `unix_seconds` is the wall clock, against which
/// block times are checked.
struct Now {
    std::chrono::milliseconds steady{0};
    std::int64_t unix_seconds = 0;
};

/// A peer's violation of the protocol.
struct Violation {
    DisconnectReason reason = DisconnectReason::malformed_message;
    std::string detail;  ///< for the log
};

struct Send {
    PeerId peer = 0;
    Message message;
};

struct Disconnect {
    PeerId peer = 0;
    DisconnectReason reason = DisconnectReason::finished;
    std::string detail;  ///< for the log, may be empty
};

using Command = std::variant<Send, Disconnect>;

/// Collects commands, in order, until the driver takes them.
class Outbox {
public:
    void send(PeerId peer, Message message) {
        commands_.emplace_back(Send{peer, std::move(message)});
    }
    void disconnect(PeerId peer, const Violation& why) {
        commands_.emplace_back(Disconnect{peer, why.reason, why.detail});
    }
    /// Returns the commands and empties the outbox.
    std::vector<Command> take() { return std::exchange(commands_, {}); }

private:
    std::vector<Command> commands_;
};

}  // namespace petal::net
