/// Names of Tor's onion services, version 3 (Tor: rend-spec-v3, section 6).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "chain/bytes.h"

namespace petal::net {

/// The service's ed25519 key, which its name spells.
using OnionKey = std::array<chain::Byte, 32>;

/// Whether the name ends in `.onion`, in either case: it must never be looked up in DNS (RFC 7686).
bool is_onion_name(std::string_view host);

/// The key in the onion name `host`, 56 letters and digits before `.onion`, in either case; empty
/// for another length, a wrong checksum, or a version other than 3.
std::optional<OnionKey> parse_onion(std::string_view host);

/// The name in lower case, `.onion` included.
std::string onion_name(const OnionKey& key);

}  // namespace petal::net
