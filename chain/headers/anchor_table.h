/// The generated table of anchors.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace petal::chain {

/// The first block of a period of 2016 blocks.
struct AnchorRow {
    std::uint32_t height;
    std::string_view chainwork;  ///< hexadecimal
    std::string_view header;     ///< 80 bytes in hexadecimal
};

/// A network's rows, the lowest first, without the genesis block.
std::span<const AnchorRow> anchor_rows(std::string_view network);

}  // namespace petal::chain
