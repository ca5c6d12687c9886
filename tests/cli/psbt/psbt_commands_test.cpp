// petal psbt, from a watch-only wallet to a block of an embedded node, which verifies the spends.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "chain/bytes.h"
#include "chain/hash.h"
#include "chain/script/script.h"
#include "chain/transaction.h"
#include "regtest/serve/embedded_node.h"
#include "tests/cli/scene.h"
#include "tests/support/cosigners.h"
#include "tests/support/type_name.h"
#include "wallet/descriptors/address.h"
#include "wallet/psbt/psbt.h"
#include "wallet/psbt/record_types.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;

// BIP173's P2WPKH address on regtest; no wallet of these tests owns it.
constexpr const char* kPsbtPayee = "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080";
constexpr chain::Satoshis kPsbtCoin = 1'000'000;

const chain::TxOutput kForeignCoin{100'000'000, chain::Bytes(22, 0x51)};

/// A wallet `hot` with a mnemonic, a wallet `cold` that watches its descriptors, and three coins.
class PsbtCommands : public testing::Test {
protected:
    void make_wallets(const std::string& type = "wpkh") {
        const std::string words = scene.write("words.txt", test::kMnemonic);
        expect_done(run("hot", {"restore", "--type", type, "--mnemonic-file", words}));
        std::vector<std::string> watch{"watch"};
        const Json info = expect_done(run("hot", {"info", "--json"})).json();
        for (const auto& text : info.at("descriptors")) watch.push_back(text.get<std::string>());
        expect_done(run("cold", watch));
        for (int i = 0; i < 3; ++i) pay_wallet();
        sync();
    }
    void pay_wallet() {
        const auto address = expect_done(run("cold", {"receive", "--new", "--json"}))
                                 .json()
                                 .at("address")
                                 .get<std::string>();
        pay(wallet::parse_address(address, *chain::find_network("regtest")).value(), kPsbtCoin);
    }
    void pay(const chain::Bytes& script, chain::Satoshis amount) {
        node.with_chain([&](regtest::RegtestChain& chain) {
            chain.mine_block({chain.make_payment({{amount, script}})});
        });
    }
    void sync() {
        for (const char* const name : {"hot", "cold"}) {
            expect_done(run(name, {"sync", "--connect", to_string(node.endpoint())}));
        }
    }
    Outcome run(const std::string& wallet, std::vector<std::string> words,
                const std::string& input = "") const {
        words.insert(words.begin(), {"--wallet", wallet});
        return scene.run(words, input);
    }
    static Outcome expect_done(Outcome outcome) {
        EXPECT_EQ(outcome.status, ExitStatus::done) << outcome.out << outcome.err;
        return outcome;
    }
    /// The output of a psbt command, which can be the next command's input.
    std::string psbt(const std::string& wallet, std::vector<std::string> words,
                     const std::string& input = "") const {
        words.insert(words.begin(), "psbt");
        return expect_done(run(wallet, words, input)).out;
    }
    std::string code_of(const std::string& wallet, std::vector<std::string> words,
                        const std::string& input = "") const {
        words.insert(words.begin(), "psbt");
        words.push_back("--json");
        const Outcome outcome = run(wallet, words, input);
        EXPECT_NE(outcome.status, ExitStatus::done) << outcome.out;
        return outcome.code();
    }
    std::string create(const std::string& amount = "0.012") const {
        return psbt("cold", {"create", kPsbtPayee, amount});
    }

