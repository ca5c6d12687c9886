// Blocks offered from outside: which ones the chain takes and which it refuses.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "regtest/chain/regtest_chain.h"
#include "tests/regtest/regtest_peer.h"
#include "tests/support/signing.h"
#include "tests/support/unsigned_spend.h"

namespace petal::regtest {
namespace {

constexpr std::int64_t kFirstBlockTime = 1'600'000'000;
constexpr std::uint32_t kOfferedHeight = 121;

RegtestChain signed_chain(std::uint32_t blocks, std::function<std::int64_t()> clock = {}) {
    RegtestChain chain({kFirstBlockTime, PurseKind::p2wpkh, std::move(clock)});
    chain.mine(blocks);
    return chain;
}

chain::Block wire_form(const RegtestBlock& block) {
    return {block.header, block.transactions};
}

/// A valid block on the tip, before a test makes it invalid.
struct Draft {
    std::uint32_t time = 0;
    std::vector<chain::Transaction> transactions;
    chain::Satoshis reward = 0;
    std::uint32_t coinbase_height = kOfferedHeight;
    std::function<void(chain::Block&)> after = [](chain::Block&) {};  // changes the mined block
    std::function<void(chain::BlockHeader&)> header = [](chain::BlockHeader&) {};
};

chain::Block make(const RegtestChain& chain, const Draft& draft) {
    auto transactions = draft.transactions;
    std::vector<chain::Txid> txids;
    for (const auto& transaction : transactions) txids.push_back(transaction.txid());
    transactions.insert(transactions.begin(),
                        make_coinbase(draft.coinbase_height, 7, {draft.reward, script(3)}));
    commit_to_witnesses(transactions, txids);
    txids.insert(txids.begin(), transactions[0].txid());
    RegtestBlock block = mine_block_on(chain.tip(), draft.time, std::move(transactions), txids);
    draft.header(block.header);
    while (!has_regtest_work(block.header) && block.header.bits == 0x207fffff) ++block.header.nonce;
    chain::Block made = wire_form(block);
    draft.after(made);
    return made;
}

/// Recomputes the merkle root for a changed coinbase, the only transaction, and mines the header
/// again.
void mine_again(chain::Block& block) {
    block.header.merkle_root.bytes = block.transactions[0].txid().bytes;
    while (!has_regtest_work(block.header)) ++block.header.nonce;
}

class OfferedBlocks : public testing::Test {
protected:
    OfferedBlocks() : payment_(chain_.make_payment({{100'000, script(1)}})) {}

    Draft draft() {
        const auto time = chain_.block_at(chain_.height()).header.time;
        Draft draft{time + 600, {payment_}, block_subsidy(kOfferedHeight)};
        return draft;
    }
    std::string refusal(const Draft& draft) {
        const auto verdict = chain_.offer_block(make(chain_, draft));
        return verdict.outcome == BlockOutcome::refused ? verdict.reason : "";
    }

    RegtestChain chain_ = signed_chain(kOfferedHeight - 1);
    chain::Transaction payment_;
};

TEST_F(OfferedBlocks, AreAcceptedIfTheyAreValid) {
    const auto block = make(chain_, draft());
    const auto tip = chain_.tip();
    EXPECT_EQ(chain_.offer_block(block).outcome, BlockOutcome::active);
    EXPECT_EQ(chain_.tip(), block.header.hash());
    EXPECT_EQ(chain_.block_at(kOfferedHeight - 1).header.hash(), tip);
    EXPECT_EQ(chain_.blocks().coins().of_script(script(1)).size(), 1U);
    EXPECT_EQ(chain_.offer_block(block).outcome, BlockOutcome::known);
}

TEST_F(OfferedBlocks, AreRefusedForTheirHeadersInCoresWords) {
    auto wrong = draft();
    wrong.header = [](auto& header) { header.bits = 0x1d00ffff; };
    EXPECT_EQ(refusal(wrong), "high-hash");
    wrong = draft();
    wrong.header = [](auto& header) { header.previous.bytes[0] ^= 1; };
    EXPECT_EQ(refusal(wrong), "prev-blk-not-found");
    wrong = draft();
    wrong.header = [](auto& header) { header.version = 3; };
    EXPECT_EQ(refusal(wrong), "bad-version(0x00000003)");
    wrong = draft();
    wrong.time = chain_.block_at(kOfferedHeight - 6).header.time;
    EXPECT_EQ(refusal(wrong), "time-too-old");
    ++wrong.time;
    EXPECT_EQ(refusal(wrong), "");
}

TEST_F(OfferedBlocks, AreRefusedForTheirTransactionsInCoresWords) {
    auto wrong = draft();
    wrong.after = [](auto& block) { ++block.transactions[1].outputs[0].value; };
    EXPECT_EQ(refusal(wrong), "bad-txnmrklroot");
    wrong = draft();
    wrong.after = [](auto& block) { block.transactions[1].inputs[0].witness.clear(); };
    EXPECT_EQ(refusal(wrong), "bad-witness-merkle-match");
    wrong = draft();
    wrong.coinbase_height = kOfferedHeight + 1;
    EXPECT_EQ(refusal(wrong), "bad-cb-height");
    wrong = draft();
    wrong.transactions.push_back(make_coinbase(5, 5, {0, script(1)}));
    EXPECT_EQ(refusal(wrong), "bad-cb-multiple");
    wrong = draft();
    wrong.transactions.push_back(chain_.make_payment({{100'000, script(2)}}));
    wrong.after = [](auto& block) { block.transactions.push_back(block.transactions[2]); };
    EXPECT_EQ(refusal(wrong), "bad-txns-duplicate") << "the root is the same (CVE-2012-2459)";
    wrong = draft();
    wrong.transactions.clear();  // so there is no commitment
    wrong.after = [](auto& block) {
        block.transactions[0].inputs[0].witness.push_back(chain::Bytes{1});
    };
    EXPECT_EQ(refusal(wrong), "unexpected-witness");
}

TEST_F(OfferedBlocks, AreRefusedForWhatTheySpendInCoresWords) {
    auto wrong = draft();
    wrong.reward = 2 * block_subsidy(kOfferedHeight);
    EXPECT_EQ(refusal(wrong), "bad-cb-amount");
    wrong = draft();
    wrong.transactions.push_back(payment_);
    wrong.transactions.back().outputs[0].value -= 1;
    EXPECT_EQ(refusal(wrong), "bad-txns-inputs-missingorspent");
    wrong = draft();
    wrong.transactions[0].outputs[0].value -= 1;
    EXPECT_EQ(refusal(wrong),
              "block-script-verify-flag-failed (Script evaluated without error but finished with "
              "a false/empty top stack element)");
    wrong = draft();
    wrong.transactions[0].inputs[0].prevout = {chain_.block_at(kOfferedHeight - 9).txids[0], 0};
    EXPECT_EQ(refusal(wrong), "bad-txns-premature-spend-of-coinbase");
    wrong = draft();
    wrong.transactions[0].lock_time = kOfferedHeight;
    EXPECT_EQ(refusal(wrong), "bad-txns-nonfinal");
    EXPECT_EQ(chain_.height(), kOfferedHeight - 1);
}

TEST_F(OfferedBlocks, AreRefusedForTheirCoinbaseInCoresWords) {
    auto wrong = draft();
    wrong.transactions.clear();
    wrong.after = [](chain::Block& block) {
        auto& coinbase = block.transactions[0];
        coinbase.lock_time = kOfferedHeight;
        coinbase.inputs[0].sequence = 0;
        mine_again(block);
    };
    EXPECT_EQ(refusal(wrong), "bad-txns-nonfinal");
    wrong.after = [](chain::Block& block) {
        // Counts as 20 operations, at a cost of 4 each.
        constexpr std::uint8_t kOpCheckMultisig = 0xae;
        auto& outputs = block.transactions[0].outputs;
        outputs.push_back({0, chain::Bytes(1'001, kOpCheckMultisig)});
        mine_again(block);
    };
    EXPECT_EQ(refusal(wrong), "bad-blk-sigops") << "even without another transaction";
    wrong.after = [](chain::Block& block) {
        constexpr std::uint8_t kOpCheckMultisig = 0xae;
        auto& coinbase = block.transactions[0];
        coinbase.outputs.push_back({0, chain::Bytes(999, kOpCheckMultisig)});
        coinbase.inputs[0].script_sig.insert(coinbase.inputs[0].script_sig.end(), 2,
                                             kOpCheckMultisig);
        mine_again(block);
    };
    EXPECT_EQ(refusal(wrong), "bad-blk-sigops") << "the coinbase's scriptSig counts";
}

TEST_F(OfferedBlocks, MayHoldNonstandardSignatures) {
    auto with_high_s = draft();
    auto& witness = with_high_s.transactions[0].inputs[0].witness;
    const chain::Bytes key(witness[1].begin(), witness[1].end());
    const chain::Bytes good = test::with_high_s({witness[0].begin(), witness[0].end()});
    auto of_another = good;
    of_another[10] ^= 1;  // a byte of R in the signature
    witness = {of_another, key};
    EXPECT_EQ(refusal(with_high_s),
              "block-script-verify-flag-failed (Script evaluated without error but finished with "
              "a false/empty top stack element)");
    witness = {good, key};
    EXPECT_EQ(refusal(with_high_s), "");
}

TEST_F(OfferedBlocks, HoldNoSignatureForAnotherAnnex) {
    auto first = draft();
    const chain::Bytes to = test::script_of(chain::ScriptType::p2tr, test::private_key());
    first.transactions = {chain_.make_payment({{100'000, to}})};
    EXPECT_EQ(refusal(first), "");
    chain::Transaction spend;
    spend.inputs.push_back({{first.transactions[0].txid(), 0}, {}, 0xffffffff, {}});
    spend.outputs.push_back({90'000, script(2)});
    const chain::Bytes annex = {0x50, 1};
    const std::vector<chain::TxOutput> spent{{100'000, to}};
    chain::TaprootSpend key_path;
    key_path.annex_hash = chain::hash_annex(annex);
    const auto hash = chain::SighashCache(spend, spent).taproot_hash(0, spent[0], 0, key_path);
    const auto signature = test::sign_taproot_hash(*hash, test::private_key());
    auto second = draft();
    second.coinbase_height = kOfferedHeight + 1;
    for (const chain::Bytes& other : {chain::Bytes{0x50}, chain::Bytes{0x50, 2}, annex}) {
        spend.inputs[0].witness = {signature, other};
        second.transactions = {spend};
        EXPECT_EQ(refusal(second), other == annex ? ""
                                                  : "block-script-verify-flag-failed (Invalid "
                                                    "Schnorr signature)");
    }
}

TEST_F(OfferedBlocks, MayHoldScriptsThatAreNotRunHere) {
    auto first = draft();
    const chain::Bytes anyone = {0x51};
    first.transactions = {chain_.make_payment({{100'000, anyone}})};
    EXPECT_EQ(refusal(first), "");
    chain::Transaction spend;
    spend.inputs.push_back({{first.transactions[0].txid(), 0}, {}, 0xffffffff, {}});
    spend.outputs.push_back({90'000, script(2)});
    auto second = draft();
    second.coinbase_height = kOfferedHeight + 1;
    second.transactions = {spend};
    EXPECT_EQ(refusal(second), "");
}

TEST(OfferedBranches, AreFollowedOnceTheyHaveMoreWork) {
    RegtestChain one = signed_chain(130);
    RegtestChain other({kFirstBlockTime + 1, PurseKind::p2wpkh});
    other.mine(131, script(8));
    const auto txid = one.pay(script(1), 50'000);
    one.mine(1);
    for (std::uint32_t height = 1; height <= 131; ++height) {
        EXPECT_EQ(one.offer_block(wire_form(other.block_at(height))).outcome, BlockOutcome::aside);
    }
    EXPECT_FALSE(one.mempool().transaction(txid));
    other.mine(1);
    EXPECT_EQ(one.offer_block(wire_form(other.block_at(132))).outcome, BlockOutcome::active);
    EXPECT_EQ(one.tip(), other.tip());
    EXPECT_TRUE(one.mempool().transactions().empty())
        << "it spends a coinbase of the disconnected branch";
}

TEST(OfferedBranches, ReturnUnconfirmedTransactionsToTheMempool) {
    RegtestChain one = signed_chain(130);
    RegtestChain other = signed_chain(130);
    ASSERT_EQ(one.tip(), other.tip());
    const auto txid = one.pay(script(1), 50'000);
    one.mine(1);
    other.mine(2, script(4));
    one.offer_block(wire_form(other.block_at(131)));
    one.offer_block(wire_form(other.block_at(132)));
    EXPECT_EQ(one.tip(), other.tip());
    EXPECT_TRUE(one.mempool().transaction(txid));
}

TEST(OfferedBranches, AreAbandonedIfABlockIsInvalid) {
    RegtestChain chain = signed_chain(130);
    RegtestChain other = signed_chain(130);
    chain.mine(2);
    const auto tip = chain.tip();
    auto stolen = other.make_payment({{50'000, script(1)}});
    stolen.outputs[0].script_pubkey = script(2);
    other.mine_block({stolen});
    other.mine(2);
    for (std::uint32_t height = 131; height <= 132; ++height) {
        EXPECT_EQ(chain.offer_block(wire_form(other.block_at(height))).outcome,
                  BlockOutcome::aside);
    }
    const auto verdict = chain.offer_block(wire_form(other.block_at(133)));
    EXPECT_EQ(verdict.outcome, BlockOutcome::refused);
    EXPECT_EQ(verdict.reason.substr(0, 31), "block-script-verify-flag-failed");
    EXPECT_EQ(chain.tip(), tip);
    other.mine(1);
    EXPECT_EQ(chain.offer_block(wire_form(other.block_at(134))).reason, "bad-prevblk");
    EXPECT_EQ(chain.offer_block(wire_form(other.block_at(133))).reason, "duplicate-invalid");
}

TEST(OfferedBranches, AreForgottenFromTheirFirstInvalidBlock) {
    RegtestChain chain = signed_chain(130);
    RegtestChain other = signed_chain(130);
    const auto first = wire_form(other.mine_block({}, script(1)));
    auto stolen = other.make_payment({{50'000, script(1)}});
    stolen.outputs[0].script_pubkey = script(2);
    const auto wrong = wire_form(other.mine_block({stolen}, script(1)));
    const auto last = wire_form(other.mine_block({}, script(1)));
    chain.mine(2);
    for (const auto& block : {first, wrong}) chain.offer_block(block);
    const std::size_t records = chain.history().records().size();
    EXPECT_EQ(chain.offer_block(last).outcome, BlockOutcome::refused);
    EXPECT_NE(chain.blocks().find(first.header.hash()), nullptr);
    for (const auto& block : {wrong, last}) {
        EXPECT_EQ(chain.blocks().find(block.header.hash()), nullptr);
        EXPECT_TRUE(chain.blocks().is_wrong(block.header.hash()));
    }
    EXPECT_EQ(chain.history().records().size(), records)
        << "blocks that were never kept are not stored";
    // The kept blocks are still linked to each other.
    chain.invalidate(chain.block_at(131).header.hash());
    EXPECT_EQ(chain.tip(), first.header.hash());
    chain.mine(2);
    EXPECT_EQ(chain.height(), 133U);
}

TEST(OfferedBranches, YieldToAnEqualBranchThatCameFirst) {
    RegtestChain chain = signed_chain(120);
    const auto first = chain.tip();
    chain.invalidate(first);
    chain.mine(1);
    EXPECT_NE(chain.tip(), first);
    chain.reconsider(first);
    EXPECT_EQ(chain.tip(), first);
}

TEST(Coins, AreNoUnspendableOutputs) {
    RegtestChain chain = signed_chain(120);
    const chain::Bytes no_push = {0x6a, 0x05};  // the push runs past the end of the script
    const chain::Bytes longest(10'000, 0x51);
    const chain::Bytes too_long(10'001, 0x51);
    chain.mine_block({chain.make_payment({{0, no_push}, {1'000, longest}, {1'000, too_long}})});
    EXPECT_TRUE(chain.blocks().coins().of_script(no_push).empty());
    EXPECT_EQ(chain.blocks().coins().of_script(longest).size(), 1U);
    EXPECT_TRUE(chain.blocks().coins().of_script(too_long).empty());
}

TEST(OfferedBranches, AreReplayedFromTheirRecords) {
    RegtestChain chain = signed_chain(130);
    chain.pay(script(1), 50'000);
    chain.mine(5);
    chain.reorganise(128, 9);
    const auto left = chain.block_at(132).header.hash();
    chain.invalidate(left);
    chain.mine(2);
    chain.reconsider(left);
    Draft wrong{chain.block_at(chain.height()).header.time + 600, {}, 2 * block_subsidy(138)};
    wrong.coinbase_height = chain.height() + 1;
    EXPECT_EQ(chain.offer_block(make(chain, wrong)).reason, "bad-cb-amount");
    chain.reconsider(chain.block_at(0).header.hash());

    RegtestChain again({kFirstBlockTime, PurseKind::p2wpkh});
    for (const auto& record : chain.history().records()) {
        switch (record.kind) {
            case ChainRecord::Kind::block:
                again.offer_block(wire_form(chain.blocks().find(record.hash)->block()));
                break;
            case ChainRecord::Kind::invalidated:
                again.invalidate(record.hash);
                break;
            case ChainRecord::Kind::reconsidered:
                again.reconsider(record.hash);
                break;
        }
    }
    EXPECT_EQ(again.tip(), chain.tip());
    EXPECT_EQ(again.height(), 137U);
    EXPECT_EQ(again.history().records().size(), chain.history().records().size());
    again.mine(1);
    chain.mine(1);
    EXPECT_EQ(again.tip(), chain.tip()) << "both chains go on in the same way";
}

TEST(ReconsideredBlocks, GiveThePurseItsCoinsBack) {
    RegtestChain chain = signed_chain(120);
    const auto left = chain.block_at(10).header.hash();
    chain.invalidate(left);
    chain.reconsider(left);
    EXPECT_EQ(chain.height(), 120U);
    const auto most = 20 * block_subsidy(1);
    EXPECT_NO_THROW(chain.make_payment({{most - 100'000, script(1)}}));
}

TEST(Reorganisations, AreRefusedForMoreThanABlockHolds) {
    RegtestChain chain = signed_chain(121);
    const auto tip = chain.tip();
    const std::vector<chain::TxOutput> outputs(60, {0, chain::Bytes(20'000, 0x6a)});
    const auto huge = chain.make_payment(outputs);
    EXPECT_THROW(chain.reorganise_with(120, {huge}), std::invalid_argument);
    EXPECT_EQ(chain.tip(), tip);
    chain.mine();
    EXPECT_EQ(chain.height(), 122U);
}

TEST(Reorganisations, ChangeNothingIfTheTimestampsRunOut) {
    RegtestChain chain = signed_chain(130);
    chain.pay(script(1), 50'000);
    chain.set_time(std::numeric_limits<std::uint32_t>::max());
    EXPECT_THROW(chain.mine(20), std::invalid_argument);
    const auto tip = chain.tip();
    const std::size_t records = chain.history().records().size();
    const std::uint64_t revision = chain.history().revision();
    // Six blocks have the last possible timestamp, so that it is their median time past.
    ASSERT_EQ(chain.height(), 136U);
    EXPECT_THROW(chain.reorganise(131, 8), std::invalid_argument);
    EXPECT_EQ(chain.tip(), tip);
    EXPECT_EQ(chain.history().records().size(), records);
    EXPECT_EQ(chain.history().revision(), revision);
    EXPECT_THROW(chain.mine(), std::invalid_argument) << "no further block can be mined";
}

TEST(Reorganisations, KeepUnconfirmedChildrenOfWhatTheyReturn) {
    RegtestChain chain = signed_chain(130);
    const auto parent = chain.make_payment({{50'000, script(1)}});
    chain.mine_block({parent});
    const auto child = chain.submit(test::make_spend(
        chain, std::vector{chain::Outpoint{parent.txid(), 0}}, {{40'000, script(2)}}));
    chain.reorganise(129, 3);
    EXPECT_TRUE(chain.mempool().transaction(parent.txid()));
    EXPECT_TRUE(chain.mempool().transaction(child));
}

TEST(OfferedTimes, AreTwoHoursAheadAtMost) {
    std::int64_t now = kFirstBlockTime + 600'000;
    RegtestChain chain = signed_chain(kOfferedHeight - 1, [&now] { return now; });
    Draft draft{static_cast<std::uint32_t>(now + 7'201), {}, block_subsidy(kOfferedHeight)};
    const auto block = make(chain, draft);
    EXPECT_EQ(chain.offer_block(block).reason, "time-too-new");
    ++now;
    EXPECT_EQ(chain.offer_block(block).outcome, BlockOutcome::active);
}

TEST(OfferedTimes, AheadOfTheClockAreNoMisbehaviour) {
    const std::int64_t now = kFirstBlockTime + 600'000;
    RegtestChain chain = signed_chain(kOfferedHeight - 1, [] { return kFirstBlockTime + 600'000; });
    Draft draft{static_cast<std::uint32_t>(now + 7'201), {}, block_subsidy(kOfferedHeight)};
    const auto block = make(chain, draft);
    draft.coinbase_height = kOfferedHeight + 1;
    draft.header = [&block](auto& header) { header.previous = block.header.hash(); };
    const auto child = make(chain, draft);
    EXPECT_FALSE(chain.offer_block(block).is_misbehaviour());
    EXPECT_FALSE(chain.offer_block(child).is_misbehaviour()) << "its parent was not accepted";
    EXPECT_TRUE(chain.offer_block(make(chain, {})).is_misbehaviour()) << "its time is long past";
}

TEST(Conflicts, AreSignedOnlyForCoinsOfThePurse) {
    RegtestChain chain = signed_chain(130);
    const auto payment = chain.make_payment({{50'000, script(1)}});
    const auto& prevout = payment.inputs[0].prevout;
    const chain::TxOutput spent = *chain.mempool().layer().output(prevout);
    chain.submit(payment);
    const auto conflict = chain.purse().make_conflict(prevout, spent);
    ASSERT_TRUE(conflict);
    EXPECT_TRUE(chain.offer(*conflict)) << "it pays enough to replace the payment";
    EXPECT_FALSE(chain.mempool().transaction(payment.txid()));
    EXPECT_FALSE(chain.purse().make_conflict({payment.txid(), 0}, payment.outputs[0]));
}

TEST(Conflicts, AreConfirmedByAReorganisation) {
    RegtestChain chain = signed_chain(130);
    const auto payment = chain.make_payment({{50'000, script(1)}});
    const auto conflict = chain.purse().make_conflict(
        payment.inputs[0].prevout, *chain.mempool().layer().output(payment.inputs[0].prevout));
    chain.submit(payment);
    chain.mine(3);
    const auto left = chain.tip();
    EXPECT_THROW(chain.reorganise_with(130, {payment, *conflict}), std::invalid_argument);
    EXPECT_EQ(chain.tip(), left) << "a block that cannot be mined changes nothing";
    chain.reorganise_with(130, {*conflict});
    EXPECT_EQ(chain.height(), 134U);
    EXPECT_EQ(chain.block_at(131).txids.at(1), conflict->txid());
    EXPECT_TRUE(chain.blocks().coins().of_script(script(1)).empty());
    EXPECT_TRUE(chain.mempool().transactions().empty());
}

TEST(MadeUpBlocks, AreRefusedByOtherChainsAndReplacedByTheirBlocks) {
    RegtestChain honest = signed_chain(130);
    const auto payment = honest.make_payment({{50'000, script(1)}});
    honest.mine_block({payment});
    RegtestChain hostile = signed_chain(130);
    ASSERT_EQ(hostile.offer_block(wire_form(honest.block_at(131))).outcome, BlockOutcome::active);
    const auto coins = hostile.blocks().coins().of_script(script(1));
    ASSERT_EQ(coins.size(), 1U);
    const auto unsigned_spend =
        test::make_spend(hostile, std::vector{coins.begin()->first}, {{40'000, script(2)}});
    const auto block = hostile.mine_made_up({unsigned_spend, payment});
    EXPECT_EQ(hostile.tip(), block.header.hash());
    EXPECT_EQ(block.txids.at(2), payment.txid());
    EXPECT_EQ(hostile.blocks().coins().of_script(script(2)).size(), 1U);

    EXPECT_EQ(honest.offer_block(wire_form(block)).outcome, BlockOutcome::refused);
    honest.mine(2);
    hostile.offer_block(wire_form(honest.block_at(132)));
    hostile.offer_block(wire_form(honest.block_at(133)));
    EXPECT_EQ(hostile.tip(), honest.tip());
    EXPECT_EQ(hostile.blocks().coins().of_script(script(1)), coins);
    EXPECT_TRUE(hostile.blocks().coins().of_script(script(2)).empty());
}

TEST(DroppedTransactions, TakeTheirDescendantsAlong) {
    RegtestChain chain = signed_chain(130);
    const auto parent = chain.make_payment({{50'000, script(1)}});
    const auto child = test::make_spend(chain, std::vector{chain::Outpoint{parent.txid(), 0}},
                                        {{40'000, script(2)}});
    const auto other = chain.pay(script(3), 10'000);
    chain.submit(parent);
    chain.submit(child);
    EXPECT_TRUE(chain.drop(parent.txid()));
    ASSERT_EQ(chain.mempool().transactions().size(), 1U);
    EXPECT_TRUE(chain.mempool().transaction(other));
    EXPECT_FALSE(chain.drop(parent.txid()));
}

}  // namespace
}  // namespace petal::regtest
