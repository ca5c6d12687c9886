#include "cli/sync/display/event_command.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/scene.h"
#include "tests/support/file_content.h"

namespace petal::cli {
namespace {

using std::chrono::seconds;

TEST(EventCommand, RunsForAllEventsInTheirOrder) {
    const test::Scene scene;
    const auto told = scene.path("told");
    // The earlier an event, the longer its command sleeps before it writes. If the commands ran at
    // once, the order of the lines would be reversed.
    EventCommand command("read n; sleep 0.$((154 - n)) 2> /dev/null; echo $n >> " + told.string());
    std::string wanted;
    for (int i = 150; i < 155; ++i) {
        ASSERT_TRUE(command.run(std::to_string(i) + "\n"));
        wanted += std::to_string(i) + "\n";
    }
    EXPECT_EQ(command.finish(seconds{30}), 0U);
    EXPECT_EQ(test::file_text(told), wanted);
    EXPECT_TRUE(command.take_failures().empty());
}

TEST(EventCommand, IsRefusedIfItCannotWork) {
    const test::Scene scene;
    const std::string text = scene.write("text", "no program");
    for (const char* command :
         {"", "cat > /dev/null", "read line; echo \"$line\"", "if true; then true; fi",
          "/bin/sh -c true", "X=1 no-such-command", "\"$HOME/no such file\"", "  true",
          "~/no-such-file", "2>>/dev/null cat", "f () { cat; }; f", "f() { cat; }; f"}) {
        EXPECT_EQ(command_fault(command), "") << command;
    }
    EXPECT_EQ(command_fault("no-such-command --x"), "there is no command 'no-such-command'");
    EXPECT_EQ(command_fault("no-such-command >x"), "there is no command 'no-such-command'");
    EXPECT_EQ(command_fault("/no/such/file"), "there is no file '/no/such/file'");
    EXPECT_EQ(command_fault(text + " x"), "'" + text + "' is not an executable file");
    EXPECT_EQ(command_fault("/"), "'/' is not an executable file");
    EXPECT_EQ(command_fault("true 'unclosed"), "the shell cannot parse it");
}

TEST(EventCommand, PassesAnEventLargerThanASocketBuffer) {
    const test::Scene scene;
    const auto told = scene.path("told");
    EventCommand command("sleep 0.1; cat > " + told.string());
    const std::string event(3'000'000, 'x');
    ASSERT_TRUE(command.run(event));
    EXPECT_EQ(command.finish(seconds{30}), 0U);
    EXPECT_EQ(test::file_text(told).size(), event.size());
}

TEST(EventCommand, ContinuesIfTheCommandReadsNothing) {
    EventCommand command("true");
    ASSERT_TRUE(command.run(std::string(3'000'000, 'x')));
    EXPECT_EQ(command.finish(seconds{30}), 0U);
}

TEST(EventCommand, ReportsEachKindOfFailureOnce) {
    EventCommand command("read way; case $way in kill) kill -9 $$;; *) exit $way;; esac");
    for (const char* way : {"0", "130", "3", "3", "kill", "127", "kill"}) {
        ASSERT_TRUE(command.run(std::string(way) + "\n"));
    }
    EXPECT_EQ(command.finish(seconds{30}), 0U);
    EXPECT_EQ(command.take_failures(),
              (std::vector<std::string>{"ended with status 3", "was ended by signal 9",
                                        "ended with status 127"}));
    ASSERT_TRUE(command.run("3\n"));
    EXPECT_EQ(command.finish(seconds{30}), 0U);
    EXPECT_TRUE(command.take_failures().empty());
}

TEST(EventCommand, HasABoundedQueueAndEndsAtOnce) {
    const auto start = std::chrono::steady_clock::now();
    {
        EventCommand command("sleep 20");
        for (std::size_t i = 0; i < EventCommand::kMostQueued; ++i) ASSERT_TRUE(command.run("x"));
        EXPECT_FALSE(command.run("x"));
        EXPECT_EQ(command.finish(std::chrono::milliseconds{1}), EventCommand::kMostQueued);
    }
    EXPECT_LT(std::chrono::steady_clock::now() - start, seconds{10});
}

}  // namespace
}  // namespace petal::cli
