#include "net/wire/message_header.h"

#include <algorithm>
#include <cassert>
#include <cstring>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/enum_table.h"
#include "chain/hash.h"
#include "chain/network_params.h"

namespace petal::net {
namespace {

using chain::Byte;
using chain::ByteReader;
using chain::Bytes;
using chain::ByteView;

constexpr std::size_t kCommandOffset = 4;
constexpr std::size_t kLengthOffset = kCommandOffset + kCommandBytes;
constexpr std::size_t kChecksumBytes = 4;

/// A larger buffer, left from an unusually long message, is freed once it is empty.
constexpr std::size_t kKeptBufferBytes = 1U << 20;

bool is_known_magic(ByteView magic) {
    return std::ranges::any_of(chain::all_networks(), [magic](const auto& network) {
        return std::ranges::equal(network.magic, magic);
    });
}

/// Classifies a stream whose first four bytes are no network's magic.
FrameError fault_of_foreign(ByteView first) {
    const auto is_tls = [](ByteView bytes) {  // a record (RFC 8446, 5.1)
        return (bytes[0] == 0x15 || bytes[0] == 0x16) && bytes[1] == 3 && bytes[2] <= 4;
    };
    const auto is_socks = [](ByteView bytes) {
        const bool is_version_5 = bytes[0] == 5 && (bytes[1] <= 8 || bytes[1] == 0xff);
        return is_version_5 || (bytes[0] == 0 && bytes[1] >= 90 && bytes[1] <= 93);
    };
    const std::string_view text(reinterpret_cast<const char*>(first.data()), first.size());
    if (text.starts_with("HTTP")) return FrameError::http;
    if (text.starts_with("SSH-")) return FrameError::ssh;
    if (text.starts_with("{\"")) return FrameError::json;
    if (is_tls(first)) return FrameError::tls;
    if (is_socks(first)) return FrameError::socks;
    if (text == std::string_view("\xff\0\0\0", 4)) return FrameError::zeromq;
    return FrameError::not_bitcoin;
}

/// The command without padding. Empty if Bitcoin Core would refuse the command (protocol.cpp:
/// CMessageHeader::IsMessageTypeValid).
std::optional<std::string_view> parse_command(ByteView field) {
    const auto end = std::ranges::find(field, Byte{0});
    const auto is_printable = [](Byte byte) { return byte >= 0x20 && byte <= 0x7e; };
    const auto is_padding = [](Byte byte) { return byte == 0; };
    if (!std::all_of(field.begin(), end, is_printable)) return std::nullopt;
    if (!std::all_of(end, field.end(), is_padding)) return std::nullopt;
    return std::string_view(reinterpret_cast<const char*>(field.data()),
                            static_cast<std::size_t>(end - field.begin()));
}

std::size_t payload_bytes_of(ByteView header) {
    ByteReader reader(header.subspan(kLengthOffset));
    return reader.read_u32();
}

/// The length of the message that begins here, or of its header while the header is incomplete.
std::size_t frame_bytes_of(ByteView waiting) {
    if (waiting.size() < kMessageHeaderBytes) return kMessageHeaderBytes;
    return kMessageHeaderBytes + payload_bytes_of(waiting);
}

/// The command of a full block (messages.h). Its checksum would be a third of all hashing in a sync
/// with full blocks, and proves nothing: the block's hash, merkle root and witness commitment cover
/// all its bytes, and are checked anyway.
constexpr std::string_view kSelfProving = "block";

bool checksum_holds(ByteView frame) {
    const ByteView checksum = frame.subspan(kMessageHeaderBytes - kChecksumBytes, kChecksumBytes);
    const auto hash = chain::sha256d(frame.subspan(kMessageHeaderBytes));
    return std::ranges::equal(checksum, hash.view().first(kChecksumBytes));
}

}  // namespace

std::string_view describe(FrameError error) {
    using enum FrameError;
    static constexpr auto kTexts = chain::enum_table<FrameError, std::string_view>({
        {wrong_magic, "the peer is on another Bitcoin network"},
        {http, "it speaks HTTP, as RPC ports do"},
        {tls, "it speaks TLS"},
        {ssh, "it speaks SSH"},
        {json, "it speaks JSON-RPC, as Electrum servers do"},
        {socks, "it is a SOCKS proxy"},
        {zeromq, "it speaks ZeroMQ"},
        {not_bitcoin, "its magic bytes are unknown"},
        {malformed_command, "a message's command is malformed"},
        {oversized_payload, "a message is longer than the protocol allows"},
        {wrong_checksum, "a message's checksum is wrong"},
    });
    return kTexts[error];
}

FrameDecoder::FrameDecoder(const Magic& magic) : magic_(magic) {}

std::span<Byte> FrameDecoder::prepare(std::size_t min_bytes) {
    if (begin_ == end_) {
        begin_ = end_ = 0;
        if (buffer_.size() > kKeptBufferBytes) buffer_ = Bytes();
    }
    if (buffer_.size() - end_ < min_bytes && begin_ > 0) {
        std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
    }
    if (buffer_.size() - end_ < min_bytes) {
        // Doubling bounds the number of copies of a large message by the logarithm of its size. The
        // buffer never grows beyond the message and one read.
        const std::size_t most = frame_bytes_of(ByteView(buffer_).first(end_)) + min_bytes;
        const std::size_t bytes = std::max(end_ + min_bytes, std::min(2 * end_, most));
        buffer_.reserve(bytes);  // resize() would reserve twice that
        buffer_.resize(bytes);
    }
    return std::span(buffer_).subspan(end_);
}

void FrameDecoder::commit(std::size_t size) {
    assert(size <= buffer_.size() - end_);
    end_ += size;
}

chain::Expected<std::optional<Frame>, FrameError> FrameDecoder::next() {
    const ByteView waiting = ByteView(buffer_).subspan(begin_, end_ - begin_);
    if (!error_) error_ = find_fault(waiting);
    if (error_) return chain::Unexpected(*error_);
    if (waiting.size() < kMessageHeaderBytes) return std::optional<Frame>();

    const std::size_t frame_bytes = frame_bytes_of(waiting);
    if (waiting.size() < frame_bytes) return std::optional<Frame>();
    const ByteView frame = waiting.first(frame_bytes);
    const auto command = parse_command(frame.subspan(kCommandOffset, kCommandBytes));
    if (command != kSelfProving && !checksum_holds(frame)) {
        error_ = FrameError::wrong_checksum;
        return chain::Unexpected(*error_);
    }
    begin_ += frame_bytes;
    return std::optional(Frame{*command, frame.subspan(kMessageHeaderBytes)});
}

/// Checks the part of a header that has arrived.
std::optional<FrameError> FrameDecoder::find_fault(ByteView waiting) const {
    if (waiting.size() < magic_.size()) return std::nullopt;
    const ByteView magic = waiting.first(magic_.size());
    if (!std::ranges::equal(magic, magic_)) {
        return is_known_magic(magic) ? FrameError::wrong_magic : fault_of_foreign(magic);
    }
    if (waiting.size() < kMessageHeaderBytes) return std::nullopt;
    if (!parse_command(waiting.subspan(kCommandOffset, kCommandBytes))) {
        return FrameError::malformed_command;
    }
    if (payload_bytes_of(waiting) > kMaxPayloadBytes) return FrameError::oversized_payload;
    return std::nullopt;
}

Bytes encode_frame(const Magic& magic, std::string_view command, ByteView payload) {
    assert(command.size() <= kCommandBytes);
    assert(payload.size() <= kMaxPayloadBytes);
    std::array<Byte, kCommandBytes> padded{};
    std::ranges::copy(command, padded.begin());

    chain::ByteWriter writer(kMessageHeaderBytes + payload.size());
    writer.bytes(magic).bytes(padded).u32(static_cast<std::uint32_t>(payload.size()));
    writer.bytes(chain::sha256d(payload).view().first(kChecksumBytes)).bytes(payload);
    return writer.take();
}

}  // namespace petal::net
