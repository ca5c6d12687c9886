/// Chains that other programs can verify: signed payments, plausible times, and blocks within the
/// weight limit.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "chain/bytes.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/chain/regtest_key.h"
#include "tests/regtest/regtest_peer.h"

namespace petal::regtest {
namespace {

constexpr chain::Satoshis kWholeCoin = 100'000'000;
constexpr std::uint32_t kGenesisTime = 1'296'688'602;

RegtestChain signing_chain(std::uint32_t blocks) {
    RegtestChain chain(RegtestChainOptions{0, PurseKind::p2wpkh});
    chain.mine(blocks);
    return chain;
}

// BIP173's example of a P2WPKH address uses the same key, whose public key is the curve's
// generator.
TEST(RegtestKeys, OwnTheScriptsOfTheirNumbers) {
    EXPECT_EQ(chain::to_hex(RegtestKey::of_number(1).script()),
              "0014751e76e8199196d454941c45d1b3a323f1433bd6");
    EXPECT_NE(RegtestKey::of_number(2).script(), RegtestKey::of_number(256).script());
}

TEST(SigningPurse, MakesPaymentsThatNodesTake) {
    RegtestChain chain = signing_chain(103);
    // The first payment takes several coins; in the end, unconfirmed change is spent.
    for (const chain::Satoshis value : {120 * kWholeCoin, kWholeCoin, kWholeCoin}) {
        const auto payment = chain.make_payment({{value, script(1)}});
        EXPECT_EQ(payment.outputs.back().script_pubkey, RegtestKey::of_number(1).script());
        const auto taken = chain.offer(payment);
        EXPECT_TRUE(taken) << describe(taken.error());
    }
    EXPECT_EQ(chain.height(), 103U);
}

TEST(SigningPurse, MinesNothingForAPayment) {
    RegtestChain chain = signing_chain(99);
    EXPECT_THROW(chain.pay(script(1), kWholeCoin), std::invalid_argument);
    EXPECT_EQ(chain.height(), 99U);
    chain.mine();
    chain.pay(script(1), kWholeCoin);
    EXPECT_EQ(chain.height(), 100U);
}

TEST(SigningPurse, PaysAgainWithTheCoinsOfADroppedTransaction) {
    auto chain = signing_chain(100);  // a single coin of 50 BTC
    const auto first = chain.pay(script(1), kWholeCoin);
    const auto spent = chain.mempool().transaction(first)->inputs;
    const auto child = chain.pay(script(1), kWholeCoin);
    EXPECT_EQ(chain.mempool().transaction(child)->inputs[0].prevout.txid, first)
        << "it spends the change of the first payment";
    chain.drop(child);
    EXPECT_EQ(chain.make_payment({{kWholeCoin, script(1)}}).inputs[0].prevout.txid, first);
    chain.drop(first);
    const auto again = chain.make_payment({{2 * kWholeCoin, script(1)}});
    EXPECT_EQ(again.inputs[0].prevout, spent[0].prevout);
    EXPECT_THROW(chain.make_payment({{kWholeCoin, script(1)}}), std::invalid_argument)
        << "a payment that has not been submitted keeps its coins";
    chain.drop(chain.submit(again));
    EXPECT_EQ(chain.make_payment({{kWholeCoin, script(1)}}).inputs[0].prevout, spent[0].prevout);
}

TEST(SigningPurse, KeepsTheCoinsOfAPaymentThatIsRefused) {
    auto chain = signing_chain(101);
    const std::vector<chain::TxOutput> many(4'000, {1'000, script(1)});
    const auto refused = chain.offer_payment(many, {});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().reason, RejectReason::weight);
    for (int i = 0; i < 64; ++i) {
        ASSERT_TRUE(chain.offer_payment({{1'000'000, script(1)}}, {})) << i;
    }
    const auto too_many = chain.offer_payment({{1'000'000, script(1)}}, {});
    ASSERT_FALSE(too_many);
    EXPECT_EQ(too_many.error().reason, RejectReason::cluster_too_large);
    EXPECT_EQ(chain.mempool().transactions().size(), 64U);
}

