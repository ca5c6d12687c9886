/// PSBTs between petal and Bitcoin Core: each signs the PSBTs of the other.
#include <gtest/gtest.h>

#include <array>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "chain/bytes.h"
#include "net/io/clocks.h"
#include "regtest/serve/embedded_node.h"
#include "tests/integration/client.h"
#include "tests/integration/core_peer.h"
#include "tests/integration/full_node.h"
#include "tests/integration/rpc.h"
#include "tests/integration/scenario.h"
#include "tests/support/cosigners.h"
#include "tests/support/test_chain.h"
#include "tests/support/type_name.h"
#include "wallet/descriptors/address.h"
#include "wallet/descriptors/new_descriptors.h"
#include "wallet/psbt/analysis.h"
#include "wallet/psbt/combining.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/finalizing.h"
#include "wallet/psbt/record_types.h"
#include "wallet/psbt_wallet.h"

namespace petal::test {
namespace {

using wallet::Psbt;
using wallet::PsbtWallet;
using wallet::ScriptKind;

Psbt psbt_of(const nlohmann::json& base64) {
    return Psbt::parse(chain::from_base64(base64.get<std::string>()).value()).value();
}

std::string text_of(const Psbt& psbt) {
    return chain::to_base64(psbt.serialize());
}

/// A wallet of petal and one of Bitcoin Core with the same keys, which see the same coins.
class PsbtWithCore : public testing::TestWithParam<ScriptKind> {
protected:
    PsbtWithCore() : client({20, 30}, GetParam()) {}

