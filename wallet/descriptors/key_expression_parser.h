/// Reads the key expressions of output descriptors (BIP380, BIP389).
#pragma once

#include <cstddef>
#include <string_view>

#include "chain/expected.h"
#include "chain/network_params.h"
#include "wallet/descriptors/descriptor.h"
#include "wallet/descriptors/descriptor_error.h"
#include "wallet/descriptors/key_expression.h"

namespace petal::wallet {

/// The keys that are allowed at one place of a descriptor.
struct KeyContext {
    bool allows_uncompressed = true;
    bool is_taproot = false;  ///< x-only keys are allowed, and all derived keys are x-only
};

/// How many alternatives a multipath specifier may have. BIP389 has no limit; wallets use two.
inline constexpr std::size_t kMaxMultipath = 32;

/// Reads a complete key expression.
/// position   of `text` in the descriptor, for errors
chain::Expected<KeyExpression, DescriptorError> parse_key_expression(
    std::string_view text, std::size_t position, KeyContext context,
    const chain::NetworkParams& network, const DescriptorOptions& options);

}  // namespace petal::wallet
