/// Messages to payloads and back.
#pragma once

#include <string_view>

#include "chain/byte_reader.h"
#include "chain/bytes.h"
#include "chain/expected.h"
#include "net/wire/message_header.h"
#include "net/wire/messages.h"

namespace petal::net {

/// The message that a frame carries. Every count and length is bounded before anything is
/// allocated. Fields that a peer may leave out get their defaults (version's from the nonce on);
/// bytes behind the last field are ignored, as Bitcoin Core does, except in `tx`, `block` and
/// `merkleblock`, where they are an error.
chain::Expected<Message, chain::DecodeError> decode_message(const Frame& frame);

/// The payload of a message; of Unknown, an empty one.
chain::Bytes encode_payload(const Message& message);

/// The whole message, header included.
chain::Bytes encode_message(const Magic& magic, const Message& message);

}  // namespace petal::net
