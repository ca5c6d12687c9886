/// The scripts that a taproot output commits to (BIP341).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "chain/bytes.h"

namespace petal::chain {

/// The leaf version of BIP342.
inline constexpr std::uint8_t kTapscriptVersion = 0xc0;

/// Whether the last of at least two items of a witness is an annex.
bool has_annex(std::span<const ByteView> items);

/// Whether a control block has room for its key and for 0 to 128 hashes of the path.
bool has_control_block_size(ByteView control_block);

/// The leaf version of a control block, which must not be empty.
std::uint8_t leaf_version(ByteView control_block);

/// The hash of a script as a leaf of the tree.
std::array<Byte, 32> tapleaf_hash(std::uint8_t version, ByteView script);

/// Whether the output key commits to the leaf by the internal key and the path of the control
/// block, which must have a valid size. Costs one point multiplication.
bool commits_to_leaf(ByteView output_key, ByteView control_block,
                     const std::array<Byte, 32>& leaf_hash);

}  // namespace petal::chain
