#include "cli/wallet/qr_code.h"

#include <gtest/gtest.h>

#include <sstream>
#include <vector>

#include "cli/text/text.h"

namespace petal::cli {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream stream(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
}

TEST(QrCode, IsASquareWithAQuietZone) {
    // "A" fits into version 1: 21 modules, with a quiet zone of four on each side, and two rows a
    // line.
    const auto code = qr_code("A", QrColours::none);
    ASSERT_TRUE(code);
    const auto lines = lines_of(*code);
    ASSERT_EQ(lines.size(), 15U);
    for (const std::string& line : lines) EXPECT_EQ(display_width(line), 29U);
    std::string light;
    for (int i = 0; i < 29; ++i) light += "█";
    EXPECT_EQ(lines[0], light);
    EXPECT_EQ(lines[1], light);
    // The upper edges of the finder patterns: seven dark modules, with light modules below them.
    EXPECT_EQ(lines[2].substr(0, 4 * 3 + 1 + 5 * 3 + 1), "████ ▄▄▄▄▄ ");
}

TEST(QrCode, HasFixedColoursOnRequest) {
    const auto code = qr_code("bitcoin:a", QrColours::fixed);
    ASSERT_TRUE(code);
    for (const std::string& line : lines_of(*code)) {
        EXPECT_TRUE(line.starts_with("\x1b[38;5;231;48;5;16m"));
        EXPECT_TRUE(line.ends_with("\x1b[0m"));
    }
}

TEST(QrCode, RefusesWhatIsTooLong) {
    EXPECT_TRUE(qr_code(std::string(2'331, 'x'), QrColours::none));  // version 40, level M
    EXPECT_FALSE(qr_code(std::string(2'332, 'x'), QrColours::none));
}

TEST(QrCode, SaysHowManyColumnsItTakes) {
    // Version 2 has 25 modules a side, and the quiet zone 4 on either (ISO/IEC 18004).
    for (const auto colours : {QrColours::fixed, QrColours::none}) {
        EXPECT_EQ(qr_code_columns(*qr_code("bitcoin:1234567890", colours)), 33U);
    }
}

}  // namespace
}  // namespace petal::cli
