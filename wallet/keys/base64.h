/// Base64 (RFC 4648), the text form of PSBTs.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "chain/bytes.h"

namespace petal::wallet {

/// With padding, on one line.
std::string to_base64(chain::ByteView bytes);

/// The bytes of a text. White space is skipped; nothing for any other character, for wrong padding,
/// and for bits behind the last byte, so that no two texts but for white space give the same bytes.
std::optional<chain::Bytes> from_base64(std::string_view text);

}  // namespace petal::wallet
