#include "cli/wallet/mnemonic_input.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "cli/command_error.h"
#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

struct Refusal {
    std::string error;
    std::string shown;
};

/// Reads a file whose last word has a typing error.
Refusal refusal_of(bool on_terminal, bool json) {
    const test::Scene scene;
    std::string words = test::kMnemonic;
    words.replace(words.rfind("about"), 5, "abuot");
    const std::filesystem::path file = scene.write("words", words);
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    Console console(in, out, err, {false, false, on_terminal}, /*no_colour=*/true);
    GlobalOptions global;
    global.json = json;
    try {
        static_cast<void>(read_mnemonic(file, global, console));
    } catch (const CommandError& error) {
        EXPECT_EQ(error.code(), "bad-mnemonic");
        return {error.what(), err.str()};
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
}

// Memory with the text of an error is not wiped, and errors end up in logs.
TEST(MnemonicInput, NamesAWrongWordOnTheTerminalButInNoError) {
    const std::string error = "word 12 of 12 is not in the English word list";
    EXPECT_EQ(refusal_of(true, false).error, error);
    EXPECT_EQ(refusal_of(true, false).shown,
              "word 12 of 12, 'abuot', is not in the English word list\n");
    for (const auto& [on_terminal, json] : {std::pair(false, false), std::pair(true, true)}) {
        const Refusal refusal = refusal_of(on_terminal, json);
        EXPECT_EQ(refusal.error, error);
        EXPECT_EQ(refusal.shown, "");
    }
}

}  // namespace
}  // namespace petal::cli
