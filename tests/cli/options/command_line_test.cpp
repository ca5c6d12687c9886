#include "cli/options/command_line.h"

#include <gtest/gtest.h>

#include <ostream>
#include <regex>

#include "cli/commands.h"
#include "cli/filter/filter_commands.h"
#include "cli/filter/filter_match.h"
#include "cli/options/advice.h"
#include "cli/options/data_folder.h"
#include "cli/options/version.h"
#include "cli/psbt/psbt_commands.h"
#include "cli/regtest/regtest_commands.h"
#include "cli/spending/message_commands.h"
#include "cli/spending/send_commands.h"
#include "cli/sync/sync_commands.h"
#include "cli/text/command_error.h"
#include "cli/wallet/address_commands.h"
#include "cli/wallet/coin_commands.h"
#include "cli/wallet/wallet_commands.h"
#include "net/broadcast/broadcast_engine.h"
#include "net/sync/state/sync_options.h"
#include "regtest/node_behaviour.h"
#include "tests/cli/options/options_of.h"
#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

using std::chrono::milliseconds;
using test::Outcome;
using test::Scene;
using test::ScopedVariable;

/// Parses with an empty data folder and without petal's environment variables.
class CommandLineTest : public testing::Test {
protected:
    CommandLine parse(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"--datadir", scene_.folder().string()});
        return std::get<CommandLine>(parse_command_line(arguments, add_all_commands));
    }

    template <typename Options>
    Options options(const std::vector<std::string>& arguments) {
        return test::options_of<Options>(parse(arguments).action);
    }

    std::string refusal(const std::vector<std::string>& arguments) {
        try {
            parse(arguments);
        } catch (const CommandError& error) {
            EXPECT_EQ(error.status(), ExitStatus::usage);
            return error.what();
        }
        ADD_FAILURE() << "nothing was refused";
        return "";
    }

    test::Scene scene_;
    ScopedVariable network_{"PETAL_NETWORK", nullptr};
    ScopedVariable data_dir_{"PETAL_DATADIR", nullptr};
    ScopedVariable wallet_{"PETAL_WALLET", nullptr};
};

TEST_F(CommandLineTest, HasDefaults) {
    const GlobalOptions global = parse({"balance"}).global;
    EXPECT_EQ(global.network->name, "testnet4");
    EXPECT_EQ(global.wallet, "default");
    EXPECT_FALSE(global.json);
    EXPECT_EQ(global.log_level, LogLevel::warning);
}

TEST_F(CommandLineTest, TakesGlobalOptionsBeforeAndAfterTheCommand) {
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"--network", "signet", "--json", "--wallet", "w", "balance"},
          {"balance", "--network", "signet", "--json", "--wallet", "w"},
          {"--network=signet", "balance", "--wallet=w", "--json"}}) {
        const GlobalOptions global = parse(arguments).global;
        EXPECT_EQ(global.network->name, "signet");
        EXPECT_EQ(global.wallet, "w");
        EXPECT_TRUE(global.json);
    }
    const auto nested = parse({"filter", "design", "--elements", "1", "--fpr", "0.1", "--json"});
    EXPECT_TRUE(nested.global.json);
}

TEST_F(CommandLineTest, TheLastOfTwoValuesWins) {
    const auto global = parse({"--network", "signet", "balance", "--network", "regtest"}).global;
    EXPECT_EQ(global.network->name, "regtest");
}

TEST_F(CommandLineTest, NamesSeveralWalletsOnlyToSync) {
    using Names = std::vector<std::string>;
    const auto global = parse({"--wallet", "b", "sync", "--wallet=a", "--wallet", "b"}).global;
    EXPECT_EQ(global.wallets, (Names{"b", "a"}));
    const auto one = parse({"--wallet", "b", "balance", "--wallet", "b"}).global;
    EXPECT_EQ(one.wallets, Names{});
    EXPECT_EQ(one.wallet, "b");
    EXPECT_THROW(parse({"--wallet", "a", "wait", "--height", "5", "--wallet", "b"}), CommandError);
    EXPECT_THROW(parse({"--wallet", "a", "sync", "--wallet", "../b"}), CommandError);
}

