// petal send with the amount "all".
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/spending/send_scene.h"
#include "wallet/wallet.h"

namespace petal::cli {
namespace {

using test::kCoin;
using test::kPayee;
using test::Outcome;

class SendAll : public test::SendScene {
protected:
    Outcome send_all(const std::string& fee_rate) const {
        return scene.run({"send", kPayee, "all", "--fee-rate", fee_rate, "--dry-run", "--json"});
    }
    /// The wallet's oldest coin.
    std::string coin_name() const {
        const Json coin = scene.run({"utxos", "--json"}).json().at("utxos").at(0);
        return coin.at("txid").get<std::string>() + ':' + coin.at("vout").dump();
    }
};

TEST_F(SendAll, WarnsOfCoinsThatCostMoreThanTheyAreWorth) {
    make_wallet("wpkh", {}, 1);
    const auto small = make_receipt(1'000);
    node.with_chain([&](regtest::RegtestChain& chain) { chain.mine_block({small}); });
    sync();
    // An input of P2WPKH has 68 vB.
    const Outcome worth_it = send_all("10");
    EXPECT_EQ(worth_it.json().at("inputs").size(), 2U) << worth_it.err;
    EXPECT_EQ(worth_it.err.find("not all of the wallet is paid"), std::string::npos)
        << worth_it.err;
    const Outcome too_costly = send_all("20");
    EXPECT_EQ(too_costly.json().at("inputs").size(), 1U);
    EXPECT_NE(too_costly.err.find("not all of the wallet is paid: 0.00001000 BTC are in coins that "
                                  "cost more than they are worth at this fee rate\n"),
              std::string::npos)
        << too_costly.err;
}

TEST_F(SendAll, WarnsOfUnconfirmedCoins) {
    make_wallet("wpkh", {}, 1);
    const auto receipt = make_receipt(2 * kCoin);
    {
        auto opened = wallet::Wallet::open(scene.path("regtest/wallets/default.db"),
                                           *chain::find_network("regtest"), wallet::Access::sync);
        const chain::UnconfirmedTransaction seen{receipt.txid(), receipt, 2'000'000'000};
        opened.apply_unconfirmed({&seen, 1}, opened.sync_state());
    }
    const Outcome all = send_all("2");
    EXPECT_NE(all.err.find("not all of the wallet is paid: 0.02000000 BTC are "
                           "unconfirmed, and can be spent once a block has them\n"),
              std::string::npos);
    ASSERT_EQ(scene.run({"freeze", coin_name()}).status, ExitStatus::done);
    const Outcome none = send_all("2");
    EXPECT_EQ(none.code(), "insufficient-funds");
    EXPECT_NE(
        none.err.find("error: no coin can be spent now; 0.02000000 BTC are unconfirmed, and "),
        std::string::npos)
        << none.err;
}

}  // namespace
}  // namespace petal::cli