    static wallet::Psbt psbt_of(const std::string& base64) {
        return wallet::Psbt::parse(*chain::from_base64(base64)).value();
    }
    static std::string base64_of(const wallet::Psbt& psbt) {
        return chain::to_base64(psbt.serialize());
    }
    static chain::Transaction transaction_of(const std::string& base64) {
        return psbt_of(base64).transaction();
    }
    /// The PSBT with a further input, whose amount is not proven.
    static wallet::Psbt with_foreign_input(const std::string& base64) {
        chain::Transaction transaction = transaction_of(base64);
        const std::size_t own_inputs = transaction.inputs.size();
        transaction.inputs.push_back({{chain::Txid{{1}}, 0}, {}, 0, {}});
        wallet::Psbt psbt = wallet::Psbt::of_transaction(transaction);
        psbt.set_utxo(own_inputs, {0, kForeignCoin.script_pubkey}, true, {});
        return psbt;
    }

    Scene scene;
    regtest::EmbeddedNode node;
};

class PsbtOfType : public PsbtCommands, public testing::WithParamInterface<const char*> {};

INSTANTIATE_TEST_SUITE_P(Types, PsbtOfType, testing::Values("wpkh", "tr", "sh-wpkh", "pkh"),
                         test::TypeName());

TEST_P(PsbtOfType, IsMadeWatchOnlySignedHotAnnouncedAndMined) {
    make_wallets(GetParam());
    const std::string created = create();
    const std::string signed_psbt = psbt("hot", {"sign", "-", "--yes"}, created);
    const std::string finished = psbt("cold", {"finalize", "-"}, signed_psbt);
    const std::string hex = psbt("cold", {"extract", "-"}, finished);
    expect_done(run("cold", {"broadcast", "-", "--connect", to_string(node.endpoint())}, hex));
    node.with_chain([](regtest::RegtestChain& chain) { chain.mine(); });
    sync();
    const Json decoded = Json::parse(psbt("cold", {"decode", "-", "--json"}, created));
    const auto left = 3 * kPsbtCoin - 1'200'000 - decoded.at("fee_sat").get<chain::Satoshis>();
    for (const char* const name : {"hot", "cold"}) {
        const Json balance = expect_done(run(name, {"balance", "--json"})).json();
        EXPECT_EQ(balance.at("confirmed_sat"), left) << name;
    }
}

TEST_F(PsbtCommands, PayScriptsWithoutAnAddress) {
    make_wallets();
    chain::Transaction transaction = transaction_of(create());
    const auto payee = std::ranges::find(transaction.outputs, 1'200'000, &chain::TxOutput::value);
    ASSERT_NE(payee, transaction.outputs.end());
    payee->script_pubkey = {0x6a, 1, 0x42};  // OP_RETURN
    const std::string unsigned_psbt = base64_of(wallet::Psbt::of_transaction(transaction));
    const std::string signed_psbt = psbt("hot", {"sign", "-", "--yes"}, unsigned_psbt);
    const std::string hex =
        psbt("hot", {"extract", "-"}, psbt("hot", {"finalize", "-"}, signed_psbt));
    expect_done(run("hot", {"broadcast", "-", "--connect", to_string(node.endpoint())}, hex));
    const Json history = expect_done(run("hot", {"history", "--json"})).json();
    EXPECT_EQ(history.at("transactions").at(0).at("recipients"),
              Json::array({Json{{"address", nullptr}, {"amount_sat", 1'200'000}}}));
    const std::string csv = expect_done(run("hot", {"history", "--csv"})).out;
    EXPECT_NE(csv.find(",\"script=0.01200000\","), csv.npos) << csv;
}

