#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "regtest/rpc/node_wallet_chain.h"
#include "regtest/rpc/wallet_method.h"
#include "regtest/wallets/wallet_set.h"
#include "tests/regtest/rpc/rpc_fixture.h"
#include "tests/support/temporary_folder.h"

namespace petal::regtest::rpc {
namespace {

/// A node with wallets by name.
class RpcWalletsTest : public RpcMethodsTest {
protected:
    RpcWalletsTest() { settings_.wallets = &wallets_; }

    wallets::WalletOptions options() {
        wallets::WalletOptions options;
        options.folder = folder_.path();
        options.fallback_fee_rate = 20'000;
        options.set_startup = [this](const std::string& name, bool is_loaded) {
            if (is_loaded) {
                startup_.insert(name);
            } else {
                startup_.erase(name);
            }
        };
        options.on_transaction = [this](const std::string& wallet, const chain::Txid& txid) {
            notes_.push_back(wallet + " " + txid.to_hex());
        };
        return options;
    }

    /// Calls a method at the path of a wallet.
    Json call_at(const std::string& wallet, std::string_view method,
                 const Json& arguments = Json::array()) {
        RpcNode node{chain_, peers_, settings_, wallet};
        return call_method(node, method, arguments);
    }

    /// A wallet with a mature coinbase of 50 bitcoin.
    void make_funded(const std::string& name) {
        call("createwallet", {name});
        call("generatetoaddress", {1, call_at(name, "getnewaddress")});
        call("generatetoaddress", {100, kAddress});
    }

