// What commands show of the transactions of a block that left the chain.
#include <gtest/gtest.h>

#include "cli/options/data_folder.h"
#include "net/io/clocks.h"
#include "tests/cli/spending/send_scene.h"

namespace petal::cli {
namespace {

using test::kCoin;
using test::kPayee;
using test::Outcome;

/// A wallet with three coins. Blocks of the present time, which nothing but their work proves.
class UndoneTransactions : public test::SendScene {
protected:
    void SetUp() override { make_wallet(); }

    /// A transaction that spends a coin of the wallet to a foreign script, without a signature.
    chain::Transaction make_up_spend(chain::Satoshis fee) const {
        const Json coin = scene.run({"utxos", "--json"}).json().at("utxos").at(0);
        const std::string outpoint =
            coin.at("txid").get<std::string>() + ":" + coin.at("vout").dump();
        chain::Transaction spend;
        spend.version = 2;
        spend.inputs.emplace_back().prevout = chain::Outpoint::from_string(outpoint).value();
        const auto script = wallet::parse_address(kPayee, *chain::find_network("regtest"));
        spend.outputs = {{kCoin - fee, script.value()}};
        return spend;
    }
    void mine_made_up(const std::vector<chain::Transaction>& transactions) {
        node.with_chain([&](regtest::RegtestChain& chain) {
            chain.set_time(net::unix_time_now());
            chain.mine_block(transactions);
        });
        sync();
    }
    /// The last block leaves the wallet's chain, before any peer was asked for its transactions.
    void undo_last_block() {
        wallet::Wallet wallet = open_wallet(global_options("regtest"), wallet::Access::sync);
        const auto parent = node.with_chain([](regtest::RegtestChain& chain) {
            const auto height = chain.height() - 1;
            return chain::BlockRef{height, chain.block_at(height).header.hash()};
        });
        wallet.undo_to(parent);
    }
    Json entry_of(const chain::Transaction& transaction) const {
        for (const Json& entry : history()) {
            if (entry.at("txid") == transaction.txid().to_hex()) return entry;
        }
        return nullptr;
    }
    Json history() const { return scene.run({"history", "--json"}).json().at("transactions"); }
    /// The sum over the transactions that count; all others must count zero.
    chain::Satoshis net_of_history() const {
        chain::Satoshis sum = 0;
        for (const Json& entry : history()) {
            sum += entry.at("net_sat").get<chain::Satoshis>();
            EXPECT_TRUE(entry.at("counts").get<bool>() || entry.at("net_sat") == 0) << entry;
            EXPECT_NE(entry.at("counts"), entry.at("undone")) << entry;
        }
        return sum;
    }
};

TEST_F(UndoneTransactions, AreMarkedAndCountZero) {
    const auto spend = make_up_spend(1'000);
    const auto receipt = make_receipt(5 * kCoin);
    mine_made_up({spend, receipt});
    EXPECT_EQ(net_of_history(), 7 * kCoin);
    EXPECT_EQ(balance().at("total_sat"), 7 * kCoin);
    EXPECT_EQ(entry_of(spend).at("undone"), false);
    undo_last_block();

    EXPECT_EQ(balance().at("total_sat"), 3 * kCoin);
    EXPECT_EQ(net_of_history(), 3 * kCoin);
    const Json spent = entry_of(spend);
    EXPECT_EQ(spent.at("undone"), true);
    EXPECT_EQ(spent.at("sent_sat"), kCoin);
    EXPECT_EQ(entry_of(receipt).at("undone"), true);
    EXPECT_EQ(entry_of(receipt).at("received_sat"), 5 * kCoin);

    const std::string txid = spend.txid().to_hex();
    const Json shown = scene.run({"tx", txid, "--json"}).json();
    EXPECT_EQ(shown.at("undone"), true);
    const std::string text = scene.run({"tx", txid}).out;
    EXPECT_NE(text.find("undone: only a block that left the chain had it"), text.npos) << text;
    const std::string list = scene.run({"history"}).out;
    EXPECT_NE(list.find("undone          0.00000000"), list.npos) << list;
    const std::string csv = scene.run({"history", "--csv"}).out;
    EXPECT_NE(csv.find("," + txid + ",0.00000000,"), csv.npos) << csv;
    EXPECT_NE(csv.find(",true\r\n"), csv.npos) << csv;
}

TEST_F(UndoneTransactions, CannotBeRaisedAndCanBeAbandoned) {
    const auto receipt = make_receipt(5 * kCoin);
    mine_made_up({receipt});
    undo_last_block();
    const std::string txid = receipt.txid().to_hex();
    for (const bool child : {false, true}) {
        std::vector<std::string> words{"bump", txid, "--yes", "--json"};
        if (child) words.emplace_back("--child");
        const Outcome outcome = scene.run(words);
        EXPECT_EQ(outcome.code(), "undone") << outcome.err;
    }
    const std::string text = scene.run({"abandon", txid}).out;
    EXPECT_NE(text.find("Only a block that left the chain had it"), text.npos) << text;
    EXPECT_EQ(entry_of(receipt), nullptr);
}

TEST_F(UndoneTransactions, AreNotAwaitedAndForgottenByTheNextSync) {
    const auto receipt = make_receipt(5 * kCoin);
    mine_made_up({receipt});
    undo_last_block();
    node.with_chain([](regtest::RegtestChain& chain) {
        chain.reorganise(chain.height() - 1, 2, regtest::RegtestChain::Dropped::forgotten);
    });
    const std::vector<std::string> wait{
        "wait",   "--tx",      receipt.txid().to_hex(),   "--conf", "0", "--timeout", "1",
        "--json", "--connect", to_string(node.endpoint())};
    const Outcome outcome = scene.run(wait);
    EXPECT_EQ(outcome.status, ExitStatus::no_peer) << outcome.out;
    // It has no filter by which peers could tell what to show, and so asks none.
    const Outcome synced =
        scene.run({"sync", "--full-blocks", "--connect", to_string(node.endpoint())});
    ASSERT_EQ(synced.status, ExitStatus::done) << synced.err;
    EXPECT_EQ(entry_of(receipt), nullptr);
    EXPECT_EQ(net_of_history(), 3 * kCoin);
}

TEST_F(UndoneTransactions, SetNoFeeRateBeforeOrAfter) {
    const auto expect_rate_as_before = [&] {
        const Json payment = send({kPayee, "0.001", "--dry-run"}).json();
        EXPECT_EQ(payment.at("fee_rate_source"), "confirmed");
        EXPECT_NEAR(payment.at("fee_rate_sat_vb").get<double>(), 7.5, 0.05);
    };
    ASSERT_EQ(send({kPayee, "0.001", "--fee-rate", "7.5", "--yes"}).status, ExitStatus::done);
    node.with_chain([](regtest::RegtestChain& chain) {
        chain.set_time(net::unix_time_now());
        chain.mine();
    });
    sync();
    expect_rate_as_before();

    // Payments at 600 sat/vB, each from the output before it, and more receipts than payments are
    // looked at.
    const auto address = scene.run({"receive", "--json"}).json().at("address").get<std::string>();
    const auto own = wallet::parse_address(address, *chain::find_network("regtest")).value();
    std::vector<chain::Transaction> made_up{make_up_spend(66'000)};
    made_up[0].outputs[0].script_pubkey = own;
    for (int i = 0; i < 8; ++i) {
        chain::Transaction next = made_up.back();
        next.inputs[0].prevout = {made_up.back().txid(), 0};
        next.outputs[0].value -= 66'000;
        made_up.push_back(next);
    }
    node.with_chain([&](regtest::RegtestChain& chain) {
        for (int i = 0; i < 120; ++i) made_up.push_back(chain.make_payment({{1'000, own}}));
    });
    mine_made_up(made_up);
    ASSERT_EQ(entry_of(made_up[1]).at("confirmations"), 1);
    ASSERT_GT(entry_of(made_up[1]).at("fee_rate_sat_vb").get<double>(), 500);
    expect_rate_as_before();
    undo_last_block();
    expect_rate_as_before();
}

}  // namespace
}  // namespace petal::cli
