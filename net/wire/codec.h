/// Decodes and encodes the payloads of messages.
#pragma once

#include <cstddef>
#include <string_view>

#include "chain/block_header.h"
#include "chain/byte_reader.h"
#include "chain/bytes.h"
#include "chain/expected.h"
#include "net/wire/message_header.h"
#include "net/wire/messages.h"

namespace petal::net {

/// A header in `headers`: its 80 bytes and the transaction count, which is always 0.
inline constexpr std::size_t kHeaderEntryBytes = chain::kHeaderBytes + 1;

/// Decodes the message in a frame. Every count and length is bounded before anything is allocated.
/// Fields that a peer may leave out get their defaults (in `version`, all after the receiver's
/// address). Bytes after the last field are ignored, as in Bitcoin Core, except in `tx`, `block`,
/// `merkleblock`, `cfilter`, `cfheaders` and `cfcheckpt`, where trailing bytes are an error.
///
/// A FullBlock refers to the frame's bytes until BlockView::own_bytes() is called.
chain::Expected<Message, chain::DecodeError> decode_message(const Frame& frame);

/// The payload of a message. Empty for Unknown.
chain::Bytes encode_payload(const Message& message);

/// The complete message with header and payload.
chain::Bytes encode_message(const Magic& magic, const Message& message);

}  // namespace petal::net
