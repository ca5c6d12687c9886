// Change and receive addresses of a watch-only wallet that others' descriptors are imported into.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "chain/bytes.h"
#include "chain/network_params.h"
#include "cli/text/json.h"
#include "regtest/serve/embedded_node.h"
#include "tests/cli/scene.h"
#include "tests/support/cosigners.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

using test::Cosigner;
using test::Outcome;
using test::Scene;

// BIP380's example key.
constexpr const char* kMyKey = "03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd";
// Bitcoin Core: doc/descriptors.md.
constexpr const char* kMyWif = "cVpF924EspNh8KjYsfhgY96mmxvT6DgdWiTYMtMjuM74hJaU5psW";
// BIP173's P2WPKH address, and BIP350's P2TR address, on regtest.
constexpr const char* kWpkhPayee = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";
constexpr const char* kTaprootPayee =
    "bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma6";
constexpr chain::Satoshis kMyCoin = 100'000'000;

/// The wallet `cold` watches the user's key, and then the account of a stranger.
class WatchedChange : public testing::Test {
protected:
    Outcome run(const std::string& wallet, std::vector<std::string> words,
                const std::string& input = "") const {
        words.insert(words.begin(), {"--wallet", wallet});
        const Outcome outcome = scene.run(words, input);
        EXPECT_EQ(outcome.status, ExitStatus::done) << outcome.out << outcome.err;
        return outcome;
    }
    std::string code_of(std::vector<std::string> words) const {
        words.insert(words.begin(), {"--wallet", "cold", "--json"});
        return scene.run(words).code();
    }
    std::string receive(std::vector<std::string> more = {}) const {
        more.insert(more.begin(), {"receive", "--json"});
        return run("cold", more).json().at("address").get<std::string>();
    }
    void pay(const std::string& address, chain::Satoshis amount) {
        const auto script = wallet::parse_address(address, *chain::find_network("regtest")).value();
        node.with_chain([&](regtest::RegtestChain& chain) {
            chain.mine_block({chain.make_payment({{amount, script}})});
        });
    }
    void sync(const std::string& wallet) const {
        run(wallet, {"sync", "--connect", to_string(node.endpoint())});
    }
    Json create(std::vector<std::string> words) const {
        words.insert(words.begin(), {"psbt", "create", "--json"});
        return run("cold", words).json();
    }
    /// The address of a new PSBT's change.
    static std::string change_of(const Json& created) {
        for (const Json& output : created.at("outputs")) {
            if (output.at("change") == true) return output.at("address");
        }
        return {};
    }

    Scene scene;
    regtest::EmbeddedNode node;
    const std::string theirs = Cosigner(9).public_text();
};

TEST_F(WatchedChange, OfASingleKeyGoesBackToTheKey) {
    run("hot", {"restore", "--descriptor-file",
                scene.write("keys", "wpkh(" + std::string(kMyWif) + ")\n")});
    const Json hot = run("hot", {"info", "--json"}).json();
    run("cold", {"watch", hot.at("descriptors").at(0).get<std::string>()});
    const std::string mine = receive();
    run("cold", {"import", "wpkh(" + theirs + "/<0;1>/*)"});
    EXPECT_EQ(receive(), mine) << "whatever is imported";
    const std::string of_stranger = receive({"--descriptor", "1"});
    EXPECT_NE(of_stranger, mine);
    pay(mine, kMyCoin);
    pay(of_stranger, kMyCoin);
    sync("cold");

    const Json created = create({kWpkhPayee, "0.1"});
    EXPECT_EQ(created.at("inputs").size(), 1U);
    EXPECT_EQ(change_of(created), mine);
    const Outcome shown = run("cold", {"psbt", "create", kWpkhPayee, "0.1", "--fee-rate", "2"});
    for (const std::string& part :
         {std::string("pays            0.10000000 BTC to ") + kWpkhPayee, "BTC to " + mine,
          std::string("by descriptor 0"), std::string(" sat (2.00 sat/vB, as asked)")}) {
        EXPECT_NE(shown.err.find(part), std::string::npos) << part << '\n' << shown.err;
    }

    sync("hot");
    const auto psbt = created.at("psbt").get<std::string>();
    const Json signed_psbt = run("hot", {"psbt", "sign", "-", "--yes", "--json"}, psbt).json();
    EXPECT_EQ(signed_psbt.at("net_sat"), -10'000'000 - created.at("fee_sat").get<int>());
}

TEST_F(WatchedChange, OfAnAccountIsNotCapturedByAnOrigin) {
    const Cosigner me(3);
    run("cold", {"watch", "wpkh(" + me.public_text() + "/<0;1>/*)"});
    const std::string my_origin = me.public_text().substr(0, me.public_text().find(']') + 1);
    const std::string their_key = theirs.substr(theirs.find(']') + 1);
    run("cold", {"import", "tr(" + my_origin + their_key + "/<0;1>/*)"});
    const Json info = run("cold", {"info", "--json"}).json();
    EXPECT_EQ(info.at("descriptor_numbers"), Json({0, 1, 2, 3}));
    EXPECT_EQ(info.at("receive_descriptor"), 0);
    pay(receive(), kMyCoin);
    pay(receive({"--descriptor", "2"}), kMyCoin);
    sync("cold");
    const Json change = run("cold", {"addresses", "--change", "--json"}).json().at("addresses");
    EXPECT_EQ(change_of(create({kTaprootPayee, "0.1"})), change.at(0).at("address"));

    const Json coins = run("cold", {"utxos", "--json"}).json().at("utxos");
    const auto name_of = [](const Json& coin) {
        return coin.at("txid").get<std::string>() + ':' + coin.at("vout").dump();
    };
    const std::vector<std::string> both{"--utxo", name_of(coins.at(0)), "--utxo",
                                        name_of(coins.at(1))};
    std::vector<std::string> words{"psbt", "create", kWpkhPayee, "1.5"};
    words.insert(words.end(), both.begin(), both.end());
    EXPECT_EQ(code_of(words), "several-accounts");
    words[3] = "all";
    words.emplace_back("--json");
    const Json all = run("cold", words).json();
    EXPECT_EQ(all.at("inputs").size(), 2U) << "without change, coins of several owners are spent";
    EXPECT_EQ(all.at("outputs").size(), 1U);
}

TEST_F(WatchedChange, ReceiveRefusesADescriptorThatIsNotThere) {
    run("cold", {"watch", "wpkh(" + std::string(kMyKey) + ")"});
    run("cold", {"import", "wpkh(" + theirs + "/<0;1>/*)"});
    EXPECT_EQ(code_of({"receive", "--descriptor", "2"}), "no-new-address") << "it is for change";
    EXPECT_EQ(code_of({"receive", "--descriptor", "3"}), "no-new-address");
    EXPECT_EQ(code_of({"receive", "--descriptor", "x"}), "usage");
    EXPECT_EQ(code_of({"receive", "--new"}), "no-new-address") << "a key has one address";
    const Outcome info = run("cold", {"info"});
    EXPECT_NE(info.out.find("descriptor 1"), std::string::npos) << info.out;
    EXPECT_NE(info.out.find("receives with   descriptor 0"), std::string::npos) << info.out;
}

}  // namespace
}  // namespace petal::cli
