#include "regtest/mempool/replacement.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <ostream>
#include <vector>

#include "tests/regtest/mempool/mempool_scene.h"
#include "tests/support/unsigned_spend.h"

namespace petal::regtest {
namespace {

/// A replacement of 200 vB for one transaction with a fee of 1,000 satoshis. It must pay at least
/// 20 satoshis more.
Replacement good_replacement() {
    return {1'020, 200, 1, 1'000};
}

struct ReplacementRow {
    const char* name;
    std::optional<RejectReason> expected;
    std::function<void(Replacement&)> change;
};
void PrintTo(const ReplacementRow& row, std::ostream* out) {
    *out << row.name;
}

class ReplacementRule : public testing::TestWithParam<ReplacementRow> {};

TEST_P(ReplacementRule, IsBitcoinCores) {
    Replacement replacement = good_replacement();
    GetParam().change(replacement);
    EXPECT_EQ(find_replacement_fault(replacement), GetParam().expected);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Rows, ReplacementRule, testing::ValuesIn<ReplacementRow>({
    {"PaysForItself", std::nullopt, [](Replacement&) {}},
    {"OneSatoshiLess", RejectReason::insufficient_fee, [](Replacement& it) { --it.fee; }},
    {"LessThanWhatItEvicts", RejectReason::insufficient_fee, [](Replacement& it) { it.evicted_fees = 2'000; }},
    {"AHundredClusters", std::nullopt, [](Replacement& it) { it.clusters = 100; }},
    {"TooManyClusters", RejectReason::too_many_replaced, [](Replacement& it) { it.clusters = 101; }},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(MempoolReplacement, ImprovesTheFeeRateDiagram) {
    MempoolScene scene({own_script()});
    const chain::Txid parent = submit_parent(scene, 0, 2);
    const Transaction child =
        signed_child({{{parent, 0}, kHalf}}, {{kHalf - 50'000, own_script()}});
    ASSERT_EQ(scene.refusal(child), "");
    // The replacement pays a higher fee than both transactions together and a higher fee rate than
    // the parent, but a lower fee rate than both together.
    std::vector<chain::TxOutput> outputs(60, {10'000, own_script()});
    outputs.push_back({kCoin - 60 * 10'000 - 60'000, own_script()});
    Transaction replacement = scene.spend(0, 0);
    replacement.outputs = outputs;
    EXPECT_EQ(scene.refusal(resigned(replacement)), "replacement-failed");
    replacement.outputs.resize(10);
    EXPECT_EQ(scene.refusal(resigned(replacement)), "");
}

/// Spends outputs of own_script() to this many small outputs and one with the rest, less the fee.
Transaction large_child(const std::vector<std::pair<chain::Outpoint, chain::Satoshis>>& spent,
                        std::size_t small_outputs, chain::Satoshis fee) {
    std::vector<chain::TxOutput> outputs(small_outputs, {1'000, own_script()});
    chain::Satoshis rest = -fee;
    for (const auto& [outpoint, value] : spent) rest += value;
    outputs.push_back({rest - 1'000 * static_cast<chain::Satoshis>(small_outputs), own_script()});
    return signed_child(spent, std::move(outputs));
}

TEST(MempoolReplacement, CountsAParentThatStaysOnce) {
    MempoolScene scene({own_script()});
    Transaction parent = scene.spend(0, 0);
    parent.outputs.assign(2, {kCoin / 4, own_script()});  // the fee is half a coin
    parent = resigned(std::move(parent));
    ASSERT_EQ(scene.refusal(parent), "");
    const std::pair<chain::Outpoint, chain::Satoshis> coin{{parent.txid(), 0}, kCoin / 4};
    ASSERT_EQ(scene.refusal(large_child({coin}, 0, 10'000)), "");
    EXPECT_EQ(scene.refusal(large_child({coin}, 50, 20'000)), "replacement-failed");
    EXPECT_EQ(scene.refusal(large_child({coin}, 0, 20'000)), "");
}

TEST(MempoolReplacement, CountsTheParentThatItPaysFor) {
    MempoolScene scene({own_script(), own_script()});
    const std::pair<chain::Outpoint, chain::Satoshis> coin{scene.spend(0, 0).inputs[0].prevout,
                                                           kCoin};
    ASSERT_EQ(scene.refusal(large_child({coin}, 0, 10'000)), "");
    const Transaction parent = large_child({{scene.spend(1, 0).inputs[0].prevout, kCoin}}, 50, 500);
    ASSERT_EQ(scene.refusal(parent), "");
    const std::pair<chain::Outpoint, chain::Satoshis> change{{parent.txid(), 50},
                                                             parent.outputs[50].value};
    EXPECT_EQ(scene.refusal(large_child({coin, change}, 0, 25'000)), "replacement-failed");
    EXPECT_EQ(scene.refusal(large_child({coin, change}, 0, 250'000)), "");
}

TEST(MempoolReplacement, ChecksTheClusterBeforeTheFeeRates) {
    MempoolScene scene({own_script(), own_script()});
    ASSERT_EQ(scene.refusal(scene.signed_spend(1, own_script(), 30'000)), "");
    Transaction last = scene.signed_spend(0, own_script());
    last.outputs[0].script_pubkey = own_script();
    last = resigned(std::move(last));
    for (int i = 1; i < 64; ++i) {
        ASSERT_EQ(scene.refusal(last), "") << i;
        last = signed_child({{{last.txid(), 0}, last.outputs[0].value}},
                            {{last.outputs[0].value - 1'000, own_script()}});
    }
    ASSERT_EQ(scene.refusal(last), "");
    const auto joining = [&](chain::Satoshis fee) {
        std::vector<chain::TxOutput> outputs(100, {1'000, own_script()});
        outputs.push_back({kCoin + last.outputs[0].value - 100'000 - fee, own_script()});
        Transaction spend = scene.spend(1, 0);
        return signed_child(
            {{spend.inputs[0].prevout, kCoin}, {{last.txid(), 0}, last.outputs[0].value}},
            std::move(outputs));
    };
    EXPECT_EQ(scene.refusal(joining(30'000)), "insufficient fee");
    EXPECT_EQ(scene.refusal(joining(31'000)), "too-large-cluster");
}

/// Spends these outputs of `each` satoshis to one output, without signatures.
Transaction unsigned_spend_of(const std::vector<chain::Outpoint>& spent, chain::Satoshis each,
                              chain::Satoshis fee) {
    Transaction transaction;
    for (const auto& outpoint : spent) transaction.inputs.push_back({outpoint, {}, 0, {}});
    const auto count = static_cast<chain::Satoshis>(spent.size());
    transaction.outputs = {{count * each - fee, own_script()}};
    return transaction;
}

TEST(MempoolReplacement, CountsConflictsByTheirClusters) {
    constexpr chain::Satoshis kEach = 10'000;
    MempoolScene scene({3, own_script()});
    std::vector<chain::Outpoint> outputs;
    for (std::uint32_t parent = 0; parent < 3; ++parent) {
        Transaction split = scene.spend(parent, 0);
        split.outputs.assign(40, {kEach, own_script()});
        const chain::Txid txid = scene.chain().submit(split);
        for (std::uint32_t i = 0; i < 40; ++i) {
            outputs.push_back({txid, i});
            scene.chain().submit(unsigned_spend_of({outputs.back()}, kEach, 100));
        }
    }
    const auto of_few = unsigned_spend_of(outputs, kEach, 100'000);
    EXPECT_EQ(scene.refusal(of_few, TransactionChecks::amounts), "") << "there are 120 conflicts";
}

TEST(MempoolReplacement, ConflictsWithAHundredClustersAtMost) {
    const std::vector<Bytes> scripts(101, own_script());
    MempoolScene scene(scripts);
    std::vector<chain::Outpoint> coins;
    for (std::uint32_t i = 0; i < scripts.size(); ++i) {
        coins.push_back(scene.spend(i, 0).inputs[0].prevout);
        scene.chain().submit(unsigned_spend_of({coins[i]}, kCoin, 1'000));
    }
    const auto refusal = [&scene](const std::vector<chain::Outpoint>& spent) {
        return scene.refusal(unsigned_spend_of(spent, kCoin, 20'000'000),
                             TransactionChecks::amounts);
    };
    EXPECT_EQ(refusal(coins), "too many potential replacements");
    coins.pop_back();
    EXPECT_EQ(refusal(coins), "");
}

TEST(MempoolReplacement, EvictsWhatDescendsFromWhatItReplaces) {
    MempoolScene scene({own_script(), own_script()});
    const Transaction first = scene.signed_spend(0, own_script());
    const Transaction other = scene.signed_spend(1, own_script());
    ASSERT_EQ(scene.refusal(first), "");
    ASSERT_EQ(scene.refusal(other), "");
    const std::array parent{chain::Outpoint{first.txid(), 0}};
    scene.chain().submit(test::make_spend(scene.chain(), parent, {{500'000, receiver_script()}}));
    const Transaction replacement = scene.signed_spend(0, own_script(), 600'000);
    EXPECT_EQ(scene.refusal(replacement), "");
    EXPECT_EQ(scene.chain().mempool().transactions(), (std::vector{other, replacement}));
}

}  // namespace
}  // namespace petal::regtest
