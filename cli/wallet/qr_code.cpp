#include "cli/wallet/qr_code.h"

#include <qrencode.h>

#include <memory>

namespace petal::cli {
namespace {

constexpr int kQuietZone = 4;  // in modules (ISO/IEC 18004)

class Modules {
public:
    explicit Modules(const QRcode& code) : code_(code) {}

    int first() const { return -kQuietZone; }
    int end() const { return code_.width + kQuietZone; }

    bool is_light(int row, int column) const {
        const bool inside = row >= 0 && row < code_.width && column >= 0 && column < code_.width;
        return !inside || (code_.data[row * code_.width + column] & 1) == 0;
    }

private:
    const QRcode& code_;
};

/// One character for two modules, one above the other. Light modules are drawn.
std::string_view half_blocks(bool upper_light, bool lower_light) {
    if (upper_light) return lower_light ? "█" : "▀";
    return lower_light ? "▄" : " ";
}

}  // namespace

std::optional<std::string> qr_code(std::string_view text, QrColours colours) {
    const std::string terminated(text);
    const std::unique_ptr<QRcode, decltype(&QRcode_free)> code(
        QRcode_encodeString8bit(terminated.c_str(), 0, QR_ECLEVEL_M), QRcode_free);
    if (!code) return std::nullopt;

    // White on black, so that light modules are light with any colours of the terminal.
    const std::string_view begin = colours == QrColours::fixed ? "\x1b[38;5;231;48;5;16m" : "";
    const std::string_view end = colours == QrColours::fixed ? "\x1b[0m" : "";
    const Modules modules(*code);
    std::string lines;
    for (int row = modules.first(); row < modules.end(); row += 2) {
        lines += begin;
        for (int column = modules.first(); column < modules.end(); ++column) {
            const bool lower = row + 1 < modules.end() && modules.is_light(row + 1, column);
            lines += half_blocks(modules.is_light(row, column), lower);
        }
        lines += end;
        lines += '\n';
    }
    return lines;
}

std::size_t qr_code_columns(std::string_view code) {
    // The first line is of the quiet zone: a block for each column.
    const std::string_view line = code.substr(0, code.find('\n'));
    constexpr std::string_view kBlock = "█";
    std::size_t columns = 0;
    for (std::size_t at = line.find(kBlock); at != std::string_view::npos;
         at = line.find(kBlock, at + kBlock.size())) {
        ++columns;
    }
    return columns;
}

}  // namespace petal::cli
