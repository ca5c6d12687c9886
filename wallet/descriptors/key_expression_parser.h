/// Parses key expressions of output descriptors (BIP380, BIP389).
#pragma once

#include <cstddef>
#include <string_view>

#include "chain/expected.h"
#include "chain/network_params.h"
#include "wallet/descriptors/descriptor.h"
#include "wallet/descriptors/descriptor_error.h"
#include "wallet/descriptors/key_expression.h"

namespace petal::wallet {

/// The keys that are allowed at a place in a descriptor.
struct KeyContext {
    bool allows_uncompressed = true;
    bool is_taproot = false;  ///< allows x-only keys, and makes all derived keys x-only
};

/// The maximum number of alternatives of a multipath specifier. BIP389 has no limit, and wallets
/// use two.
inline constexpr std::size_t kMaxMultipath = 32;

/// Parses a complete key expression.
/// position   of `text` in the descriptor, for errors
chain::Expected<KeyExpression, DescriptorError> parse_key_expression(
    std::string_view text, std::size_t position, KeyContext context,
    const chain::NetworkParams& network, const DescriptorOptions& options);

}  // namespace petal::wallet
