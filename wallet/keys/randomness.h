/// Random bytes for secrets.
#pragma once

#include <span>

#include "chain/bytes.h"

namespace petal::wallet {

/// Fills `bytes` from OpenSSL's generator for private values. Throws std::runtime_error if the
/// system has no randomness.
void fill_random(std::span<chain::Byte> bytes);

}  // namespace petal::wallet