TEST_F(CommandLineTest, LogsAsMuchAsIsAskedFor) {
    EXPECT_EQ(parse({"-q", "info"}).global.log_level, LogLevel::error);
    EXPECT_EQ(parse({"-v", "info"}).global.log_level, LogLevel::info);
    EXPECT_EQ(parse({"info", "-vv"}).global.log_level, LogLevel::debug);
    EXPECT_EQ(parse({"-v", "info", "-v"}).global.log_level, LogLevel::debug);
    EXPECT_EQ(parse({"--log-level", "debug", "info"}).global.log_level, LogLevel::debug);
}

TEST_F(CommandLineTest, OverridesTheEnvironmentThenTheFileThenTheDefault) {
    scene_.write("petal.toml", "network = \"signet\"\nwallet = \"from-file\"\n");
    EXPECT_EQ(parse({"info"}).global.network->name, "signet");
    EXPECT_EQ(parse({"info"}).global.wallet, "from-file");

    const ScopedVariable network("PETAL_NETWORK", "regtest");
    EXPECT_EQ(parse({"info"}).global.network->name, "regtest");
    EXPECT_EQ(parse({"info"}).global.wallet, "from-file");
    EXPECT_EQ(parse({"info", "--network", "mainnet"}).global.network->name, "mainnet");
}

TEST_F(CommandLineTest, NamesTheSourceOfAnUnknownNetworkOrWallet) {
    scene_.write("petal.toml", "network = \"x\"\n");
    EXPECT_TRUE(refusal({"info"}).starts_with("network in the config file: there is no network x"));
    const ScopedVariable network("PETAL_NETWORK", "y");
    EXPECT_TRUE(refusal({"info"}).starts_with("PETAL_NETWORK: there is no network y"));
    EXPECT_TRUE(refusal({"info", "--network=z"}).starts_with("--network: there is no network z"));
    const ScopedVariable wallet("PETAL_WALLET", "-");
    EXPECT_TRUE(refusal({"info", "--network", "signet"}).starts_with("PETAL_WALLET: a wallet's"));
}

TEST_F(CommandLineTest, KnowsOtherSignetsByTheirChallenge) {
    const GlobalOptions other =
        parse({"info", "--network", "signet", "--signet-challenge", "51"}).global;
    EXPECT_EQ(other.network->name, "signet-54d26fbd");
    const std::string same = chain::to_hex(chain::find_network("signet")->signet_challenge);
    EXPECT_EQ(
        parse({"info", "--signet-challenge", same, "--network", "signet"}).global.network->name,
        "signet");
    const ScopedVariable network("PETAL_NETWORK", "signet");
    EXPECT_EQ(parse({"info", "--signet-challenge=51"}).global.network->name, "signet-54d26fbd");
}

