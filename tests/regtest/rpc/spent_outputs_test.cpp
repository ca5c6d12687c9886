#include <gtest/gtest.h>

#include <vector>

#include "regtest/rpc/transaction_json.h"
#include "tests/support/unsigned_spend.h"

namespace petal::regtest::rpc {
namespace {

/// A different output script for each number.
chain::Bytes script(chain::Byte number) {
    return {0x51, number};
}

TEST(SpentOutputsOfTransactions, AreThoseOfSeveralTransactionsOfABlock) {
    RegtestChain chain;
    std::vector<chain::TxOutput> outputs;
    for (chain::Byte i = 0; i < 50; ++i) outputs.push_back({1'000 + i, script(i)});
    const auto first = chain.make_payment(outputs);
    const auto second = chain.make_payment({{70'000, script(60)}, {80'000, script(61)}});
    const RegtestBlock block = chain.mine_block({first, second}, script(70));
    const std::uint32_t height = chain.height();
    chain.mine(100);

    std::vector<chain::Outpoint> spent{{second.txid(), 1}, {block.txids[0], 0}};
    for (std::uint32_t i = 0; i < 50; ++i) spent.push_back({first.txid(), i});
    const auto spend = test::make_spend(chain, spent, {{1'000, script(80)}});
    const SpentOutputs found = find_spent_outputs(chain, {&spend, 1});
    EXPECT_EQ(found.size(), 52U);
    EXPECT_EQ(found.at(spent[0]), (SpentOutput{second.outputs[1], height, false}));
    EXPECT_EQ(found.at(spent[1]),
              (SpentOutput{block.transactions[0].outputs[0], height, /*from_coinbase=*/true}));
    for (std::size_t i = 0; i < 50; ++i) {
        EXPECT_EQ(found.at(spent[i + 2]), (SpentOutput{outputs[i], height, false})) << i;
    }
}

TEST(SpentOutputsOfTransactions, AreOfTheMempoolToo) {
    RegtestChain chain;
    const auto parent = chain.make_payment({{70'000, script(1)}, {80'000, script(2)}});
    chain.submit(parent);
    const std::vector<chain::Outpoint> spent{{parent.txid(), 0}, {parent.txid(), 1}};
    const auto spend = test::make_spend(chain, spent, {{1'000, script(3)}});
    const SpentOutputs found = find_spent_outputs(chain, {&spend, 1});
    EXPECT_EQ(found.at(spent[0]), (SpentOutput{parent.outputs[0], chain.height() + 1, false}));
    EXPECT_EQ(found.at(spent[1]), (SpentOutput{parent.outputs[1], chain.height() + 1, false}));
}

TEST(SpentOutputsOfTransactions, LackThoseThatNoTransactionHas) {
    RegtestChain chain;
    const auto confirmed = chain.make_payment({{70'000, script(1)}});
    chain.mine_block({confirmed});
    const auto unconfirmed = chain.make_payment({{70'000, script(2)}});
    chain.submit(unconfirmed);
    chain::Transaction spend;
    for (const auto& txid : {confirmed.txid(), unconfirmed.txid(), chain::Txid{{7}}}) {
        spend.inputs.push_back({{txid, 9}, {}, 0xffffffff, {}});
    }
    EXPECT_TRUE(find_spent_outputs(chain, {&spend, 1}).empty());
}

}  // namespace
}  // namespace petal::regtest::rpc
