/// The facts behind anchors.h, as text.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace petal::chain {

/// A block that opens a period of 2016.
struct AnchorRow {
    std::uint32_t height;
    std::string_view chainwork;  ///< hexadecimal
    std::string_view header;     ///< 80 bytes in hexadecimal
};

/// A network's rows, lowest first; none for a network that has no row but its genesis block.
std::span<const AnchorRow> anchor_rows(std::string_view network);

}  // namespace petal::chain