    void SetUp() override {
        if (const auto missing = why_missing(NodeKind::bitcoind); !missing.empty()) {
            GTEST_SKIP() << missing;
        }
        const auto wallet = client.open();
        for (std::uint32_t i = 0; i < 3; ++i) {
            const chain::Bytes script = wallet.script_at({wallet::KeyChain::receive, i});
            node.with_chain([&](regtest::RegtestChain& chain) {
                if (i == 0) chain.set_time(net::unix_time_now() - 3'600);
                chain.mine_block({chain.make_payment({{kCoin, script}})});
            });
        }
        client.sync({node.endpoint()});
        core.emplace(node.endpoint());
        ASSERT_TRUE(core->reaches(node)) << core->log();
        core->call("createwallet", {"same", false, true});
        nlohmann::json requests = nlohmann::json::array();
        const auto descriptors = wallet.private_descriptors(wallet.secret(""));
        for (std::size_t i = 0; i < descriptors.size(); ++i) {
            requests.push_back({{"desc", std::string(descriptors[i].begin(), descriptors[i].end())},
                                {"active", true},
                                {"internal", i == 1},
                                {"range", {0, 50}},
                                {"timestamp", 0}});
        }
        for (const auto& result :
             core->call("importdescriptors", nlohmann::json::array({requests}))) {
            ASSERT_EQ(result.at("success"), true) << result;
        }
    }

    Psbt create(chain::Satoshis amount) {
        const auto wallet = client.open();
        wallet::PaymentRequest request;
        request.recipients = {{World::script(), amount}};
        request.fee_rate = wallet::FeeRate{2'000};
        request.change = wallet.change_for({});
        const auto coins = wallet.spendable_coins().coins;
        std::mt19937_64 random{20'261'123};
        return PsbtWallet(wallet).create(
            wallet::build_payment(request, coins, [&] { return random(); }).value());
    }

    /// Core's name of the address type.
    static std::string core_type() {
        switch (GetParam()) {
            case ScriptKind::wpkh:
                return "bech32";
            case ScriptKind::tr:
                return "bech32m";
            case ScriptKind::sh_wpkh:
                return "p2sh-segwit";
            case ScriptKind::pkh:
                return "legacy";
        }
        return "";
    }

    void expect_taken(const std::string& hex) {
        const auto verdict = core->call("testmempoolaccept", nlohmann::json::array({{hex}}));
        EXPECT_EQ(verdict.at(0).at("allowed"), true) << verdict;
    }

    Client client;
    regtest::EmbeddedNode node;
    std::optional<CorePeer> core;
};

INSTANTIATE_TEST_SUITE_P(Types, PsbtWithCore, testing::ValuesIn(wallet::kScriptKinds), TypeName());

TEST_P(PsbtWithCore, IsMadeByPetalAndSignedByCore) {
    const Psbt created = create(kCoin + kCoin / 2);
    const auto processed =
        core->call("walletprocesspsbt", {text_of(created), true, "DEFAULT", true, false});
    Psbt signed_by_core = psbt_of(processed.at("psbt"));
    EXPECT_TRUE(wallet::finalize(signed_by_core).empty());
    const auto transaction = wallet::extract(signed_by_core);
    ASSERT_TRUE(transaction);
    expect_taken(chain::to_hex(transaction->serialize()));
}

TEST_P(PsbtWithCore, IsMadeByCoreAndSignedByPetal) {
    const auto address = wallet::address_of(World::script(), *chain::find_network("regtest"));
    const auto funded = core->call(
        "walletcreatefundedpsbt",
        {nlohmann::json::array(),
         nlohmann::json::array({{{address, static_cast<double>(kCoin + kCoin / 2) / 1e8}}}),
         0,
         {{"fee_rate", 2}, {"change_type", core_type()}}});
    const auto wallet = client.open();
    PsbtWallet own(wallet);
    const Psbt made_by_core = psbt_of(funded.at("psbt"));
    EXPECT_EQ(wallet::fee_of(own.update(made_by_core)), satoshis_of(funded.at("fee")));
    std::vector<std::size_t> inputs(made_by_core.inputs().size());
    std::iota(inputs.begin(), inputs.end(), 0);
    const auto signed_psbt = own.sign(made_by_core, inputs, wallet.secret(""), {}, {});
    ASSERT_TRUE(signed_psbt) << describe(signed_psbt.error());
    EXPECT_EQ(signed_psbt->inputs.size(), made_by_core.inputs().size());
    const auto finished = core->call("finalizepsbt", {text_of(signed_psbt->psbt)});
    ASSERT_EQ(finished.at("complete"), true) << finished;
    expect_taken(finished.at("hex"));
}

TEST_P(PsbtWithCore, IsReadAlike) {
    const Psbt psbt = create(kCoin + kCoin / 2);
    const auto decoded = core->call("decodepsbt", {text_of(psbt)});
    EXPECT_EQ(decoded.at("tx").at("txid"), psbt.transaction().txid().to_hex());
    EXPECT_EQ(satoshis_of(decoded.at("fee")), wallet::fee_of(psbt));
    ASSERT_EQ(decoded.at("inputs").size(), psbt.inputs().size());
    const bool is_taproot = GetParam() == ScriptKind::tr;
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        const auto& theirs = decoded.at("inputs").at(i);
        const auto& ours = psbt.inputs()[i];
        const auto keys = is_taproot
                              ? taproot_derivations(ours, wallet::psbt_input::kTaprootDerivation)
                              : derivations(ours, wallet::psbt_input::kDerivation);
        const auto& listed = theirs.at(is_taproot ? "taproot_bip32_derivs" : "bip32_derivs").at(0);
        EXPECT_EQ(listed.at("pubkey"), chain::to_hex(keys.at(0).public_key));
        EXPECT_EQ(listed.at("master_fingerprint"), chain::to_hex(keys[0].origin.fingerprint));
        EXPECT_EQ(listed.at("path"), 'm' + wallet::path_to_string(keys[0].origin.path));
        EXPECT_EQ(theirs.contains("witness_utxo"), GetParam() != ScriptKind::pkh);
        EXPECT_TRUE(theirs.contains("non_witness_utxo"));
        EXPECT_EQ(theirs.contains("redeem_script"), GetParam() == ScriptKind::sh_wpkh);
    }
    const auto analyzed = core->call("analyzepsbt", {text_of(psbt)});
    const auto ours = wallet::analyze(psbt);
    EXPECT_EQ(analyzed.at("estimated_vsize"), *ours.virtual_size);
    // Core does not count missing taproot signatures, and names the updater as the next role.
    if (!is_taproot) {
        EXPECT_EQ(analyzed.at("next"), std::string(describe(ours.next)));
    }
}

/// Changes a byte within the signature of each input.
Psbt spoiled(Psbt psbt) {
    namespace types = wallet::psbt_input;
    constexpr std::size_t kWithin = 20;  // behind the sizes, and the start of DER
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        for (const wallet::PsbtRecord& record : std::vector(psbt.inputs()[i].records())) {
            const bool is_final = record.type() == types::kFinalWitness ||
                                  (record.type() == types::kFinalScriptSig &&
                                   !psbt.inputs()[i].has(types::kFinalWitness));
            const bool is_signature = record.type() == types::kPartialSignature ||
                                      record.type() == types::kTaprootKeySignature;
            if (!is_final && !is_signature) continue;
            chain::Bytes value = record.value;
            value.at(kWithin) ^= 1;
            psbt.input(i).set(record.type(), record.key_data(), value);
        }
    }
    return psbt;
}

// Valid signatures, and wrong ones, before and after the finalizer.
TEST_P(PsbtWithCore, IsVerifiedAlike) {
    const auto wallet = client.open();
    PsbtWallet own(wallet);
    const Psbt unsigned_psbt = create(kCoin + kCoin / 2);
    std::vector<std::size_t> inputs(unsigned_psbt.inputs().size());
    std::iota(inputs.begin(), inputs.end(), 0);
    const auto made = own.sign(unsigned_psbt, inputs, wallet.secret(""), {}, {});
    ASSERT_TRUE(made) << describe(made.error());
    Psbt finished = made->psbt;
    ASSERT_TRUE(wallet::finalize(finished).empty());
    struct Row {
        const char* name;
        Psbt psbt;
        const char* next;  ///< null if it needs another signature
        bool is_final;
    };
    for (const Row& row :
         {Row{"signed", made->psbt, "finalizer", false}, Row{"final", finished, "extractor", true},
          Row{"wrongly signed", spoiled(made->psbt), nullptr, false},
          Row{"wrongly final", spoiled(finished), nullptr, false}}) {
        const auto theirs = core->call("analyzepsbt", {text_of(row.psbt)});
        const auto ours = wallet::analyze(row.psbt);
        const std::string next(describe(ours.next));
        for (std::size_t i = 0; i < ours.inputs.size(); ++i) {
            EXPECT_EQ(theirs.at("inputs").at(i).at("is_final"), row.is_final) << row.name;
            EXPECT_EQ(ours.inputs[i].is_final, row.is_final) << row.name;
        }
        if (row.next != nullptr) {
            EXPECT_EQ(theirs.at("next"), row.next) << row.name;
            EXPECT_EQ(next, row.next) << row.name;
        } else {
            // Core calls wrong final scripts ready for the finalizer, which cannot help.
            EXPECT_NE(theirs.at("next"), "extractor") << row.name;
            EXPECT_TRUE(next == "signer" || next == "updater") << row.name << next;
        }
    }
}

/// A watch-only wallet of petal, and three wallets of Core with one key each.
class MultisigWithCore : public testing::TestWithParam<const char*> {
protected:
    MultisigWithCore()
        : client(wallet::parse_new_descriptors(std::vector{text(nullptr, "/<0;1>/*")},
                                               regtest_params())
                     .value()
                     .descriptors) {}

