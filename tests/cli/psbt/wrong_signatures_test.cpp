// petal psbt with wrong signatures. No wallet is needed.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "chain/bytes.h"
#include "tests/cli/scene.h"
#include "tests/wallet/psbt/script_rows.h"
#include "wallet/psbt/finalizing.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;
using wallet::Psbt;

std::string text_of(const Psbt& psbt) {
    return chain::to_base64(psbt.serialize());
}

std::string hex_of_key(chain::Byte number) {
    return chain::to_hex(test::public_key(number));
}

/// A 2-of-3 multisig spend that these keys have signed; the signature of `wrong` is of another
/// transaction.
Psbt signed_by(const std::vector<chain::Byte>& numbers, chain::Byte wrong) {
    const test::ScriptRow row = test::row_named("P2wshMultisig");
    Psbt psbt = test::psbt_of(row);
    Psbt other = test::psbt_of(row, test::Utxo::full, /*salt=*/1);
    for (const chain::Byte number : numbers) {
        Psbt& signed_one = number == wrong ? other : psbt;
        EXPECT_TRUE(test::sign_by(signed_one, number).value());
    }
    for (const auto* record : other.inputs()[0].all(wallet::psbt_input::kPartialSignature)) {
        psbt.input(0).set(record->type(), record->key_data(), record->value);
    }
    return psbt;
}

TEST(WrongPsbtSignatures, AreNamedByAnalyze) {
    const Scene scene;
    const std::string psbt = text_of(signed_by({1, 2}, 2));
    const Json all = scene.run({"psbt", "analyze", "-", "--json"}, psbt).json();
    const Json& input = all.at("inputs").at(0);
    EXPECT_EQ(all.at("next"), "signer");
    EXPECT_EQ(input.at("reason"), "a signature is wrong");
    EXPECT_EQ(input.at("wrong_signatures"), Json::array({hex_of_key(2)}));
    EXPECT_EQ(input.at("signatures_needed"), 1);
    const std::string text = scene.run({"psbt", "analyze", "-"}, psbt).out;
    EXPECT_NE(text.find("wrong signature of " + hex_of_key(2)), text.npos) << text;
}

TEST(WrongPsbtSignatures, AreLeftOutByFinalizeIfOthersSuffice) {
    const Scene scene;
    const Outcome finished =
        scene.run({"psbt", "finalize", "-", "--json"}, text_of(signed_by({1, 2, 3}, 2)));
    ASSERT_EQ(finished.status, ExitStatus::done) << finished.err;
    EXPECT_EQ(finished.json().at("complete"), true);
    EXPECT_EQ(finished.err, "warning: input 0: a signature is wrong (key " + hex_of_key(2) +
                                "); it is left out\n");
    const Outcome poor =
        scene.run({"psbt", "finalize", "-", "--json"}, text_of(signed_by({1, 2}, 2)));
    EXPECT_EQ(poor.code(), "bad-psbt");
    EXPECT_EQ(poor.err, "error: input 0: a signature is wrong (key " + hex_of_key(2) + ")\n");
}

TEST(WrongPsbtSignatures, AreReportedByCombine) {
    const Scene scene;
    const std::string first = scene.write("first.psbt", text_of(signed_by({1}, 9)));
    const Outcome combined = scene.run({"psbt", "combine", first, "-"}, text_of(signed_by({2}, 2)));
    ASSERT_EQ(combined.status, ExitStatus::done) << combined.err;
    EXPECT_NE(combined.err.find(hex_of_key(2)), combined.err.npos) << combined.err;
}

TEST(WrongPsbtSignatures, CannotBeFoundWithoutTheSpentOutput) {
    const Scene scene;
    Psbt psbt = signed_by({1, 2}, 9);
    ASSERT_TRUE(wallet::finalize(psbt).empty());
    psbt.input(0).keep_if([](const wallet::PsbtRecord& record) {
        return record.type() != wallet::psbt_input::kFullTransaction;
    });
    const Json input =
        scene.run({"psbt", "analyze", "-", "--json"}, text_of(psbt)).json().at("inputs").at(0);
    EXPECT_EQ(input.at("next"), "updater");
    EXPECT_EQ(input.at("reason"), "it is not known what it spends");
    const Outcome extracted = scene.run({"psbt", "extract", "-"}, text_of(psbt));
    EXPECT_EQ(extracted.status, ExitStatus::done);
    EXPECT_NE(extracted.err.find("so its signature was not verified"), extracted.err.npos);
}

}  // namespace
}  // namespace petal::cli
