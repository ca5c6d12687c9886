#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;

class TwinWallets : public testing::Test {
protected:
    Outcome restore(const std::string& name, std::vector<std::string> more = {}) const {
        std::vector<std::string> words{"--wallet", name, "restore", "--mnemonic-file", file};
        words.insert(words.end(), more.begin(), more.end());
        return scene.run(words);
    }
    static bool warns(const Outcome& outcome, const std::string& text) {
        EXPECT_EQ(outcome.status, ExitStatus::done) << outcome.err;
        return outcome.err.find("warning: wallet 'first' has " + text) != std::string::npos;
    }

    Scene scene;
    std::string file = scene.write("words", test::kMnemonic);
};

TEST_F(TwinWallets, AreNamedIfTheyHaveTheSameWords) {
    EXPECT_EQ(restore("first").err.find("warning: wallet '"), std::string::npos);
    EXPECT_TRUE(warns(restore("second"), "the same words and account"));
    EXPECT_TRUE(warns(restore("third", {"--type", "tr"}), "the same words and account"));
}

TEST_F(TwinWallets, AreNamedIfTheyHaveTheSameDescriptor) {
    restore("first");
    std::vector<std::string> watch{"--wallet", "second", "watch"};
    const Json descriptors =
        scene.run({"--wallet", "first", "info", "--json"}).json().at("descriptors");
    for (const Json& text : descriptors) watch.push_back(text.get<std::string>());
    EXPECT_TRUE(warns(scene.run(watch), "the same descriptor"));
}

TEST_F(TwinWallets, AreNotOtherWalletsOrAccounts) {
    restore("first");
    EXPECT_FALSE(warns(restore("second", {"--account", "1"}), ""));
    const std::string passphrase = scene.write("passphrase", "TREZOR");
    EXPECT_FALSE(warns(restore("third", {"--passphrase-file", passphrase}), ""));
    EXPECT_FALSE(warns(scene.run({"--wallet", "fourth", "create"}), ""));
}

}  // namespace
}  // namespace petal::cli
