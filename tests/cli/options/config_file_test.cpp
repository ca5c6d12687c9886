#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "cli/commands.h"
#include "cli/options/command_line.h"
#include "cli/spending/bump_commands.h"
#include "cli/sync/sync_commands.h"
#include "cli/wallet/address_commands.h"
#include "cli/wallet/coin_commands.h"
#include "tests/cli/options/options_of.h"
#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

class ConfigFile : public testing::Test {
protected:
    CommandLine parse(const std::string& toml, std::vector<std::string> arguments) {
        const std::string file = scene_.write("settings.toml", toml);
        arguments.insert(arguments.end(),
                         {"--config", file, "--datadir", scene_.folder().string()});
        return std::get<CommandLine>(parse_command_line(arguments, add_all_commands));
    }

    std::string refusal(const std::string& toml, const std::vector<std::string>& line = {"sync"}) {
        try {
            parse(toml, line);
        } catch (const CommandError& error) {
            EXPECT_EQ(error.status(), ExitStatus::usage);
            return error.what();
        }
        ADD_FAILURE() << "nothing was refused";
        return "";
    }

    test::Scene scene_;
    test::ScopedVariable network_{"PETAL_NETWORK", nullptr};
};

TEST_F(ConfigFile, SetsGlobalOptions) {
    const auto line = parse("network = 'regtest'\njson = true\nlog-level = \"info\"\n", {"info"});
    EXPECT_EQ(line.global.network->name, "regtest");
    EXPECT_TRUE(line.global.json);
    EXPECT_EQ(line.global.log_level, LogLevel::info);
}

TEST_F(ConfigFile, ChoosesTheSignetOnlyOnSignet) {
    const std::string toml = "signet-challenge = '51'\n";
    EXPECT_EQ(parse(toml, {"info", "--network", "signet"}).global.network->name, "signet-54d26fbd");
    EXPECT_EQ(parse("network = 'signet'\n" + toml, {"info"}).global.network->name,
              "signet-54d26fbd");
    EXPECT_EQ(parse(toml, {"info", "--network", "regtest"}).global.network->name, "regtest");
    EXPECT_EQ(parse(toml, {"info", "--network", "signet", "--signet-challenge", "52"})
                  .global.network->signet_challenge,
              chain::Bytes{0x52});
    EXPECT_NE(refusal("signet-challenge = 'no'\n").find("must be a script"), std::string::npos);
}

