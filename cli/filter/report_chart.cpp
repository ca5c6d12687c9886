#include "cli/filter/report_chart.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>

#include "bloom/measures/wording.h"
#include "chain/byte_writer.h"

namespace petal::cli {
namespace {

// The drawing's own units: a phone shows them at nearly one pixel each.
constexpr double kWidth = 400;
constexpr double kHeight = 280;
constexpr double kLeft = 56;
constexpr double kRight = 14;
constexpr double kTop = 14;
constexpr double kBottom = 44;

std::string number(double value) {
    std::array<char, 32> text;
    const int size = std::snprintf(text.data(), text.size(), "%.1f", value);
    return {text.data(), static_cast<std::size_t>(size)};
}

double share(const ChartAxis& axis, double value) {
    const double held = std::clamp(value, axis.min, axis.max);
    if (!axis.logarithmic) return (held - axis.min) / (axis.max - axis.min);
    return std::log(held / axis.min) / std::log(axis.max / axis.min);
}

std::vector<double> linear_ticks(const ChartAxis& axis) {
    const double rough = (axis.max - axis.min) / 4;
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

std::string tick_label(double value) {
    if ((value > 0 && value < 0.00099) || value >= 1e6) {
        return "1e" + std::to_string(static_cast<int>(std::lround(std::log10(value))));
    }
    return bloom::short_number(value);
}

std::uint32_t crc32(chain::ByteView bytes) {
    std::uint32_t crc = 0xffffffff;
    for (const chain::Byte byte : bytes) {
        crc ^= byte;
        for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320U : 0U);
    }
    return ~crc;
}

std::uint32_t adler32(chain::ByteView bytes) {
    std::uint32_t a = 1;
    std::uint32_t b = 0;
    for (const chain::Byte byte : bytes) {
        a = (a + byte) % 65'521;
        b = (b + a) % 65'521;
    }
    return b << 16 | a;
}

void write_big_endian(chain::ByteWriter& to, std::uint32_t value) {
    to.u16_big_endian(static_cast<std::uint16_t>(value >> 16));
    to.u16_big_endian(static_cast<std::uint16_t>(value & 0xffff));
}

void write_chunk(chain::ByteWriter& png, std::string_view type, chain::ByteView content) {
    chain::ByteWriter checked(type.size() + content.size());
    checked.bytes(chain::Bytes(type.begin(), type.end())).bytes(content);
    write_big_endian(png, static_cast<std::uint32_t>(content.size()));
    png.bytes(checked.view());
    write_big_endian(png, crc32(checked.view()));
}

/// A zlib stream of stored blocks (RFC 1950, RFC 1951).
chain::Bytes stored(chain::ByteView content) {
    constexpr std::size_t kMostInBlock = 65'535;
    chain::ByteWriter stream;
    stream.u8(0x78).u8(0x01);
    for (std::size_t at = 0; at < content.size(); at += kMostInBlock) {
        const std::size_t size = std::min(kMostInBlock, content.size() - at);
        stream.u8(at + size == content.size() ? 1 : 0);
        stream.u16(static_cast<std::uint16_t>(size)).u16(static_cast<std::uint16_t>(~size));
        stream.bytes(content.subspan(at, size));
    }
    write_big_endian(stream, adler32(content));
    return stream.take();
}

chain::Byte reversed(chain::Byte byte) {
    chain::Byte result = 0;
    for (unsigned i = 0; i < 8; ++i) {
        result = static_cast<chain::Byte>(result << 1 | (byte >> i & 1));
    }
    return result;
}

}  // namespace

std::string html_escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

Chart::Chart(ChartAxis x, ChartAxis y, std::string title, std::string description)
    : x_(std::move(x)),
      y_(std::move(y)),
      title_(std::move(title)),
      description_(std::move(description)) {
    assert(x_.min < x_.max && y_.min < y_.max);
}

double Chart::place_x(double value) const {
    return kLeft + share(x_, value) * (kWidth - kLeft - kRight);
}

double Chart::place_y(double value) const {
    return kHeight - kBottom - share(y_, value) * (kHeight - kTop - kBottom);
}

void Chart::add_line(const std::vector<ChartPoint>& points) {
    std::string path;
    for (const ChartPoint& point : points) {
        if (point.y < y_.min || point.y > y_.max) continue;
        path +=
            (path.empty() ? "M" : "L") + number(place_x(point.x)) + "," + number(place_y(point.y));
    }
    body_ += "<path class=\"line\" d=\"" + path + "\"/>";
}

void Chart::add_own(ChartPoint point, const std::string& label, bool below) {
    const double x = place_x(point.x);
    const double y = place_y(point.y);
    const bool right_half = x > kWidth / 2;
    const double label_y = below || y < kTop + 24 ? y + 18 : y - 9;
    body_ += "<circle class=\"own\" cx=\"" + number(x) + "\" cy=\"" + number(y) + "\" r=\"5\"/>";
    body_ += "<text class=\"name\" x=\"" + number(right_half ? x - 7 : x + 7) + "\" y=\"" +
             number(label_y) + "\" text-anchor=\"" + (right_half ? "end" : "start") + "\">" +
             html_escaped(label) + "</text>";
}

void Chart::add_other(ChartPoint point, const std::string& label) {
    const std::string x = number(place_x(point.x));
    const double y = place_y(point.y);
    body_ += "<circle class=\"other\" cx=\"" + x + "\" cy=\"" + number(y) + "\" r=\"8\"/>";
    body_ += "<text class=\"in\" x=\"" + x + "\" y=\"" + number(y + 4) + "\">" +
             html_escaped(label) + "</text>";
}

std::string Chart::axes() const {
    std::string svg;
    const std::string bottom = number(kHeight - kBottom);
    const std::string right = number(kWidth - kRight);
    for (const double tick : x_.logarithmic ? decade_ticks(x_) : linear_ticks(x_)) {
        const std::string x = number(place_x(tick));
        svg += "<path class=\"grid\" d=\"M" + x + "," + number(kTop) + "V" + bottom + "\"/>";
        svg += "<text x=\"" + x + "\" y=\"" + number(kHeight - kBottom + 15) +
               "\" text-anchor=\"middle\">" + tick_label(tick) + "</text>";
    }
    for (const double tick : y_.logarithmic ? decade_ticks(y_) : linear_ticks(y_)) {
        const double y = place_y(tick);
        svg +=
            "<path class=\"grid\" d=\"M" + number(kLeft) + "," + number(y) + "H" + right + "\"/>";
        svg += "<text x=\"" + number(kLeft - 6) + "\" y=\"" + number(y + 4) +
               "\" text-anchor=\"end\">" + tick_label(tick) + "</text>";
    }
    svg += "<text class=\"axis\" x=\"" + number((kLeft + kWidth - kRight) / 2) + "\" y=\"" +
           number(kHeight - 8) + "\" text-anchor=\"middle\">" + html_escaped(x_.label) + "</text>";
    const std::string middle = number((kTop + kHeight - kBottom) / 2);
    svg += "<text class=\"axis\" x=\"12\" y=\"" + middle + "\" transform=\"rotate(-90 12 " +
           middle + ")\" text-anchor=\"middle\">" + html_escaped(y_.label) + "</text>";
    return svg;
}

std::string Chart::svg() const {
    return "<svg class=\"chart\" viewBox=\"0 0 400 280\" role=\"img\"><title>" +
           html_escaped(title_) + "</title><desc>" + html_escaped(description_) + "</desc>" +
           axes() + body_ + "</svg>";
}

chain::Bytes one_bit_png(chain::ByteView bits, std::size_t columns, std::uint32_t rgb) {
    assert(columns % 8 == 0 && columns > 0);
    const std::size_t row_bytes = columns / 8;
    const std::size_t rows = (bits.size() + row_bytes - 1) / row_bytes;
    chain::Bytes pixels;
    for (std::size_t row = 0; row < rows; ++row) {
        pixels.push_back(0);  // no prediction
        for (std::size_t i = row * row_bytes; i < (row + 1) * row_bytes; ++i) {
            // A filter's first bit is a byte's lowest, a picture's the highest.
            pixels.push_back(i < bits.size() ? reversed(bits[i]) : chain::Byte{0});
        }
    }
    chain::ByteWriter header;
    write_big_endian(header, static_cast<std::uint32_t>(columns));
    write_big_endian(header, static_cast<std::uint32_t>(rows));
    header.u8(1).u8(3).u8(0).u8(0).u8(0);  // 1 bit, palette
    const chain::Bytes palette{0,
                               0,
                               0,
                               static_cast<chain::Byte>(rgb >> 16),
                               static_cast<chain::Byte>(rgb >> 8),
                               static_cast<chain::Byte>(rgb)};
    chain::ByteWriter png;
    png.bytes(chain::Bytes{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
    write_chunk(png, "IHDR", header.view());
    write_chunk(png, "PLTE", palette);
    write_chunk(png, "tRNS", chain::Bytes{0});
    write_chunk(png, "IDAT", stored(pixels));
    write_chunk(png, "IEND", {});
    return png.take();
}

std::string base64(chain::ByteView bytes) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t j = 0; j < 3; ++j) {
            group = group << 8 | (j < left ? bytes[i + j] : chain::Byte{0});
        }
        for (std::size_t j = 0; j < 4; ++j) {
            text += j <= left ? kDigits[group >> (18 - 6 * j) & 63] : '=';
        }
    }
    return text;
}

std::string bit_map_svg(chain::ByteView bits, const std::string& title,
                        const std::string& description) {
    constexpr std::uint32_t kColour = 0x4f7fd9;  // readable on white and on black
    const double side = std::sqrt(2.5 * 8 * static_cast<double>(bits.size()));
    const std::size_t row_bytes = std::max<std::size_t>(1, static_cast<std::size_t>(side / 8));
    const std::size_t rows = (bits.size() + row_bytes - 1) / row_bytes;
    const std::string size =
        "width=\"" + std::to_string(8 * row_bytes) + "\" height=\"" + std::to_string(rows) + "\"";
    return "<svg class=\"bits\" viewBox=\"0 0 " + std::to_string(8 * row_bytes) + " " +
           std::to_string(rows) + "\" role=\"img\"><title>" + html_escaped(title) +
           "</title><desc>" + html_escaped(description) + "</desc><image " + size +
           " href=\"data:image/png;base64," + base64(one_bit_png(bits, 8 * row_bytes, kColour)) +
           "\"/></svg>";
}

}  // namespace petal::cli
