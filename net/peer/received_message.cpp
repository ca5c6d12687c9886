#include "net/peer/received_message.h"

#include <string>
#include <utility>

#include "net/wire/codec.h"

namespace petal::net {

using chain::Unexpected;

namespace {

constexpr std::size_t kHeaderBytes = 80;

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

bool is_of_handshake(std::string_view command) {
    return command == Version::kCommand || command == Verack::kCommand;
}

std::optional<chain::BlockHash> hash_of_block_payload(chain::ByteView payload) {
    if (payload.size() < kHeaderBytes) return std::nullopt;
    return chain::BlockHash{chain::sha256d(payload.first(kHeaderBytes)).bytes};
}

chain::Expected<std::optional<Message>, Violation> received_message(
    const chain::Expected<std::optional<Frame>, FrameError>& frame) {
    if (!frame) {
        return Unexpected(
            Violation{reason_of(frame.error()), std::string{describe(frame.error())}});
    }
    if (!*frame) return std::optional<Message>{};
    auto message = decode_message(**frame);
    if (message) return std::optional<Message>{*std::move(message)};
    auto detail = std::string{(*frame)->command};
    detail.append(": ").append(describe(message.error()));
    return Unexpected(Violation{DisconnectReason::malformed_message, std::move(detail)});
}

}  // namespace petal::net
