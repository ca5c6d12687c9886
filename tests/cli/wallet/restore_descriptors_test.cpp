// Wallets restored from descriptors with private keys.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;

TEST(RestoreFromDescriptors, RestoresTheOutputOfInfoPrivate) {
    const Scene scene;
    const std::string words = scene.write("words.txt", test::kMnemonic);
    ASSERT_EQ(scene.run({"restore", "--mnemonic-file", words, "--type", "tr"}).status,
              ExitStatus::done);
    const Outcome shown = scene.run({"info", "--private", "--yes"});
    const std::string file = scene.write("descriptors", "# of petal\n" + shown.out);
    const Outcome restored = scene.run(
        {"--wallet", "b", "restore", "--descriptor-file", file, "--birthday", "120", "--json"});
    ASSERT_EQ(restored.status, ExitStatus::done) << restored.err;
    EXPECT_NE(restored.err.find("the private keys are not encrypted"), std::string::npos);
    const Json own = scene.run({"info", "--json"}).json();
    const Json json = restored.json();
    for (const char* const key : {"type", "fingerprint", "descriptors", "watch_only"}) {
        EXPECT_EQ(json.at(key), own.at(key)) << key;
    }
    EXPECT_EQ(own.at("has_words"), true);
    EXPECT_EQ(json.at("has_words"), false);
    EXPECT_EQ(json.at("birthday_height"), 120);
    EXPECT_EQ(scene.run({"--wallet", "b", "info", "--private", "--yes"}).out, shown.out);
    EXPECT_EQ(scene.run({"--wallet", "b", "receive", "--json"}).json().at("address"),
              scene.run({"receive", "--json"}).json().at("address"));
    const std::string text = scene.run({"--wallet", "c", "restore", "--descriptor-file", file}).out;
    EXPECT_NE(text.find(" is restored; "), std::string::npos) << text;
    EXPECT_NE(text.find("tr (BIP86)"), std::string::npos) << text;
    EXPECT_EQ(text.find("tprv"), std::string::npos);
}

TEST(RestoreFromDescriptors, EncryptsAndBacksUpTheKeys) {
    const Scene scene;
    // Bitcoin Core: doc/descriptors.md.
    const std::string file =
        scene.write("d", "pkh(cVpF924EspNh8KjYsfhgY96mmxvT6DgdWiTYMtMjuM74hJaU5psW)");
    const std::string password = scene.write("password", "correct horse");
    const Outcome restored =
        scene.run({"restore", "--descriptor-file", file, "--password-file", password});
    ASSERT_EQ(restored.status, ExitStatus::done) << restored.err;
    EXPECT_NE(restored.out.find(" pkh\n"), std::string::npos) << "a single key has no account";
    const std::string backup = scene.path("backup").string();
    ASSERT_EQ(scene.run({"backup", backup}).status, ExitStatus::done);
    ASSERT_EQ(
        scene.run({"--wallet", "b", "restore-backup", backup, "--password-file", password}).status,
        ExitStatus::done);
    for (const char* const name : {"default", "b"}) {
        const std::vector<std::string> show{"--wallet", name, "info", "--private", "--yes"};
        EXPECT_EQ(scene.run(show).status, ExitStatus::wallet);
        std::vector<std::string> with_password = show;
        with_password.insert(with_password.end(), {"--password-file", password});
        const Outcome shown = scene.run(with_password);
        EXPECT_TRUE(shown.out.starts_with("pkh(cVpF924E")) << shown.err;
    }
}

TEST(RestoreFromDescriptors, SaysWhichLineIsWrongAndNotWhatItHolds) {
    const Scene scene;
    const std::string wif = "cVpF924EspNh8KjYsfhgY96mmxvT6DgdWiTYMtMjuM74hJaU5psW";
    const std::string key = "03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd";
    struct Row {
        std::string content;
        const char* says;
    };
    for (const auto& [content, says] :
         {Row{"pkh(" + wif + ")\n\nwpkh(" + wif + "\n", "line 3, character 58: "},
          Row{"#\nwpkh(" + key + ")", "a watch-only wallet takes"},
          Row{"# nothing\n", "no descriptor in it"},
          Row{std::string(140'000, '#'), "longer than 130,000 bytes"}}) {
        const Outcome refused =
            scene.run({"restore", "--descriptor-file", scene.write("d", content), "--json"});
        EXPECT_EQ(refused.status, ExitStatus::failed);
        EXPECT_NE(refused.err.find(says), std::string::npos) << refused.err;
        EXPECT_EQ(refused.err.find("cVpF"), std::string::npos) << refused.err;
    }
    EXPECT_EQ(scene.run({"wallets", "--json"}).json().at("wallets").size(), 0U);
}

TEST(RestoreFromDescriptors, ExcludesOptionsOfMnemonics) {
    const Scene scene;
    for (const std::vector<std::string>& of_words :
         {std::vector<std::string>{"--mnemonic-file", "x"},
          {"--type", "tr"},
          {"--account", "1"},
          {"--discover-accounts"},
          {"--passphrase-file", "x"}}) {
        std::vector<std::string> arguments{"restore", "--descriptor-file", "x"};
        arguments.insert(arguments.end(), of_words.begin(), of_words.end());
        EXPECT_EQ(scene.run(arguments).status, ExitStatus::usage) << of_words[0];
    }
    EXPECT_EQ(scene.run({"restore", "--descriptor-file", "-", "--password-file", "-"}).status,
              ExitStatus::usage);
}

}  // namespace
}  // namespace petal::cli
