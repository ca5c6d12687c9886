#include "cli/regtest/line_buffer.h"

#include <gtest/gtest.h>

#include <vector>

namespace petal::cli {
namespace {

using Lines = std::vector<LineBuffer::Line>;

/// The lines, of at most five characters, of a stream that arrives in these pieces.
Lines lines_of(const std::vector<std::string>& pieces) {
    LineBuffer buffer(5);
    Lines lines;
    for (const std::string& piece : pieces) {
        buffer.append(piece);
        while (auto line = buffer.next()) lines.push_back(*std::move(line));
    }
    return lines;
}

TEST(LineBuffer, FindsLinesHoweverTheyCome) {
    const Lines expected{{"mine", false}, {"", false}, {"12345", false}};
    EXPECT_EQ(lines_of({"mine\n\n12345\nrest"}), expected);
    EXPECT_EQ(lines_of({"mi", "ne", "\n", "\n1234", "5\n"}), expected);
}

TEST(LineBuffer, LineThatIsTooLongIsOneLine) {
    const Lines expected{{"", true}, {"mine", false}};
    EXPECT_EQ(lines_of({"123456\nmine\n"}), expected);
    EXPECT_EQ(lines_of({"123456", "mine", "status", "x\nmine\n"}), expected);
    EXPECT_EQ(lines_of({"123456", "\nmine\n"}), expected);
    EXPECT_EQ(lines_of({"123456", "123456\n123456\nmine\n"}),
              (Lines{{"", true}, {"", true}, {"mine", false}}));
}

}  // namespace
}  // namespace petal::cli
