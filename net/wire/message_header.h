/// The envelope of every message, and a stream of bytes cut into such messages.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "chain/bytes.h"
#include "chain/expected.h"

namespace petal::net {

using Magic = std::array<chain::Byte, 4>;

/// magic 4, command 12, payload length 4, checksum 4.
inline constexpr std::size_t kMessageHeaderBytes = 24;
inline constexpr std::size_t kCommandBytes = 12;
/// Bitcoin Core: net.h, MAX_PROTOCOL_MESSAGE_LENGTH. A longer message ends the connection.
inline constexpr std::uint32_t kMaxPayloadBytes = 4'000'000;

/// Why a stream does not hold messages of this network; the connection is unusable afterwards.
enum class FrameError : std::uint8_t {
    wrong_magic,  ///< another network that petal knows
    // Another service, by its first four bytes:
    http,               ///< also Bitcoin Core's RPC port
    tls,                ///< a handshake or an alert
    ssh,                ///< RFC 4253
    json,               ///< JSON-RPC without HTTP, as Electrum servers speak it
    socks,              ///< a proxy's refusal, SOCKS4 or SOCKS5
    zeromq,             ///< ZMTP, as Bitcoin Core's notifications
    not_bitcoin,        ///< unknown magic at the start of a message
    malformed_command,  ///< bytes that are not printable, or follow the padding
    oversized_payload,
    wrong_checksum,
};

std::string_view describe(FrameError error);

/// A complete message: its command without padding, and its payload, whose checksum is right. The
/// view points into the decoder and is valid until its next call.
struct Frame {
    std::string_view command;
    chain::ByteView payload;
};

/// Cuts a byte stream into frames, in one buffer that is reused: bytes are read directly into it,
/// and each payload is hashed once, in place, without a copy.
///
/// Memory is bounded by the received bytes, not by a header's claim: if next() is called until it
/// returns nothing, the buffer holds at most one unfinished message and one read. Not thread-safe.
class FrameDecoder {
public:
    explicit FrameDecoder(const Magic& magic);

    /// Room for the next read: at least `min_bytes`, at the buffer's end; valid until the next
    /// call.
    std::span<chain::Byte> prepare(std::size_t min_bytes);
    /// The first `size` bytes of the room were filled.
    void commit(std::size_t size);

    /// The next complete frame; empty if bytes are still missing. After an error, always that
    /// error. A stream that is not Bitcoin's is recognised by its first four bytes.
    chain::Expected<std::optional<Frame>, FrameError> next();

private:
    std::optional<FrameError> find_fault(chain::ByteView waiting) const;

    Magic magic_;
    chain::Bytes buffer_;
    std::size_t begin_ = 0;  // of the first unconsumed byte
    std::size_t end_ = 0;    // after the last received byte
    std::optional<FrameError> error_;
};

/// A complete message in wire form. `command` has at most 12 characters, the payload at most
/// kMaxPayloadBytes.
chain::Bytes encode_frame(const Magic& magic, std::string_view command, chain::ByteView payload);

}  // namespace petal::net
