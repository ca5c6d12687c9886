#include "regtest/chain/block_filter_index.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <unordered_map>
#include <vector>

#include "chain/block_filters/filter_check.h"
#include "tests/regtest/regtest_peer.h"
#include "tests/support/unsigned_spend.h"

namespace petal::regtest {
namespace {

using chain::Bytes;

/// A chain whose blocks spend coins of earlier blocks and of the same block, and have outputs
/// without an element.
class BlockFilterIndexTest : public testing::Test {
protected:
    BlockFilterIndexTest() {
        const auto first = chain.pay(script(1), 10'000);
        chain.mine();
        const std::array coin = {chain::Outpoint{first, 0}};
        const auto spend = test::make_spend(chain, coin, {{9'000, script(2)}, {0, {0x6a, 0x01}}});
        const std::array of_same_block = {chain::Outpoint{spend.txid(), 0}};
        const auto next = test::make_spend(chain, of_same_block, {{8'000, script(3)}, {0, {}}});
        chain.mine_block({spend, next});
        chain.mine(2);
    }

    const Chainstate::Entry& at(std::uint32_t height) const { return chain.blocks().at(height); }

    /// Computed from all transactions of the active chain up to `height`.
    chain::FilterHeader expected_header(std::uint32_t height) const {
        std::unordered_map<chain::Outpoint, Bytes> scripts;
        chain::FilterHeader header;
        for (std::uint32_t i = 0; i <= height; ++i) {
            const RegtestBlock block = chain.block_at(i);
            std::vector<Bytes> spent;
            for (std::size_t k = 0; k < block.transactions.size(); ++k) {
                for (const auto& input : block.transactions[k].inputs) {
                    if (k > 0) spent.push_back(scripts.at(input.prevout));
                }
                const auto& outputs = block.transactions[k].outputs;
                for (std::uint32_t index = 0; index < outputs.size(); ++index) {
                    scripts[{block.txids[k], index}] = outputs[index].script_pubkey;
                }
            }
            const chain::Block full{block.header, block.transactions};
            const auto set = chain::make_basic_filter(full, spent);
            EXPECT_FALSE(chain::find_filter_fault(full, set)) << "height " << i;
            const auto filter = set.encode();
            EXPECT_EQ(chain.filters().record(at(i)).filter, filter) << "height " << i;
            header = chain::next_filter_header(chain::hash_filter(filter), header);
        }
        return header;
    }

    RegtestChain chain;
};

// Computed by another implementation.
TEST_F(BlockFilterIndexTest, BeginsWithTheFilterOfTheGenesisBlock) {
    const auto& record = chain.filters().record(at(0));
    EXPECT_EQ(chain::to_hex(record.filter), "014756c0");
    EXPECT_EQ(record.header.to_hex(),
              "485e301e4509d7f0d954bf5b529f3ecef68c5191fd0e635f775c1d0266dc5a2b");
}

TEST_F(BlockFilterIndexTest, HasTheScriptsThatEachBlockCreatesAndSpends) {
    EXPECT_EQ(chain.filters().record(at(chain.height())).header, expected_header(chain.height()));
    const auto filter = chain.filters().record(at(chain.height() - 2)).filter;
    const auto set = chain::decode_basic_filter(at(chain.height() - 2).hash, filter);
    ASSERT_TRUE(set);
    for (const chain::Byte number : {chain::Byte{1}, chain::Byte{2}, chain::Byte{3}}) {
        const Bytes element = script(number);
        EXPECT_TRUE(set->has_any_of({&element, 1})) << int{number};
    }
    EXPECT_EQ(set->size(), 4U) << "and the coinbase's, but no empty script and no OP_RETURN";
}

// Coins are spent in their block, in later ones, and several with one script at once.
TEST_F(BlockFilterIndexTest, HasTheFiltersOfRandomChains) {
    std::mt19937 random(158);
    std::vector<chain::Outpoint> coins;
    for (int i = 0; i < 60; ++i) {
        std::vector<chain::Transaction> block;
        for (auto left = random() % 6; left > 0; --left) {
            std::vector<chain::Outpoint> spent;
            while (!coins.empty() && spent.size() < 4 && random() % 3 > 0) {
                std::swap(coins[random() % coins.size()], coins.back());
                spent.push_back(coins.back());
                coins.pop_back();
            }
            std::vector<chain::TxOutput> outputs{
                {500, script(static_cast<chain::Byte>(random() % 20))}};
            if (random() % 4 == 0) outputs.push_back({0, {0x6a, 0x01, 0x02}});
            block.push_back(spent.empty() ? chain.make_payment(outputs)
                                          : test::make_spend(chain, spent, outputs));
            coins.push_back({block.back().txid(), 0});
        }
        chain.mine_block(block);
    }
    EXPECT_EQ(chain.filters().record(at(chain.height())).header, expected_header(chain.height()));
}

TEST_F(BlockFilterIndexTest, ComputesEachFilterOnce) {
    EXPECT_EQ(chain.filters().missing(at(4)).size(), 5U);
    const auto* const record = &chain.filters().record(at(4));
    EXPECT_TRUE(chain.filters().missing(at(4)).empty());
    const auto missing = chain.filters().missing(at(6));
    EXPECT_EQ(missing, (std::vector{&at(6), &at(5)})) << "highest first";
    EXPECT_EQ(&chain.filters().record(at(4)), record);
}

TEST_F(BlockFilterIndexTest, KeepsTheFiltersOfBranchesThatWereLeft) {
    const auto& left = at(chain.height());
    const auto header = expected_header(chain.height());
    chain.reorganise(chain.height() - 3, 5);
    EXPECT_NE(chain.filters().record(at(left.height)).header, header);
    EXPECT_EQ(chain.filters().record(at(chain.height())).header, expected_header(chain.height()));
    EXPECT_EQ(chain.filters().record(left).header, header);
}

// The filters of the left branch are computed after the reorganisation, when its coins are gone.
TEST_F(BlockFilterIndexTest, ComputesFiltersOfBranchesThatWereLeft) {
    RegtestChain twin;
    const auto payment = twin.pay(script(1), 10'000);
    twin.mine();
    twin.mine_block(
        {test::make_spend(twin, std::array{chain::Outpoint{payment, 0}}, {{9'000, script(2)}})});
    const auto& left = twin.blocks().tip();
    twin.reorganise(left.height - 2, 3, RegtestChain::Dropped::forgotten);
    const auto set = chain::decode_basic_filter(left.hash, twin.filters().record(left).filter);
    ASSERT_TRUE(set);
    const Bytes spent = script(1);
    EXPECT_TRUE(set->has_any_of({&spent, 1}));
}

}  // namespace
}  // namespace petal::regtest