TEST_F(ConfigFile, SetsOptionsOfTheCommandAtTheTopAndInItsTable) {
    const std::string toml =
        "network = 'regtest'\n"
        "connect = ['a', 'b:1']\n"
        "[sync]\n"
        "wait_unconfirmed = 1.5\n"
        "timeout = 20\n"
        "[history]\n"
        "limit = 3\n";
    const auto sync = test::options_of<SyncCommandOptions>(parse(toml, {"sync"}).action);
    const std::vector<net::Endpoint> expected{{"a", 18'444}, {"b", 1}};
    EXPECT_EQ(sync.connection.connect, expected);
    EXPECT_EQ(sync.wait_unconfirmed, std::chrono::milliseconds{1'500});
    EXPECT_EQ(sync.connection.timeout, std::chrono::milliseconds{20'000});
    EXPECT_EQ(test::options_of<HistoryOptions>(parse(toml, {"history"}).action).limit, 3U);
}

TEST_F(ConfigFile, KeepsEveryDigitOfANumber) {
    const auto amount = [&](const std::string& number) {
        const auto line = parse("[receive]\namount = " + number + "\n", {"receive"});
        return test::options_of<ReceiveOptions>(line.action).amount;
    };
    EXPECT_EQ(amount("0.12345678"), 12'345'678);
    EXPECT_EQ(amount("20999999.9769"), 2'099'999'997'690'000);
    EXPECT_EQ(amount("0.00001"), 1'000);
    EXPECT_EQ(amount("1e-8"), 1);
    EXPECT_EQ(amount("2.0"), 200'000'000);
    EXPECT_NE(refusal("[receive]\namount = 0.123456789\n", {"receive"}).find("settings.toml:2"),
              std::string::npos);
    EXPECT_NE(refusal("[receive]\namount = -1.7e308\n", {"receive"}).find("settings.toml:2"),
              std::string::npos);
    const auto bump = parse("fee-rate = 1234.5678\n", {"bump", std::string(64, '1')});
    EXPECT_EQ(test::options_of<BumpOptions>(bump.action).fee_rate, "1234.5678");
}

TEST_F(ConfigFile, YieldsToTheCommandLine) {
    const auto line = parse("[sync]\ntimeout = 20\nconnect = ['a']\n",
                            {"sync", "--timeout", "1", "--connect", "b:1"});
    const auto sync = test::options_of<SyncCommandOptions>(line.action);
    EXPECT_EQ(sync.connection.timeout, std::chrono::milliseconds{1'000});
    EXPECT_EQ(sync.connection.connect.size(), 1U);
}

TEST_F(ConfigFile, YieldsToAnOptionOfTheCommandLineThatExcludesIt) {
    const auto terms = [this](const std::string& toml, std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"bump", std::string(64, 'a')});
        return test::options_of<BumpOptions>(parse(toml, arguments).action).fee_terms;
    };
    EXPECT_EQ(terms("max-fee = '5000sat'\n", {}).highest_fee, 5'000);
    EXPECT_EQ(terms("max-fee = '5000sat'\n", {"--max-fee", "6000sat"}).highest_fee, 6'000);
    const auto lifted = terms("max-fee = '5000sat'\n", {"--accept-fee"});
    EXPECT_TRUE(lifted.accepts_any_fee);
    EXPECT_EQ(lifted.highest_fee, std::nullopt);
}

TEST_F(ConfigFile, HasNoOptionsThatExcludeEachOther) {
    const std::vector<std::string> sync{"sync"};
    EXPECT_NE(refusal("wait-unconfirmed = 1\nfollow = true\n", sync).find("exclude"),
              std::string::npos);
}

// A lasting consent would count for payments that nobody has looked at.
TEST_F(ConfigFile, ConsentsToNothing) {
    const std::vector<std::string> bump{"bump", std::string(64, 'a')};
    for (const std::string key :
         {"yes", "accept-fee", "accept-unproven-fee", "allow-unsafe-files"}) {
        const std::string advice = key +
                                   " counts for one command only: remove it here, and give --" +
                                   key + " on the command line";
        EXPECT_NE(refusal(key + " = true\n", bump).find("settings.toml:1: " + advice),
                  std::string::npos)
            << key;
        EXPECT_NE(refusal("[bump]\n" + key + " = false\n").find("settings.toml:2: " + advice),
                  std::string::npos)
            << key << ", of a command that is not called";
    }
    EXPECT_NE(refusal("accept_fee = true\n").find("accept-fee counts"), std::string::npos);
}

TEST_F(ConfigFile, NamesTheLineOfWhatIsWrong) {
    EXPECT_NE(refusal("\nnetwrk = 'regtest'\n")
                  .find("settings.toml:2: there is no option netwrk; "
                        "did you mean network?"),
              std::string::npos);
    EXPECT_NE(refusal("[sink]\na = 1\n").find("no command sink"), std::string::npos);
    EXPECT_NE(refusal("[sync]\nlimit = 1\n").find("no option limit"), std::string::npos);
    EXPECT_NE(refusal("timeout = -1\n").find("settings.toml:1: --timeout"), std::string::npos);
    EXPECT_NE(refusal("timeout = {}\n").find("settings.toml:1"), std::string::npos);
    EXPECT_NE(refusal("x = = 1\n").find("settings.toml:1"), std::string::npos);
    EXPECT_NE(refusal("help = true\n").find("no option help"), std::string::npos);
}

TEST_F(ConfigFile, SuggestsTheSameWhateverTheLineMentions) {
    for (const std::vector<std::string>& line :
         {std::vector<std::string>{"balance"}, {"sync"}, {"balance", "--wallet", "sync"}}) {
        EXPECT_NE(refusal("fro = 1\n", line).find("did you mean from?"), std::string::npos);
        EXPECT_NE(refusal("min = 1\n", line).find("did you mean min-conf?"), std::string::npos);
    }
}

TEST_F(ConfigFile, HasKeysOfCommandsThatAreNotCalled) {
    EXPECT_EQ(parse("[psbt]\nfee-rate = '2'\n[filter]\nutxos = true\n", {"info"}).global.wallet,
              "default");
    EXPECT_NE(refusal("[psbt]\nnetwrk = 1\n", {"info"}).find("no option netwrk"),
              std::string::npos);
}

TEST_F(ConfigFile, OfTheDataFolderIsARegularFile) {
    const std::vector<std::string> arguments{"info", "--datadir", scene_.folder().string()};
    const std::filesystem::path file = scene_.path("petal.toml");
    // Without a writer, opening it for reading would block for ever.
    ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
    EXPECT_THROW(parse_command_line(arguments, add_all_commands), CommandError);
    std::filesystem::remove(file);
    std::filesystem::create_directory(file);
    EXPECT_THROW(parse_command_line(arguments, add_all_commands), CommandError);
    std::filesystem::remove(file);
    EXPECT_NO_THROW(parse_command_line(arguments, add_all_commands));
}

// CLI11 would read the first of no values.
TEST_F(ConfigFile, HasNoEmptyListsAndNoZeroBytes) {
    for (const char* key : {"json", "peers", "proxy", "notify", "wallet", "connect"}) {
        EXPECT_NE(refusal(key + std::string(" = []")).find("settings.toml:1: "), std::string::npos)
            << key;
    }
    EXPECT_NE(refusal("log-file = \"a\\u0000b\"").find("zero byte"), std::string::npos);
}

TEST_F(ConfigFile, IsNotIgnoredIfItsLinkLeadsNowhere) {
    const std::filesystem::path file = scene_.path("petal.toml");
    for (const char* target : {"missing.toml", "petal.toml"}) {
        std::filesystem::create_symlink(target, file);
        const auto error = scene_.run({"wallets"}).err;
        EXPECT_NE(error.find("cannot read the config file"), std::string::npos) << target << error;
        std::filesystem::remove(file);
    }
}

TEST_F(ConfigFile, MayBeEmptyButNotHuge) {
    EXPECT_EQ(parse("", {"info"}).global.wallet, "default");
    EXPECT_NE(refusal(std::string(1'000'001, '#')).find("too large"), std::string::npos);
}

TEST_F(ConfigFile, MayNestTablesButNotTooDeeply) {
    std::string key = "a";
    for (int dots = 0; dots < 4'000; ++dots) key += ".a";
    EXPECT_NE(refusal(key + " = 1\n").find("there is no command a"), std::string::npos);
    EXPECT_NE(refusal("[" + key + "]\n").find("there is no command a"), std::string::npos);
    EXPECT_NE(refusal(key + ".a = 1\n").find("too many dots"), std::string::npos);
}

}  // namespace
}  // namespace petal::cli
