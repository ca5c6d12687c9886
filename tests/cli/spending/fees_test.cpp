// The limits of fees, and the fees that payments owe for their unconfirmed ancestors.
#include <gtest/gtest.h>

#include <ostream>

#include "tests/cli/spending/send_scene.h"

namespace petal::cli {
namespace {

using chain::Satoshis;
using test::kPayee;
using test::Outcome;

class Fees : public test::SendScene {
protected:
    Outcome run(std::vector<std::string> words) const {
        words.insert(words.end(), {"--json", "--yes", "--connect", to_string(node.endpoint())});
        return scene.run(words);
    }
    /// The JSON of a payment that is sent.
    Json done(const std::vector<std::string>& words) const {
        const Outcome outcome = run(words);
        EXPECT_EQ(outcome.status, ExitStatus::done) << outcome.err;
        return outcome.json();
    }
    static std::string txid_of(const Json& payment) {
        return payment.at("txid").get<std::string>();
    }
    /// The fee rate of several payments together, in sat/vB.
    static double rate_of(const std::vector<Json>& payments) {
        double fee = 0;
        double size = 0;
        for (const Json& payment : payments) {
            fee += payment.at("fee_sat").get<double>();
            size += payment.at("vsize").get<double>();
        }
        return fee / size;
    }
    static double package_rate_of(const Json& payment) {
        return payment.at("package_fee_rate_sat_vb").get<double>();
    }
};

/// A command that is refused for its fee, of more than 10,000 sat and a tenth of the amount.
struct DearCommand {
    std::string name;
    std::vector<std::string> words;
};

void PrintTo(const DearCommand& row, std::ostream* out) {
    *out << row.name;
}

class DearCommands : public Fees, public testing::WithParamInterface<DearCommand> {
protected:
    /// The words, with the txid of an unconfirmed payment for TXID.
    std::vector<std::string> words(const std::string& txid) const {
        std::vector<std::string> result = GetParam().words;
        for (std::string& word : result) {
            if (word == "TXID") word = txid;
        }
        return result;
    }
};

INSTANTIATE_TEST_SUITE_P(All, DearCommands,
                         testing::ValuesIn(std::vector<DearCommand>{
                             {"Send", {"send", kPayee, "0.0005", "--fee-rate", "120"}},
                             {"Bump", {"bump", "TXID", "--fee-rate", "120"}},
                             {"BumpChild", {"bump", "--child", "TXID", "--fee-rate", "450"}},
                             {"PsbtCreate",
                              {"psbt", "create", kPayee, "0.0005", "--fee-rate", "120"}},
                         }),
                         [](const auto& row) { return row.param.name; });

TEST_P(DearCommands, NeedMoreThanYes) {
    make_wallet("wpkh", {}, 1);
    const std::string txid = txid_of(done({"send", kPayee, "0.0005"}));
    const bool is_psbt = GetParam().words.front() == "psbt";
    const auto run_with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all = words(txid);
        all.insert(all.end(), more.begin(), more.end());
        all.insert(all.end(), {"--json", "--yes"});
        if (!is_psbt) all.emplace_back("--no-broadcast");
        return scene.run(all);
    };
    const Outcome refused = run_with({});
    EXPECT_EQ(refused.code(), "absurd-fee") << refused.err;
    EXPECT_EQ(refused.status, ExitStatus::failed);
    EXPECT_NE(refused.err.find("--max-fee"), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("--accept-fee"), std::string::npos) << refused.err;
    const auto fee = refused.json().at("fee_sat").get<Satoshis>();
    EXPECT_LT(refused.json().at("max_fee_sat"), fee);
    EXPECT_EQ(run_with({"--accept-fee"}).status, ExitStatus::done);
    EXPECT_EQ(run_with({"--max-fee", std::to_string(fee) + "sat"}).status, ExitStatus::done);
    const Outcome above = run_with({"--max-fee", std::to_string(fee - 1) + "sat"});
    EXPECT_EQ(above.code(), "absurd-fee");
    EXPECT_EQ(above.json().at("max_fee_sat"), fee - 1);
    EXPECT_EQ(run_with({"--accept-fee", "--max-fee", "1"}).code(), "usage");
}

TEST_F(Fees, OfALowerLimitAreRefused) {
    make_wallet("wpkh", {}, 1);
    EXPECT_EQ(run({"send", kPayee, "0.001", "--max-fee", "140sat"}).code(), "absurd-fee");
    EXPECT_EQ(run({"send", kPayee, "0.001", "--max-fee", "141sat"}).status, ExitStatus::done);
}

TEST_F(Fees, OfABroadcastTransactionAreLimitedWhereTheyAreKnown) {
    make_wallet("wpkh", {}, 3);
    const Outcome made = scene.run({"send", kPayee, "0.001", "--fee-rate", "10100", "--accept-fee",
                                    "--no-broadcast", "--json", "--yes"});
    ASSERT_EQ(made.status, ExitStatus::done) << made.err;
    const auto hex = made.json().at("hex").get<std::string>();
    const auto fee = made.json().at("fee_sat").get<Satoshis>();
    const auto broadcast = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all{"broadcast", hex, "--json", "--connect",
                                     to_string(node.endpoint())};
        all.insert(all.end(), more.begin(), more.end());
        return scene.run(all);
    };
    EXPECT_EQ(broadcast({}).code(), "absurd-fee");
    EXPECT_EQ(broadcast({"--max-fee", std::to_string(fee - 1) + "sat"}).code(), "absurd-fee");
    ASSERT_EQ(scene.run({"--wallet", "other", "create"}).status, ExitStatus::done);
    EXPECT_EQ(broadcast({"--wallet", "other", "--max-fee", "0.1"}).code(), "unknown-fee");
    EXPECT_EQ(mempool_size(), 0U);
    EXPECT_EQ(broadcast({"--max-fee", std::to_string(fee) + "sat"}).status, ExitStatus::done);
    EXPECT_EQ(mempool_size(), 1U);
}

