#include "cli/files/timed_input.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <array>
#include <istream>
#include <iterator>
#include <string>
#include <string_view>

namespace petal::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// A pipe whose write end is closed only when the test does so.
class TimedInputTest : public testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(pipe(ends_.data()), 0); }
    void TearDown() override {
        close(ends_[0]);
        end();
    }
    void write_text(std::string_view text) {
        ASSERT_EQ(write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
    }
    void end() {
        if (ends_[1] >= 0) close(ends_[1]);
        ends_[1] = -1;
    }
    static std::string read_all(TimedInput& input) {
        std::istream stream(&input);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    std::array<int, 2> ends_{-1, -1};
};

TEST_F(TimedInputTest, ReadsToTheEnd) {
    write_text("all of it");
    end();
    TimedInput input(ends_[0], std::nullopt);
    EXPECT_EQ(read_all(input), "all of it");
    EXPECT_FALSE(input.timed_out());
}

TEST_F(TimedInputTest, TakesAvailableInputAndTimesOut) {
    write_text("a part of it");
    TimedInput input(ends_[0], Clock::now());
    EXPECT_EQ(read_all(input), "a part of it");
    EXPECT_TRUE(input.timed_out());
}

TEST_F(TimedInputTest, DoesNotTimeOutAtTheEnd) {
    end();
    TimedInput input(ends_[0], Clock::now() - std::chrono::hours{1});
    EXPECT_EQ(read_all(input), "");
    EXPECT_FALSE(input.timed_out());
}

}  // namespace
}  // namespace petal::cli
