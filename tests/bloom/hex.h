/// Bytes from hexadecimal text, for tests of filters.
#pragma once

#include <stdexcept>
#include <string_view>

#include "chain/bytes.h"

namespace petal::bloom {

/// The bytes of the text `hex`. Throws for other text, because then the test is wrong.
inline chain::Bytes unhex(std::string_view hex) {
    auto bytes = chain::from_hex(hex);
    if (!bytes) throw std::invalid_argument("not hexadecimal");
    return *std::move(bytes);
}

}  // namespace petal::bloom
