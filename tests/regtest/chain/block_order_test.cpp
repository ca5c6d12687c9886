// With several faults in one offered block, which of them it is refused for.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "chain/merkle_proof.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/regtest/regtest_peer.h"

namespace petal::regtest {
namespace {

constexpr std::int64_t kGenesisBlockTime = 1'296'688'602;
constexpr std::uint32_t kHeight = 121;

RegtestChain chain_below() {
    RegtestChain chain({1'600'000'000, PurseKind::p2wpkh});
    chain.mine(kHeight - 1);
    return chain;
}

/// A block with one payment, for chain_below().
chain::Block good_block() {
    RegtestChain chain = chain_below();
    const RegtestBlock& block = chain.mine_block({chain.make_payment({{100'000, script(1)}})});
    return {block.header, block.transactions};
}

void find_nonce(chain::Block& block) {
    while (!has_claimed_work(block.header)) ++block.header.nonce;
}

/// Recomputes the merkle root after transactions were changed.
void seal(chain::Block& block) {
    std::vector<chain::Hash256> leaves;
    for (const auto& transaction : block.transactions) leaves.push_back({transaction.txid().bytes});
    block.header.merkle_root = chain::merkle_root_of(leaves).hash;
    find_nonce(block);
}

std::string refusal(const chain::Block& block) {
    RegtestChain chain = chain_below();
    const auto verdict = chain.offer_block(block);
    return verdict.outcome == BlockOutcome::refused ? verdict.reason : "";
}

/// A fault of a block: the reject reason, and a function that makes a block have it.
struct Fault {
    const char* reason;
    std::function<void(chain::Block&)> make;
};

// Bitcoin Core: CheckBlock, ContextualCheckBlockHeader, ContextualCheckBlock.
// clang-format off
const std::vector<Fault> kFaultsInCoresOrder = {
    {"bad-cb-missing", [](chain::Block& block) { block.transactions.erase(block.transactions.begin()); }},
    {"bad-cb-multiple", [](chain::Block& block) { block.transactions.push_back(make_coinbase(5, 5, {0, script(1)})); }},
    {"bad-cb-length", [](chain::Block& block) { block.transactions[0].inputs[0].script_sig.resize(101); }},
    {"bad-txns-vout-negative", [](chain::Block& block) { block.transactions[1].outputs[0].value = -1; }},
    {"bad-blk-sigops", [](chain::Block& block) { block.transactions[0].outputs.push_back({0, chain::Bytes(1'001, 0xae)}); }},
    {"bad-diffbits", [](chain::Block& block) { block.header.bits = 0x207ffffe; }},
    {"time-too-old", [](chain::Block& block) { block.header.time = kGenesisBlockTime; }},
    {"bad-version(0x00000003)", [](chain::Block& block) { block.header.version = 3; }},
    {"bad-txns-nonfinal", [](chain::Block& block) { block.transactions[1].lock_time = kHeight; }},
    {"bad-cb-height", [](chain::Block& block) { block.transactions[0].inputs[0].script_sig = {0x01, 0x05}; }},
    {"bad-witness-nonce-size", [](chain::Block& block) { block.transactions[0].inputs[0].witness.clear(); }},
    {"bad-blk-weight", [](chain::Block& block) {
        auto& input = block.transactions[1].inputs[0];
        input.witness.push_back(chain::Bytes(4'000'000));
        block.transactions[0].outputs.pop_back();
        commit_to_witnesses(block.transactions, std::vector{block.transactions[1].txid()});
    }},
};
// clang-format on

TEST(FaultyBlocks, AreRefusedForTheFirstFaultInCoresOrder) {
    ASSERT_EQ(refusal(good_block()), "");
    for (auto first = kFaultsInCoresOrder.begin(); first != kFaultsInCoresOrder.end(); ++first) {
        chain::Block block = good_block();
        for (auto fault = kFaultsInCoresOrder.end(); fault != first;) (--fault)->make(block);
        seal(block);
        EXPECT_EQ(refusal(block), first->reason);
    }
}

TEST(FaultyBlocks, AreRefusedForTheirLengthBeforeTheLackOfACoinbase) {
    chain::Block block = good_block();
    block.transactions.erase(block.transactions.begin());
    block.transactions[0].outputs.push_back({0, chain::Bytes(999'000)});
    seal(block);
    EXPECT_EQ(refusal(block), "bad-cb-missing");
    block.transactions[0].outputs.push_back({0, chain::Bytes(1'000)});
    seal(block);
    EXPECT_EQ(refusal(block), "bad-blk-length");
}

TEST(FaultyBlocks, AreRefusedForTheMerkleRootBeforeTheirTransactions) {
    chain::Block block = good_block();
    block.transactions.erase(block.transactions.begin());
    EXPECT_EQ(refusal(block), "bad-txnmrklroot");
    block.transactions.clear();
    EXPECT_EQ(refusal(block), "bad-txnmrklroot");
    block.header.merkle_root = {};
    find_nonce(block);
    EXPECT_EQ(refusal(block), "bad-blk-length");
}

}  // namespace
}  // namespace petal::regtest
