/// Compact targets, work, and the required target of a block.
#pragma once

#include <cstdint>
#include <optional>

#include "chain/block_header.h"
#include "chain/expected.h"
#include "chain/network_params.h"
#include "chain/uint256.h"

namespace petal::chain {

enum class TargetError : std::uint8_t { negative, overflow, zero, above_limit };

/// Decodes a compact target, which must be positive and at most `pow_limit` (Bitcoin Core:
/// arith_uint256::SetCompact, DeriveTarget).
Expected<Uint256, TargetError> decode_target(std::uint32_t bits, const Uint256& pow_limit);

/// The compact form of a target. Low bits are truncated.
std::uint32_t encode_target(const Uint256& target);

/// The expected number of hashes for a block at this target: floor(2^256 / (target + 1)).
Uint256 work_of_target(const Uint256& target);

/// Whether the hash, as a number, is at most the target.
bool meets_target(const BlockHash& hash, const Uint256& target);

/// The ancestors of a block, as needed by the rules.
class HeaderAncestry {
public:
    virtual ~HeaderAncestry() = default;
    /// The header at `height`, which is at most the height of the branch's last block.
    virtual BlockHeader header_at(std::uint32_t height) const = 0;
};

/// The required bits of a block at `height` (at least 1) with this time and these ancestors
/// (Bitcoin Core: GetNextWorkRequired).
std::uint32_t required_bits(const NetworkParams& network, const HeaderAncestry& ancestry,
                            std::uint32_t height, std::uint32_t time);

}  // namespace petal::chain