// The coins of a multisig account can be spent even if a single key is watched as well.
TEST_F(PsbtCommands, SpendTheAccountWhoseCoinsAreNamed) {
    const auto owners = test::cosigners(3);
    const test::Cosigner single(9);
    expect_done(
        run("cold", {"watch", test::multisig_text("wsh(sortedmulti(2,KEYS))", owners, "/<0;1>/*"),
                     "wpkh(" + single.public_text() + "/<0;1>/*)"}));
    pay_wallet();
    pay_wallet();
    const auto key = single.key(wallet::KeyChain::receive, 0).public_key();
    pay(chain::p2wpkh_script(chain::hash160(key.compressed())), 700'000);
    expect_done(run("cold", {"sync", "--connect", to_string(node.endpoint())}));
    const Json coins = run("cold", {"utxos", "--json"}).json().at("utxos");
    ASSERT_EQ(coins.size(), 3U);
    const auto outpoint_of = [](const Json& coin) {
        return coin.at("txid").get<std::string>() + ':' + coin.at("vout").dump();
    };

    const Outcome poor = run("cold", {"psbt", "create", kPsbtPayee, "0.015", "--json"});
    EXPECT_EQ(poor.code(), "insufficient-funds");
    EXPECT_EQ(poor.json().at("other_accounts_sat"), 2 * kPsbtCoin);
    EXPECT_NE(poor.err.find("0.02000000 BTC are of other accounts"), poor.err.npos) << poor.err;
    const Outcome all = expect_done(run("cold", {"psbt", "create", kPsbtPayee, "all", "--json"}));
    EXPECT_EQ(all.json().at("inputs").size(), 1U);
    EXPECT_NE(all.err.find("warning: not all of the wallet is paid"), all.err.npos) << all.err;

    const Outcome shared =
        expect_done(run("cold", {"psbt", "create", kPsbtPayee, "0.015", "--json", "--utxo",
                                 outpoint_of(coins.at(0)), "--utxo", outpoint_of(coins.at(1))}));
    EXPECT_EQ(shared.json().at("inputs").size(), 2U);
    EXPECT_EQ(shared.err.find("not all"), shared.err.npos);
    EXPECT_EQ(code_of("cold", {"create", kPsbtPayee, "0.015", "--utxo", outpoint_of(coins.at(0)),
                               "--utxo", outpoint_of(coins.at(2))}),
              "several-accounts");
}

TEST_F(PsbtCommands, ReportWithTheContractsKeys) {
    make_wallets();
    const Json created = Json::parse(psbt("cold", {"create", kPsbtPayee, "0.012", "--json"}));
    EXPECT_TRUE(created.at("psbt").is_string());
    EXPECT_GT(created.at("fee_sat").get<int>(), 0);
    EXPECT_GE(created.at("inputs").size(), 2U);  // the least change is drawn at random
    EXPECT_EQ(created.at("outputs").size(), 2U);
    EXPECT_FALSE(created.contains("txid"));

    const auto base64 = created.at("psbt").get<std::string>();
    const Json analysis = Json::parse(psbt("cold", {"analyze", "-", "--json"}, base64));
    EXPECT_EQ(analysis.at("next"), "signer");
    EXPECT_EQ(analysis.at("fee_sat"), created.at("fee_sat"));
    // The wallet's signatures have a low R; those of unknown signers may be a byte longer.
    const auto longer = created.at("vsize").get<int>() - analysis.at("vsize").get<int>();
    EXPECT_TRUE(longer == 0 || longer == 1) << longer;
    EXPECT_EQ(analysis.at("inputs").at(0).at("missing_signatures").size(), 1U);

    const Json signed_psbt = Json::parse(psbt("hot", {"sign", "-", "--yes", "--json"}, base64));
    EXPECT_EQ(signed_psbt.at("complete"), true);
    EXPECT_EQ(signed_psbt.at("net_sat"), -1'200'000 - created.at("fee_sat").get<int>());
    const Json finished = Json::parse(
        psbt("hot", {"finalize", "-", "--json"}, signed_psbt.at("psbt").get<std::string>()));
    EXPECT_EQ(finished.at("complete"), true);
    const auto transaction =
        chain::decode_transaction(*chain::from_hex(finished.at("hex").get<std::string>()));
    ASSERT_TRUE(transaction);
    EXPECT_EQ(transaction->outputs.size(), 2U);

    const Json incomplete = Json::parse(psbt("hot", {"finalize", "-", "--json"}, base64));
    EXPECT_EQ(incomplete.at("complete"), false);
    EXPECT_FALSE(incomplete.contains("hex"));

    const Json decoded = Json::parse(psbt("cold", {"decode", "-", "--json"}, base64));
    EXPECT_EQ(decoded.at("psbt_version"), 0);
    EXPECT_EQ(decoded.at("txid"), transaction->txid().to_hex());
    EXPECT_EQ(decoded.at("inputs").at(0).at("amount_sat"), kPsbtCoin);
    EXPECT_EQ(decoded.at("inputs").at(0).at("derivations").at(0).at("fingerprint"), "73c5da0a");
}

TEST_F(PsbtCommands, ShowThePaymentBesideTheNewPsbt) {
    make_wallets();
    const Outcome created =
        expect_done(run("cold", {"psbt", "create", kPsbtPayee, "0.012", "--fee-rate", "2"}));
    EXPECT_TRUE(created.err.starts_with("  pays            0.01200000 BTC to " +
                                        std::string(kPsbtPayee) + "\n  change "))
        << created.err;
    EXPECT_TRUE(created.err.ends_with(" sat (2.00 sat/vB, as asked)\n")) << created.err;
}

TEST_F(PsbtCommands, TakeBinaryAndBase64FromFiles) {
    make_wallets();
    const std::string base64 = create();
    const chain::Bytes bytes = *chain::from_base64(base64);
    const std::string binary = scene.write("payment.psbt", {bytes.begin(), bytes.end()});
    const std::string text = scene.write("payment.txt", "\n" + base64 + "\r\n");
    EXPECT_EQ(psbt("cold", {"decode", binary}), psbt("cold", {"decode", text}));
    EXPECT_EQ(psbt("cold", {"combine", binary, "-"}, base64), base64);
    const Outcome pasted = run("cold", {"psbt", "decode", base64});
    EXPECT_EQ(pasted.status, ExitStatus::usage);
    EXPECT_NE(pasted.err.find("with - from standard input"), std::string::npos) << pasted.err;
    EXPECT_EQ(pasted.err.find(base64), std::string::npos);
}

TEST_F(PsbtCommands, JoinPaymentsOfDifferentCoins) {
    make_wallets();
    const Json coins = expect_done(run("cold", {"utxos", "--json"})).json().at("utxos");
    std::vector<std::string> words{"join"};
    for (std::size_t i = 0; i < 2; ++i) {
        const std::string name = coins.at(i).at("txid").get<std::string>() + ':' +
                                 std::to_string(coins.at(i).at("vout").get<int>());
        words.push_back(scene.write("part" + std::to_string(i),
                                    psbt("cold", {"create", kPsbtPayee, "0.005", "--utxo", name})));
    }
    const std::string joined = psbt("cold", words);
    const Json decoded = Json::parse(psbt("cold", {"decode", "-", "--json"}, joined));
    EXPECT_EQ(decoded.at("inputs").size(), 2U);
    EXPECT_EQ(decoded.at("outputs").size(), 4U);
    EXPECT_EQ(code_of("cold", {"join", words[1], words[1]}), "cannot-join");
    const std::string padding(25'000'000, ' ');
    const std::string large = scene.write("large.psbt", joined + padding);
    EXPECT_EQ(code_of("cold", {"join", large, words[1]}), "cannot-join");
    const std::string larger = scene.write("larger.psbt", joined + padding);
    EXPECT_EQ(code_of("cold", {"join", large, larger}), "bad-psbt")
        << "together they are too large";
    EXPECT_EQ(code_of("cold", {"combine", words[1], words[2]}), "cannot-combine");
}

// Signatures of inputs before taproot need the amounts of all inputs to be proven.
TEST_F(PsbtCommands, JoinTaprootToOthersThatSignFirst) {
    make_wallets("tr");
    const std::string words = scene.path("words.txt").string();
    expect_done(run("other", {"restore", "--type", "wpkh", "--mnemonic-file", words}));
    const Json own = expect_done(run("other", {"receive", "--json"})).json();
    pay(wallet::parse_address(own.at("address").get<std::string>(), *chain::find_network("regtest"))
            .value(),
        kPsbtCoin);
    sync();
    expect_done(run("other", {"sync", "--connect", to_string(node.endpoint())}));
    std::vector<std::string> join{"join"};
    for (const char* const name : {"cold", "other"}) {
        join.push_back(scene.write(name, psbt(name, {"create", kPsbtPayee, "0.005"})));
    }
    const std::string joined = psbt("cold", join);
    const std::string by_other = psbt("other", {"sign", "-", "--yes"}, joined);
    const std::string by_both = psbt("hot", {"sign", "-", "--yes"}, by_other);
    EXPECT_EQ(Json::parse(psbt("cold", {"finalize", "-", "--json"}, by_both)).at("complete"), true);
}

// A PSBT of another program may lack the full transactions of taproot inputs.
TEST_F(PsbtCommands, SignTaprootBesideOthersWithTheFullTransaction) {
    make_wallets("tr");
    wallet::Psbt alone = psbt_of(create("0.009"));
    wallet::Psbt beside = with_foreign_input(create("0.009"));
    for (wallet::Psbt* const each : {&alone, &beside}) {
        each->input(0) = {};
        const auto signed_one = psbt_of(psbt("hot", {"sign", "-", "--yes"}, base64_of(*each)));
        EXPECT_EQ(signed_one.inputs()[0].has(wallet::psbt_input::kFullTransaction),
                  each == &beside);
    }
}

TEST_F(PsbtCommands, CreateOfAnAddressSaysThatTheKeyIsMissing) {
    expect_done(run("addr", {"watch", "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk"}));
    const Outcome refused = run("addr", {"psbt", "create", kPsbtPayee, "0.1", "--json"});
    EXPECT_EQ(refused.code(), "watch-only");
    EXPECT_NE(refused.err.find("the key is missing"), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("; petal watch makes a wallet"), std::string::npos) << refused.err;
    EXPECT_EQ(refused.err.find("private"), std::string::npos) << refused.err;
}

TEST_F(PsbtCommands, SendFromAWatchOnlyWalletOffersAPsbt) {
    make_wallets();
    const Outcome outcome = run("cold", {"send", kPsbtPayee, "0.01", "--yes", "--json"});
    EXPECT_EQ(outcome.status, ExitStatus::wallet);
    EXPECT_EQ(outcome.code(), "watch-only");
    const auto message = outcome.json().at("error").at("message").get<std::string>();
    EXPECT_NE(message.find("psbt create"), std::string::npos) << message;
}

TEST_F(PsbtCommands, SignNothingUnlessAllIsRight) {
    make_wallets();
    const std::string created = create();
    EXPECT_EQ(code_of("hot", {"sign", "-"}, created), "usage");
    EXPECT_EQ(code_of("cold", {"sign", "-", "--yes"}, created), "watch-only");
    EXPECT_EQ(code_of("hot", {"sign", "-", "--yes"}, "cHNidA=="), "bad-psbt");
    EXPECT_EQ(code_of("hot", {"sign", "-", "--yes"}, created.substr(0, 300)), "bad-psbt");
    EXPECT_EQ(code_of("hot", {"sign", scene.path("missing").string(), "--yes"}), "unreadable-file");
    EXPECT_EQ(code_of("hot", {"extract", "-"}, created), "not-final");

    auto demanding = wallet::Psbt::parse(*chain::from_base64(created)).value();
    demanding.input(0).set(wallet::psbt_input::kHashType, {2, 0, 0, 0});
    const std::string text = chain::to_base64(demanding.serialize());
    EXPECT_EQ(code_of("hot", {"sign", "-", "--yes"}, text), "sighash-not-asked");
    EXPECT_EQ(code_of("hot", {"sign", "-", "--yes", "--sighash", "ALL"}, text),
              "sighash-not-asked");

    const wallet::Psbt foreign = wallet::Psbt::of_transaction(
        {2, {{{chain::Txid{{1}}, 0}, {}, 0, {}}}, {{1'000, chain::Bytes(22, 0x51)}}, 0});
    EXPECT_EQ(code_of("hot", {"sign", "-", "--yes"}, chain::to_base64(foreign.serialize())),
              "nothing-to-sign");
}

TEST_F(PsbtCommands, SignNoCoinThatALabelFreezes) {
    make_wallets();
    const std::string created = create();
    const std::string frozen = transaction_of(created).inputs.front().prevout.to_string();
    const auto set_spendable = [&](const std::string& value) {
        const std::string label =
            R"({"type":"output","ref":")" + frozen + R"(","spendable":)" + value + "}\n";
        expect_done(run("hot", {"labels", "import", scene.write("labels", label)}));
    };
    set_spendable("false");
    EXPECT_EQ(code_of("hot", {"sign", "-", "--yes"}, created), "not-spendable");
    EXPECT_NE(run("hot", {"psbt", "sign", "-", "--yes"}, created)
                  .err.find("input 0: it spends a coin that is frozen (BIP329); nothing "
                            "was signed"),
              std::string::npos);
    set_spendable("true");
    psbt("hot", {"sign", "-", "--yes"}, created);
}

TEST_F(PsbtCommands, SignWarnsOfACoinThatABlockHasSpent) {
    make_wallets();
    const std::string created = create();
    const auto warnings = [&] {
        return expect_done(run("hot", {"psbt", "sign", "-", "--yes"}, created)).err;
    };
    const std::string warning = "has spent its coin; this one can't confirm";
    EXPECT_EQ(warnings().find(warning), std::string::npos);
    expect_done(
        run("hot", {"send", kPsbtPayee, "all", "--yes", "--connect", to_string(node.endpoint())}));
    EXPECT_EQ(warnings().find(warning), std::string::npos) << "the payment may be replaced";
    node.with_chain([](regtest::RegtestChain& chain) { chain.mine(); });
    sync();
    EXPECT_NE(warnings().find("warning: input 0: another transaction in a block " + warning),
              std::string::npos);
}

TEST_F(PsbtCommands, SignAsksWithWhatLeavesAndRefusesAnAbsurdFee) {
    make_wallets();
    auto transaction =
        wallet::Psbt::parse(*chain::from_base64(create("0.009"))).value().transaction();
    for (chain::TxOutput& output : transaction.outputs) output.value /= 2;
    const std::string greedy =
        chain::to_base64(wallet::Psbt::of_transaction(transaction).serialize());
    EXPECT_EQ(code_of("hot", {"sign", "-"}, greedy), "absurd-fee");
    EXPECT_EQ(code_of("hot", {"sign", "-", "--yes"}, greedy), "absurd-fee");
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"--accept-fee"}, {"--max-fee", "0.1"}}) {
        std::vector<std::string> all{"psbt", "sign", "-", "--yes"};
        all.insert(all.end(), words.begin(), words.end());
        EXPECT_EQ(run("hot", all, greedy).status, ExitStatus::done);
    }

    for (chain::TxOutput& output : transaction.outputs) output.value *= 100;
    const std::string negative =
        chain::to_base64(wallet::Psbt::of_transaction(transaction).serialize());
    EXPECT_EQ(code_of("hot", {"sign", "-", "--yes"}, negative), "bad-psbt");
}

TEST_F(PsbtCommands, SignComparesTheFeeWithWhatLeavesTheWallet) {
    make_wallets();
    const chain::Transaction funding{2, {{{chain::Txid{{1}}, 0}, {}, 0, {}}}, {kForeignCoin}, 0};
    chain::Transaction transaction = transaction_of(create("0.009"));
    const std::size_t own_inputs = transaction.inputs.size();
    transaction.inputs.push_back({{funding.txid(), 0}, {}, 0, {}});
    transaction.outputs = {{kForeignCoin.value + kPsbtCoin / 10, kForeignCoin.script_pubkey}};
    wallet::Psbt psbt = wallet::Psbt::of_transaction(transaction);
    psbt.set_utxo(own_inputs, kForeignCoin, true, funding);
    EXPECT_EQ(code_of("hot", {"sign", "-"}, base64_of(psbt)), "absurd-fee");
}

// Other signers may have made their final scripts so long that the fee rate looks low.
TEST_F(PsbtCommands, SignJudgesTheFeeRateWithoutFinalScripts) {
    make_wallets();
    const auto address = expect_done(run("cold", {"receive", "--new", "--json"})).json();
    pay(wallet::parse_address(address.at("address").get<std::string>(),
                              *chain::find_network("regtest"))
            .value(),
        kForeignCoin.value);
    sync();
    const Json coins = expect_done(run("cold", {"utxos", "--json"})).json().at("utxos");
    const Json& coin = coins.back();
    ASSERT_EQ(coin.at("amount_sat"), kForeignCoin.value);

    const chain::Transaction funding{2, {{{chain::Txid{{1}}, 0}, {}, 0, {}}}, {kForeignCoin}, 0};
    const auto own = chain::Txid::from_hex(coin.at("txid").get<std::string>()).value();
    wallet::Psbt psbt = wallet::Psbt::of_transaction(
        {2,
         {{{own, coin.at("vout").get<std::uint32_t>()}, {}, 0, {}},
          {{funding.txid(), 0}, {}, 0, {}}},
         {{2 * kForeignCoin.value - 5'000'000, kForeignCoin.script_pubkey}},
         0});
    psbt.set_utxo(1, kForeignCoin, true, funding);
    chain::Bytes witness{1, 0xfd, 0xb8, 0x0b};  // one item of 3,000 bytes
    witness.resize(witness.size() + 3'000);
    psbt.input(1).set(wallet::psbt_input::kFinalWitness, witness);
    EXPECT_EQ(code_of("hot", {"sign", "-"}, base64_of(psbt)), "absurd-fee");
}

// An input that seems foreign may be the wallet's, because its script is only claimed by the PSBT.
TEST_F(PsbtCommands, SignBesideUnprovenAmountsOnlyIfAccepted) {
    make_wallets();
    const std::string created = create("0.009");
    const std::size_t own_inputs = transaction_of(created).inputs.size();
    const std::string unproven =
        "input " + std::to_string(own_inputs) +
        ": the full previous transaction (non-witness UTXO) is missing; without it the fee";
    const std::string beside = base64_of(with_foreign_input(created));
    EXPECT_EQ(code_of("hot", {"sign", "-"}, beside), "unproven-fee")
        << "before it asks for confirmation";
    const Outcome refused = run("hot", {"psbt", "sign", "-", "--yes", "--json"}, beside);
    EXPECT_EQ(refused.code(), "unproven-fee");
    EXPECT_NE(refused.out.find(unproven), std::string::npos);
    const Outcome accepted =
        run("hot", {"psbt", "sign", "-", "--yes", "--accept-unproven-fee", "--json"}, beside);
    EXPECT_EQ(expect_done(accepted).json().at("signed_inputs").size(), own_inputs);
    EXPECT_NE(accepted.err.find(unproven), std::string::npos);
}

TEST_F(PsbtCommands, SignOfTaprootCoversTheAmountsOfOthers) {
    make_wallets("tr");
    const std::string beside = base64_of(with_foreign_input(create("0.009")));
    psbt("hot", {"sign", "-", "--yes"}, beside);
    EXPECT_EQ(code_of("hot", {"sign", "-", "--yes", "--sighash", "ALL|ANYONECANPAY"}, beside),
              "unproven-fee");
}

TEST_F(PsbtCommands, SignNothingIfAFinalInputHidesAnAmount) {
    make_wallets();
    auto psbt = psbt_of(create());
    const auto script = psbt.utxo(1)->script_pubkey;
    psbt.input(1) = {};
    psbt.set_utxo(1, {0, script}, true, {});
    psbt.input(1).set(wallet::psbt_input::kFinalScriptSig, {});
    EXPECT_EQ(code_of("hot", {"sign", "-", "--yes", "--accept-unproven-fee"}, base64_of(psbt)),
              "bad-psbt");
}

TEST_F(PsbtCommands, SignWarnsOfOutputsThatCanBeChanged) {
    make_wallets();
    const std::string created = create();
    for (const char* const type : {"NONE", "SINGLE|ANYONECANPAY"}) {
        const Outcome outcome =
            run("hot", {"psbt", "sign", "-", "--yes", "--sighash", type}, created);
        EXPECT_NE(outcome.err.find("outputs can be changed after signing"), std::string::npos);
    }
    const Outcome outcome = run("hot", {"psbt", "sign", "-", "--yes", "--sighash", "ALL"}, created);
    EXPECT_EQ(outcome.err.find("outputs can be changed"), std::string::npos) << outcome.err;
}

TEST_F(PsbtCommands, FinalizeEachInputThatCanBe) {
    make_wallets();
    const std::string signed_psbt =
        psbt("hot", {"sign", "-", "--yes", "--sighash", "ALL|ANYONECANPAY"}, create("0.009"));
    chain::Transaction transaction = transaction_of(signed_psbt);
    transaction.inputs.push_back({{chain::Txid{{1}}, 0}, {}, 0, {}});
    wallet::Psbt more = wallet::Psbt::of_transaction(transaction);
    more.input(0) = psbt_of(signed_psbt).inputs()[0];
    const Outcome outcome =
        expect_done(run("cold", {"psbt", "finalize", "-", "--json"}, base64_of(more)));
    EXPECT_EQ(outcome.json().at("complete"), false);
    EXPECT_NE(outcome.err.find("input 1"), std::string::npos) << outcome.err;
    const auto finished = psbt_of(outcome.json().at("psbt").get<std::string>());
    EXPECT_TRUE(finished.inputs()[0].has(wallet::psbt_input::kFinalWitness));
}

TEST_F(PsbtCommands, TruncateLongScripts) {
    const wallet::Psbt psbt = wallet::Psbt::of_transaction(
        {2, {{{chain::Txid{{1}}, 0}, {}, 0, {}}}, {{1'000, chain::Bytes(5'000, 0x51)}}, 0});
    const std::string text = this->psbt("none", {"decode", "-"}, base64_of(psbt));
    EXPECT_NE(text.find("5151... (5,000 bytes)"), std::string::npos) << text;
    EXPECT_LT(text.size(), 1'000U);
}

TEST_F(PsbtCommands, RefuseExtendedKeysOfAnotherNetwork) {
    make_wallets();
    auto psbt = wallet::Psbt::parse(*chain::from_base64(create())).value();
    auto global = psbt.global();
    // BIP32's first test vector, encoded for mainnet.
    const auto xpub = chain::from_hex(
        "0488b21e000000000000000000873dff81c02f525623fd1fe5167eac3a55a049de3d314bb42ee227ffed37d508"
        "0339a36013301597daef41fbe593a02cc513d0b55527ec2df1050e2e8ff49c85c2");
    global.set(wallet::psbt_global::kXpub, *xpub, {0x34, 0x42, 0x19, 0x3e});
    psbt = wallet::Psbt::assemble(global, psbt.inputs(), psbt.outputs()).value();
    EXPECT_EQ(code_of("hot", {"decode", "-"}, chain::to_base64(psbt.serialize())), "wrong-network");
}

}  // namespace
}  // namespace petal::cli
