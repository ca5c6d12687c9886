#include "cli/secrets/mnemonic_input.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "cli/text/command_error.h"
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

// The words are in BIP39's list, so that other wallets say only that the checksum is wrong.
TEST(MnemonicInput, NamesASeedOfElectrum) {
    const test::Scene scene;
    const auto restore = [&](const std::string& words) {
        return scene.run({"restore", "--json", "--mnemonic-file", scene.write("words", words)});
    };
    const test::Outcome segwit =
        restore("bitter grass shiver impose acquire brush forget axis eager alone wine silver");
    EXPECT_EQ(segwit.code(), "electrum-seed");
    EXPECT_NE(segwit.err.find("seed of Electrum (Segwit)"), std::string::npos) << segwit.err;
    EXPECT_NE(segwit.err.find("petal watch"), std::string::npos) << segwit.err;
    const test::Outcome two_factor =
        restore("kiss live scene rude gate step hip quarter bunker oxygen motor glove");
    EXPECT_EQ(two_factor.code(), "electrum-seed");
    EXPECT_EQ(two_factor.err.find("petal watch"), std::string::npos) << two_factor.err;
    const test::Outcome wrong =
        restore("grass bitter shiver impose acquire brush forget axis eager alone wine silver");
    EXPECT_EQ(wrong.code(), "bad-mnemonic");
    const test::Outcome both = restore(
        "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon "
        "mass");
    EXPECT_EQ(both.status, ExitStatus::done) << both.err;
    EXPECT_NE(both.err.find("they are read as BIP39"), std::string::npos) << both.err;
}

TEST(MnemonicInput, TakesWhatOtherProgramsWrite) {
    const test::Scene scene;
    std::string words = "\uff11\uff0e\u00a0Abandon";
    for (int i = 2; i < 12; ++i) words += "\u3000" + std::to_string(i) + ".\u00a0abandon";
    words += "\u202f\uff41bout\n";
    const test::Outcome restored =
        scene.run({"restore", "--json", "--mnemonic-file", scene.write("words", words)});
    ASSERT_EQ(restored.status, ExitStatus::done) << restored.err;
    EXPECT_EQ(restored.json().at("fingerprint"), "73c5da0a");
}

}  // namespace
}  // namespace petal::cli