TEST_F(Fees, OfAPaymentFromChangePayForTheFirstPayment) {
    make_wallet("wpkh", {}, 1);
    const Json first = done({"send", kPayee, "0.001", "--fee-rate", "1"});
    EXPECT_TRUE(first.at("package_fee_rate_sat_vb").is_null());
    const std::vector<std::string> second{"send", kPayee, "0.001", "--fee-rate", "20"};
    std::vector<std::string> shown = second;
    shown.emplace_back("--dry-run");
    const std::string text = scene.run(shown).out;
    EXPECT_NE(text.find("; 20.00 sat/vB with 1 unconfirmed ancestor, as asked)"), std::string::npos)
        << text;
    const Json sent = done(second);
    EXPECT_NEAR(rate_of({first, sent}), 20, 0.2);
    EXPECT_NEAR(package_rate_of(sent), 20, 0.2);
    EXPECT_GT(sent.at("fee_rate_sat_vb"), 38);

    const Json third = done({"send", kPayee, "0.001", "--fee-rate", "2"});
    EXPECT_NEAR(third.at("fee_rate_sat_vb").get<double>(), 2, 0.02) << "its ancestors pay more";
    EXPECT_NEAR(package_rate_of(third), 2, 0.02);
}

TEST_F(Fees, OfAPsbtPayForUnconfirmedAncestors) {
    make_wallet("wpkh", {}, 1);
    const Json first = done({"send", kPayee, "0.001", "--fee-rate", "1"});
    const Outcome made =
        scene.run({"psbt", "create", kPayee, "0.001", "--fee-rate", "20", "--json"});
    EXPECT_NEAR(rate_of({first, made.json()}), 20, 0.2);
    EXPECT_NEAR(package_rate_of(made.json()), 20, 0.2);
}

TEST_F(Fees, OfAChildAndOfAReplacementPayForAllAncestors) {
    make_wallet("wpkh", {}, 1);
    const Json first = done({"send", kPayee, "0.001", "--fee-rate", "1"});
    const Json second = done({"send", kPayee, "0.001", "--fee-rate", "1"});
    const Outcome child =
        run({"bump", "--child", txid_of(second), "--fee-rate", "20", "--no-broadcast"});
    ASSERT_EQ(child.status, ExitStatus::done) << child.err;
    EXPECT_NEAR(rate_of({first, second, child.json()}), 20, 0.2);
    EXPECT_NEAR(package_rate_of(child.json()), 20, 0.2);

    const std::string text =
        scene.run({"bump", txid_of(second), "--fee-rate", "20", "--dry-run"}).out;
    EXPECT_NE(text.find("1 unconfirmed transaction, raised to 20.00 sat/vB by "), text.npos)
        << text;
    const Json replacement = done({"bump", txid_of(second), "--fee-rate", "20"});
    EXPECT_NEAR(rate_of({first, replacement}), 20, 0.2);
    EXPECT_NEAR(package_rate_of(replacement), 20, 0.2);
    const Json step = done({"bump", txid_of(replacement)});
    EXPECT_NEAR(package_rate_of(step), 21, 0.21) << "the old rate of both, and 1 sat/vB";
}

