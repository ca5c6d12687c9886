#include "cli/options/confirmation.h"

#include <gtest/gtest.h>

#include <sstream>

#include "cli/text/command_error.h"

namespace petal::cli {
namespace {

/// The error of confirm(); empty if it succeeds.
std::string complaint(std::string_view wanted, const std::string& answer) {
    std::istringstream in(answer);
    std::ostringstream out;
    Console console(in, out, out, {.in = true, .out = true, .err = true}, /*no_colour=*/true);
    try {
        confirm("Go on? ", wanted, "changed", GlobalOptions{}, console);
    } catch (const CommandError& error) {
        return error.what();
    }
    return "";
}

TEST(Confirm, TakesEveryFormOfYes) {
    for (const char* yes : {"yes\n", "y\n", "Y\n", "YES\n", " yes \r\n", "y"}) {
        EXPECT_EQ(complaint(kYes, yes), "") << yes;
    }
    for (const char* no : {"no\n", "\n", "", "yess\n", "ye\n", "y es\n"}) {
        EXPECT_EQ(complaint(kYes, no), "nothing was changed: the answer was not 'yes'") << no;
    }
}

TEST(Confirm, LeavesRoomForTheAnswer) {
    EXPECT_EQ(columns_of_question(80), 70U);
    EXPECT_EQ(columns_of_question(30), 30U);
    std::istringstream in("yes\n");
    std::ostringstream err;
    Console console(in, err, err, {.in = true, .out = true, .err = true}, /*no_colour=*/true);
    const std::string question = std::string(60, 'a') + " type yes now: ";
    confirm(question, kYes, "changed", GlobalOptions{}, console);
    EXPECT_EQ(err.str(), std::string(60, 'a') + " type yes\nnow: ") << "on 80 columns";
}

TEST(Confirm, LeavesRoomInTheLastLineAlone) {
    std::istringstream in("yes\n");
    std::ostringstream err;
    Console console(in, err, err, {.in = true, .out = true, .err = true}, /*no_colour=*/true);
    const std::string line = std::string(70, 'a') + " b\n";
    confirm(line + "Type yes: ", kYes, "changed", GlobalOptions{}, console);
    EXPECT_EQ(err.str(), line + "Type yes: ");
}

TEST(Confirm, WantsANameAsItIs) {
    EXPECT_EQ(complaint("savings", "savings\n"), "");
    EXPECT_EQ(complaint("savings", "y\n"), "nothing was changed: the answer was not 'savings'");
    EXPECT_NE(complaint("savings", "Savings\n"), "");
}

}  // namespace
}  // namespace petal::cli
