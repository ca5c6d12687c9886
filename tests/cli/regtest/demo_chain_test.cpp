#include "cli/regtest/demo_chain.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <vector>

#include "chain/script/input_verification.h"

namespace petal::cli {
namespace {

DemoChain::Keys some_keys() {
    DemoChain::Keys keys;
    for (std::uint32_t i = 0; i < 40; ++i) {
        keys.receive.push_back(regtest::RegtestKey::of_number(100 + i));
        keys.change.push_back(regtest::RegtestKey::of_number(200 + i));
    }
    return keys;
}

struct MinedDemo : DemoChain {
    explicit MinedDemo(std::uint32_t blocks) : DemoChain(some_keys(), 1'700'000'000) {
        while (height() < blocks) mine_next(blocks);
    }
};

TEST(DemoChain, IsTheSameEachTime) {
    EXPECT_EQ(MinedDemo(300).take().tip(), MinedDemo(300).take().tip());
}

TEST(DemoChain, PaysAndSpendsFromTheWallet) {
    MinedDemo demo(600);
    demo.pay_unconfirmed();
    EXPECT_EQ(demo.height(), 600U);
    EXPECT_GT(demo.transactions(), 600U * 4);
    regtest::RegtestChain chain = demo.take();
    EXPECT_EQ(chain.mempool().transactions().size(), 1U);
    const DemoChain::Keys keys = some_keys();
    std::size_t received = 0;
    std::size_t change = 0;
    for (const auto& key : keys.receive)
        received += chain.blocks().coins().of_script(key.script()).size();
    for (const auto& key : keys.change)
        change += chain.blocks().coins().of_script(key.script()).size();
    EXPECT_GT(received, 10U);
    // There are 36 receipts and two coinbases, some of which are spent again.
    EXPECT_LT(received, 38U);
    EXPECT_GT(change, 2U);
}

TEST(DemoChain, SignsEverySpend) {
    MinedDemo demo(500);
    demo.pay_unconfirmed();
    const regtest::RegtestChain chain = demo.take();
    std::map<chain::Outpoint, chain::TxOutput> outputs;
    std::size_t inputs = 0;
    const auto check = [&](const chain::Transaction& transaction) {
        std::vector<std::optional<chain::TxOutput>> spent;
        for (const auto& input : transaction.inputs) spent.emplace_back(outputs.at(input.prevout));
        EXPECT_FALSE(chain::find_invalid_input(transaction, spent));
        inputs += spent.size();
    };
    for (std::uint32_t height = 1; height <= 500; ++height) {
        const regtest::RegtestBlock& block = chain.block_at(height);
        for (std::size_t i = 0; i < block.transactions.size(); ++i) {
            const auto& transaction = block.transactions[i];
            if (i > 0) check(transaction);
            for (std::uint32_t k = 0; k < transaction.outputs.size(); ++k) {
                outputs[{block.txids[i], k}] = transaction.outputs[k];
            }
        }
    }
    check(chain.mempool().transactions().at(0));
    EXPECT_GT(inputs, 500U * 4);
}

TEST(DemoChain, CountsTheBytesOfFullBlocks) {
    MinedDemo demo(250);
    std::uint64_t bytes = 0;
    std::uint64_t transactions = 0;
    const std::uint64_t claimed = demo.block_bytes();
    const std::uint64_t claimed_transactions = demo.transactions();
    const regtest::RegtestChain chain = demo.take();
    for (std::uint32_t height = 1; height <= 250; ++height) {
        const regtest::RegtestBlock& block = chain.block_at(height);
        bytes += 24 + 80 + 1;
        for (const auto& transaction : block.transactions) bytes += transaction.serialize().size();
        transactions += block.transactions.size();
    }
    EXPECT_EQ(claimed, bytes);
    EXPECT_EQ(claimed_transactions, transactions);
}

}  // namespace
}  // namespace petal::cli
