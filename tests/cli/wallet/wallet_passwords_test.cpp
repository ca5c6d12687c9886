// Wallets with and without a password.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;

TEST(Create, EncryptsWithAPassword) {
    const Scene scene;
    const std::string password = scene.write("password", "correct horse\n");
    const Outcome outcome = scene.run({"create", "--password-file", password, "--json"});
    EXPECT_EQ(outcome.json().at("encrypted"), true);
    const std::string empty = scene.write("empty", "\n");
    EXPECT_EQ(scene.run({"--wallet", "b", "create", "--json", "--password-file", empty}).code(),
              "empty-password");
    EXPECT_EQ(scene.run({"--wallet", "b", "create", "--json", "--passphrase-file", empty}).code(),
              "empty-passphrase");
}

TEST(WalletWithoutPassword, RefusesToBeGivenOne) {
    const Scene scene;
    const std::string password = scene.write("password", "correct horse\n");
    scene.run({"create"});
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"info", "--private", "--yes", "--password-file", password},
          {"encrypt", "--old-password-file", password, "--password-file", password}}) {
        const Outcome outcome = scene.run(words);
        EXPECT_EQ(outcome.status, ExitStatus::usage);
        EXPECT_NE(outcome.err.find("the wallet is not encrypted"), std::string::npos)
            << outcome.err;
    }
    EXPECT_EQ(scene.run({"info", "--json"}).json().at("encrypted"), false);
}

}  // namespace
}  // namespace petal::cli
