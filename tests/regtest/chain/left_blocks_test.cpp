// Transactions that return to the mempool when the chain disconnects their blocks.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <vector>

#include "chain/hash.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/regtest/regtest_peer.h"
#include "tests/support/signing.h"
#include "tests/support/unsigned_spend.h"

namespace petal::regtest {
namespace {

/// A chain whose purse has mature coins.
RegtestChain paying_chain(std::optional<TransactionChecks> checks_of_returned = {}) {
    RegtestChain chain({1'600'000'000, PurseKind::p2wpkh, {}, checks_of_returned});
    chain.mine(130);
    return chain;
}

/// Mines this many blocks with one payment each, of coins that were mature before the first block.
/// Returns the txids of the payments.
std::vector<chain::Txid> mine_payments(RegtestChain& chain, int blocks) {
    std::vector<chain::Transaction> payments;
    for (int i = 0; i < blocks; ++i) payments.push_back(chain.make_payment({{50'000, script(1)}}));
    std::vector<chain::Txid> txids;
    for (const auto& payment : payments) {
        txids.push_back(payment.txid());
        chain.mine_block({payment});
    }
    return txids;
}

/// Spends a P2WSH output that anyone can spend.
chain::Transaction spend_of_p2wsh(RegtestChain& chain) {
    const chain::Bytes anyone_can_spend = {0x51};
    chain::Bytes program = {0x00, 0x20};
    std::ranges::copy(chain::sha256(anyone_can_spend), std::back_inserter(program));
    const auto payment = chain.make_payment({{100'000, program}});
    chain.mine_block({payment});
    auto spend = test::make_spend(chain, std::array{chain::Outpoint{payment.txid(), 0}},
                                  {{90'000, script(2)}});
    spend.inputs[0].witness = {anyone_can_spend};
    return spend;
}

TEST(LeftBlocks, ReturnOnlyStandardTransactionsOnRequest) {
    for (const bool is_judged : {false, true}) {
        RegtestChain chain =
            paying_chain(is_judged ? std::optional(TransactionChecks::all) : std::nullopt);
        auto with_high_s = chain.make_payment({{100'000, script(1)}});
        auto& witness = with_high_s.inputs[0].witness;
        witness = {test::with_high_s({witness[0].begin(), witness[0].end()}),
                   {witness[1].begin(), witness[1].end()}};
        const auto standard = chain.make_payment({{100'000, script(2)}});
        chain.mine_block({with_high_s, standard});
        chain.invalidate(chain.tip());
        EXPECT_EQ(chain.mempool().transaction(with_high_s.txid()) == nullptr, is_judged);
        EXPECT_NE(chain.mempool().transaction(standard.txid()), nullptr);
    }
}

TEST(LeftBlocks, ReturnTransactionsWhoseScriptsAreValid) {
    for (const bool is_valid : {true, false}) {
        RegtestChain chain = paying_chain(TransactionChecks::all);
        auto spend = spend_of_p2wsh(chain);
        if (!is_valid) spend.inputs[0].witness = {chain::Bytes{0x52}};
        chain.mine_block({spend});
        chain.invalidate(chain.tip());
        EXPECT_EQ(chain.mempool().transaction(spend.txid()) != nullptr, is_valid);
    }
}

// TRUC limits are policy and not consensus: Bitcoin Core returns disconnected transactions
// regardless of them.
TEST(LeftBlocks, ReturnTransactionsThatBreakTrucLimits) {
    RegtestChain chain = paying_chain(TransactionChecks::all);
    const chain::TxOutput coin{100'000, test::p2wpkh_script_of(test::private_key(1))};
    const auto parent = chain.make_payment({coin});
    const std::array spent{chain::Outpoint{parent.txid(), 0}};
    chain.mine_block({parent});
    auto child = test::make_spend(chain, spent, {{90'000, script(2)}});
    child.version = 3;
    test::sign_input(child, 0, test::private_key(1), coin);
    chain.invalidate(chain.tip());
    ASSERT_EQ(describe(chain.offer(child, {}).error()), "TRUC-violation");
    chain.mine_block({parent, child});
    chain.invalidate(chain.tip());
    EXPECT_NE(chain.mempool().transaction(child.txid()), nullptr);
}

TEST(LeftBlocks, ReturnAChildThatDoesNotSpendItsParentsDust) {
    RegtestChain chain = paying_chain(TransactionChecks::all);
    const chain::Bytes key = test::private_key(1);
    const chain::TxOutput coin{100'000, test::p2wpkh_script_of(key)};
    const auto funding = chain.make_payment({coin});
    chain.mine_block({funding});
    const auto spend = [&](const chain::Txid& txid, const chain::TxOutput& spent,
                           std::vector<chain::TxOutput> outputs) {
        auto spending = test::make_spend(chain, std::array{chain::Outpoint{txid, 0}}, outputs);
        test::sign_input(spending, 0, key, spent);
        return spending;
    };
    const chain::TxOutput rest{99'900, coin.script_pubkey};
    const auto parent = spend(funding.txid(), coin, {rest, {100, coin.script_pubkey}});
    const auto child = spend(parent.txid(), rest, {{90'000, script(2)}});
    chain.mine_block({parent, child});
    chain.invalidate(chain.tip());
    EXPECT_NE(chain.mempool().transaction(child.txid()), nullptr);
}

// Bitcoin Core 31 keeps the same number of these transactions.
TEST(LeftBlocks, ReturnNoMoreDescendantsThanTheLimit) {
    using Checks = std::optional<TransactionChecks>;
    for (const Checks checks :
         {Checks{}, Checks{TransactionChecks::amounts}, Checks{TransactionChecks::all}}) {
        RegtestChain chain({1'600'000'000, PurseKind::p2wpkh, {}, checks});
        chain.mine();  // gives the purse its only coin
        chain.mine(100, script(1));
        for (int i = 0; i < 60; ++i) chain.pay(script(2), 100'000);
        chain.mine(1, script(1));
        for (int i = 0; i < 20; ++i) chain.pay(script(2), 100'000);
        chain.invalidate(chain.tip());
        EXPECT_EQ(chain.mempool().transactions().size(),
                  checks == TransactionChecks::all ? 64U : 80U);
    }
}

// Bitcoin Core: validation.cpp, InvalidateBlock.
TEST(InvalidatedBlocks, ReturnTheTransactionsOfTheLastTen) {
    RegtestChain chain = paying_chain();
    const auto txids = mine_payments(chain, 12);
    const auto child = chain.submit(
        test::make_spend(chain, std::array{chain::Outpoint{txids[0], 0}}, {{40'000, script(2)}}));
    chain.invalidate(chain.block_at(131).header.hash());
    EXPECT_EQ(chain.height(), 130U);
    for (std::size_t i = 0; i < txids.size(); ++i) {
        EXPECT_EQ(chain.mempool().transaction(txids[i]) != nullptr, i >= 2) << i;
    }
    EXPECT_EQ(chain.mempool().transaction(child), nullptr) << "its parent did not return";
}

TEST(InvalidatedBlocks, ReturnAllTransactionsOfTen) {
    RegtestChain chain = paying_chain();
    const auto txids = mine_payments(chain, 10);
    chain.invalidate(chain.block_at(131).header.hash());
    for (const auto& txid : txids) EXPECT_NE(chain.mempool().transaction(txid), nullptr);
}

TEST(InvalidatedBlocks, YieldToABranchThatForksBelowThem) {
    RegtestChain chain = paying_chain();
    RegtestChain other = paying_chain();
    other.mine(4, script(7));
    const auto parent = chain.make_payment({{100'000, script(1)}});
    chain.mine_block({parent});
    chain.mine(12);
    for (std::uint32_t height = 131; height <= 134; ++height) {
        const RegtestBlock& block = other.block_at(height);
        chain.offer_block({block.header, block.transactions});
    }
    const auto child = test::make_spend(chain, std::array{chain::Outpoint{parent.txid(), 0}},
                                        {{90'000, script(2)}});
    chain.mine_block({child});
    chain.invalidate(chain.block_at(133).header.hash());
    EXPECT_EQ(chain.tip(), other.tip());
    EXPECT_NE(chain.mempool().transaction(parent.txid()), nullptr)
        << "the new branch does not contain its block";
    EXPECT_NE(chain.mempool().transaction(child.txid()), nullptr)
        << "the parent returns before the child";
}

TEST(LeftBranches, ReturnAllTransactionsHoweverManyBlocksTheyHave) {
    RegtestChain chain = paying_chain();
    RegtestChain other = paying_chain();
    const auto txids = mine_payments(chain, 12);
    other.mine(13, script(7));
    for (std::uint32_t height = 131; height <= 143; ++height) {
        const RegtestBlock& block = other.block_at(height);
        chain.offer_block({block.header, block.transactions});
    }
    EXPECT_EQ(chain.tip(), other.tip());
    for (const auto& txid : txids) EXPECT_NE(chain.mempool().transaction(txid), nullptr);
}

TEST(LeftBlocks, AreRecordedOnlyIfAMarkChanges) {
    RegtestChain chain;
    chain.mine(4);
    const auto second = chain.block_at(2).header.hash();
    const auto third = chain.block_at(3).header.hash();
    const auto records = [&] { return chain.history().records().size(); };
    chain.reconsider(second);
    EXPECT_EQ(records(), 4U);
    chain.invalidate(third);
    chain.invalidate(third);
    EXPECT_EQ(records(), 5U);
    chain.invalidate(second);  // still valid until now, although its child is invalid
    EXPECT_EQ(records(), 6U);
    chain.reconsider(third);
    chain.reconsider(second);
    EXPECT_EQ(records(), 7U);
    EXPECT_EQ(chain.height(), 4U);
}

}  // namespace
}  // namespace petal::regtest
