// Config files and data folders that other users of the machine can change.
#include "cli/options/access_check.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;

constexpr uid_t kAnotherUser = 4'321;

void set_mode(const std::filesystem::path& path, mode_t mode) {
    ASSERT_EQ(chmod(path.c_str(), mode), 0) << path;
}

/// Only root can give a file away.
bool give_away(const std::filesystem::path& path) {
    return geteuid() == 0 && chown(path.c_str(), kAnotherUser, kAnotherUser) == 0;
}

/// A wallet in a folder that other users may enter.
class UnsafeFiles : public testing::Test {
protected:
    UnsafeFiles() {
        EXPECT_EQ(scene.run({"create"}).status, ExitStatus::done);
        set_mode(scene.folder(), 0755);
    }
    std::string write_config(const std::string& text, mode_t mode) {
        const std::string file = scene.write("petal.toml", text);
        set_mode(file, mode);
        return file;
    }
    /// Expects that a command that reads warns of the file or folder, and a command that writes
    /// refuses it.
    void expect_unsafe(const std::string& words) {
        const Outcome shown = scene.run({"balance", "--json"});
        EXPECT_EQ(shown.status, ExitStatus::done) << shown.out;
        EXPECT_NE(shown.err.find(words), shown.err.npos) << shown.err;
        for (const std::vector<std::string>& command :
             {std::vector<std::string>{"--wallet", "other", "create"},
              {"receive"},
              {"sync", "--timeout", "1", "--connect", "127.0.0.1:1"},
              {"peers", "add", "127.0.0.1:1"}}) {
            std::vector<std::string> words_in_json = command;
            words_in_json.emplace_back("--json");
            const Outcome refused = scene.run(words_in_json);
            ASSERT_EQ(refused.status, ExitStatus::failed) << command[0] << refused.out;
            EXPECT_EQ(refused.code(), "unsafe-files") << command[0];
            EXPECT_NE(refused.err.find(words), refused.err.npos) << refused.err;
            EXPECT_NE(refused.err.find(kAllowUnsafeFiles), refused.err.npos) << refused.err;
        }
        const Outcome allowed = scene.run({"receive", kAllowUnsafeFiles});
        EXPECT_EQ(allowed.status, ExitStatus::done) << allowed.err;
        EXPECT_NE(allowed.err.find(words), allowed.err.npos) << allowed.err;
    }
    void expect_safe() {
        const Outcome outcome = scene.run({"receive"});
        EXPECT_EQ(outcome.status, ExitStatus::done) << outcome.err;
        EXPECT_EQ(outcome.err, "");
    }

    Scene scene;
};

TEST_F(UnsafeFiles, AreFoldersThatOthersMayWriteTo) {
    for (const char* name : {"", "regtest", "regtest/wallets"}) {
        for (const mode_t mode : {0775U, 0757U, 01777U}) {
            expect_safe();
            set_mode(scene.path(name), mode);
            // Others cannot reach what is within a folder that they may not enter.
            set_mode(scene.path("regtest"), *name == '\0' ? 0700 : 0755);
            set_mode(scene.path(name), mode);
            expect_unsafe("chmod go-w");
            set_mode(scene.path(name), 0755);
        }
    }
}

TEST_F(UnsafeFiles, AreThoseOfOtherUsers) {
    for (const char* name : {"regtest/wallets", "regtest", ""}) {
        expect_safe();
        if (!give_away(scene.path(name))) GTEST_SKIP() << "only root can give a file away";
        expect_unsafe("belongs to another user");
        ASSERT_EQ(chown(scene.path(name).c_str(), 0, 0), 0);
    }
}

TEST_F(UnsafeFiles, AreWalletsOfOtherUsers) {
    if (!give_away(scene.path("regtest/wallets/default.db"))) GTEST_SKIP() << "no root";
    EXPECT_EQ(scene.run({"receive", "--json"}).code(), "unsafe-files");
    EXPECT_EQ(scene.run({"--wallet", "b", "create"}).status, ExitStatus::done);
    EXPECT_EQ(scene.run({"--wallet", "b", "receive"}).status, ExitStatus::done);
    EXPECT_EQ(scene
                  .run({"--wallet", "b", "--wallet", "default", "sync", "--json", "--timeout", "1",
                        "--connect", "127.0.0.1:1"})
                  .code(),
              "unsafe-files");
}

// As git, petal trusts the user who called sudo.
TEST_F(UnsafeFiles, AreNotThoseOfTheUserWhoCalledSudo) {
    if (!give_away(scene.folder())) GTEST_SKIP() << "only root can give a file away";
    for (const char* user : {"1", "-4321", "4321x", ""}) {
        const test::ScopedVariable sudo("SUDO_UID", user);
        expect_unsafe("belongs to another user");
    }
    const test::ScopedVariable sudo("SUDO_UID", "4321");
    expect_safe();
}

