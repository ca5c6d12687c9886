#include "net/io/next_message.h"

#include <string>
#include <utility>

#include "net/wire/codec.h"

namespace petal::net {

using chain::Unexpected;

namespace {

DisconnectReason reason_of(FrameError error) {
    switch (error) {
        case FrameError::wrong_magic:
            return DisconnectReason::wrong_network;
        case FrameError::not_bitcoin:
            return DisconnectReason::not_bitcoin;
        case FrameError::malformed_command:
        case FrameError::oversized_payload:
        case FrameError::wrong_checksum:
            break;
    }
    return DisconnectReason::malformed_message;
}

}  // namespace

chain::Expected<std::optional<Message>, EndpointFailure> next_message(Connection& connection) {
    const auto frame = connection.next_frame();
    if (!frame) {
        return Unexpected(
            EndpointFailure{reason_of(frame.error()), std::string{describe(frame.error())}});
    }
    if (!*frame) return std::optional<Message>{};
    auto message = decode_message(**frame);
    if (message) return std::optional<Message>{*std::move(message)};
    auto detail = std::string{(*frame)->command};
    detail.append(": ").append(describe(message.error()));
    return Unexpected(EndpointFailure{DisconnectReason::malformed_message, std::move(detail)});
}

}  // namespace petal::net
