#include "regtest/chain/regtest_chain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "chain/headers/header_chain.h"
#include "chain/merkle_proof.h"
#include "chain/network_params.h"
#include "regtest/chain/regtest_purse.h"
#include "tests/regtest/regtest_peer.h"
#include "tests/support/hex.h"
#include "tests/support/unsigned_spend.h"

namespace petal::regtest {
namespace {

using namespace petal::test::literals;
using chain::Bytes;
using chain::Outpoint;
using chain::Satoshis;

constexpr Satoshis kBitcoin = 100'000'000;

/// A chain whose mempool holds a payment of one bitcoin to script(1), and the outpoint of that
/// payment.
struct PaidChain {
    RegtestChain chain;
    Outpoint paid = {chain.pay(script(1), kBitcoin), 0};
};

/// Spends an output of one bitcoin to a script and pays this fee.
chain::Transaction spend(RegtestChain& chain, const Outpoint& outpoint, const Bytes& to,
                         Satoshis fee = 1'000) {
    return test::make_spend(chain, std::array{outpoint}, {{kBitcoin - fee, to}});
}

TEST(RegtestChain, BeginsWithRegtestsGenesisBlock) {
    const RegtestChain chain;
    EXPECT_EQ(chain.height(), 0U);
    EXPECT_EQ(chain.tip(),
              "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"_block);
    const RegtestBlock& genesis = chain.block_at(0);
    EXPECT_EQ(genesis.txids,
              std::vector{"4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b"_txid});
    EXPECT_EQ(genesis.transactions.at(0).txid(), genesis.txids[0]);
    EXPECT_TRUE(chain.mempool().transactions().empty());
}

TEST(RegtestChain, IsTheSameChainForTheSameCalls) {
    const auto make = [] {
        RegtestChain chain({.first_time = 1'600'000'000});
        chain.mine(3, script(9));
        chain.pay(script(1), kBitcoin);
        chain.mine(2);
        chain.reorganise(chain.height() - 2, 3);
        chain.mine_block({chain.make_payment({{5'000, script(2)}, {6'000, script(3)}})});
        return chain;
    };
    const RegtestChain one = make();
    const RegtestChain two = make();
    EXPECT_EQ(one.tip(), two.tip());
    EXPECT_EQ(one.history().revision(), two.history().revision());
    EXPECT_EQ(one.history().submitted(), two.history().submitted());
}

TEST(RegtestChain, IsTakenByTheHeaderChain) {
    RegtestChain chain;
    chain.mine(2'100);
    std::vector<chain::BlockHeader> headers;
    for (std::uint32_t height = 1; height <= chain.height(); ++height) {
        headers.push_back(chain.block_at(height).header);
    }
    chain::HeaderChain judge(*chain::find_network("regtest"));
    const auto result = judge.accept(headers, headers.back().time);
    EXPECT_EQ(result.added, 2'100U);
    EXPECT_FALSE(result.error);
}

TEST(RegtestChain, PutsTheMerkleRootOfItsTransactionsInTheHeader) {
    PaidChain paid;
    paid.chain.mine();
    const RegtestBlock& block = paid.chain.block_at(paid.chain.height());
    ASSERT_EQ(block.transactions.size(), 2U);
    EXPECT_TRUE(block.transactions[0].is_coinbase());
    for (std::size_t i = 0; i < block.txids.size(); ++i) {
        EXPECT_EQ(block.transactions[i].txid(), block.txids[i]);
    }
    EXPECT_EQ(block.header.merkle_root, chain::merkle_root(block.txids));
}

TEST(RegtestChain, CountsTimeInTenMinutes) {
    RegtestChain from_genesis;
    from_genesis.mine(2);
    EXPECT_EQ(from_genesis.block_at(1).header.time, 1'296'688'602U + 600);
    EXPECT_EQ(from_genesis.block_at(2).header.time, 1'296'688'602U + 1'200);

    RegtestChain from_date({.first_time = 1'700'000'000});
    from_date.mine(2);
    EXPECT_EQ(from_date.block_at(1).header.time, 1'700'000'000U);
    EXPECT_EQ(from_date.block_at(2).header.time, 1'700'000'600U);

    EXPECT_THROW(RegtestChain({.first_time = 1'296'688'602}), std::invalid_argument);
}

TEST(RegtestChain, HalvesTheSubsidyEvery150Blocks) {
    RegtestChain chain;
    chain.mine(300, script(1));
    const auto reward = [&chain](std::uint32_t height) {
        return chain.block_at(height).transactions[0].outputs[0].value;
    };
    EXPECT_EQ(reward(1), 50 * kBitcoin);
    EXPECT_EQ(reward(149), 50 * kBitcoin);
    EXPECT_EQ(reward(150), 25 * kBitcoin);
    EXPECT_EQ(reward(300), 1'250'000'000);
    EXPECT_EQ(chain.blocks().coins().of_script(script(1)).size(), 300U);
}

TEST(RegtestChain, PaysTheFeesToTheCoinbase) {
    PaidChain paid;
    const Satoshis fee = paid.chain.mempool().entries()[0].fee;
    EXPECT_GT(fee, 0);
    paid.chain.mine(1, script(7));
    const auto coins = paid.chain.blocks().coins().of_script(script(7));
    ASSERT_EQ(coins.size(), 1U);
    EXPECT_EQ(coins.begin()->second.value, block_subsidy(paid.chain.height()) + fee);
}

TEST(RegtestChain, KnowsUnspentOutputsByScript) {
    PaidChain paid;
    EXPECT_TRUE(paid.chain.blocks().coins().of_script(script(1)).empty())
        << "the mempool does not count";
    paid.chain.mine();
    const std::map<Outpoint, chain::TxOutput> expected = {{paid.paid, {kBitcoin, script(1)}}};
    EXPECT_EQ(paid.chain.blocks().coins().of_script(script(1)), expected);

    paid.chain.submit(spend(paid.chain, paid.paid, script(2)));
    EXPECT_EQ(paid.chain.blocks().coins().of_script(script(1)), expected);
    paid.chain.mine();
    EXPECT_TRUE(paid.chain.blocks().coins().of_script(script(1)).empty());
    EXPECT_EQ(paid.chain.blocks().coins().of_script(script(2)).size(), 1U);
}

TEST(RegtestChain, MinesTheMempoolIntoTheFirstBlockOnly) {
    PaidChain paid;
    const std::uint32_t before = paid.chain.height();
    paid.chain.mine(2);
    EXPECT_EQ(paid.chain.block_at(before + 1).transactions.size(), 2U);
    EXPECT_EQ(paid.chain.block_at(before + 2).transactions.size(), 1U);
    EXPECT_TRUE(paid.chain.mempool().transactions().empty());
}

TEST(RegtestChain, MinesChainsOfTransactionsInOneBlock) {
    PaidChain paid;
    const auto child = spend(paid.chain, paid.paid, script(2));
    const Outpoint child_output = {paid.chain.submit(child), 0};
    const auto grandchild =
        test::make_spend(paid.chain, std::array{child_output}, {{1'000, script(3)}});
    paid.chain.submit(grandchild);
    paid.chain.mine();
    EXPECT_EQ(paid.chain.block_at(paid.chain.height()).transactions.size(), 4U);
    EXPECT_TRUE(paid.chain.blocks().coins().of_script(script(2)).empty());
    EXPECT_EQ(paid.chain.blocks().coins().of_script(script(3)).size(), 1U);
}

TEST(RegtestChain, MinesExactlyWhatItIsGiven) {
    PaidChain paid;
    const auto other = paid.chain.make_payment({{kBitcoin, script(2)}});
    const RegtestBlock& block = paid.chain.mine_block({other}, script(5));
    EXPECT_EQ(block.txids.size(), 2U);
    EXPECT_EQ(block.txids[1], other.txid());
    EXPECT_EQ(block.transactions[0].outputs[0].script_pubkey, script(5));
    EXPECT_NE(paid.chain.mempool().transaction(paid.paid.txid), nullptr)
        << "the transaction is still unconfirmed";
}

TEST(RegtestChain, DropsFromTheMempoolWhatABlockDoubleSpends) {
    PaidChain paid;
    paid.chain.mine();
    const Outpoint child = {paid.chain.submit(spend(paid.chain, paid.paid, script(2))), 0};
    paid.chain.submit(test::make_spend(paid.chain, std::array{child}, {{1'000, script(3)}}));
    ASSERT_EQ(paid.chain.mempool().transactions().size(), 2U);

    paid.chain.mine_block({spend(paid.chain, paid.paid, script(4))});
    EXPECT_TRUE(paid.chain.mempool().transactions().empty())
        << "the conflicting transaction and its descendants";
    EXPECT_EQ(paid.chain.blocks().coins().of_script(script(4)).size(), 1U);
}

TEST(RegtestChain, ReplacesAConflictingTransaction) {
    PaidChain paid;
    paid.chain.mine();
    const Outpoint first = {paid.chain.submit(spend(paid.chain, paid.paid, script(2))), 0};
    const auto child =
        paid.chain.submit(test::make_spend(paid.chain, std::array{first}, {{1, script(3)}}));
    const auto unrelated = paid.chain.pay(script(4), 5'000);

    const auto second = paid.chain.submit(spend(paid.chain, paid.paid, script(5)));
    EXPECT_EQ(paid.chain.mempool().transaction(first.txid), nullptr);
    EXPECT_EQ(paid.chain.mempool().transaction(child), nullptr);
    EXPECT_NE(paid.chain.mempool().transaction(unrelated), nullptr);
    EXPECT_NE(paid.chain.mempool().transaction(second), nullptr);
    EXPECT_EQ(paid.chain.mempool().entries()[*paid.chain.mempool().find(second)].fee, 1'000);
}

TEST(RegtestChain, TakesATransactionOnce) {
    PaidChain paid;
    const auto transaction = paid.chain.mempool().transactions()[0];
    const auto revision = paid.chain.history().revision();
    EXPECT_EQ(paid.chain.submit(transaction), paid.paid.txid);
    EXPECT_EQ(paid.chain.history().revision(), revision);
    EXPECT_EQ(paid.chain.history().submitted().size(), 1U);
}

TEST(RegtestChain, GivesSpendsOfWitnessProgramsAWitness) {
    PaidChain paid;
    const auto transaction = spend(paid.chain, paid.paid, script(2));
    EXPECT_TRUE(transaction.has_witness());
    EXPECT_NE(transaction.txid().bytes, transaction.wtxid().bytes);
}

struct ChainRefusalCase {
    std::string name;
    std::function<void(PaidChain&)> attempt;
};

void PrintTo(const ChainRefusalCase& row, std::ostream* out) {
    *out << row.name;
}

class RegtestChainRefusal : public testing::TestWithParam<ChainRefusalCase> {};

TEST_P(RegtestChainRefusal, ChangesNothing) {
    PaidChain paid;
    paid.chain.mine();
    paid.chain.submit(spend(paid.chain, paid.paid, script(2)));
    const auto tip = paid.chain.tip();
    const auto mempool = paid.chain.mempool().transactions();

    EXPECT_THROW(GetParam().attempt(paid), std::invalid_argument);
    EXPECT_EQ(paid.chain.tip(), tip);
    EXPECT_EQ(paid.chain.mempool().transactions(), mempool);
}

chain::Transaction without_outputs(chain::Transaction transaction) {
    transaction.outputs.clear();
    return transaction;
}

chain::Transaction without_inputs(chain::Transaction transaction) {
    transaction.inputs.clear();
    return transaction;
}

chain::Transaction with_value(chain::Transaction transaction, Satoshis value) {
    transaction.outputs[0].value = value;
    return transaction;
}

Outpoint coinbase_at(const RegtestChain& chain, std::uint32_t height) {
    return {chain.block_at(height).txids[0], 0};
}

const Outpoint kNowhere = {"00000000000000000000000000000000000000000000000000000000000000aa"_txid,
                           0};

// clang-format off
INSTANTIATE_TEST_SUITE_P(Regtest, RegtestChainRefusal, testing::ValuesIn(std::initializer_list<ChainRefusalCase>{
    {"SubmitOfAnUnknownCoin", [](PaidChain& p) { p.chain.submit(spend(p.chain, kNowhere, script(3))); }},
    {"MineOfAnUnknownCoin",
     [](PaidChain& p) { p.chain.mine_block({spend(p.chain, kNowhere, script(3))}); }},
    {"MoreOutThanIn", [](PaidChain& p) { p.chain.submit(spend(p.chain, p.paid, script(3), -1)); }},
    {"NegativeValue",
     [](PaidChain& p) { p.chain.submit(with_value(spend(p.chain, p.paid, script(3)), -1)); }},
    {"TooMuchMoney", [](PaidChain& p) {
        p.chain.submit(with_value(spend(p.chain, p.paid, script(3)), chain::kMaxMoney + 1)); }},
    {"NoOutputs", [](PaidChain& p) {
        p.chain.submit(without_outputs(spend(p.chain, p.paid, script(3)))); }},
    {"NoInputs", [](PaidChain& p) {
        p.chain.submit(without_inputs(spend(p.chain, p.paid, script(3)))); }},
    {"TheSameCoinTwice", [](PaidChain& p) {
        p.chain.submit(test::make_spend(p.chain, std::array{p.paid, p.paid}, {{1'000, script(3)}})); }},
    {"TwoSpendsOfACoinInABlock", [](PaidChain& p) {
        p.chain.mine_block({spend(p.chain, p.paid, script(3)), spend(p.chain, p.paid, script(4))}); }},
    {"ChildBeforeParent", [](PaidChain& p) {
        const auto parent = spend(p.chain, p.paid, script(3));
        const Outpoint output = {parent.txid(), 0};
        p.chain.mine_block({test::make_spend(p.chain, std::array{output}, {{1, script(4)}}), parent}); }},
    {"AReplacementOfItsOwnParent", [](PaidChain& p) {
        const Outpoint child = {p.chain.mempool().entries()[0].txid, 0};
        p.chain.submit(test::make_spend(p.chain, std::array{p.paid, child}, {{1'000, script(3)}})); }},
    {"PaymentOfASumThatIsACoinModulo2To64", [](PaidChain& p) {
        const std::uint64_t count = (~std::uint64_t{0} - kBitcoin) / chain::kMaxMoney;
        std::vector<chain::TxOutput> outputs(count, {chain::kMaxMoney, script(3)});
        outputs.push_back({static_cast<Satoshis>(kBitcoin - count * chain::kMaxMoney), script(3)});
        p.chain.make_payment(std::move(outputs)); }},
    {"AnImmatureCoinbase", [](PaidChain& p) {
        const auto coinbase = coinbase_at(p.chain, p.chain.height() - 98);
        p.chain.submit(test::make_spend(p.chain, std::array{coinbase}, {{1'000, script(3)}})); }},
    {"MineOfATooHeavyCoinbase", [](PaidChain& p) { p.chain.mine(1, chain::Bytes(999'900)); }},
    {"MineBlockOfATooHeavyCoinbase", [](PaidChain& p) { p.chain.mine_block({}, chain::Bytes(999'900)); }},
    {"ABranchOfTheSameLength", [](PaidChain& p) { p.chain.reorganise(p.chain.height() - 2, 2); }},
    {"AForkAtTheTip", [](PaidChain& p) { p.chain.reorganise(p.chain.height(), 1); }},
    {"NothingToPay", [](PaidChain& p) { p.chain.make_payment({}); }},
    {"MoreThanThePurseHolds", [](PaidChain& p) { p.chain.pay(script(3), 10'000 * kBitcoin); }},
    {"AHeightAboveTheTip", [](PaidChain& p) { p.chain.block_at(p.chain.height() + 1); }},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(RegtestChain, LetsACoinbaseBeSpentAHundredBlocksLater) {
    RegtestChain chain;
    chain.mine(1, script(1));
    chain.mine(99);
    const auto coinbase = coinbase_at(chain, 1);
    chain.submit(test::make_spend(chain, std::array{coinbase}, {{1'000, script(2)}}));
    chain.mine();
    EXPECT_EQ(chain.height(), 101U);
    EXPECT_EQ(chain.blocks().coins().of_script(script(2)).size(), 1U);
}

TEST(RegtestChain, KnowsStaleBlocksAfterAReorganisation) {
    RegtestChain chain;
    chain.mine(5);
    const auto stale = chain.tip();
    const auto kept = chain.block_at(3).header.hash();
    chain.reorganise(3, 3);
    EXPECT_EQ(chain.height(), 6U);
    const auto* const left = chain.blocks().find(stale);
    ASSERT_NE(left, nullptr);
    EXPECT_FALSE(chain.blocks().is_active(*left));
    EXPECT_TRUE(chain.blocks().is_active(*chain.blocks().find(kept)));
    EXPECT_EQ(left->height, 5U);
    EXPECT_NE(chain.block_at(4).txids, left->txids);
    EXPECT_EQ(chain.block_at(4).header.previous, kept);
}

TEST(RegtestChain, BringsDroppedTransactionsBackToTheMempool) {
    PaidChain paid;
    paid.chain.mine();
    const std::uint32_t fork = paid.chain.height() - 1;
    const auto child = paid.chain.submit(spend(paid.chain, paid.paid, script(2)));
    paid.chain.mine();
    const auto waiting = paid.chain.submit(
        test::make_spend(paid.chain, std::array{Outpoint{child, 0}}, {{5'000, script(3)}}));

    paid.chain.reorganise(fork, 3);
    const auto& entries = paid.chain.mempool().entries();
    ASSERT_EQ(entries.size(), 3U);
    EXPECT_EQ(entries[0].txid, paid.paid.txid);
    EXPECT_EQ(entries[1].txid, child);
    EXPECT_EQ(entries[2].txid, waiting);
    EXPECT_TRUE(paid.chain.blocks().coins().of_script(script(1)).empty());
    EXPECT_EQ(paid.chain.history().submitted().size(), 3U) << "nothing was submitted again";

    paid.chain.mine();
    EXPECT_EQ(paid.chain.blocks().coins().of_script(script(3)).size(), 1U);
}

TEST(RegtestChain, ForgetsDroppedTransactionsOnRequest) {
    PaidChain paid;
    paid.chain.mine();
    paid.chain.submit(spend(paid.chain, paid.paid, script(2)));
    paid.chain.reorganise(paid.chain.height() - 1, 2, RegtestChain::Dropped::forgotten);
    EXPECT_TRUE(paid.chain.mempool().transactions().empty())
        << "the transaction that spent the dropped one is gone too";
    EXPECT_TRUE(paid.chain.blocks().coins().of_script(script(1)).empty());
}

TEST(RegtestChain, RestoresWhatADroppedBlockSpent) {
    PaidChain paid;
    paid.chain.mine();
    paid.chain.mine_block({spend(paid.chain, paid.paid, script(2))});
    paid.chain.reorganise(paid.chain.height() - 1, 2, RegtestChain::Dropped::forgotten);
    EXPECT_EQ(paid.chain.blocks().coins().of_script(script(1)).size(), 1U);
    paid.chain.mine_block({spend(paid.chain, paid.paid, script(3))});
    EXPECT_EQ(paid.chain.blocks().coins().of_script(script(3)).size(), 1U);
}

TEST(RegtestChain, DropsWhatDescendsFromADroppedCoinbase) {
    RegtestChain chain;
    chain.mine(1, script(1));
    chain.mine(100);
    chain.submit(test::make_spend(chain, std::array{coinbase_at(chain, 1)}, {{1'000, script(2)}}));
    chain.mine();
    chain.reorganise(0, 103);
    EXPECT_TRUE(chain.mempool().transactions().empty());
}

TEST(RegtestChain, PaysTheOutputsInOrderAndThenTheChange) {
    RegtestChain chain;
    const auto payment = chain.make_payment({{1'000, script(1)}, {2'000, script(2)}});
    ASSERT_EQ(payment.outputs.size(), 3U);
    EXPECT_EQ(payment.outputs[0], (chain::TxOutput{1'000, script(1)}));
    EXPECT_EQ(payment.outputs[1], (chain::TxOutput{2'000, script(2)}));
    EXPECT_EQ(payment.outputs[2].script_pubkey, kPurseScript);
    EXPECT_TRUE(chain.mempool().transactions().empty());
    chain.submit(payment);
}

TEST(RegtestChain, FillsItsPurseOnce) {
    RegtestChain chain;
    chain.pay(script(1), 1'000);
    const auto height = chain.height();
    for (int i = 0; i < 100; ++i) chain.pay(script(1), 1'000);
    EXPECT_EQ(chain.height(), height);
    EXPECT_LT(height, 130U);
}

TEST(RegtestChain, MakesPaymentsThatDoNotDependOnEachOther) {
    RegtestChain chain;
    std::vector<chain::Transaction> payments;
    for (int i = 0; i < 400; ++i) payments.push_back(chain.make_payment({{1'000, script(1)}}));
    std::ranges::reverse(payments);
    const RegtestBlock& block = chain.mine_block(payments);
    EXPECT_EQ(block.transactions.size(), 401U);
}

TEST(RegtestChain, PaysOutOfUnconfirmedChangeWhenConfirmedCoinsRunOut) {
    RegtestChain chain;
    for (int i = 0; i < 1'500; ++i) chain.pay(script(1), 1'000);
    EXPECT_EQ(chain.mempool().transactions().size(), 1'500U);
    chain.mine();
    EXPECT_EQ(chain.blocks().coins().of_script(script(1)).size(), 1'500U);
}

TEST(RegtestChain, PaysMoreThanOneCoinHolds) {
    RegtestChain chain;
    chain.pay(script(1), 700 * kBitcoin);
    chain.mine();
    EXPECT_EQ(chain.blocks().coins().of_script(script(1)).begin()->second.value, 700 * kBitcoin);
}

TEST(RegtestChain, NeverPaysWithACoinTwice) {
    RegtestChain chain;
    // There are more payments than confirmed coins, so the last payment spends unconfirmed change.
    for (int i = 0; i < 600; ++i) chain.pay(script(1), 1'000);
    std::vector<chain::Transaction> payments = {chain.make_payment({{1'000, script(2)}})};
    ASSERT_NE(chain.mempool().transaction(payments[0].inputs[0].prevout.txid), nullptr);
    chain.mine();

    const auto pay_until_the_purse_is_empty = [&] {
        for (;;) payments.push_back(chain.make_payment({{1'000, script(2)}}));
    };
    EXPECT_THROW(pay_until_the_purse_is_empty(), std::invalid_argument);
    EXPECT_GT(payments.size(), 500U);
    std::set<Outpoint> spent;
    for (const auto& payment : payments) {
        for (const auto& input : payment.inputs) EXPECT_TRUE(spent.insert(input.prevout).second);
    }
}

TEST(RegtestChain, GetsBackWhatForgottenBlocksPaid) {
    RegtestChain chain;
    const auto prepared = chain.make_payment({{1'000, script(9)}});
    for (int i = 0; i < 15; ++i) {
        chain.pay(script(1), 400 * kBitcoin);
        chain.mine();
        chain.reorganise(chain.height() - 1, 2, RegtestChain::Dropped::forgotten);
    }
    chain.mine_block({prepared});
    EXPECT_EQ(chain.blocks().coins().of_script(script(9)).size(), 1U);
}

TEST(RegtestChain, PaysAfterEachReorganisation) {
    RegtestChain chain;
    for (int i = 0; i < 10; ++i) {
        for (int k = 0; k < 30; ++k) chain.pay(script(1), 10'000);
        chain.mine();
        chain.reorganise(chain.height() - 1, 2);
    }
    chain.mine();
    EXPECT_EQ(chain.blocks().coins().of_script(script(1)).size(), 300U);
}

TEST(RegtestChain, CountsEveryChange) {
    RegtestChain chain;
    auto before = chain.history().revision();
    const auto has_changed = [&] {
        return std::exchange(before, chain.history().revision()) < before;
    };
    EXPECT_FALSE(has_changed());
    chain.mine();
    EXPECT_TRUE(has_changed());
    chain.pay(script(1), 1'000);
    EXPECT_TRUE(has_changed());
    chain.reorganise(chain.height() - 1, 2);
    EXPECT_TRUE(has_changed());
    EXPECT_FALSE(has_changed());
}

}  // namespace
}  // namespace petal::regtest
