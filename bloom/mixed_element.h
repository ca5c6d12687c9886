/// An element of a filter, made ready to be hashed with many seeds.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bloom/murmur3.h"
#include "chain/byte_reader.h"
#include "chain/bytes.h"

namespace petal::bloom {

/// The longest element that MixedElement holds. No push of a script that can be spent is longer
/// (Bitcoin Core: MAX_SCRIPT_ELEMENT_SIZE), nor is an element of a `filteradd` message (BIP37).
inline constexpr std::size_t kMaxMixedBytes = 520;

/// The part of murmur3() that does not depend on the seed: an element, read and mixed once, on the
/// stack.
/// Bytes   the element's size if it is a constant, which unrolls the loops over it and so spares a
///         mispredicted branch for each hash; otherwise std::dynamic_extent
template <std::size_t Bytes = std::dynamic_extent>
class MixedElement {
public:
    /// element   Bytes long, or of any length up to kMaxMixedBytes
    explicit MixedElement(chain::ByteView element) : size_(element.size()) {
        assert(element.size() == size() && size() <= kMaxMixedBytes);
        for (std::size_t i = 0; i < block_count(); ++i) {
            mixed_blocks_[i] = murmur3_mix(chain::get_u32(element.data() + 4 * i));
        }
        const chain::Byte* tail = element.data() + 4 * block_count();
        mixed_end_ =
            murmur3_mix(murmur3_tail(tail, size() % 4)) ^ static_cast<std::uint32_t>(size());
    }

    std::size_t size() const { return Bytes == std::dynamic_extent ? size_ : Bytes; }
    std::size_t block_count() const { return size() / 4; }
    std::uint32_t mixed_block(std::size_t i) const { return mixed_blocks_[i]; }
    /// The last bytes after the full blocks, and the size.
    std::uint32_t mixed_end() const { return mixed_end_; }

private:
    std::size_t size_;
    std::uint32_t mixed_end_;
    // The first block_count() are set.
    std::array<std::uint32_t, (Bytes == std::dynamic_extent ? kMaxMixedBytes : Bytes) / 4>
        mixed_blocks_;
};

}  // namespace petal::bloom
