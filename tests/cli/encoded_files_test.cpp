// The same text in each encoding that other programs write is read as the same by every command.
#include <gtest/gtest.h>

#include <string>

#include "cli/psbt/psbt_input.h"
#include "cli/sync/transaction_input.h"
#include "tests/cli/encoded_text.h"
#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;
using test::TextForm;

class EncodedFiles : public testing::TestWithParam<TextForm> {
protected:
    std::string write(const std::string& text) const {
        return scene.write("file", GetParam().write(text));
    }

    Scene scene;
};

TEST_P(EncodedFiles, HaveElementsOfFilters) {
    const std::string lines =
        "99108ad8ed9bb6274d3980bab5a85c048f0950c8\n"
        "\tb5a2c786d9ef4658287ced5914b37a1b4aa32eee \t\n"
        "  \n"
        "b9300670b4c5366e95b2699e8b18bc75e5f729c5";
    const std::string filter = "03614e9b050000000000000001\n";
    const Outcome made =
        scene.run({"filter", "make", "--fpr", "0.01", "--stdin"}, GetParam().write(lines));
    EXPECT_EQ(made.out, filter);
    const Outcome matched =
        scene.run({"filter", "match", "--file", write(filter), "--stdin"}, GetParam().write(lines));
    EXPECT_EQ(matched.out,
              "match     99108ad8ed9bb6274d3980bab5a85c048f0950c8\n"
              "match     b5a2c786d9ef4658287ced5914b37a1b4aa32eee\n"
              "match     b9300670b4c5366e95b2699e8b18bc75e5f729c5\n");
    EXPECT_EQ(matched.err, "");
}

TEST_P(EncodedFiles, HaveMnemonics) {
    std::string words;
    for (int i = 1; i < 12; ++i) words += std::to_string(i) + ". abandon \n";
    const Json restored =
        scene.run({"restore", "--json", "--mnemonic-file", write(words + "12. about\t\n")}).json();
    EXPECT_EQ(restored.at("fingerprint"), "73c5da0a");
}

// Only the byte order mark and the line end are no part of a password.
TEST_P(EncodedFiles, HavePasswords) {
    const std::string plain = scene.write("plain", " caf\u00e9\tand  milk ");
    ASSERT_EQ(scene.run({"create", "--password-file", write(" caf\u00e9\tand  milk \n")}).status,
              ExitStatus::done);
    EXPECT_EQ(scene.run({"info", "--private", "--yes", "--password-file", plain}).status,
              ExitStatus::done);
    const std::string trimmed = scene.write("trimmed", "caf\u00e9\tand  milk");
    EXPECT_EQ(scene.run({"info", "--private", "--yes", "--password-file", trimmed}).status,
              ExitStatus::wallet);
}

TEST_P(EncodedFiles, HaveOptions) {
    const std::string config = write("# caf\u00e9\nnetwork = \"signet\" \njson = true\t\n");
    const Outcome made =
        Scene::run_plain({"create", "--config", config, "--datadir", scene.folder().string()});
    EXPECT_EQ(made.status, ExitStatus::done) << made.err;
    EXPECT_EQ(made.json().at("network"), "signet");
}

TEST_P(EncodedFiles, HaveTransactionsAndPsbts) {
    chain::Transaction transaction;
    transaction.inputs.push_back({{chain::Txid{{1}}, 0}, chain::Bytes(3, 0x51), 0, {}});
    transaction.outputs.push_back({1'000, chain::Bytes(22, 0x51)});
    const std::string hex = chain::to_hex(transaction.serialize());
    const std::string lines = hex.substr(0, 20) + "\n" + hex.substr(20);
    const auto read = parse_transaction(GetParam().write(lines));
    ASSERT_TRUE(read) << describe(read.error());
    EXPECT_EQ(*read, transaction);

    transaction.inputs[0].script_sig.clear();
    const chain::Bytes bytes = wallet::Psbt::of_transaction(transaction).serialize();
    const auto psbt = parse_psbt(GetParam().write(chain::to_base64(bytes) + "\t\n"));
    ASSERT_TRUE(psbt) << psbt.error();
    EXPECT_EQ(psbt->serialize(), bytes);
    const auto refused = parse_transaction(GetParam().write(chain::to_base64(bytes)));
    EXPECT_EQ(refused.error().kind, TransactionInputError::Kind::psbt);
}

INSTANTIATE_TEST_SUITE_P(Forms, EncodedFiles, testing::ValuesIn(test::text_forms()),
                         [](const auto& row) { return row.param.name; });

TEST(UndecodableFiles, AreRefusedWithTheReason) {
    const Scene scene;
    const std::string nul("aa\n\0bb\n", 7);
    const std::string unpaired = "\xff\xfe\x3d\xd8" + std::string("a\0", 2);
    const Outcome matched = scene.run(
        {"filter", "match", "--hex", "03614e9b050000000000000001", "--stdin", "--json"}, nul);
    EXPECT_EQ(matched.code(), "bad-text");
    const Outcome made =
        scene.run({"filter", "make", "--fpr", "0.1", "--stdin", "--json"}, unpaired);
    EXPECT_EQ(made.code(), "bad-text");
    EXPECT_NE(made.err.find("surrogate"), std::string::npos) << made.err;
    const Outcome words =
        scene.run({"restore", "--json", "--mnemonic-file", scene.write("words", unpaired)});
    EXPECT_EQ(words.code(), "unreadable-file");
    EXPECT_NE(words.err.find("surrogate"), std::string::npos) << words.err;
    const std::string config = scene.write("config", "\xff\xfe" + std::string("\0\0", 2));
    const Outcome listed = scene.run({"wallets", "--config", config});
    EXPECT_EQ(listed.status, ExitStatus::usage);
    EXPECT_NE(listed.err.find("NUL"), std::string::npos) << listed.err;
    EXPECT_NE(parse_psbt(nul).error().find("NUL"), std::string::npos);
}

// A random key file is a password, too.
TEST(Passwords, MayBeAnyBytes) {
    const Scene scene;
    const std::string file = scene.write("password", std::string("\0\xfe\xff\xd8 \n\n", 7));
    ASSERT_EQ(scene.run({"create", "--password-file", file}).status, ExitStatus::done);
    EXPECT_EQ(scene.run({"info", "--private", "--yes", "--password-file", file}).status,
              ExitStatus::done);
}

}  // namespace
}  // namespace petal::cli
