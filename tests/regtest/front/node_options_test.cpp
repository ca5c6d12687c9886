#include "regtest/front/node_options.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "regtest/front/option_table.h"
#include "regtest/front/rpc_auth.h"

namespace petal::regtest::front {
namespace {

chain::Expected<NodeOptions, std::string> read(const std::vector<std::string>& arguments,
                                               const std::string& text = "") {
    auto settings = Settings::parse(arguments);
    EXPECT_TRUE(settings) << settings.error();
    EXPECT_TRUE(settings->add(*parse_config(text)));
    return read_node_options(*settings, "/data/regtest");
}

/// Why the options are refused. Empty if they are not.
std::string fault(const std::vector<std::string>& arguments, const std::string& text = "") {
    const auto options = read(arguments, text);
    return options ? "" : options.error();
}

TEST(NodeOptions, AreBitcoindsByDefault) {
    const auto options = *read({});
    EXPECT_TRUE(options.listens);
    EXPECT_EQ(to_string(options.listen), "127.0.0.1:18444");
    EXPECT_EQ(options.rpc.port, 18'443);
    EXPECT_TRUE(options.rpc.binds.empty());
    EXPECT_EQ(options.rpc.cookie_file, "/data/regtest/.cookie");
    EXPECT_EQ(options.pid_file, "/data/regtest/bitcoind.pid");
    EXPECT_EQ(options.log_file, "/data/regtest/debug.log");
    EXPECT_TRUE(options.prints_log);
    EXPECT_EQ(options.user_agent, "/Satoshi:31.0.0/");
    EXPECT_FALSE(options.serves_bloom);
    EXPECT_FALSE(options.serves_compact_filters);
    EXPECT_TRUE(options.takes_transactions);
    EXPECT_TRUE(options.has_wallet);
    EXPECT_EQ(options.least_fee_rate, 100);
    EXPECT_EQ(options.mock_time, std::nullopt);
    EXPECT_TRUE(options.warnings.empty());
}

TEST(NodeOptions, ListenOnOneAddress) {
    EXPECT_EQ(to_string(read({"-port=0"})->listen), "127.0.0.1:0");
    EXPECT_EQ(to_string(read({"-bind=0.0.0.0"})->listen), "0.0.0.0:18444");
    EXPECT_EQ(to_string(read({"-bind=127.0.0.1:1"})->listen), "127.0.0.1:1");
    EXPECT_EQ(to_string(read({"-bind=127.0.0.1", "-port=0"})->listen), "127.0.0.1:0");
    EXPECT_EQ(to_string(read({"-bind=[::1]:5", "-bind=127.0.0.1:6=onion"})->listen), "[::1]:5");
    EXPECT_EQ(fault({"-bind=127.0.0.1:1", "-bind=127.0.0.1:2"}),
              "petal-bitcoind takes one -bind address");
    EXPECT_EQ(fault({"-bind=example.org"}), "Cannot resolve -bind address: 'example.org'");
    EXPECT_EQ(fault({"-bind=127.0.0.1", "-listen=0"}),
              "Cannot set -bind or -whitebind together with -listen=0");
    EXPECT_EQ(fault({"-port=65536"}), "Invalid port specified in -port: '65536'");
    EXPECT_EQ(fault({"-rpcport=x"}), "Invalid port specified in -rpcport: 'x'");
}

TEST(NodeOptions, ConnectingAloneDoesNotListen) {
    const auto options = *read({"-connect=127.0.0.1:5", "-addnode=localhost"});
    EXPECT_FALSE(options.listens);
    EXPECT_EQ(options.nodes, (std::vector<std::string>{"127.0.0.1:5", "localhost"}));
    EXPECT_TRUE(read({"-connect=0"})->nodes.empty());
    EXPECT_FALSE(read({"-connect=0"})->listens);
    EXPECT_TRUE(read({"-connect=0", "-listen"})->listens);
    EXPECT_TRUE(read({"-connect=0", "-bind=127.0.0.1"})->listens);
    EXPECT_FALSE(read({"-nolisten"})->listens);
    EXPECT_FALSE(read({"-maxconnections=0"})->listens);
    EXPECT_FALSE(fault({"-addnode=:"}).empty());
}

TEST(NodeOptions, OpenTheRpcOnlyByTwoOptions) {
    const auto both = *read({"-rpcbind=0.0.0.0", "-rpcbind=[::]:7", "-rpcallowip=10.0.0.0/8"});
    ASSERT_EQ(both.rpc.binds.size(), 2U);
    EXPECT_EQ(to_string(both.rpc.binds[0]), "0.0.0.0:18443");
    EXPECT_EQ(to_string(both.rpc.binds[1]), "[::]:7");
    EXPECT_EQ(both.rpc.allowed, (std::vector<std::string>{"10.0.0.0/8"}));
    const auto bind = *read({"-rpcbind=0.0.0.0"});
    EXPECT_TRUE(bind.rpc.binds.empty());
    EXPECT_EQ(bind.warnings.size(), 1U);
    const auto allow = *read({"-rpcallowip=0.0.0.0/0"});
    EXPECT_TRUE(allow.rpc.binds.empty());
    EXPECT_EQ(allow.warnings.size(), 1U);
    EXPECT_TRUE(
        fault({"-rpcallowip=x"}).starts_with("Invalid -rpcallowip subnet specification: x."));
    EXPECT_FALSE(fault({"-rpcbind=example.org", "-rpcallowip=::/0"}).empty());
}

TEST(NodeOptions, PasswordReplacesTheCookie) {
    const auto options = *read({}, "rpcuser=a\nrpcpassword=b");
    EXPECT_EQ(options.rpc.user + ":" + options.rpc.password, "a:b");
    EXPECT_TRUE(options.rpc.cookie_file.empty());
    EXPECT_FALSE(read({"-rpcuser=a"})->rpc.cookie_file.empty());
    EXPECT_EQ(read({"-rpcuser=a:b", "-rpcpassword=c"}).error(),
              "Invalid -rpcuser: a user name must not contain a colon.");
    EXPECT_TRUE(read({"-norpccookiefile"})->rpc.cookie_file.empty());
    EXPECT_EQ(read({"-rpccookiefile=x"})->rpc.cookie_file, "/data/regtest/x");
    EXPECT_EQ(read({"-rpccookiefile=/x"})->rpc.cookie_file, "/x");
    EXPECT_EQ(fault({"-rpcauth=a"}), "Invalid -rpcauth argument.");
    EXPECT_FALSE(fault({"-rpccookieperms=x"}).empty());
}

TEST(NodeOptions, NameTheNodeAsBitcoinCore) {
    EXPECT_EQ(read({"-uacomment=a", "-uacomment=b c"})->user_agent, "/Satoshi:31.0.0(a; b c)/");
    EXPECT_EQ(fault({"-uacomment=a/b"}), "User Agent comment (a/b) contains unsafe characters.");
    const std::string longest(256 - std::string("/Satoshi:31.0.0()/").size(), 'x');
    EXPECT_EQ(fault({"-uacomment=" + longest}), "");
    EXPECT_TRUE(fault({"-uacomment=" + longest + "x"}).starts_with("Total length"));
}

TEST(NodeOptions, ReadNumbersInFull) {
    EXPECT_EQ(read({"-minrelaytxfee=0.00001"})->least_fee_rate, 1'000);
    EXPECT_EQ(read({"-minrelaytxfee=0"})->least_fee_rate, 0);
    EXPECT_EQ(fault({"-minrelaytxfee=x"}), "Invalid amount for -minrelaytxfee=<amount>: 'x'");
    EXPECT_FALSE(fault({"-minrelaytxfee=-1"}).empty());
    EXPECT_FALSE(fault({"-minrelaytxfee=21000001"}).empty());
    EXPECT_EQ(read({"-mocktime=1"})->mock_time, 1);
    EXPECT_EQ(read({"-mocktime=0"})->mock_time, std::nullopt);
    EXPECT_EQ(read({"-mocktime=4294967295"})->mock_time, 4'294'967'295);
    EXPECT_FALSE(fault({"-mocktime=4294967296"}).empty());
    EXPECT_FALSE(fault({"-mocktime=1x"}).empty());
    EXPECT_FALSE(fault({"-maxconnections=-1"}).empty());
}

TEST(NodeOptions, SayWhatHasNoEffect) {
    EXPECT_EQ(read({"-rest"})->warnings,
              (std::vector<std::string>{"option -rest has no effect in petal-bitcoind"}));
    EXPECT_TRUE(read({"-norest", "-rest=0", "-txindex", "-dbcache=4"})->warnings.empty());
    EXPECT_EQ(fault({"-proxy=127.0.0.1:9050"}), "petal-bitcoind does not have -proxy.");
    EXPECT_EQ(fault({"-noproxy"}), "");
    EXPECT_EQ(read({}, "foo=1")->warnings,
              (std::vector<std::string>{"Ignoring unknown configuration value foo"}));
    EXPECT_EQ(fault({}, "port=1"),
              "Config setting for -port only applied on regtest network when in [regtest] "
              "section.");
}

TEST(NodeOptions, ServeFiltersOnRequest) {
    EXPECT_TRUE(read({"-peerbloomfilters"})->serves_bloom);
    EXPECT_TRUE(read({"-peerblockfilters", "-blockfilterindex"})->serves_compact_filters);
    EXPECT_TRUE(read({"-peerblockfilters", "-blockfilterindex=basic"})->serves_compact_filters);
    EXPECT_EQ(fault({"-peerblockfilters"}),
              "Cannot set -peerblockfilters without -blockfilterindex.");
    EXPECT_FALSE(fault({"-peerblockfilters", "-blockfilterindex=0"}).empty());
    EXPECT_EQ(fault({"-blockfilterindex=x"}), "Unknown -blockfilterindex value x.");
    EXPECT_FALSE(read({"-blocksonly"})->takes_transactions);
    EXPECT_FALSE(read({"-disablewallet"})->has_wallet);
    const auto wallets = read({"-wallet=a", "-wallet=b", "-addresstype=legacy",
                               "-fallbackfee=0.0002", "-walletnotify=x %s"});
    EXPECT_EQ(wallets->wallets.names, (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(wallets->wallets.address_type, wallet::ScriptKind::pkh);
    EXPECT_EQ(wallets->wallets.fallback_fee_rate, 20'000);
    EXPECT_EQ(wallets->notify.wallet, "x %s");
    EXPECT_EQ(read({})->wallets.fallback_fee_rate, std::nullopt);
    EXPECT_EQ(read({"-fallbackfee=0"})->wallets.fallback_fee_rate, std::nullopt);
    EXPECT_FALSE(read({"-nowallet"})->wallets.has_startup);
    EXPECT_EQ(fault({"-addresstype=x"}), "Unknown address type 'x'");
    EXPECT_EQ(fault({"-fallbackfee=x"}), "Invalid amount for -fallbackfee=<amount>: 'x'");
}

TEST(NodeOptions, NameTheIndexesThatAreOn) {
    EXPECT_TRUE(read({})->indexes.empty());
    const std::vector<std::string> expected{"txindex", "coinstatsindex",
                                            "basic block filter index"};
    EXPECT_EQ(
        read({"-coinstatsindex", "-txindex=1", "-txospenderindex=0", "-blockfilterindex"})->indexes,
        expected);
}

TEST(NodeOptions, DaemonsLogToTheFile) {
    EXPECT_FALSE(read({"-daemon"})->prints_log);
    EXPECT_TRUE(read({"-daemonwait"})->is_daemon);
    EXPECT_TRUE(read({"-daemonwait"})->waits_for_daemon);
    EXPECT_TRUE(read({"-daemon", "-printtoconsole"})->prints_log);
    EXPECT_FALSE(read({"-noprinttoconsole"})->prints_log);
    EXPECT_EQ(read({"-debuglogfile=/a/b"})->log_file, "/a/b");
    EXPECT_TRUE(read({"-nodebuglogfile"})->log_file.empty());
    EXPECT_EQ(read({"-pid=p"})->pid_file, "/data/regtest/p");
}

// The credentials are those of Bitcoin Core's test/functional/rpc_users.py.
TEST(RpcAuth, KnowsThePassword) {
    const auto auth = RpcAuth::parse(
        "rt:93648e835a54c573682c2eb19f882535$"
        "7681e9c5b74bdd85e78166031d2058e1069b3ed7ed967c93fc63abba06f31144");
    ASSERT_TRUE(auth);
    const std::string password = "cA773lm788buwYe4g4WT+05pKyNruVKjQ25x3n0DQcM=";
    EXPECT_TRUE(auth->accepts("rt:" + password));
    EXPECT_FALSE(auth->accepts("ru:" + password));
    EXPECT_FALSE(auth->accepts("rt:" + password + "="));
    EXPECT_FALSE(auth->accepts("rt:x"));
    EXPECT_FALSE(auth->accepts("rt:"));
    EXPECT_FALSE(auth->accepts("rt"));
    EXPECT_FALSE(auth->accepts(""));
    for (const char* wrong : {"", "a", "a:b", "a$b", "a:b$c$d", "a:b:c$d"}) {
        EXPECT_FALSE(RpcAuth::parse(wrong)) << wrong;
    }
}

TEST(OptionTable, DescribesEachOptionInALine) {
    for (const OptionRow& row : all_options()) {
        EXPECT_FALSE(row.help.empty()) << row.name;
        EXPECT_EQ(row.help.find('\n'), std::string_view::npos) << row.name;
    }
}

}  // namespace
}  // namespace petal::regtest::front
