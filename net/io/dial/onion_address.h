/// Names of Tor v3 onion services (Tor: rend-spec-v3, section 6).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "chain/bytes.h"

namespace petal::net {

/// The ed25519 public key of the service, which the name encodes.
using OnionKey = std::array<chain::Byte, 32>;

/// Whether the name ends in `.onion`, in either case. Such a name must never be looked up in DNS
/// (RFC 7686).
bool is_onion_name(std::string_view host);

/// Decodes the key from an onion name: 56 characters and `.onion`, in either case. Empty if the
/// length, the checksum or the version (3) is wrong.
std::optional<OnionKey> parse_onion(std::string_view host);

/// The name in lower case, with `.onion`.
std::string onion_name(const OnionKey& key);

}  // namespace petal::net
