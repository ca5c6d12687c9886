#include "regtest/mempool/transaction_view.h"

#include <gtest/gtest.h>

#include "regtest/mempool/coin_set.h"

namespace petal::regtest {
namespace {

chain::Transaction with_outputs(std::size_t count) {
    chain::Transaction transaction;
    transaction.inputs = {{{chain::Txid{{1}}, 2}, chain::Bytes(300, 0x51), 0xfffffffd, {}},
                          {{chain::Txid{{3}}, 4}, {}, 7, {}}};
    for (std::size_t i = 0; i < count; ++i) {
        transaction.outputs.push_back({static_cast<chain::Satoshis>(i), chain::Bytes(i, 0x51)});
    }
    transaction.lock_time = 5;
    return transaction;
}

TEST(TransactionViews, ShowWhatTheTransactionsSpendAndPay) {
    auto with_witness = with_outputs(1);
    with_witness.inputs[1].witness = {{}, chain::Bytes(400, 1)};
    const std::vector transactions{with_witness, with_outputs(300), with_outputs(2)};
    chain::ByteWriter writer;
    for (const auto& transaction : transactions) writer.bytes(transaction.serialize());
    chain::ByteReader reader(writer.view());
    for (const auto& transaction : transactions) {
        const TransactionView view = read_transaction_view(reader);
        EXPECT_EQ(chain::Bytes(view.bytes.begin(), view.bytes.end()), transaction.serialize());
        EXPECT_EQ(view.spent,
                  (std::vector{transaction.inputs[0].prevout, transaction.inputs[1].prevout}));
        std::vector<chain::TxOutput> outputs;
        for (const auto& output : view.outputs) outputs.push_back(Coin(output, 1, false).output());
        EXPECT_EQ(outputs, transaction.outputs);
    }
    EXPECT_TRUE(reader.ok());
    EXPECT_EQ(reader.remaining(), 0U);
}

TEST(TransactionViews, EndWithTheBytes) {
    auto transaction = with_outputs(3);
    transaction.inputs[0].witness = {chain::Bytes(10, 1)};
    const chain::Bytes bytes = transaction.serialize();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        chain::ByteReader reader(chain::ByteView(bytes).first(size));
        read_transaction_view(reader);
        EXPECT_FALSE(reader.ok()) << size;
    }
}

TEST(Coins, KnowTheirHeightAndWhetherTheyAreOfACoinbase) {
    const chain::Bytes output(9);
    const Coin coin(output, 7, /*from_coinbase=*/true);
    EXPECT_EQ(coin.height(), 7U);
    EXPECT_TRUE(coin.from_coinbase());
    EXPECT_FALSE(coin.is_mature(106));
    EXPECT_TRUE(coin.is_mature(107));
    EXPECT_TRUE(Coin(output, 7, /*from_coinbase=*/false).is_mature(8));
}

}  // namespace
}  // namespace petal::regtest
