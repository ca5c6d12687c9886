/// The message header, and a decoder that splits a byte stream into messages.
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

/// Magic (4), command (12), payload length (4), checksum (4).
inline constexpr std::size_t kMessageHeaderBytes = 24;
inline constexpr std::size_t kCommandBytes = 12;
/// Bitcoin Core: net.h, MAX_PROTOCOL_MESSAGE_LENGTH. A peer that sends a longer message is
/// disconnected.
inline constexpr std::uint32_t kMaxPayloadBytes = 4'000'000;

/// Why a stream is not a stream of this network's messages. The connection is unusable after an
/// error.
enum class FrameError : std::uint8_t {
    wrong_magic,  ///< the magic of another network that petal knows
    // Other services, recognised by the first four bytes:
    http,               ///< also Bitcoin Core's RPC port
    tls,                ///< a handshake or an alert
    ssh,                ///< RFC 4253
    json,               ///< JSON-RPC without HTTP (Electrum servers)
    socks,              ///< the refusal of a SOCKS4 or SOCKS5 proxy
    zeromq,             ///< ZMTP (Bitcoin Core's notifications)
    not_bitcoin,        ///< unknown magic at the start of a message
    malformed_command,  ///< unprintable bytes, or bytes after the padding
    oversized_payload,
    wrong_checksum,
};

std::string_view describe(FrameError error);

/// A complete message with a correct checksum, except of `block`, whose own hashes cover all its
/// bytes. `command` has no padding. Both views point into the decoder, and are valid until the next
/// call of the decoder.
struct Frame {
    std::string_view command;
    chain::ByteView payload;
};

/// Splits a byte stream into frames. Bytes are read directly into one buffer, which is reused, and
/// each payload is hashed at most once, in place.
///
/// Memory is bounded by the bytes received, not by the length that a header claims. If next() is
/// called until it returns nothing, the buffer holds at most one unfinished message and one read.
/// Not thread-safe.
class FrameDecoder {
public:
    explicit FrameDecoder(const Magic& magic);

    /// Room for the next read at the end of the buffer, at least `min_bytes`. Valid until the next
    /// call.
    std::span<chain::Byte> prepare(std::size_t min_bytes);
    /// The first `size` bytes of prepare()'s room were filled.
    void commit(std::size_t size);

    /// The next complete frame. Empty if bytes are missing. After an error, next() always returns
    /// that error. A service that does not speak Bitcoin's protocol is recognised by its first four
    /// bytes.
    chain::Expected<std::optional<Frame>, FrameError> next();

private:
    std::optional<FrameError> find_fault(chain::ByteView waiting) const;

    Magic magic_;
    chain::Bytes buffer_;
    std::size_t begin_ = 0;  // the first unconsumed byte
    std::size_t end_ = 0;    // after the last received byte
    std::optional<FrameError> error_;
};

/// A complete message in wire form. `command` has at most 12 characters, and the payload at most
/// kMaxPayloadBytes.
chain::Bytes encode_frame(const Magic& magic, std::string_view command, chain::ByteView payload);

}  // namespace petal::net