TEST_F(UnsafeFiles, MayBeBelowAFolderThatAllMayWriteTo) {
    const std::string deep = scene.path("open/data").string();
    ASSERT_EQ(scene.run({"create", "--datadir", deep}).status, ExitStatus::done);
    set_mode(scene.path("open"), 0777);
    const Outcome refused = scene.run({"receive", "--datadir", deep, "--json"});
    EXPECT_EQ(refused.code(), "unsafe-files");
    EXPECT_NE(refused.err.find("as they may write to it; chmod go-w"), refused.err.npos)
        << refused.err;
    for (const mode_t mode : {01777U, 0775U}) {
        set_mode(scene.path("open"), mode);
        EXPECT_EQ(scene.run({"receive", "--datadir", deep}).status, ExitStatus::done) << mode;
    }
    if (!give_away(scene.path("open"))) return;
    for (const char* name : {"open/data", "open/new"}) {
        const Outcome foreign =
            scene.run({"create", "--wallet", "b", "--datadir", scene.path(name), "--json"});
        EXPECT_EQ(foreign.code(), "unsafe-files") << name;
        EXPECT_NE(foreign.err.find("who can replace what is below it"), foreign.err.npos);
    }
    EXPECT_FALSE(std::filesystem::exists(scene.path("open/new")));
}

TEST_F(UnsafeFiles, NeverGetTheSeedOfANewWallet) {
    set_mode(scene.folder(), 0777);
    const std::string words = scene.write("words.txt", test::kMnemonic);
    for (const std::vector<std::string>& command :
         {std::vector<std::string>{"create"}, {"restore", "--mnemonic-file", words}}) {
        std::vector<std::string> named = command;
        named.insert(named.begin(), {"--wallet", "seed"});
        EXPECT_EQ(scene.run(named).status, ExitStatus::failed) << command[0];
    }
    EXPECT_FALSE(std::filesystem::exists(scene.path("regtest/wallets/seed.db")));
}

TEST_F(UnsafeFiles, AreConfigFilesThatOthersMayWriteTo) {
    for (const mode_t mode : {0664U, 0646U}) {
        write_config("log-level = 'warning'\n", mode);
        expect_unsafe("petal.toml; chmod go-w");
    }
    write_config("log-level = 'warning'\n", 0644);
    expect_safe();
    write_config("log-level = 'warning'\n", 0666);
    set_mode(scene.folder(), 0700);
    expect_safe();  // others may not enter the folder
}

TEST_F(UnsafeFiles, AreConfigFilesOfOtherUsers) {
    if (!give_away(write_config("log-level = 'warning'\n", 0600))) GTEST_SKIP() << "no root";
    expect_unsafe("petal.toml belongs to another user");
}

// The file can neither silence the warning of itself, nor allow itself.
TEST_F(UnsafeFiles, DoNotDecideHowTheyAreTreated) {
    write_config("quiet = true\nlog-level = 'error'\n", 0666);
    EXPECT_NE(scene.run({"balance"}).err.find("chmod go-w"), std::string::npos);
    write_config("allow-unsafe-files = true\n", 0644);
    const Outcome outcome = scene.run({"receive"});
    EXPECT_EQ(outcome.status, ExitStatus::usage);
    EXPECT_NE(outcome.err.find("allow-unsafe-files counts for one command only"), outcome.err.npos);
}

TEST_F(UnsafeFiles, RunAndWriteNothing) {
    const std::string ran = scene.path("ran").string();
    const std::string log = scene.path("log").string();
    // For a command that reads, only options that choose what is shown are taken.
    write_config("log-file = '" + log + "'\n", 0666);
    EXPECT_EQ(scene.run({"balance", "--json"}).code(), "unsafe-files");
    EXPECT_EQ(scene.run({"demo", "--json"}).code(), "unsafe-files") << "it uses no data folder";
    write_config("[sync]\nnotify = 'touch " + ran + "'\nproxy = '127.0.0.1:1'\n", 0666);
    EXPECT_EQ(scene.run({"balance"}).status, ExitStatus::done) << "nothing there is for balance";
    EXPECT_EQ(scene.run({"sync", "--follow", "--timeout", "1", "--json"}).code(), "unsafe-files");
    EXPECT_FALSE(std::filesystem::exists(ran));
    EXPECT_FALSE(std::filesystem::exists(log));
    write_config("wallet = 'other'\njson = true\n", 0666);
    EXPECT_EQ(scene.run({"balance"}).code(), "wallet-missing") << "which wallet is shown";
}

TEST_F(UnsafeFiles, MayBeNamedByTheUser) {
    set_mode(scene.folder(), 0755);
    const std::string named = scene.write("settings.toml", "");
    const std::string link = scene.path("link.toml");
    std::filesystem::create_symlink(named, link);
    for (const std::string& file : {named, link}) {
        set_mode(named, 0666);
        EXPECT_EQ(scene.run({"receive", "--config", file, "--json"}).code(), "unsafe-files");
        set_mode(named, 0644);
        EXPECT_EQ(scene.run({"receive", "--config", file}).status, ExitStatus::done);
    }
    std::filesystem::create_directory(scene.path("open"));
    set_mode(scene.path("open"), 0777);
    std::filesystem::create_symlink(named, scene.path("open/link.toml"));
    EXPECT_EQ(scene.run({"receive", "--config", scene.path("open/link.toml"), "--json"}).code(),
              "unsafe-files")
        << "the link can be replaced";
    EXPECT_EQ(scene.run({"receive", "--config", "/dev/null"}).status, ExitStatus::done)
        << "all may write to that device";
}

}  // namespace
}  // namespace petal::cli
