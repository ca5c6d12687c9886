// Backups and labels by the commands of the user.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "chain/hash.h"
#include "tests/cli/scene.h"
#include "tests/support/file_content.h"
#include "wallet/store/backup_file.h"

namespace petal::cli {
namespace {

using test::kMnemonic;
using test::Outcome;
using test::Scene;

struct BackupScene : Scene {
    BackupScene() {
        const std::string words = write("words.txt", std::string(kMnemonic) + "\n");
        EXPECT_EQ(run({"restore", "--mnemonic-file", words}).status, ExitStatus::done);
    }
    std::string label(const std::string& text) const {
        const std::string address = run({"receive", "--new", "--json"}).json().at("address");
        EXPECT_EQ(run({"label", address, text}).status, ExitStatus::done);
        return address;
    }

    const std::string file = path("default.petal").string();
};

TEST(Backup, BringsAWalletBackUnderAnyName) {
    const BackupScene scene;
    const std::string address = scene.label("Rent");
    const Outcome backup = scene.run({"backup", scene.file, "--json"});
    ASSERT_EQ(backup.status, ExitStatus::done) << backup.err;
    EXPECT_EQ(backup.json().at("bytes"), std::filesystem::file_size(scene.file));
    EXPECT_EQ(backup.json().at("encrypted"), false);
    EXPECT_NE(backup.err.find("the seed in the backup is not encrypted"), std::string::npos);

    const Outcome restored =
        scene.run({"--wallet", "second", "restore-backup", scene.file, "--json"});
    ASSERT_EQ(restored.status, ExitStatus::done) << restored.err;
    EXPECT_EQ(restored.json().at("wallet"), "second");
    EXPECT_EQ(restored.json().at("fingerprint"), "73c5da0a");
    EXPECT_EQ(restored.json().at("synced_height"), nullptr);
    const Json found = scene.run({"--wallet", "second", "addresses", address, "--json"}).json();
    EXPECT_EQ(found.at("addresses").at(0).at("label"), "Rent");
}

TEST(Backup, GoesThroughPipes) {
    const BackupScene scene;
    const Outcome backup = scene.run({"backup", "-"});
    ASSERT_EQ(backup.status, ExitStatus::done) << backup.err;
    EXPECT_NE(backup.err.find("the seed in the backup is not encrypted"), std::string::npos);
    const Outcome restored = scene.run({"--wallet", "second", "restore-backup", "-"}, backup.out);
    EXPECT_EQ(restored.status, ExitStatus::done) << restored.err;
    const Outcome cut = scene.run({"--wallet", "third", "restore-backup", "-", "--json"},
                                  backup.out.substr(0, backup.out.size() / 2));
    EXPECT_EQ(cut.code(), "bad-backup");
    EXPECT_NE(cut.err.find("is cut off before its end; nothing was restored"), std::string::npos);
    EXPECT_EQ(scene.run({"backup", "-", "--json"}).status, ExitStatus::usage);
}

struct RefusedCase {
    std::string name;
    std::vector<std::string> arguments;
    ExitStatus status;
    std::string code;
};

void PrintTo(const RefusedCase& c, std::ostream* out) {
    *out << c.name;
}

class RefusedBackupCommand : public testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedBackupCommand, SaysWhyAndLeavesAllAsItWas) {
    const BackupScene scene;
    ASSERT_EQ(scene.run({"backup", scene.file}).status, ExitStatus::done);
    const std::string before = test::file_text(scene.file);
    scene.write("text", "no backup");
    scene.write("password", "wrong\n");
    std::vector<std::string> arguments = GetParam().arguments;
    for (std::string& argument : arguments) {
        if (argument.starts_with("@")) argument = scene.path(argument.substr(1)).string();
    }
    arguments.push_back("--json");
    const Outcome outcome = scene.run(arguments);
    EXPECT_EQ(outcome.status, GetParam().status) << outcome.err;
    EXPECT_EQ(outcome.code(), GetParam().code);
    EXPECT_EQ(test::file_text(scene.file), before);
    EXPECT_EQ(scene.run({"wallets", "--json"}).json().at("wallets").size(), 1U);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Commands, RefusedBackupCommand, testing::ValuesIn(std::initializer_list<RefusedCase>{
    {"FileIsThere",      {"backup", "@default.petal"},                           ExitStatus::failed, "file-exists"},
    {"NoFolder",         {"backup", "@no/folder"},                               ExitStatus::failed, "unwritable-file"},
    {"NoWallet",         {"--wallet", "x", "backup", "@new"},                    ExitStatus::wallet, "wallet-missing"},
    {"NameIsTaken",      {"restore-backup", "@default.petal"},                   ExitStatus::failed, "wallet-exists"},
    {"NoBackup",         {"--wallet", "x", "restore-backup", "@text"},           ExitStatus::failed, "bad-backup"},
    {"NoFile",           {"--wallet", "x", "restore-backup", "@missing"},        ExitStatus::failed, "unreadable-file"},
    {"Folder",           {"--wallet", "x", "restore-backup", "@"},               ExitStatus::failed, "unreadable-file"},
    {"OtherNetwork",     {"--network", "signet", "restore-backup", "@default.petal"}, ExitStatus::failed, "wrong-network"},
    {"NoFileNamed",      {"restore-backup"},                                     ExitStatus::usage,  "usage"},
    {"BothFromInput",    {"--wallet", "x", "restore-backup", "-", "--password-file", "-"}, ExitStatus::usage, "usage"},
    {"LabelsFileIsThere", {"labels", "export", "@default.petal"},                ExitStatus::failed, "file-exists"},
    {"LabelsOfNoWallet", {"--wallet", "x", "labels", "import", "@text"},         ExitStatus::wallet, "wallet-missing"},
    {"NoLabels",         {"labels", "import", "@text"},                          ExitStatus::failed, "bad-labels"},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(Backup, ThatCannotBeReadSaysWhy) {
    const BackupScene scene;
    const auto error_of = [&](const std::string& file) {
        return scene.run({"--wallet", "x", "restore-backup", file}).err;
    };
    const std::string missing = scene.path("missing").string();
    EXPECT_NE(error_of(missing).find(missing + ": No such file or directory"), std::string::npos);
    const std::string folder = scene.path("").string();
    EXPECT_NE(error_of(folder).find(folder + ": Is a directory"), std::string::npos);
}

TEST(Labels, OfAnotherNetworkAreReported) {
    const BackupScene scene;
    const Outcome imported =
        scene.run({"labels", "import", "-", "--json"},
                  R"({"type":"addr","ref":"1BoatSLRHtKNngkdXEeobR76b53LETtpyT","label":"b"})"
                  "\n");
    ASSERT_EQ(imported.status, ExitStatus::done) << imported.err;
    EXPECT_EQ(imported.json().at("other_network"), 1);
    EXPECT_NE(imported.err.find("1 label of addresses of another network than regtest"),
              std::string::npos)
        << imported.err;
}

TEST(Backup, IsRestoredOnlyIfThePasswordOpensIt) {
    const BackupScene scene;
    const std::string right = scene.write("right", "correct horse\n");
    const std::string wrong = scene.write("wrong", "battery staple\n");
    ASSERT_EQ(scene.run({"encrypt", "--password-file", right}).status, ExitStatus::done);
    const Outcome backup = scene.run({"backup", scene.file, "--json"});
    EXPECT_EQ(backup.json().at("encrypted"), true);
    EXPECT_EQ(backup.err, "");
    const Outcome refused = scene.run(
        {"--wallet", "second", "restore-backup", scene.file, "--password-file", wrong, "--json"});
    EXPECT_EQ(refused.status, ExitStatus::wallet);
    EXPECT_EQ(refused.code(), "wrong-password");
    const Outcome restored =
        scene.run({"--wallet", "second", "restore-backup", scene.file, "--password-file", right});
    EXPECT_EQ(restored.status, ExitStatus::done) << restored.err;
}

TEST(Backup, OfAWatchOnlyWalletHasNoPassword) {
    const BackupScene scene;
    const std::string password = scene.write("password", "correct horse\n");
    const std::string key = "03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd";
    ASSERT_EQ(scene.run({"--wallet", "cold", "watch", key}).status, ExitStatus::done);
    ASSERT_EQ(scene.run({"--wallet", "cold", "backup", scene.file}).status, ExitStatus::done);
    const Outcome refused = scene.run({"--wallet", "second", "restore-backup", scene.file,
                                       "--password-file", password, "--json"});
    EXPECT_EQ(refused.status, ExitStatus::usage);
    EXPECT_EQ(refused.code(), "usage");
    EXPECT_EQ(scene.run({"wallets", "--json"}).json().at("wallets").size(), 2U);
    EXPECT_EQ(scene.run({"--wallet", "second", "restore-backup", scene.file}).status,
              ExitStatus::done);
}

TEST(Backup, ThatIsNotEncryptedHasNoPassword) {
    const BackupScene scene;
    const std::string password = scene.write("password", "correct horse\n");
    ASSERT_EQ(scene.run({"backup", scene.file}).status, ExitStatus::done);
    const Outcome refused = scene.run({"--wallet", "second", "restore-backup", scene.file,
                                       "--password-file", password, "--json"});
    EXPECT_EQ(refused.status, ExitStatus::usage);
    EXPECT_NE(refused.err.find("not encrypted"), std::string::npos) << refused.err;
    EXPECT_EQ(scene.run({"wallets", "--json"}).json().at("wallets").size(), 1U);
    const Outcome restored = scene.run({"--wallet", "second", "restore-backup", scene.file});
    EXPECT_EQ(restored.status, ExitStatus::done);
    EXPECT_NE(restored.err.find("the seed is not encrypted"), std::string::npos) << restored.err;
}

/// Writes the backup to a file and restores it.
Outcome restore_made_up(const BackupScene& scene, const std::string& backup) {
    return scene.run({"--wallet", "second", "restore-backup", scene.write("made-up", backup)});
}

TEST(Backup, OfALaterPetalIsDistinguishedFromDamage) {
    constexpr std::size_t kVersionAt = 16;
    constexpr std::size_t kHeaderChecksumAt = 60;
    const BackupScene scene;
    std::string backup = scene.run({"backup", "-"}).out;
    backup.at(kVersionAt) = 2;
    const auto header = chain::as_bytes(std::string_view(backup).substr(0, kHeaderChecksumAt));
    std::ranges::copy_n(chain::sha256(header).begin(), 4, backup.begin() + kHeaderChecksumAt);
    const Outcome later = restore_made_up(scene, backup);
    EXPECT_EQ(later.status, ExitStatus::failed);
    EXPECT_NE(later.err.find("later petal; install that one"), std::string::npos) << later.err;
}

// The backup's checksums are right, but it contains no wallet. The error must name the backup, not
// an existing wallet.
TEST(Backup, OfNoWalletIsABadBackup) {
    const BackupScene scene;
    std::string backup;
    wallet::write_backup("regtest", chain::as_bytes("no database"),
                         [&](chain::ByteView bytes) { backup.append(bytes.begin(), bytes.end()); });
    const Outcome refused = restore_made_up(scene, backup);
    EXPECT_EQ(refused.status, ExitStatus::failed);
    EXPECT_NE(refused.err.find("the wallet in the backup contradicts itself"), std::string::npos)
        << refused.err;
    EXPECT_NE(refused.err.find("nothing was restored"), std::string::npos) << refused.err;
}

TEST(Labels, AreExportedAndImported) {
    const BackupScene scene;
    const std::string address = scene.label("Rent, \"May\" \xf0\x9f\x8f\xa0");
    const std::string foreign = R"({"type":"xpub","ref":"tpub","label":"x","more":[1]})";
    const std::string own =
        R"({"type":"addr","ref":")" + address + R"(","label":"Rent, \"May\" 🏠"})";
    const Outcome imported =
        scene.run({"labels", "import", "-", "--json"}, foreign + "\n" + own + "\n");
    ASSERT_EQ(imported.status, ExitStatus::done) << imported.err;
    EXPECT_EQ(imported.json().at("labels"), 2);
    EXPECT_EQ(imported.json().at("own"), 1);
    EXPECT_EQ(imported.json().at("kept"), 1);

    const std::string file = scene.path("labels.jsonl").string();
    EXPECT_EQ(scene.run({"labels", "export", file, "--json"}).json().at("labels"), 2);
    EXPECT_EQ(test::file_text(file), foreign + "\n" + own + "\n");
    EXPECT_EQ(scene.run({"labels", "export", "-"}).out, test::file_text(file));
    EXPECT_EQ(scene.run({"labels", "export", "-", "--json"}).status, ExitStatus::usage);
}

// As other programs write it: one odd line keeps no other out.
TEST(Labels, AreImportedWithoutTheLinesThatAreNoRecords) {
    const BackupScene scene;
    const std::string output(64, 'a');
    const std::string lines =
        "{\"type\":\"addr\",\"ref\":\" a \",\"label\":\"b\"}\r\n"
        "nonsense\r\n"
        "{\"type\":\"note\",\"ref\":7}\r\n"
        "{\"type\":\"output\",\"ref\":\"" +
        output +
        ":0\",\"spendable\":\"false\"}\r\n"
        "{\"type\":\"tx\",\"ref\":\"" +
        output + "\",\"label\":\"" + std::string(2'000, 'l') + "\"}\r\n";
    const Outcome outcome = scene.run({"labels", "import", "-", "--json"}, lines);
    ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
    const Json json = outcome.json();
    EXPECT_EQ(json.at("labels"), 3);
    EXPECT_EQ(json.at("frozen"), 1);
    EXPECT_EQ(json.at("unfrozen"), 0);
    EXPECT_EQ(json.at("ignored"), 1);
    EXPECT_EQ(json.at("shortened"), 1);
    EXPECT_EQ(json.at("skipped"), 1);
    EXPECT_EQ(json.at("skipped_lines"),
              Json::parse(R"([{"line":2,"reason":"this is no JSON object in UTF-8"}])"));
    EXPECT_NE(outcome.err.find("warning: line 2: this is no JSON object"), std::string::npos)
        << outcome.err;
    EXPECT_NE(outcome.err.find("1 label had more than 1,020 bytes and was cut"), std::string::npos)
        << outcome.err;
    const std::string unfreezing =
        R"({"type":"output","ref":")" + output + R"(:0","spendable":true})";
    const Outcome again =
        scene.run({"labels", "import", "-"}, unfreezing + "\n" + R"({"type":"note"})");
    EXPECT_EQ(again.out,
              "1 record imported: 0 of this wallet, 1 of what it does not know, kept for export.\n"
              "1 coin unfrozen.\n"
              "1 record of types that BIP329 does not define: without effect here.\n");
}

TEST(Labels, OfAFileWithoutARecordAreRefused) {
    const BackupScene scene;
    const Outcome outcome = scene.run({"labels", "import", "-", "--json"}, "\nnonsense\nmore\n");
    EXPECT_EQ(outcome.code(), "bad-labels");
    EXPECT_NE(outcome.err.find("line 2: "), std::string::npos) << outcome.err;
    EXPECT_EQ(scene.run({"labels", "export", "-"}).out, "");
}

}  // namespace
}  // namespace petal::cli
