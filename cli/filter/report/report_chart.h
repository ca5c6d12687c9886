/// Charts as inline SVG, with text alternatives, for the report page.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "chain/bytes.h"

namespace petal::cli {

/// How the numbers at an axis are written.
enum class TickFormat : std::uint8_t {
    number,      ///< 20, 1,000, 1.5 million
    percentage,  ///< of a share from 0 to 1
    one_in,      ///< of a probability p, 1/p: "1,000" for 0.001
};

struct ChartAxis {
    std::string label;
    double min = 0;  ///< above 0 on a logarithmic axis
    double max = 1;
    bool logarithmic = false;
    bool whole = false;  ///< marked at whole numbers only
    TickFormat format = TickFormat::number;
};

struct ChartPoint {
    double x = 0;
    double y = 0;
};

/// A line and marks over two axes. The line is cut off at the axes' ends. A mark beyond an axis is
/// drawn at the axis's end, as an arrow that points outside.
class Chart {
public:
    /// description   a text for screen readers
    Chart(ChartAxis x, ChartAxis y, std::string title, std::string description);

    /// Add the line before the dots, because names are placed on the free side of the line.
    void add_line(const std::vector<ChartPoint>& points);
    /// A dot for a filter of the page, with a name unless `label` is empty.
    void add_own(ChartPoint point, const std::string& label);
    /// A small numbered dot for an item that is no filter of the page. Dots that nearly touch share
    /// one label.
    void add_other(ChartPoint point, const std::string& label);

    std::string svg() const;

private:
    struct Other {
        ChartPoint place;  ///< in the drawing
        std::string labels;
    };

    /// The place in the drawing. For a point beyond an axis, the place at the axis's end.
    ChartPoint place_of(ChartPoint point) const;
    bool is_outside(ChartPoint point) const;
    std::string axes() const;
    std::string others() const;

    ChartAxis x_;
    ChartAxis y_;
    std::string title_;
    std::string description_;
    std::string body_;
    std::vector<Other> others_;
    bool falls_ = false;
};

/// Bits as a picture of at most this many cells.
inline constexpr std::size_t kMostCells = 4'096;

/// The number of a filter's bits in one cell.
std::size_t bits_per_cell(std::size_t bits);

/// Cells row by row. The more bits are set, the darker is the cell. The last row may be shorter.
std::string bit_map_svg(chain::ByteView bits, const std::string& title,
                        const std::string& description);

}  // namespace petal::cli
