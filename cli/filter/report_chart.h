/// Charts as inline SVG, with text alternatives, for the report page.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chain/bytes.h"

namespace petal::cli {

/// The text with `&`, `<`, `>` and quotes as HTML writes them.
std::string html_escaped(std::string_view text);

struct ChartAxis {
    std::string label;
    double min = 0;  ///< above 0 on a logarithmic axis
    double max = 1;
    bool logarithmic = false;
    bool whole = false;  ///< marked at whole numbers only
};

struct ChartPoint {
    double x = 0;
    double y = 0;
};

/// Lines and marks over two axes. Marks beyond the axes are drawn at their ends, lines end there.
class Chart {
public:
    /// description   what the chart shows, for those who don't see it
    Chart(ChartAxis x, ChartAxis y, std::string title, std::string description);

    void add_line(const std::vector<ChartPoint>& points);
    /// A point of the page's own filter, with its name, above it or below.
    void add_own(ChartPoint point, const std::string& label, bool below = false);
    /// A small numbered disc for something else.
    void add_other(ChartPoint point, const std::string& number);

    std::string svg() const;

private:
    double place_x(double value) const;
    double place_y(double value) const;
    std::string axes() const;

    ChartAxis x_;
    ChartAxis y_;
    std::string title_;
    std::string description_;
    std::string body_;
};

/// Bits as a picture, row by row: set ones coloured, others clear. A PNG in an SVG, since every bit
/// as a shape of its own would take a hundred times the space.
std::string bit_map_svg(chain::ByteView bits, const std::string& title,
                        const std::string& description);

/// A PNG of one bit a pixel; rows of `columns` pixels, a multiple of 8. Index 1 has the colour, 0
/// is clear. (ISO/IEC 15948; the deflate stream is stored, not compressed: bits of a filter are
/// noise.)
chain::Bytes one_bit_png(chain::ByteView bits, std::size_t columns, std::uint32_t rgb);

std::string base64(chain::ByteView bytes);

}  // namespace petal::cli