TEST(SigningPurse, PrefersConfirmedCoinsAfterAPaymentThatWasTooLarge) {
    auto chain = signing_chain(100);
    const auto own = purse_script(PurseKind::p2wpkh);
    chain.mine_block({chain.make_payment({{10 * kWholeCoin, own}})});
    // Spends the second coinbase, of 50 BTC. Confirmed coins of 40 and 10 BTC are left.
    const auto largest = chain.pay(script(1), kWholeCoin);
    EXPECT_THROW(chain.make_payment({{1'000 * kWholeCoin, script(1)}}), std::invalid_argument);
    const auto next = chain.make_payment({{kWholeCoin, script(1)}});
    EXPECT_NE(next.inputs[0].prevout.txid, largest) << "its change is unconfirmed";
}

TEST(SigningPurse, PaysAgainWithTheCoinsThatAConflictLeaves) {
    for (const bool is_confirmed : {false, true}) {
        auto chain = signing_chain(101);  // two coins
        const auto replaced = chain.pay(script(1), 60 * kWholeCoin);
        const auto spent = chain.mempool().transaction(replaced)->inputs;
        ASSERT_EQ(spent.size(), 2U);
        const auto conflict = *chain.purse().make_conflict(
            spent[0].prevout, *chain.mempool().layer().output(spent[0].prevout));
        if (is_confirmed) {
            chain.mine_block({conflict});
        } else {
            chain.submit(conflict);
        }
        // All coins: the conflict's output, the coin that it does not spend, and the coin that has
        // matured meanwhile.
        const chain::Satoshis all = (is_confirmed ? 149 : 99) * kWholeCoin;
        const auto payment = chain.make_payment({{all, script(1)}});
        EXPECT_EQ(std::ranges::count(payment.inputs, spent[1].prevout, &chain::TxInput::prevout),
                  1);
    }
}

TEST(SigningPurse, PaysAgainWithCoinsOfAReorgedPaymentThatIsDropped) {
    auto chain = signing_chain(100);
    const auto txid = chain.pay(script(1), kWholeCoin);
    chain.mine();
    chain.reorganise(100, 2);
    ASSERT_NE(chain.mempool().transaction(txid), nullptr);
    chain.drop(txid);
    EXPECT_EQ(chain.make_payment({{149 * kWholeCoin, script(1)}}).inputs.size(), 3U);
}

TEST(SigningPurse, LeavesDustToTheMiner) {
    RegtestChain chain = signing_chain(100);
    const chain::Satoshis all = 50 * kWholeCoin - 3'000;
    const auto payment = chain.make_payment({{all - 999, script(1)}});
    EXPECT_EQ(payment.outputs.size(), 1U);
    EXPECT_TRUE(chain.offer(payment));
}

TEST(BlockTime, IsTheSetTimeOrLaterThanTheMedian) {
    RegtestChain chain;
    chain.mine(2);
    EXPECT_EQ(chain.block_at(2).header.time, kGenesisTime + 1'200);
    chain.set_time(kGenesisTime + 900);
    chain.mine();
    EXPECT_EQ(chain.block_at(3).header.time, kGenesisTime + 900);
    // The median of the times 0, 600, 900 and 1,200 s is 900 s.
    chain.mine();
    EXPECT_EQ(chain.block_at(4).header.time, kGenesisTime + 901);
    chain.set_time(kGenesisTime + 9'000);
    chain.mine(3);
    EXPECT_EQ(chain.block_at(7).header.time, kGenesisTime + 9'000);
    chain.set_time(std::nullopt);
    chain.mine();
    EXPECT_EQ(chain.block_at(8).header.time, kGenesisTime + 4'800) << "the chain's own time";
    chain.set_time(kGenesisTime + 90'000);
    chain.mine(11);
    chain.set_time(std::nullopt);
    chain.mine();
    EXPECT_EQ(chain.block_at(20).header.time, kGenesisTime + 90'001)
        << "the chain's own time is before the median time past";
}

TEST(MinedRegtestBlocks, StayWithinTheWeightLimit) {
    RegtestChain chain = signing_chain(115);
    chain::Bytes data(90'000);
    data[0] = 0x6a;
    std::vector<chain::Transaction> heavy;
    for (int i = 0; i < 12; ++i) {
        heavy.push_back(chain.make_payment({{0, data}}));
        chain.submit(heavy.back());
    }
    chain.mine();
    std::size_t weight = 0;
    for (const auto& transaction : chain.block_at(116).transactions) weight += transaction.weight();
    EXPECT_LE(weight, 4'000'000U);
    EXPECT_EQ(chain.block_at(116).transactions.size(), 12U) << "eleven and the coinbase";
    EXPECT_EQ(chain.mempool().transactions(), std::vector{heavy[11]});
    chain.mine();
    EXPECT_TRUE(chain.mempool().transactions().empty());
}

}  // namespace
}  // namespace petal::regtest