    std::string text(const Cosigner* with_private, const std::string& below) const {
        return multisig_text(GetParam(), owners, below, with_private);
    }
    void SetUp() override {
        if (const auto missing = why_missing(NodeKind::bitcoind); !missing.empty()) {
            GTEST_SKIP() << missing;
        }
        const chain::Bytes script = client.open().script_at({wallet::KeyChain::receive, 0});
        node.with_chain([&](regtest::RegtestChain& chain) {
            chain.set_time(net::unix_time_now() - 3'600);
            chain.mine_block({chain.make_payment({{kCoin, script}, {kCoin, script}})});
        });
        client.sync({node.endpoint()});
        core.emplace(node.endpoint());
        ASSERT_TRUE(core->reaches(node)) << core->log();
    }
    /// The PSBT after Core has processed it with a wallet that has only this owner's key.
    Psbt signed_by(const Cosigner& owner, const Psbt& psbt) {
        const std::string name =
            chain::to_hex(owner.key(wallet::KeyChain::receive, 0).public_key().compressed());
        core->call("createwallet", {name, false, true});
        const std::string descriptor = text(&owner, "/0/*");
        const auto sum = core->call("getdescriptorinfo", {descriptor}).at("checksum");
        const nlohmann::json request{{"desc", descriptor + '#' + sum.get<std::string>()},
                                     {"range", {0, 5}},
                                     {"timestamp", "now"}};
        const auto requests = nlohmann::json::array({nlohmann::json::array({request})});
        const auto imported = core->call("importdescriptors", requests);
        EXPECT_EQ(imported.at(0).at("success"), true) << imported;
        const auto processed =
            core->call("walletprocesspsbt", {text_of(psbt), true, "DEFAULT", true, false});
        EXPECT_EQ(processed.at("complete"), false) << "one of three";
        core->call("unloadwallet", {name});
        return psbt_of(processed.at("psbt"));
    }

    const std::vector<Cosigner> owners = cosigners(3);
    Client client;
    regtest::EmbeddedNode node;
    std::optional<CorePeer> core;
};

INSTANTIATE_TEST_SUITE_P(Forms, MultisigWithCore,
                         testing::Values("multi(2,KEYS)", "sh(multi(2,KEYS))",
                                         "wsh(sortedmulti(2,KEYS))",
                                         "sh(wsh(sortedmulti(2,KEYS)))"),
                         [](const auto& tested) { return test::form_name(tested.param); });

TEST_P(MultisigWithCore, IsMadeByPetalAndSignedByTwoOfThree) {
    const auto watch = client.open();
    wallet::PaymentRequest request;
    request.recipients = {{World::script(), kCoin + kCoin / 2}};
    request.fee_rate = wallet::FeeRate{2'000};
    request.change = watch.change_for({});
    std::mt19937_64 random{20'261'123};
    const auto payment = wallet::build_payment(request, watch.spendable_coins().coins, [&] {
                             return random();
                         }).value();
    const Psbt created = PsbtWallet(watch).create(payment);
    const auto analyzed = core->call("analyzepsbt", {text_of(created)});
    // Core assumes that all signatures have a low R, which is one byte less each than the payment
    // allows for. The length of a scriptSig may then take two bytes more.
    const auto estimated = analyzed.at("estimated_vsize").get<std::size_t>();
    EXPECT_LT(estimated, payment.virtual_size);
    EXPECT_GE(estimated + 4 * payment.coins.size(), payment.virtual_size);
    EXPECT_EQ(analyzed.at("next"), "signer");

    const std::array both{signed_by(owners[0], created), signed_by(owners[2], created)};
    Psbt combined = wallet::combine(both).value();
    ASSERT_TRUE(wallet::finalize(combined).empty());
    const auto transaction = wallet::extract(combined);
    ASSERT_TRUE(transaction);
    const std::string hex = chain::to_hex(transaction->serialize());
    const auto verdict = core->call("testmempoolaccept", nlohmann::json::array({{hex}})).at(0);
    ASSERT_EQ(verdict.at("allowed"), true) << verdict;
    EXPECT_EQ(verdict.at("vsize"), transaction->virtual_size());
    EXPECT_LE(transaction->virtual_size(), payment.virtual_size);
}

}  // namespace
}  // namespace petal::test