TEST_F(Fees, AreNotSaidToBeAsAskedWithoutChange) {
    make_wallet("wpkh", {}, 1);
    const Json first = done({"send", kPayee, "0.00988", "--fee-rate", "1"});
    const std::string text =
        scene.run({"bump", txid_of(first), "--fee-rate", "100", "--dry-run", "--max-fee", "1"}).out;
    EXPECT_NE(text.find("above 100.00 sat/vB, as the rest is too little for change"), text.npos)
        << text;
    EXPECT_EQ(text.find("as asked"), text.npos) << text;
}

TEST_F(Fees, AllowTheAmountOfAll) {
    make_wallet("wpkh", {}, 3);
    const Json all =
        scene.run({"send", kPayee, "all", "--fee-rate", "3", "--dry-run", "--json"}).json();
    const auto amount = all.at("outputs").at(0).at("amount_sat").get<Satoshis>();
    const auto run_with = [&](Satoshis sent) {
        return scene.run({"send", kPayee, std::to_string(sent) + "sat", "--fee-rate", "3",
                          "--dry-run", "--json"});
    };
    const Outcome same = run_with(amount);
    ASSERT_EQ(same.status, ExitStatus::done) << same.err;
    EXPECT_EQ(same.json().at("fee_sat"), all.at("fee_sat"));
    EXPECT_EQ(same.json().at("outputs").size(), 1U);
    EXPECT_EQ(run_with(amount + 1).code(), "insufficient-funds");
    EXPECT_EQ(run_with(amount + 1).json().at("missing_sat"), 1);
}

class FeesOfRestoredPayments : public Fees {
protected:
    /// Restores the wallet as another one, and shows it the payment.
    void restore_and_see(const std::string& txid) {
        const std::vector<std::string> restored{"--wallet",
                                                "again",
                                                "restore",
                                                "--type",
                                                "wpkh",
                                                "--mnemonic-file",
                                                scene.path("words.txt").string()};
        ASSERT_EQ(scene.run(restored).status, ExitStatus::done);
        const Outcome seen = scene.run({"--wallet", "again", "wait", "--tx", txid, "--conf", "0",
                                        "--connect", to_string(node.endpoint())});
        ASSERT_EQ(seen.status, ExitStatus::done) << seen.err;
    }
    Outcome bump(const std::string& txid) const { return run({"--wallet", "again", "bump", txid}); }
};

TEST_F(FeesOfRestoredPayments, AreRaisedByAChildOfTheChange) {
    make_wallet("wpkh", {}, 1);
    const std::string txid = txid_of(done({"send", kPayee, "0.001"}));
    restore_and_see(txid);
    const Outcome refused = bump(txid);
    EXPECT_EQ(refused.code(), "not-sent-here");
    const std::string digits = txid.substr(0, 8);
    EXPECT_NE(bump(digits).err.find("bump --child " + digits + "` spends what it pays the wallet"),
              std::string::npos);
    EXPECT_EQ(run({"--wallet", "again", "bump", "--child", txid, "--fee-rate", "5"}).status,
              ExitStatus::done);
}

TEST_F(FeesOfRestoredPayments, AreRaisedByTheSamePaymentWithoutChange) {
    make_wallet("wpkh", {}, 1);
    const Json sent = done({"send", kPayee, "all"});
    restore_and_see(txid_of(sent));
    const Outcome refused = bump(txid_of(sent));
    EXPECT_EQ(refused.code(), "not-sent-here");
    const Json& coin = sent.at("inputs").at(0);
    const std::string outpoint =
        coin.at("txid").get<std::string>() + ':' + std::to_string(coin.at("vout").get<int>());
    EXPECT_NE(refused.err.find("abandon " + txid_of(sent)), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("--utxo " + outpoint), std::string::npos) << refused.err;
    ASSERT_EQ(scene.run({"--wallet", "again", "abandon", txid_of(sent)}).status, ExitStatus::done);
    const Outcome again =
        run({"--wallet", "again", "send", kPayee, "all", "--utxo", outpoint, "--fee-rate", "5"});
    EXPECT_EQ(again.status, ExitStatus::done) << again.err;
    EXPECT_EQ(mempool_size(), 1U) << "the node has replaced the payment";
}

}  // namespace
}  // namespace petal::cli
