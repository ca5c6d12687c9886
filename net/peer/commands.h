/// An engine's decisions as values, which io carries out.
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

/// One connection. Never used twice by the same engine.
using PeerId = std::uint32_t;

/// The time of an event. `steady` never goes back and orders deadlines; `unix_seconds` is the wall
/// clock's, for judging block times. The engine's driver reads both clocks; the engine reads none.
struct Now {
    std::chrono::milliseconds steady{0};
    std::int64_t unix_seconds = 0;
};

/// A peer's violation, as the parts of an engine report it.
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
    std::string detail;  ///< for the log; may be empty
};

using Command = std::variant<Send, Disconnect>;

/// Collects commands, in order, until the driver of the connections takes them.
class Outbox {
public:
    void send(PeerId peer, Message message) {
        commands_.emplace_back(Send{peer, std::move(message)});
    }
    void disconnect(PeerId peer, const Violation& why) {
        commands_.emplace_back(Disconnect{peer, why.reason, why.detail});
    }
    /// Empties the outbox.
    std::vector<Command> take() { return std::exchange(commands_, {}); }

private:
    std::vector<Command> commands_;
};

}  // namespace petal::net
