#include "cli/filter/report/report_chart.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <utility>

#include "cli/filter/measures/wording.h"
#include "cli/filter/report/report_html.h"

namespace petal::cli {
namespace {

// The units of the drawing: about one pixel each on a phone.
constexpr double kWidth = 400;
constexpr double kHeight = 280;
constexpr double kLeft = 92;
constexpr double kRight = 14;
constexpr double kTop = 30;
constexpr double kBottom = 44;
/// The distance between frame and axes, so that whole dots fit.
constexpr double kInner = 8;

std::string number(double value) {
    std::array<char, 32> text;
    const int size = std::snprintf(text.data(), text.size(), "%.1f", value);
    return {text.data(), static_cast<std::size_t>(size)};
}

/// The position of a value on an axis: 0 and 1 at the axis's ends, below 0 or above 1 beyond the
/// ends.
double share(const ChartAxis& axis, double value) {
    if (!axis.logarithmic) return (value - axis.min) / (axis.max - axis.min);
    constexpr double kSmallest = 1e-300;
    return std::log(std::max(value, kSmallest) / axis.min) / std::log(axis.max / axis.min);
}

/// The place in the drawing of shares of the axes.
ChartPoint drawn(double x, double y) {
    return {kLeft + kInner + x * (kWidth - kLeft - kRight - 2 * kInner),
            kHeight - kBottom - kInner - y * (kHeight - kTop - kBottom - 2 * kInner)};
}

bool is_beyond(double share) {
    constexpr double kSlack = 1e-9;
    return share < -kSlack || share > 1 + kSlack;
}

std::vector<double> linear_ticks(const ChartAxis& axis) {
    const double rough = (axis.max - axis.min) / 5;
    const double power = std::pow(10, std::floor(std::log10(rough)));
    double step = axis.whole ? std::max(1.0, power) : power;
    for (const double factor : {2.0, 5.0, 10.0}) {
        if (step < rough) step = factor * power;
    }
    std::vector<double> ticks;
    for (double tick = std::ceil(axis.min / step) * step; tick <= axis.max * 1.0001; tick += step) {
        ticks.push_back(tick);
    }
    return ticks;
}

std::vector<double> decade_ticks(const ChartAxis& axis) {
    const int first = static_cast<int>(std::ceil(std::log10(axis.min) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log10(axis.max) + 1e-9));
    const int step = std::max(1, (last - first + 5) / 6);
    std::vector<double> ticks;
    for (int power = last; power >= first; power -= step) ticks.push_back(std::pow(10, power));
    return ticks;
}

std::string tick_label(TickFormat format, double value) {
    switch (format) {
        case TickFormat::number:
            return short_number(value);
        case TickFormat::percentage:
            return percentage(value);
        case TickFormat::one_in:
            return short_number(1 / value);
    }
    return "";
}

std::string text_at(double x, double y, std::string_view classes, std::string_view anchor,
                    std::string_view text) {
    std::string svg = "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\"";
    if (!classes.empty()) svg += " class=\"" + std::string(classes) + "\"";
    return svg + " text-anchor=\"" + std::string(anchor) + "\">" + html_escaped(text) + "</text>";
}

/// The part of the way from one value to the next, 0 to 1, that is within the axis.
struct Part {
    double from = 0;
    double to = 1;
};
Part part_inside(double first, double second, Part part) {
    if (first == second) return is_beyond(first) ? Part{1, 0} : part;
    const double at_low = -first / (second - first);
    const double at_high = (1 - first) / (second - first);
    return {std::max(part.from, std::min(at_low, at_high)),
            std::min(part.to, std::max(at_low, at_high))};
}

}  // namespace

Chart::Chart(ChartAxis x, ChartAxis y, std::string title, std::string description)
    : x_(std::move(x)),
      y_(std::move(y)),
      title_(std::move(title)),
      description_(std::move(description)) {
    assert(x_.min < x_.max && y_.min < y_.max);
}

ChartPoint Chart::place_of(ChartPoint point) const {
    return drawn(std::clamp(share(x_, point.x), 0.0, 1.0),
                 std::clamp(share(y_, point.y), 0.0, 1.0));
}

bool Chart::is_outside(ChartPoint point) const {
    return is_beyond(share(x_, point.x)) || is_beyond(share(y_, point.y));
}

void Chart::add_line(const std::vector<ChartPoint>& points) {
    if (points.size() < 2) return;
    falls_ = points.front().y > points.back().y;
    std::string path;
    for (std::size_t i = 1; i < points.size(); ++i) {
        const ChartPoint a{share(x_, points[i - 1].x), share(y_, points[i - 1].y)};
        const ChartPoint b{share(x_, points[i].x), share(y_, points[i].y)};
        const Part part = part_inside(a.y, b.y, part_inside(a.x, b.x, {}));
        if (part.from > part.to) continue;
        const auto place_at = [&](double way) {
            const ChartPoint at = drawn(a.x + way * (b.x - a.x), a.y + way * (b.y - a.y));
            return number(at.x) + "," + number(at.y);
        };
        if (path.empty() || part.from > 0) path += "M" + place_at(part.from);
        path += "L" + place_at(part.to);
    }
    body_ += "<path class=\"line\" d=\"" + path + "\"/>";
}

void Chart::add_own(ChartPoint point, const std::string& label) {
    const ChartPoint at = place_of(point);
    if (is_outside(point)) {
        const double outwards = share(y_, point.y) < 0 ? 1 : -1;
        body_ += "<path class=\"own\" d=\"M" + number(at.x - 7) + "," +
                 number(at.y - 5 * outwards) + "H" + number(at.x + 7) + "L" + number(at.x) + "," +
                 number(at.y + 7 * outwards) + "Z\"/>";
    } else {
        body_ += "<circle class=\"own\" cx=\"" + number(at.x) + "\" cy=\"" + number(at.y) +
                 "\" r=\"5\"/>";
    }
    if (label.empty()) return;
    // A falling line leaves the upper right and the lower left free, a rising line the upper left
    // and the lower right.
    const bool to_left = at.x > kWidth * 0.55;
    const bool above = falls_ != to_left;
    double y = above ? at.y - 12 : at.y + 20;
    if (y < kTop + 14) y = at.y + 20;
    if (y > kHeight - kBottom - 4) y = at.y + 6;
    body_ += text_at(to_left ? at.x - 10 : at.x + 10, y, "name", to_left ? "end" : "start", label);
}

void Chart::add_other(ChartPoint point, const std::string& label) {
    const ChartPoint at = place_of(point);
    for (Other& other : others_) {
        if (std::abs(other.place.x - at.x) > 14 || std::abs(other.place.y - at.y) > 14) continue;
        other.labels += ", " + label;
        others_.push_back({at, ""});
        return;
    }
    others_.push_back({at, label});
}

std::string Chart::others() const {
    std::string svg;
    for (const Other& other : others_) {
        const ChartPoint& at = other.place;
        svg += "<circle class=\"other\" cx=\"" + number(at.x) + "\" cy=\"" + number(at.y) +
               "\" r=\"4\"/>";
        if (other.labels.empty()) continue;
        constexpr double kLetter = 6;
        const double width = kLetter * static_cast<double>(other.labels.size());
        if (at.x - 6 - width < kLeft) {
            svg += text_at(at.x + 7, at.y + 4, "in", "start", other.labels);
        } else {
            svg += text_at(at.x - 6, falls_ ? at.y + 12 : at.y - 5, "in", "end", other.labels);
        }
    }
    return svg;
}

std::string Chart::axes() const {
    const double bottom = kHeight - kBottom;
    const double right = kWidth - kRight;
    std::string svg = "<path class=\"frame\" d=\"M" + number(kLeft) + "," + number(kTop) + "V" +
                      number(bottom) + "H" + number(right) + "\"/>";
    for (const double tick : x_.logarithmic ? decade_ticks(x_) : linear_ticks(x_)) {
        const double x = place_of({tick, y_.min}).x;
        svg += "<path class=\"grid\" d=\"M" + number(x) + "," + number(kTop) + "V" +
               number(bottom) + "\"/>";
        svg += text_at(x, bottom + 15, "", "middle", tick_label(x_.format, tick));
    }
    for (const double tick : y_.logarithmic ? decade_ticks(y_) : linear_ticks(y_)) {
        const double y = place_of({x_.min, tick}).y;
        svg += "<path class=\"grid\" d=\"M" + number(kLeft) + "," + number(y) + "H" +
               number(right) + "\"/>";
        svg += text_at(kLeft - 6, y + 4, "", "end", tick_label(y_.format, tick));
    }
    svg += text_at((kLeft + right) / 2, kHeight - 8, "axis", "middle", x_.label);
    svg += text_at(2, 14, "axis", "start", y_.label);
    return svg;
}

std::string Chart::svg() const {
    return "<svg class=\"chart\" viewBox=\"0 0 400 280\" role=\"img\"><title>" +
           html_escaped(title_) + "</title><desc>" + html_escaped(description_) + "</desc>" +
           axes() + others() + body_ + "</svg>";
}

std::size_t bits_per_cell(std::size_t bits) {
    return (bits + kMostCells - 1) / kMostCells;
}

std::string bit_map_svg(chain::ByteView bits, const std::string& title,
                        const std::string& description) {
    // Each shade is one path, so that a run of equal cells takes a few bytes.
    constexpr std::size_t kShades = 10;
    const std::size_t bit_count = bits.size() * 8;
    const std::size_t each = bits_per_cell(bit_count);
    const std::size_t cells = (bit_count + each - 1) / each;
    const auto columns = std::max<std::size_t>(
        8, static_cast<std::size_t>(std::sqrt(2.5 * static_cast<double>(cells))));
    const std::size_t rows = (cells + columns - 1) / columns;

    const auto shade_of = [&](std::size_t cell) {
        const std::size_t end = std::min((cell + 1) * each, bit_count);
        std::size_t set = 0;
        for (std::size_t bit = cell * each; bit < end; ++bit) {
            set += static_cast<std::size_t>(bits[bit / 8] >> (bit % 8) & 1);
        }
        const std::size_t size = end - cell * each;
        return (set * kShades + size - 1) / size;
    };
    std::array<std::string, kShades + 1> runs;
    for (std::size_t cell = 0; cell < cells;) {
        const std::size_t shade = shade_of(cell);
        const std::size_t row_end = std::min((cell / columns + 1) * columns, cells);
        std::size_t end = cell + 1;
        while (end < row_end && shade_of(end) == shade) ++end;
        runs.at(shade) += "M" + std::to_string(cell % columns) + "," +
                          std::to_string(cell / columns) + "h" + std::to_string(end - cell);
        cell = end;
    }
    std::string svg = "<svg class=\"bits\" style=\"max-width:" + std::to_string(16 * columns) +
                      "px\" viewBox=\"0 0 " + std::to_string(columns) + " " + std::to_string(rows) +
                      "\" role=\"img\"><title>" + html_escaped(title) + "</title><desc>" +
                      html_escaped(description) + "</desc><g transform=\"translate(0,.5)\">";
    for (std::size_t shade = 1; shade <= kShades; ++shade) {
        if (runs.at(shade).empty()) continue;
        const double opacity = 0.2 + 0.8 * static_cast<double>(shade) / kShades;
        svg += "<path opacity=\"" + number(opacity) + "\" d=\"" + runs.at(shade) + "\"/>";
    }
    return svg + "</g></svg>";
}

}  // namespace petal::cli