TEST_F(CommandLineTest, AdvisesCommandsForTheSameWallet) {
    const auto advice = [](const std::vector<std::string>& arguments) {
        const auto line = std::get<CommandLine>(parse_command_line(arguments, add_all_commands));
        return advised("sync", line.global);
    };
    EXPECT_EQ(advice({"balance", "--json"}), "`petal sync`");
    EXPECT_EQ(advice({"--wallet", "savings", "balance", "--network=regtest"}),
              "`petal --network regtest --wallet savings sync`");
    const std::string odd = (scene_.folder() / "my disk's").string();
    EXPECT_EQ(advice({"--datadir", odd, "balance"}),
              "`petal --datadir '" + scene_.folder().string() + "/my disk'\\''s' sync`");
    EXPECT_EQ(advice({"balance", "--network", "signet", "--signet-challenge", "51"}),
              "`petal --network signet --signet-challenge 51 sync`");
    const GlobalOptions mine = std::get<CommandLine>(parse_command_line({"info", "--wallet", "mine",
                                                                         "--network", "signet"},
                                                                        add_all_commands))
                                   .global;
    EXPECT_EQ(advised("sync", mine, "other"), "`petal --network signet --wallet other sync`");
    GlobalOptions hostile;
    hostile.given = {"--datadir", "it's\x1b[2J\xe2\x80\xae\\"};
    EXPECT_EQ(advised("sync", hostile), R"(`petal --datadir $'it\'s\033[2J\342\200\256\\' sync`)");
    const ScopedVariable network("PETAL_NETWORK", "regtest");
    EXPECT_EQ(advice({"balance"}), "`petal sync`") << "the environment variable still names it";
    EXPECT_EQ(advice({"balance", "--network", "signet"}), "`petal --network signet sync`");
    EXPECT_EQ(advice({"balance", "--network", "regtest"}), "`petal --network regtest sync`")
        << "a command can ask whether the user named it";
    const std::string config = scene_.write("mine.toml", "wallet = \"from-file\"\n");
    EXPECT_EQ(advice({"balance", "--config", config}), "`petal --config " + config + " sync`");
}

