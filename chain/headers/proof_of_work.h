/// Compact targets, their work, and the rules for the target of a block.
#pragma once

#include <cstdint>
#include <optional>

#include "chain/block_header.h"
#include "chain/expected.h"
#include "chain/network_params.h"
#include "chain/uint256.h"

namespace petal::chain {

enum class TargetError : std::uint8_t { negative, overflow, zero, above_limit };

/// The target that `bits` spell, wanted to be positive and at most `pow_limit`
/// (Bitcoin Core: arith_uint256::SetCompact, DeriveTarget).
Expected<Uint256, TargetError> decode_target(std::uint32_t bits, const Uint256& pow_limit);

/// The compact form of a target; low bits that it has no room for are cut off.
std::uint32_t encode_target(const Uint256& target);

/// The expected number of hashes for one block at this target: floor(2^256 / (target + 1)).
Uint256 work_of_target(const Uint256& target);

/// Whether the hash, as a number, is at most the target.
bool meets_target(const BlockHash& hash, const Uint256& target);

/// The ancestors of a block, as the rules see them. Implemented by the header chain and by tests.
class HeaderAncestry {
public:
    virtual ~HeaderAncestry() = default;
    /// The header at `height` on the branch in question; `height` is at most its tip's.
    virtual BlockHeader header_at(std::uint32_t height) const = 0;
};

/// The bits that a block at `height` (at least 1) with this time must carry, given its ancestors up
/// to height - 1 (Bitcoin Core: GetNextWorkRequired).
std::uint32_t required_bits(const NetworkParams& network, const HeaderAncestry& ancestry,
                            std::uint32_t height, std::uint32_t time);

}  // namespace petal::chain