    test::TemporaryFolder folder_;
    std::set<std::string> startup_;
    std::vector<std::string> notes_;
    NodeWalletChain wallet_chain_{chain_, settings_};
    wallets::WalletSet wallets_{options(), wallet_chain_};
};

TEST_F(RpcWalletsTest, HaveNames) {
    EXPECT_TRUE(refusal("getbalance").starts_with("-18 No wallet is loaded."));
    EXPECT_EQ(call("createwallet", {"one"}), (Json{{"name", "one"}}));
    EXPECT_EQ(call("createwallet", {"two", false, false, "", false, true, true})["name"], "two");
    EXPECT_EQ(call("listwallets"), (Json{"one", "two"}));
    EXPECT_TRUE(refusal("getbalance").starts_with("-19 Multiple wallets are loaded."));
    EXPECT_EQ(call_at("one", "getwalletinfo")["walletname"], "one");
    EXPECT_EQ(refusal("createwallet", {""}), "-8 Wallet name cannot be empty");
    EXPECT_TRUE(refusal("createwallet", {"one"}).ends_with("Database already exists."));
    EXPECT_EQ(refusal("loadwallet", {"one"}), "-35 Wallet \"one\" is already loaded.");
    EXPECT_TRUE(refusal("loadwallet", {"three"}).starts_with("-18 "));
    EXPECT_EQ(startup_, std::set<std::string>{"two"});
    EXPECT_EQ(call("unloadwallet", {"two", false}), Json::object());
    EXPECT_EQ(startup_, std::set<std::string>{});
    EXPECT_EQ(call("getwalletinfo")["walletname"], "one");
    EXPECT_EQ(refusal("unloadwallet", {"two"}),
              "-18 Requested wallet does not exist or is not loaded");
    EXPECT_EQ(call("listwalletdir")["wallets"].size(), 2U);
    EXPECT_EQ(call("loadwallet", {"two"}), (Json{{"name", "two"}}));
}

TEST_F(RpcWalletsTest, RefuseNamesOutsideTheFolder) {
    const std::string too_long(10'000, 'x');
    for (const std::string& name :
         {std::string("../x"), std::string("a/../../x"), std::string(".."), std::string("."),
          std::string("/x/y"), std::string("a//b"), std::string("a/"), too_long,
          std::string(300, 'x'), std::string("a\0b", 3)}) {
        EXPECT_TRUE(refusal("createwallet", {name}).starts_with("-4 ")) << name;
        EXPECT_TRUE(refusal("loadwallet", {name}).starts_with("-4 ")) << name;
    }
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
    EXPECT_EQ(call("createwallet", {"a/b"})["name"], "a/b");
}

TEST_F(RpcWalletsTest, NameDamagedFilesAndKeepThem) {
    call("createwallet", {"w"});
    call("unloadwallet", {"w"});
    const auto file = folder_.path() / "w" / "wallet.dat";
    const std::string nonsense = "SQLite format 3";
    std::ofstream(file) << nonsense;
    const std::string reason = refusal("loadwallet", {"w"});
    EXPECT_TRUE(reason.starts_with("-4 ")) << reason;
    EXPECT_NE(reason.find(file.string()), std::string::npos) << reason;
    EXPECT_TRUE(refusal("createwallet", {"w"}).starts_with("-4 "));
    EXPECT_EQ(std::filesystem::file_size(file), nonsense.size());
    EXPECT_EQ(call("listwallets"), Json::array());
}

TEST_F(RpcWalletsTest, RefuseFlagsThatTheyDoNotKnow) {
    call("createwallet", {"w"});
    call("unloadwallet", {"w"});
    const auto file = folder_.path() / "w" / "wallet.flags";
    for (const std::string& flags : {std::string("blue"), "blank" + std::string(1'000, '\n')}) {
        std::ofstream(file) << flags;
        const std::string reason = refusal("loadwallet", {"w"});
        EXPECT_TRUE(reason.starts_with("-4 ")) << reason;
        EXPECT_NE(reason.find(file.string()), std::string::npos) << reason;
    }
    std::ofstream(file) << "avoid_reuse";
    EXPECT_EQ(call("loadwallet", {"w"})["name"], "w");
}

TEST_F(RpcWalletsTest, CountCoinbasesWith101Confirmations) {
    call("createwallet", {"w"});
    call("generatetoaddress", {1, call("getnewaddress")});
    call("generatetoaddress", {99, kAddress});
    EXPECT_EQ(call("getbalance"), 0.0);
    EXPECT_EQ(call("getbalances")["mine"]["immature"], 50.0);
    EXPECT_EQ(refusal("sendtoaddress", {kAddress, 1}), "-6 Insufficient funds");
    call("generatetoaddress", {1, kAddress});
    EXPECT_EQ(call("getbalance"), 50.0);
    EXPECT_EQ(call("listunspent")[0]["confirmations"], 101);
}

TEST_F(RpcWalletsTest, ShowTheNodesTransactionsAtOnce) {
    make_funded("payer");
    call("createwallet", {"payee"});
    const std::string address = call_at("payee", "getnewaddress", {"rent"});
    notes_.clear();
    const std::string txid = call_at("payer", "sendtoaddress", {address, 2});
    EXPECT_EQ(notes_, (std::vector<std::string>{"payer " + txid, "payee " + txid}));
    EXPECT_EQ(call_at("payee", "getbalances")["mine"]["untrusted_pending"], 2.0);
    EXPECT_EQ(call_at("payee", "getbalance"), 0.0);
    EXPECT_EQ(call_at("payee", "listunspent", {0})[0]["label"], "rent");
    call("droptransaction", {txid});
    EXPECT_EQ(call_at("payee", "getbalances")["mine"]["untrusted_pending"], 0.0);
    EXPECT_EQ(call_at("payer", "gettransaction", {txid})["trusted"], false);
    call("sendrawtransaction", {call_at("payer", "gettransaction", {txid})["hex"]});
    notes_.clear();
    call("generatetoaddress", {1, kAddress});
    EXPECT_EQ(call_at("payee", "getbalance"), 2.0);
    EXPECT_EQ(notes_, (std::vector<std::string>{"payer " + txid, "payee " + txid}));
    EXPECT_EQ(call_at("payee", "gettransaction", {txid})["confirmations"], 1);
}

TEST_F(RpcWalletsTest, FollowReorganisations) {
    make_funded("payer");
    call("createwallet", {"payee"});
    const std::string txid =
        call_at("payer", "sendtoaddress", {call_at("payee", "getnewaddress"), 2});
    const std::string block = call("generatetoaddress", {1, kAddress})[0];
    EXPECT_EQ(call_at("payee", "getbalance"), 2.0);
    call("invalidateblock", {block});
    EXPECT_EQ(call_at("payee", "getbalance"), 0.0);
    EXPECT_EQ(call_at("payee", "gettransaction", {txid})["confirmations"], 0);
    EXPECT_EQ(call_at("payee", "getbalances")["mine"]["untrusted_pending"], 2.0);
    call("reconsiderblock", {block});
    EXPECT_EQ(call_at("payee", "gettransaction", {txid})["blockhash"], block);
    call("invalidateblock", {call("getblockhash", {1})});
    EXPECT_EQ(
        call_at("payer", "getbalances")["mine"],
        (Json{
            {"trusted", 0.0}, {"untrusted_pending", 0.0}, {"immature", 0.0}, {"nonmempool", 0.0}}));
}

TEST_F(RpcWalletsTest, GoOnAfterTheyWereUnloaded) {
    make_funded("w");
    const std::string address = call("getnewaddress", {"a label", "legacy"});
    call("unloadwallet", {"w"});
    const std::string block = call("generatetoaddress", {2, address})[0];
    call("loadwallet", {"w"});
    EXPECT_EQ(call("getbalance"), 50.0);
    EXPECT_EQ(call("getbalances")["mine"]["immature"], 100.0);
    EXPECT_NE(call("getnewaddress", {"", "legacy"}), address);
    call("unloadwallet", {"w"});
    call("invalidateblock", {block});
    call("loadwallet", {"w"});
    EXPECT_EQ(call("getbalances")["mine"]["immature"], 0.0);
}

TEST_F(RpcWalletsTest, FindAddressesFarAhead) {
    call("createwallet", {"w"});
    std::string address;
    for (int i = 0; i < 150; ++i) address = call("getnewaddress");
    call("generatetoaddress", {1, address});
    call("generatetoaddress", {100, kAddress});
    EXPECT_EQ(call("getbalance"), 50.0);
}

TEST_F(RpcWalletsTest, PayChainsOfUnconfirmedChange) {
    make_funded("w");
    for (int i = 0; i < 10; ++i) call("sendtoaddress", {kAddress, 1});
    EXPECT_EQ(call("getrawmempool").size(), 10U);
    EXPECT_EQ(call("listunspent"), Json::array());
    const Json change = call("listunspent", {0});
    ASSERT_EQ(change.size(), 1U);
    EXPECT_EQ(change[0]["ancestorcount"], 10);
    call("generatetoaddress", {1, kAddress});
    EXPECT_EQ(call("listunspent").size(), 1U);
}

TEST_F(RpcWalletsTest, SubtractTheFeeFromChosenRecipients) {
    make_funded("w");
    const std::string other = call("getnewaddress");
    const Json amounts = {{kAddress, 1}, {other, 2}};
    const std::string txid = call("sendmany", {"", amounts, nullptr, "", Json::array({other})});
    std::set<double> values;
    const Json sent = call("getrawtransaction", {txid, 1});
    for (const Json& output : sent["vout"]) {
        values.insert(output["value"].get<double>());
    }
    EXPECT_TRUE(values.contains(1.0));
    EXPECT_TRUE(values.contains(47.0));
    EXPECT_FALSE(values.contains(2.0));
}

TEST_F(RpcWalletsTest, TellReusedAddresses) {
    call("createwallet", {"w", false, false, nullptr, true});
    const std::string address = call("getnewaddress");
    call("generatetoaddress", {1, address});
    call("generatetoaddress", {100, kAddress});
    call("sendtoaddress", {kAddress, 1});
    call("generatetoaddress", {1, kAddress});
    call("generatetoaddress", {1, address});
    call("generatetoaddress", {100, kAddress});
    EXPECT_EQ(call("getbalances")["mine"]["used"], 50.0);
    EXPECT_DOUBLE_EQ(
        call("getbalance", {"*", 0, false, false}).get<double>() - call("getbalance").get<double>(),
        50.0);
    EXPECT_EQ(refusal("sendtoaddress", {kAddress, 60}), "-6 Insufficient funds");
    EXPECT_EQ(call("getwalletinfo")["flags"][0], "avoid_reuse");
}

TEST_F(RpcWalletsTest, WithoutKeysAreEmpty) {
    call("createwallet", {"blank", false, true});
    EXPECT_EQ(call("getbalance"), 0.0);
    EXPECT_EQ(call("listunspent"), Json::array());
    EXPECT_EQ(refusal("getnewaddress"), "-4 Error: This wallet has no available keys");
    EXPECT_EQ(refusal("sendtoaddress", {kAddress, 1}), "-6 Insufficient funds");
    EXPECT_EQ(call("getwalletinfo")["blank"], true);
    call("unloadwallet", {"blank"});
    call("loadwallet", {"blank"});
    EXPECT_EQ(call("getwalletinfo")["blank"], true);
}

TEST_F(RpcWalletsTest, AreLockedByAPassphrase) {
    call("createwallet", {"w", false, false, "secret"});
    call("generatetoaddress", {1, call("getnewaddress")});
    call("generatetoaddress", {100, kAddress});
    EXPECT_EQ(call("getbalance"), 50.0);
    EXPECT_EQ(refusal("sendtoaddress", {kAddress, 1}),
              "-13 Error: Please enter the wallet passphrase with walletpassphrase first.");
    EXPECT_EQ(call("getwalletinfo")["unlocked_until"], 0);
    EXPECT_EQ(refusal("createwallet", {"x", true, false, "secret"}).substr(0, 2), "-4");
}

TEST_F(RpcWalletsTest, HaveNoPurseBeside) {
    EXPECT_EQ(call("help", {"getnewaddress"}).get<std::string>().find("always the same"),
              std::string::npos);
    settings_.wallets = nullptr;
    settings_.has_wallet = false;
    EXPECT_EQ(refusal("createwallet", {"w"}), "-32601 Method not found");
}

TEST(WalletPath, NamesAWallet) {
    EXPECT_EQ(wallet_name_in("/"), std::nullopt);
    EXPECT_EQ(wallet_name_in("/wallet"), std::nullopt);
    EXPECT_EQ(wallet_name_in("/wallet/"), "");
    EXPECT_EQ(wallet_name_in("/wallet/a%20b%2Fc"), "a b/c");
    EXPECT_EQ(wallet_name_in("/wallet/100%"), "100%");
    EXPECT_EQ(wallet_name_in("/wallet/%zz%4"), "%zz%4");
}

}  // namespace
}  // namespace petal::regtest::rpc