TEST_F(CommandLineTest, RefusesBadSignetChallenges) {
    EXPECT_EQ(refusal({"info", "--signet-challenge", "51"}),
              "--signet-challenge goes with --network signet alone");
    EXPECT_EQ(refusal({"info", "--signet-challenge", "51", "--network", "regtest"}),
              "--signet-challenge goes with --network signet alone");
    for (const std::string& bad :
         {std::string("xy"), std::string("515"), std::string(), std::string(20'002, '5')}) {
        EXPECT_NE(refusal({"info", "--network", "signet", "--signet-challenge", bad})
                      .find("must be a script in hexadecimal"),
                  std::string::npos)
            << bad.size();
    }
}

TEST_F(CommandLineTest, FindsTheDataDirectory) {
    const auto data_dir = [](const std::vector<std::string>& arguments) {
        return std::get<CommandLine>(parse_command_line(arguments, add_all_commands))
            .global.data_dir.string();
    };
    const ScopedVariable home("HOME", "/home-of-nobody");
    const ScopedVariable no_data_home("XDG_DATA_HOME", nullptr);
    EXPECT_EQ(data_dir({"info"}), "/home-of-nobody/.local/share/petal");
    const ScopedVariable relative("XDG_DATA_HOME", "relative");
    EXPECT_EQ(data_dir({"info"}), "/home-of-nobody/.local/share/petal");
    const ScopedVariable data_home("XDG_DATA_HOME", "/xdg-of-nobody");
    EXPECT_EQ(data_dir({"info"}), "/xdg-of-nobody/petal");
    const ScopedVariable variable("PETAL_DATADIR", "/dir-of-nobody");
    EXPECT_EQ(data_dir({"info"}), "/dir-of-nobody");
    EXPECT_EQ(data_dir({"info", "--datadir", "/x"}), "/x");
}

TEST_F(CommandLineTest, NeedsNoHomeUntilDataAreNeeded) {
    const ScopedVariable no_home("HOME", nullptr);
    const ScopedVariable no_data_home("XDG_DATA_HOME", nullptr);
    const auto line = std::get<CommandLine>(
        parse_command_line({"filter", "plan", "--elements", "5"}, add_all_commands));
    EXPECT_THROW(data_of(line.global), CommandError);
}

TEST_F(CommandLineTest, ReadsTheOptionsOfSync) {
    const auto sync =
        options<SyncCommandOptions>({"sync", "--network", "regtest", "--connect", "a", "--connect",
                                     "[::1]:5", "--timeout", "2.5", "--wait-unconfirmed", "1"});
    const std::vector<net::Endpoint> expected{{"a", 18'444}, {"::1", 5}};
    EXPECT_EQ(sync.connection.connect, expected);
    EXPECT_EQ(sync.connection.timeout, milliseconds{2'500});
    EXPECT_EQ(sync.wait_unconfirmed, milliseconds{1'000});
    EXPECT_TRUE(options<SyncCommandOptions>({"sync"}).connection.connect.empty());
    EXPECT_EQ(options<SyncCommandOptions>({"sync"}).connection.peers, 8U);
    EXPECT_EQ(options<SyncCommandOptions>({"sync"}).cross_check, net::CrossCheckMode::sample);
    EXPECT_EQ(options<SyncCommandOptions>({"sync", "--cross-check", "all"}).cross_check,
              net::CrossCheckMode::all);
    EXPECT_EQ(options<SyncCommandOptions>({"sync", "--cross-check", "none"}).cross_check,
              net::CrossCheckMode::none);
    using enum client::SourceOption;
    EXPECT_EQ(options<SyncCommandOptions>({"sync"}).source, by_default);
    EXPECT_EQ(options<SyncCommandOptions>({"sync", "--source", "auto"}).source, automatic);
    EXPECT_EQ(options<SyncCommandOptions>({"sync", "--source", "bloom"}).source, bloom);
    EXPECT_EQ(options<SyncCommandOptions>({"sync", "--full-blocks"}).source, blocks);
    EXPECT_EQ(options<SyncCommandOptions>({"sync", "--source", "blocks"}).source, blocks);
    EXPECT_EQ(options<SyncCommandOptions>({"sync", "--source", "compact"}).source, compact);
    using Mode = net::UnconfirmedMode;
    EXPECT_EQ(options<SyncCommandOptions>({"sync"}).unconfirmed, std::nullopt);
    EXPECT_EQ(options<SyncCommandOptions>({"sync", "--unconfirmed", "none"}).unconfirmed,
              Mode::none);
    EXPECT_EQ(options<SyncCommandOptions>({"sync", "--unconfirmed", "bloom"}).unconfirmed,
              Mode::bloom);
    EXPECT_EQ(
        options<SyncCommandOptions>({"sync", "--full-blocks", "--unconfirmed", "all"}).unconfirmed,
        Mode::all);
    EXPECT_EQ(options<SyncCommandOptions>({"sync", "--peers", "1"}).connection.peers, 1U);
    EXPECT_EQ(options<SyncCommandOptions>({"sync", "--peers", "64"}).connection.peers, 64U);
}

TEST_F(CommandLineTest, RefusesWaysToUnconfirmedPaymentsThatCannotBe) {
    EXPECT_NE(refusal({"sync", "--unconfirmed", "all"}).find("--source compact or blocks"),
              std::string::npos);
    EXPECT_NE(refusal({"wait", "--height", "1", "--unconfirmed", "all"}).find("--source compact"),
              std::string::npos);
    EXPECT_NE(refusal({"sync", "--unconfirmed", "none", "--wait-unconfirmed", "5"})
                  .find("do not go together"),
              std::string::npos);
}

TEST_F(CommandLineTest, ReadsTheOptionsOfWalletCommands) {
    const auto create = options<CreateOptions>(
        {"create", "--words", "24", "--type", "tr", "--account", "7", "--password-file", "-"});
    EXPECT_EQ(create.account.type, wallet::ScriptKind::tr);
    EXPECT_EQ(create.account.number, 7U);
    EXPECT_EQ(create.words, wallet::MnemonicSize::words_24);
    EXPECT_EQ(create.password_file, "-");
    const auto restore =
        options<RestoreOptions>({"restore", "--mnemonic-file", "-", "--birthday", "100"});
    EXPECT_EQ(restore.mnemonic_file, "-");
    EXPECT_FALSE(restore.account.type);
    EXPECT_EQ(restore.birthday.height, 100U);
    const auto receive =
        options<ReceiveOptions>({"receive", "--new", "--qr", "--amount", "0.5", "--label", "sync"});
    EXPECT_TRUE(receive.hand_out && receive.qr);
    EXPECT_EQ(receive.amount, 50'000'000);
    EXPECT_EQ(receive.label, "sync");
    EXPECT_EQ(options<UtxosOptions>({"utxos", "--min-conf", "6"}).min_confirmations, 6U);
    EXPECT_EQ(options<HistoryOptions>({"history", "--limit", "3"}).limit, 3U);
    EXPECT_TRUE(options<AddressesOptions>({"addresses", "--change", "--unused"}).change);
}

TEST_F(CommandLineTest, TakesNoTextBehindTwoDashesForHelp) {
    EXPECT_EQ(options<RenameOptions>({"rename", "--", "help"}).name, "help");
}

TEST_F(CommandLineTest, ReadsTheOptionsOfFilterAndRegtestNode) {
    const auto design =
        options<FilterDesignOptions>({"filter", "design", "--elements", "10", "--fpr", "1e-6",
                                      "--flags", "none", "--tweak", "4294967295"});
    EXPECT_EQ(design.elements, 10U);
    EXPECT_EQ(design.flags, bloom::UpdateMode::none);
    EXPECT_EQ(design.tweak, 0xffffffffU);
    const auto match =
        options<FilterMatchOptions>({"filter", "match", "--hex", "00", "aa", "demo"});
    EXPECT_EQ(match.elements, (std::vector<std::string>{"aa", "demo"}));
    const auto node =
        options<RegtestNodeOptions>({"regtest-node", "--port", "0", "--pay", "a", "--pay", "b",
                                     "--mine-every", "0.2", "--block-delay-ms", "5"});
    EXPECT_EQ(node.pay, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(node.mine_every, milliseconds{200});
    EXPECT_EQ(node.block_delay_ms, 5U);
}

struct Refused {
    const char* name;
    std::vector<std::string> arguments;
    const char* says;
};
void PrintTo(const Refused& row, std::ostream* out) {
    *out << row.name;
}

class RefusedCommandLines : public CommandLineTest, public testing::WithParamInterface<Refused> {};

TEST_P(RefusedCommandLines, SayWhatIsWrong) {
    const std::string message = refusal(GetParam().arguments);
    EXPECT_NE(message.find(GetParam().says), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(All, RefusedCommandLines, testing::Values(
    Refused{"nothing", {"--json"}, "which command"},
    Refused{"word of bitcoin-cli", {"getnewaddress"}, "petal calls it `petal receive --new`"},
    Refused{"wrong command before the name of a command", {"foo", "delete"}, "there is no command foo"},
    Refused{"wrong command behind a global option", {"--wallet", "w", "-vv", "foo", "tx"}, "there is no command foo"},
    Refused{"wrong filter command before a command", {"filter", "foo", "create"}, "there is no command foo in petal filter"},
    Refused{"word of bitcoin-cli before a command", {"getnewaddress", "label"}, "petal calls it `petal receive --new`"},
    Refused{"network option of bitcoin-cli", {"-regtest", "create"}, "there is no option -regtest; did you mean --network regtest?"},
    Refused{"testnet option of bitcoin-cli", {"balance", "-testnet"}, "did you mean --network testnet3?"},
    Refused{"network option of Electrum", {"--signet", "balance"}, "did you mean --network signet?"},
    Refused{"required option missing", {"filter", "create", "x"}, "petal filter create needs --expected N: "},
    Refused{"wrong option, and one missing", {"filter", "create", "x", "--expectd", "5"}, "no option --expectd; did you mean --expected?"},
    Refused{"option of another command, and one missing", {"filter", "create", "x", "--elements", "5"}, "there is no option --elements"},
    Refused{"word of Electrum", {"--network", "regtest", "payto", "x", "1"}, "`petal send`"},
    Refused{"help on another word", {"help", "ListUnspent"}, "petal calls it `petal utxos`"},
    Refused{"help on a text", {"label", "x", "help", "more"}, "takes no such argument"},
    Refused{"wrong command", {"synk"}, "did you mean sync?"},
    Refused{"wrong filter command", {"filter", "desing"}, "did you mean design?"},
    Refused{"no filter command", {"filter", "--json"}, "design, make, create, add, match"},
    Refused{"node as an argument", {"sync", "localhost"}, "--connect HOST names a node"},
    Refused{"wallet as an argument", {"create", "savings"}, "--wallet NAME says which wallet"},
    Refused{"label of other bytes", {"receive", "--label", "bad\xff"}, "must be UTF-8"},
    Refused{"empty label", {"receive", "--label", ""}, "must not be empty"},
    Refused{"empty proxy", {"sync", "--proxy", ""}, "--proxy: must not be empty"},
    Refused{"empty fee rate", {"send", "a", "1", "--fee-rate", ""}, "--fee-rate: must not be empty"},
    Refused{"empty address", {"history", "--address", ""}, "--address: must not be empty"},
    Refused{"one PSBT to combine", {"psbt", "combine", "a"}, "at least 2 are needed"},
    Refused{"two readers of standard input", {"psbt", "sign", "-", "--password-file", "-"}, "only one of the files can be standard input"},
    Refused{"wrong option", {"sync", "--conect", "a"}, "did you mean --connect?"},
    Refused{"wrong global option", {"--netwrok", "regtest", "sync"}, "did you mean --network?"},
    Refused{"option behind --", {"sync", "--", "--connect", "a"}, "--connect belongs after petal sync and before --"},
    Refused{"option behind -- of a command without arguments", {"balance", "--", "--json"}, "--json belongs after petal and before --"},
    Refused{"surplus text", {"sign-message", "a", "b", "--", "c"}, "takes no such argument"},
    Refused{"text that begins as help", {"sign-message", "a", "-hello"}, "there is no option -hello; a text that begins with - goes behind --"},
    Refused{"option before its command", {"--connect", "a", "sync"}, "--connect belongs after petal sync"},
    Refused{"option of a later version", {"sync", "--shards"}, "there is no option --shards; petal sync --help lists the options"},
    Refused{"unknown privacy", {"sync", "--privacy", "paranoid"}, "paranoid is none of fast, balanced, private"},
    Refused{"command of a later version", {"sweep", "a"}, "there is no command sweep"},
    Refused{"amount as an argument", {"receive", "0.1"}, "takes no such argument; --amount AMOUNT requests an amount"},
    Refused{"surplus word", {"balance", "now"}, "takes no such argument"},
    Refused{"word missing", {"tx"}, "petal tx needs TXID: a transaction of petal history; the first digits of its id will do, at least 4; see petal tx --help"},
    Refused{"one of several words missing", {"label"}, "petal label needs ADDRESS|TXID|TXID:VOUT: one of the wallet's addresses, transactions or coins; see"},
    Refused{"value missing", {"create", "--words"}, "--words needs a value: 12|15|18|21|24"},
    Refused{"options apart", {"sync", "--follow", "--wait-unconfirmed", "5"}, "do not go together"},
    Refused{"option alone", {"wait", "--amount", "1"}, "--amount goes with --address"},
    Refused{"unknown progress", {"sync", "--progress", "bar"}, "bar is none of auto, json, none"},
    Refused{"another headers command", {"headers", "show"}, "show in petal headers; there are status, verify,"},
    Refused{"empty folder", {"--datadir", "", "info"}, "--datadir: must not be empty"},
    Refused{"two commands", {"balance", "history"}, "takes no such argument"},
    Refused{"surplus word to a filter command", {"filter", "design", "00"}, "petal filter design takes no argument 00; see petal filter design --help"},
    Refused{"surplus word to the node", {"regtest-node", "foo"}, "petal regtest-node takes no argument foo; see"},
    Refused{"surplus word that may be secret", {"encrypt", "abandon"}, "petal encrypt takes no such argument"},
    Refused{"wrong network", {"--network", "regtset", "info"}, "did you mean regtest?"},
    Refused{"missing value", {"info", "--network"}, "--network"},
    Refused{"wallet with a path", {"--wallet", "../x", "info"}, "letters, digits"},
    Refused{"words", {"create", "--words", "13"}, "13 is none of 12, 15, 18, 21, 24"},
    Refused{"unknown type", {"create", "--type", "p2sh"}, "must be wpkh (native segwit), tr (taproot)"},
    Refused{"type of another case", {"restore", "--mnemonic-file", "-", "--type", "TR"}, "must be wpkh"},
    Refused{"account", {"create", "--account", "2147483648"}, "2,147,483,647"},
    Refused{"negative account", {"create", "--account", "-1"}, "2,147,483,647"},
    Refused{"two files on standard input", {"restore", "--mnemonic-file", "-", "--password-file", "-"}, "standard input"},
    Refused{"birthday", {"restore", "--birthday", "soon"}, "2024-05-31"},
    Refused{"port", {"sync", "--connect", "a:99999"}, "--connect"},
    Refused{"host", {"sync", "--connect", ""}, "--connect"},
    Refused{"node twice", {"sync", "--connect", "a:1", "--connect", "A:1"}, "names one node twice: a:1 and A:1"},
    Refused{"node by name", {"sync", "--connect", "127.0.0.1:1", "--connect", "localhost:1"}, "names one node twice"},
    Refused{"seed by address", {"sync", "--dns-seed", "1.2.3.4"}, "1.2.3.4 is not the name of a DNS seed"},
    Refused{"none and a seed", {"sync", "--dns-seed", "none", "--dns-seed", "a.example"}, "--dns-seed none goes with no other"},
    Refused{"some other check", {"sync", "--cross-check", "some"}, "--cross-check: some is none of none, sample, all"},
    Refused{"no peers", {"sync", "--peers", "0"}, "from 1 to 64"},
    Refused{"too many peers", {"sync", "--peers", "65"}, "from 1 to 64"},
    Refused{"timeout", {"sync", "--timeout", "0"}, "above 0 and at most 31,536,000 (a year)"},
    Refused{"long timeout", {"sync", "--timeout", "1e9"}, "at most 31,536,000 (a year)"},
    Refused{"negative wait", {"sync", "--wait-unconfirmed", "-1"}, "from 0 to 31,536,000 (a year)"},
    Refused{"octal limit", {"history", "--limit", "010"}, "must be a whole number from 1"},
    Refused{"limit", {"history", "--limit", "0"}, "whole number"},
    Refused{"amount", {"receive", "--amount", "1,5"}, "not an amount"},
    Refused{"no elements", {"filter", "design", "--fpr", "0.1"}, "--elements"},
    Refused{"no rate", {"filter", "design", "--elements", "1"}, "--fpr"},
    Refused{"rate", {"filter", "design", "--elements", "1", "--fpr", "1"}, "between 0 and 1"},
    Refused{"flags", {"filter", "design", "--elements", "1", "--fpr", "0.1", "--flags", "some"}, "some is none of none, all, p2pubkey-only"},
    Refused{"no filter", {"filter", "match", "x.hex", "text:hello"}, "its file goes with --file"},
    Refused{"two filters", {"filter", "match", "--hex", "00", "--file", "x", "aa"}, "give one filter"},
    Refused{"nothing to match", {"filter", "match", "--hex", "00"}, "--stdin"},
    Refused{"log level", {"--log-level", "loud", "info"}, "--log-level: loud is none of error, warning, info, debug"},
    Refused{"missing config file", {"--config", "nowhere.toml", "info"}, "config file"}));
// clang-format on

TEST_F(CommandLineTest, NeverRepeatsWordsOfAMnemonic) {
    const std::string message = refusal({"restore", "abandon", "ability", "able"});
    EXPECT_EQ(message.find("ab"), std::string::npos) << message;
}

TEST(VersionText, IsWhatNodesAreTold) {
    const std::string version = petal_version();
    EXPECT_EQ(net::SyncOptions{}.user_agent, "/petal:" + version + "/");
    EXPECT_EQ(net::BroadcastOptions{}.user_agent, "/petal:" + version + "/");
    EXPECT_EQ(regtest::NodeBehaviour{}.user_agent, "/petal-regtest:" + version + "/");
}

TEST(VersionText, NamesTheCommitIfItIsKnown) {
    const auto first_line = [](const char* commit) {
        const std::string text = version_text(commit);
        return text.substr(0, text.find('\n'));
    };
    EXPECT_EQ(first_line("0123456789ab-dirty"), "petal 0.1.0 (commit 0123456789ab-dirty)");
    EXPECT_EQ(version_json("0123456789ab-dirty")["commit"], "0123456789ab-dirty");
    EXPECT_EQ(first_line(""), "petal 0.1.0");
    EXPECT_EQ(version_json("")["commit"], nullptr);
}

TEST(VersionText, NamesTheLibraries) {
    const Json json = version_json();
    EXPECT_EQ(json["version"], "0.1.0");
    const Json& libraries = json["libraries"];
    for (const char* key : {"openssl", "sqlite", "secp256k1", "boost"}) {
        const std::string version = libraries[key];
        EXPECT_TRUE(std::regex_match(version, std::regex("\\d+(\\.\\d+)+")))
            << key << ' ' << version;
    }
    const auto version = [&libraries](const char* key) { return std::string(libraries[key]); };
    EXPECT_EQ(version_text(""), "petal 0.1.0\nOpenSSL " + version("openssl") + ", SQLite " +
                                    version("sqlite") + ", libsecp256k1 " + version("secp256k1") +
                                    ", Boost " + version("boost"));
}

TEST(CommandLine, TakesBitcoinCoresNamesOfNetworks) {
    const Scene scene;
    const auto network_of = [&](const char* name) {
        return scene.run({"--network", name, "--wallet", name, "create", "--json"})
            .json()
            .at("network");
    };
    EXPECT_EQ(network_of("main"), "mainnet");
    EXPECT_EQ(network_of("test"), "testnet3");
    EXPECT_EQ(network_of("testnet"), "testnet3");
}

TEST_F(CommandLineTest, NamesOfCommandsMayBeValues) {
    EXPECT_EQ(parse({"--wallet", "sync", "info"}).global.wallet, "sync");
    EXPECT_EQ(parse({"info", "--wallet", "bump"}).global.wallet, "bump");
    EXPECT_NE(refusal({"inof", "--wallet", "sync"}).find("did you mean info?"), std::string::npos);
}

TEST_F(CommandLineTest, TakesTextsBehindTheMarkAsArguments) {
    const auto first = options<SignMessageOptions>({"sign-message", "--", "a", "--json"});
    EXPECT_EQ(first.address, "a");
    EXPECT_EQ(first.message, "--json");
    const auto second = options<SignMessageOptions>({"sign-message", "a", "--", "-hello"});
    EXPECT_EQ(second.message, "-hello");
    const auto third = options<SendOptions>({"send", "a", "--", "0.1"});
    EXPECT_EQ(third.words, (std::vector<std::string>{"a", "0.1"}));
    EXPECT_EQ(options<PsbtCreateOptions>({"psbt", "create", "--", "a", "1"}).words,
              (std::vector<std::string>{"a", "1"}));
}

TEST_F(CommandLineTest, TreatsZeroSecondsAsNoWait) {
    EXPECT_EQ(options<SyncCommandOptions>({"sync", "--wait-unconfirmed", "0"}).wait_unconfirmed,
              std::nullopt);
}

TEST(AsksForJson, LooksAtOptionsOnly) {
    EXPECT_TRUE(asks_for_json({"sync", "--json"}));
    EXPECT_FALSE(asks_for_json({"sync"}));
    EXPECT_FALSE(asks_for_json({"filter", "match", "--", "--json"}));
}

}  // namespace
}  // namespace petal::cli
