#include "cli/regtest/demo_chain.h"

#include <gtest/gtest.h>

#include "chain/script/script.h"

namespace petal::cli {
namespace {

DemoChain::Scripts some_scripts() {
    DemoChain::Scripts scripts;
    for (chain::Byte i = 0; i < 40; ++i) {
        chain::Hash160 hash{};
        hash[0] = i;
        scripts.receive.push_back(chain::p2wpkh_script(hash));
        hash[1] = 1;
        scripts.change.push_back(chain::p2wpkh_script(hash));
    }
    return scripts;
}

DemoChain mined(std::uint32_t blocks) {
    DemoChain chain(some_scripts(), 1'700'000'000);
    while (chain.height() < blocks) chain.mine_next(blocks);
    return chain;
}

TEST(DemoChain, IsTheSameEachTime) {
    EXPECT_EQ(mined(300).take().tip(), mined(300).take().tip());
}

TEST(DemoChain, PaysAndSpendsFromTheWallet) {
    DemoChain demo = mined(600);
    demo.pay_unconfirmed();
    EXPECT_EQ(demo.height(), 600U);
    EXPECT_GT(demo.transactions(), 600U * 4);
    net::RegtestChain chain = demo.take();
    EXPECT_EQ(chain.mempool().size(), 1U);
    const DemoChain::Scripts scripts = some_scripts();
    std::size_t received = 0;
    std::size_t change = 0;
    for (const auto& script : scripts.receive) received += chain.unspent(script).size();
    for (const auto& script : scripts.change) change += chain.unspent(script).size();
    EXPECT_GT(received, 10U);
    EXPECT_LT(received, 38U);  // 36 receipts and two coinbases, some of them spent again
    EXPECT_GT(change, 2U);
}

TEST(DemoChain, CountsTheBytesOfFullBlocks) {
    DemoChain demo = mined(250);
    std::uint64_t bytes = 0;
    std::uint64_t transactions = 0;
    const std::uint64_t claimed = demo.block_bytes();
    const std::uint64_t claimed_transactions = demo.transactions();
    const net::RegtestChain chain = demo.take();
    for (std::uint32_t height = 1; height <= 250; ++height) {
        const net::Block& block = chain.block_at(height);
        bytes += 24 + 80 + 1;
        for (const auto& transaction : block.transactions) bytes += transaction.serialize().size();
        transactions += block.transactions.size();
    }
    EXPECT_EQ(claimed, bytes);
    EXPECT_EQ(claimed_transactions, transactions);
}

}  // namespace
}  // namespace petal::cli
