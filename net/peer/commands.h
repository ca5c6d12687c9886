/// What the sync decides, as values: io carries the commands out, the user is shown the rest.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "net/wire/messages.h"

namespace petal::net {

/// One connection. Never used twice by the same engine.
using PeerId = std::uint32_t;

/// The time of an event. `steady` never goes back and orders deadlines; `unix_seconds` is the wall
/// clock's, which judges block times. Whoever drives the engine reads both clocks; the engine reads
/// none.
struct Now {
    std::chrono::milliseconds steady{0};
    std::int64_t unix_seconds = 0;
};

/// Why a connection ended. Each is about one kind of cause, since what to do about it differs.
enum class DisconnectReason : std::uint8_t {
    finished,             ///< we have what we came for
    unreachable,          ///< no connection could be made
    gone,                 ///< the peer, or the way to it, closed the connection
    wrong_network,        ///< a Bitcoin node of another network
    not_bitcoin,          ///< something else listens there
    no_bloom,             ///< does not serve filters (BIP111)
    no_network,           ///< does not serve old blocks
    too_old,              ///< speaks a protocol older than BIP37 or BIP111 allow
    self,                 ///< it is ourselves
    duplicate,            ///< another connection leads to the same node
    timed_out,            ///< did not answer in time
    incomplete,           ///< shows fewer headers than it claims, or withholds what it announced
    malformed_message,    ///< bytes that are no valid message
    invalid_header,       ///< broke a consensus rule
    invalid_proof,        ///< a merkle proof that proves nothing
    unrequested,          ///< blocks that nobody asked it for
    contradicts_filter,   ///< sent transactions that its filter does not match
    left_out,             ///< left out transactions that its filter matches, as another peer proved
    low_work,             ///< its chain has less work than required: not synced yet, or made up
    invalid_transaction,  ///< sent an unconfirmed one that no node relays, as its signature is
                          ///< wrong
};

/// A stable kebab-case word for programs.
std::string_view code_of(DisconnectReason reason);
/// A sentence's part for people, such as "does not serve Bloom filters".
std::string_view describe(DisconnectReason reason);
/// Whether the reason shows bad faith or a broken peer, beyond being slow, gone or of no use.
bool is_misbehaviour(DisconnectReason reason);

/// What a peer did wrong, as the parts of the sync report it to the engine.
struct Violation {
    DisconnectReason reason = DisconnectReason::malformed_message;
    std::string detail;  ///< what exactly, for the log
};

struct Send {
    PeerId peer = 0;
    Message message;
};

struct Disconnect {
    PeerId peer = 0;
    DisconnectReason reason = DisconnectReason::finished;
    std::string detail;  ///< what exactly, for the log; may be empty
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
