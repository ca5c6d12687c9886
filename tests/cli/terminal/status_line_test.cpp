// The status line: one line that is rewritten in place, or several lines below each other.
#include "cli/terminal/status_line.h"

#include <gtest/gtest.h>

#include <sstream>

namespace petal::cli {
namespace {

using namespace std::chrono_literals;

class StatusLines : public testing::Test {
protected:
    /// The text written to standard error.
    std::string written(bool terminal, void (*use)(StatusLine&)) {
        std::istringstream in;
        std::ostringstream out;
        std::ostringstream err;
        Console console(in, out, err, {.in = false, .out = false, .err = terminal}, true);
        StatusLine line(console, {});
        use(line);
        return err.str();
    }
};

constexpr StatusLine::Clock::time_point kStart{};

TEST_F(StatusLines, AreRedrawnOnlyIfTheyChange) {
    const auto use = [](StatusLine& line) {
        for (const char* text : {"one", "one", "two", "two", "one"}) line.show(text, kStart);
    };
    EXPECT_EQ(written(true, use), "\r\x1b[Kone\r\x1b[Ktwo\r\x1b[Kone");
}

TEST_F(StatusLines, AreRedrawnAfterTheyWereCleared) {
    const auto use = [](StatusLine& line) {
        line.show("one", kStart);
        line.clear();
        line.clear();
        line.show("one", kStart);
    };
    EXPECT_EQ(written(true, use), "\r\x1b[Kone\r\x1b[K\r\x1b[Kone");
}

// Only one row of a terminal can be cleared.
TEST_F(StatusLines, TakeOneRowOfATerminal) {
    const auto use = [](StatusLine& line) { line.show(std::string(200, 'x'), kStart); };
    EXPECT_LT(written(true, use).size(), 100U);
    const auto write_plain = [](StatusLine& line) {
        line.show(std::string(200, 'x'), kStart + 5s);
    };
    EXPECT_EQ(written(false, write_plain), std::string(200, 'x') + "\n");
}

TEST_F(StatusLines, AreCutBetweenWords) {
    const auto use = [](StatusLine& line) {
        line.show(
            "waiting for peers that still have the transactions of replaced blocks, and others",
            kStart);
    };
    EXPECT_EQ(written(true, use),
              "\r\x1b[Kwaiting for peers that still have the transactions of replaced blocks, and…")
        << "80 columns, of which the last may wrap";
}

TEST_F(StatusLines, AreWrittenEveryFiveSecondsWithoutATerminal) {
    const auto use = [](StatusLine& line) {
        line.show("one", kStart + 4'999ms);
        line.show("two", kStart + 5s);
        line.show("three", kStart + 9'999ms);
        line.show("two", kStart + 10s);
        line.show("four", kStart + 11s);
    };
    EXPECT_EQ(written(false, use), "two\nfour\n");
}

}  // namespace
}  // namespace petal::cli
