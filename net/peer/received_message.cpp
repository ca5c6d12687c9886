#include "net/peer/received_message.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "chain/block_header.h"
#include "chain/enum_table.h"
#include "net/wire/codec.h"

namespace petal::net {

using chain::Unexpected;

namespace {

DisconnectReason reason_of(FrameError error) {
    static constexpr auto kReasons = chain::enum_table<FrameError, DisconnectReason>({
        {FrameError::wrong_magic, DisconnectReason::wrong_network},
        {FrameError::http, DisconnectReason::not_bitcoin},
        {FrameError::tls, DisconnectReason::not_bitcoin},
        {FrameError::ssh, DisconnectReason::not_bitcoin},
        {FrameError::json, DisconnectReason::not_bitcoin},
        {FrameError::socks, DisconnectReason::not_bitcoin},
        {FrameError::zeromq, DisconnectReason::not_bitcoin},
        {FrameError::not_bitcoin, DisconnectReason::not_bitcoin},
        {FrameError::malformed_command, DisconnectReason::malformed_message},
        {FrameError::oversized_payload, DisconnectReason::malformed_message},
        {FrameError::wrong_checksum, DisconnectReason::malformed_message},
    });
    return kReasons[error];
}

/// Whether an undecodable message has a block of a fork with longer headers (see Headers).
bool is_block_of_fork(const Frame& frame) {
    const bool is_block =
        frame.command == MerkleBlock::kCommand || frame.command == FullBlock::kCommand;
    return is_block && frame.payload.size() > chain::kHeaderBytes &&
           (frame.payload[3] & 0x80U) != 0;
}

}  // namespace

bool is_of_handshake(std::string_view command) {
    return command == Version::kCommand || command == Verack::kCommand;
}

bool is_of_block_filters(std::string_view command) {
    constexpr std::array kCommands = {CFilter::kCommand,      CFHeaders::kCommand,
                                      CFCheckpt::kCommand,    GetCFilters::kCommand,
                                      GetCFHeaders::kCommand, GetCFCheckpt::kCommand};
    return std::ranges::find(kCommands, command) != kCommands.end();
}

std::optional<chain::BlockHash> hash_of_block_payload(chain::ByteView payload) {
    if (payload.size() < chain::kHeaderBytes) return std::nullopt;
    return chain::BlockHash{chain::sha256d(payload.first(chain::kHeaderBytes)).bytes};
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
    if (is_block_of_fork(**frame)) {
        return Unexpected(Violation{DisconnectReason::other_chain,
                                    "it follows a fork with another header format"});
    }
    auto detail = std::string{(*frame)->command};
    detail.append(": ").append(describe(message.error()));
    return Unexpected(Violation{DisconnectReason::malformed_message, std::move(detail)});
}

}  // namespace petal::net
