/// The details given for refused transactions, in Bitcoin Core's words.
#include "regtest/mempool/reject_details.h"

#include <gtest/gtest.h>

#include <functional>
#include <ostream>
#include <string>

#include "chain/script/script.h"
#include "tests/regtest/mempool/mempool_scene.h"

namespace petal::regtest {
namespace {

struct DetailsRow {
    const char* name;
    /// The expected text, with placeholders for the ids of the refused transaction and of the
    /// transaction that its first input spends.
    const char* expected;
    /// Changes a signed spend of the first coin, which pays a fee of 1,000; the returned
    /// transaction is offered.
    std::function<Transaction(MempoolScene&, Transaction)> change;
};
void PrintTo(const DetailsRow& row, std::ostream* out) {
    *out << row.name;
}

void name(std::string& text, const std::string& value, const std::string& name) {
    for (auto at = text.find(value); at != std::string::npos; at = text.find(value)) {
        text.replace(at, value.size(), name);
    }
}

class RejectDetails : public testing::TestWithParam<DetailsRow> {};

TEST_P(RejectDetails, AreBitcoinCores) {
    MempoolScene scene({own_script(), own_script()});
    const Transaction offered =
        GetParam().change(scene, scene.signed_spend(0, own_script(), 1'000));
    const RegtestMempool& mempool = scene.chain().mempool();
    const MempoolPolicy policy;
    const auto accepted = check_acceptance(mempool, offered, offered.txid(), policy);
    ASSERT_FALSE(accepted);
    std::string details = reject_details(mempool, offered, policy, accepted.error());
    name(details, offered.wtxid().to_hex(), "WTXID");
    name(details, offered.txid().to_hex(), "TXID");
    const auto first = offered.inputs.empty() ? chain::Txid{} : offered.inputs[0].prevout.txid;
    name(details, first.to_hex(), "SPENT");
    if (const auto* const parent = mempool.transaction(first)) {
        name(details, parent->wtxid().to_hex(), "PARENT");
    }
    EXPECT_EQ(details, GetParam().expected);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Rows, RejectDetails, testing::ValuesIn<DetailsRow>({
    {"None", "bad-txns-vin-empty", [](MempoolScene&, Transaction it) { it.inputs.clear(); return it; }},
    {"TheFee", "min relay fee not met, 10 < 11", [](MempoolScene&, Transaction it) { it.outputs[0].value = kCoin - 10; return resigned(it); }},
    {"TheAmounts", "bad-txns-in-belowout, value in (0.01) < value out (0.01000001)", [](MempoolScene&, Transaction it) { it.outputs[0].value = kCoin + 1; return resigned(it); }},
    {"Dust", "dust, tx with dust output must be 0-fee", [](MempoolScene&, Transaction it) { it.outputs[0].value = 293; return resigned(it); }},
    {"MuchDust", "dust", [](MempoolScene&, Transaction it) { it.outputs = {{1, own_script()}, {2, own_script()}}; return resigned(it); }},
    {"TheDepth", "bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth 99", [](MempoolScene& scene, Transaction it) { scene.chain().mine(1, own_script()); scene.chain().mine(98); it.inputs[0].prevout = {scene.chain().block_at(scene.chain().height() - 98).txids[0], 0}; return it; }},
    {"TheInput", "mempool-script-verify-flag-failed (Witness program hash mismatch), input 0 of WTXID (wtxid WTXID), spending SPENT:0", [](MempoolScene&, Transaction it) { it.inputs[0].witness.clear(); return it; }},
    {"LessFees", "insufficient fee, rejecting replacement TXID, less fees than conflicting txs; 0.000009 < 0.00001", [](MempoolScene& scene, Transaction it) { scene.chain().submit(it); it.outputs[0].value += 100; return resigned(it); }},
    {"TooFewFees", "insufficient fee, rejecting replacement TXID, not enough additional fees to relay; 0.00 < 0.00000011", [](MempoolScene& scene, Transaction it) { scene.chain().submit(it); it.lock_time = 1; return resigned(it); }},
    {"AConflict", "bad-txns-spends-conflicting-tx, TXID spends conflicting transaction SPENT", [](MempoolScene& scene, Transaction it) {
        const chain::Txid parent = scene.chain().submit(it);
        it.inputs.insert(it.inputs.begin(), {{parent, 0}, {}, 0xfffffffd, {}});
        it.outputs[0].value = kCoin;
        return it; }},
    {"TheVersion", "TRUC-violation, non-version=3 tx TXID (wtxid=WTXID) cannot spend from version=3 tx SPENT (wtxid=PARENT)", [](MempoolScene& scene, Transaction it) {
        return signed_child({{{submit_parent(scene, 0, 3), 0}, kHalf}}, {{kHalf - 1'000, it.outputs[0].script_pubkey}}); }},
    {"TheSpend", "bad-txns-nonstandard-inputs, input 0 P2SH redeemscript missing", [](MempoolScene& scene, Transaction it) {
        const Bytes p2sh = chain::p2sh_script({});
        it.outputs = {{1'000, p2sh}, {1'000, Bytes{chain::kOp1}}};
        const chain::Txid mixed = scene.chain().submit(resigned(it));
        it.inputs = {{{mixed, 0}, {}, 0xfffffffd, {}}, {{mixed, 1}, {}, 0xfffffffd, {}}};
        it.outputs = {{1'000, own_script()}};
        return it; }},
    {"TheSize", "TRUC-violation, version=3 child tx TXID (wtxid=WTXID) is too big: 1040 > 1000 virtual bytes", [](MempoolScene& scene, Transaction) {
        return signed_child({{{submit_parent(scene, 0, 3), 0}, kHalf}}, std::vector<chain::TxOutput>(31, {1'000, own_script()}), 3); }},
}), [](const auto& row) { return row.param.name; });
// clang-format on

}  // namespace
}  // namespace petal::regtest
