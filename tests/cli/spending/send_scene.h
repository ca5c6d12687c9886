/// A wallet with coins on a chain that an embedded node serves. The wallet's payments are sent to
/// this node.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "chain/bytes.h"
#include "chain/network_params.h"
#include "chain/transaction.h"
#include "cli/options/options.h"
#include "cli/text/json.h"
#include "regtest/serve/embedded_node.h"
#include "tests/cli/scene.h"
#include "wallet/descriptors/address.h"

namespace petal::test {

// BIP173's P2WPKH address on regtest. No wallet of the tests owns the address.
inline constexpr const char* kPayee = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";
// BIP173's P2WSH address on regtest.
inline constexpr const char* kOtherPayee =
    "bcrt1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qzf4jry";
inline constexpr chain::Satoshis kCoin = 1'000'000;

/// A wallet, with three coins on three addresses by default, and a node that serves the chain.
class SendScene : public testing::Test {
protected:
    explicit SendScene(const regtest::ServerOptions& options = {}) : node(options) {}

    void make_wallet(const std::string& type = "wpkh", std::vector<std::string> more = {},
                     int coins = 3) {
        std::vector<std::string> words{"restore", "--type", type, "--mnemonic-file",
                                       scene.write("words.txt", test::kMnemonic)};
        words.insert(words.end(), more.begin(), more.end());
        ASSERT_EQ(scene.run(words).status, cli::ExitStatus::done);
        for (int i = 0; i < coins; ++i) pay_wallet();
        sync();
    }
    /// A payment to a new address of the wallet. No node has the payment yet.
    chain::Transaction make_receipt(chain::Satoshis amount) {
        const auto address =
            scene.run({"receive", "--new", "--json"}).json().at("address").get<std::string>();
        const auto script = wallet::parse_address(address, *chain::find_network("regtest")).value();
        return node.with_chain([&](regtest::RegtestChain& chain) {
            return chain.make_payment({{amount, script}});
        });
    }
    void pay_wallet() {
        const auto receipt = make_receipt(kCoin);
        node.with_chain([&](regtest::RegtestChain& chain) { chain.mine_block({receipt}); });
    }
    void sync() {
        const Outcome outcome = scene.run({"sync", "--connect", to_string(node.endpoint())});
        ASSERT_EQ(outcome.status, cli::ExitStatus::done) << outcome.err;
    }
    void mine() {
        node.with_chain([](regtest::RegtestChain& chain) { chain.mine(); });
    }
    Outcome send(std::vector<std::string> words) const {
        words.insert(words.begin(), "send");
        words.insert(words.end(), {"--json", "--connect", to_string(node.endpoint())});
        return scene.run(words);
    }
    std::size_t mempool_size() {
        return node.with_chain(
            [](regtest::RegtestChain& chain) { return chain.mempool().transactions().size(); });
    }
    /// The output of `balance --json` without the age of the tip, which grows.
    cli::Json balance() const {
        cli::Json balance = scene.run({"balance", "--json"}).json();
        balance.erase("tip_age_s");
        return balance;
    }
    cli::GlobalOptions global_options(const std::string& network) const {
        cli::GlobalOptions global;
        global.data_dir = scene.folder();
        global.network =
            std::make_shared<const chain::NetworkParams>(*chain::find_network(network));
        return global;
    }
    /// The transaction that a `send` command prints with --no-broadcast.
    chain::Transaction printed(std::vector<std::string> words) const {
        words.insert(words.begin(), "send");
        words.emplace_back("--no-broadcast");
        std::string hex = scene.run(words).out;
        std::erase(hex, '\n');
        return chain::decode_transaction(chain::from_hex(hex).value()).value();
    }
    std::size_t history_size() const {
        return scene.run({"history", "--json"}).json().at("transactions").size();
    }

    Scene scene;
    regtest::EmbeddedNode node;
};

}  // namespace petal::test
