/// The faults that an embedded node can be configured to have.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "chain/merkle_proof.h"
#include "chain/script/script.h"
#include "net/wire/codec.h"
#include "tests/regtest/regtest_peer.h"
#include "tests/support/unsigned_spend.h"

namespace petal::regtest {
namespace {

using chain::Bytes;

/// A block in which the peer's script is paid twice and another script once.
class RegtestFaults : public testing::Test {
protected:
    RegtestFaults() {
        chain.pay(script(9), 1'000);
        first_match = chain.pay(script(1), 2'000);
        second_match = chain.pay(script(1), 3'000);
        chain.mine();
    }

    RegtestPeer peer_of(Fault fault) {
        NodeBehaviour behaviour;
        behaviour.faults = {std::move(fault)};
        RegtestPeer peer(chain, behaviour);
        peer.load(filter_of({Bytes(20, 1)}));
        return peer;
    }

    /// The node's answer to a request for the block.
    std::vector<net::Message> block(RegtestPeer& peer) {
        peer.request(net::InventoryType::filtered_block, chain.tip());
        return peer.received();
    }

    static std::vector<chain::Txid> proven(const net::Message& message) {
        const auto& block = std::get<net::MerkleBlock>(message);
        std::vector<chain::Txid> txids;
        const auto matches = chain::check_merkle_proof(block.tree, block.header.merkle_root);
        for (const auto& match : matches.value()) txids.push_back(match.txid);
        return txids;
    }

    /// The transactions sent in the messages after the first.
    static std::vector<chain::Txid> sent(const std::vector<net::Message>& messages) {
        std::vector<chain::Txid> txids;
        for (std::size_t i = 1; i < messages.size(); ++i) {
            txids.push_back(std::get<net::Tx>(messages[i]).transaction.txid());
        }
        return txids;
    }

    using Txids = std::vector<chain::Txid>;
    RegtestChain chain;
    chain::Txid first_match;
    chain::Txid second_match;
};

TEST_F(RegtestFaults, WithholdTransactions) {
    auto peer = peer_of({.kind = FaultKind::withhold_transaction, .times = 1});
    EXPECT_EQ(proven(block(peer)[0]), (Txids{first_match, second_match}));
    auto always = peer_of({FaultKind::withhold_transaction});
    const auto answer = block(always);
    EXPECT_EQ(proven(answer[0]), (Txids{first_match, second_match}));
    EXPECT_TRUE(sent(answer).empty());
}

TEST_F(RegtestFaults, OmitMatches) {
    auto peer = peer_of({.kind = FaultKind::omit_match, .times = 1});
    const auto answer = block(peer);
    EXPECT_EQ(proven(answer[0]), Txids{second_match});
    EXPECT_EQ(sent(answer), Txids{second_match});
    auto always = peer_of({FaultKind::omit_match});
    EXPECT_TRUE(proven(block(always)[0]).empty());
}

TEST_F(RegtestFaults, OmitEveryNthMatch) {
    auto peer = peer_of({.kind = FaultKind::omit_match, .every = 3});
    std::vector<Txids> answers;
    for (int i = 0; i < 3; ++i) answers.push_back(proven(block(peer)[0]));
    // Of six matches, the third and the sixth are omitted.
    EXPECT_EQ(answers,
              (std::vector<Txids>{{first_match, second_match}, {second_match}, {first_match}}));
}

TEST_F(RegtestFaults, OmitAllThatConcernsAScript) {
    chain.pay(script(2), 4'000);
    chain.mine();
    const chain::Txid kept = chain.block_at(chain.height()).txids[1];
    const std::array coins = {chain::Outpoint{first_match, 0}, chain::Outpoint{kept, 0}};
    const auto spend = test::make_spend(chain, coins, {{1'000, script(9)}});
    const auto other =
        test::make_spend(chain, std::array{chain::Outpoint{spend.txid(), 0}}, {{500, script(2)}});
    chain.mine_block({spend, other});

    NodeBehaviour behaviour;
    behaviour.faults = {{.kind = FaultKind::omit_match, .script = script(1)}};
    RegtestPeer peer(chain, behaviour);
    auto filter = filter_of({Bytes(20, 1), Bytes(20, 2)});
    filter.insert(coins[0].serialize());
    peer.load(filter);
    EXPECT_EQ(proven(block(peer)[0]), Txids{other.txid()})
        << "the payment spent is in an earlier block, which was not served";
    peer.request(net::InventoryType::filtered_block,
                 chain.block_at(chain.height() - 2).header.hash());
    EXPECT_TRUE(proven(peer.received()[0]).empty());
    peer.request(net::InventoryType::filtered_block,
                 chain.block_at(chain.height() - 1).header.hash());
    EXPECT_EQ(proven(peer.received()[0]), Txids{kept});
}

TEST_F(RegtestFaults, AddMatches) {
    auto peer = peer_of({.kind = FaultKind::add_match, .every = 2});
    const auto& txids = chain.block_at(chain.height()).txids;
    ASSERT_EQ(txids.size(), 4U);
    const auto answer = block(peer);
    EXPECT_EQ(proven(answer[0]), (Txids{txids[1], first_match, second_match}))
        << "of the coinbase and the payment to another script, the second is added";
    EXPECT_EQ(sent(answer), (Txids{txids[1], first_match, second_match}));
}

TEST_F(RegtestFaults, SwapTransactions) {
    auto peer = peer_of({FaultKind::swap_transactions});
    const auto answer = block(peer);
    EXPECT_EQ(proven(answer[0]), (Txids{first_match, second_match}));
    EXPECT_EQ(sent(answer), (Txids{second_match, first_match}));
}

TEST_F(RegtestFaults, SwapTheOnlyTransactionForAnother) {
    NodeBehaviour behaviour;
    behaviour.faults = {{FaultKind::swap_transactions}};
    RegtestPeer peer(chain, behaviour);
    peer.load(filter_of({Bytes(20, 9)}));
    const auto& txids = chain.block_at(chain.height()).txids;
    const auto answer = block(peer);
    EXPECT_EQ(proven(answer[0]), Txids{txids[1]});
    EXPECT_EQ(sent(answer), Txids{txids[0]});
}

TEST_F(RegtestFaults, ProveByAnotherChainsBlock) {
    auto peer = peer_of({FaultKind::foreign_proof});
    const auto answer = block(peer);
    EXPECT_EQ(proven(answer[0]), (Txids{first_match, second_match}))
        << "the proof is valid for its own merkle root";
    EXPECT_EQ(sent(answer), (Txids{first_match, second_match}));
    const auto& header = std::get<net::MerkleBlock>(answer[0]).header;
    const auto& honest = chain.block_at(chain.height()).header;
    EXPECT_EQ(header.previous, honest.previous);
    EXPECT_EQ(chain.blocks().find(header.hash()), nullptr);
}

TEST_F(RegtestFaults, PauseBeforeABlock) {
    auto peer = peer_of({.kind = FaultKind::pause,
                         .after_blocks = 1,
                         .times = 1,
                         .duration = std::chrono::seconds{40}});
    EXPECT_EQ(block(peer).size(), 3U);
    EXPECT_TRUE(block(peer).empty());
    peer.pass(std::chrono::milliseconds{39'999});
    EXPECT_TRUE(peer.received().empty());
    peer.pass(std::chrono::milliseconds{1});
    EXPECT_EQ(peer.received().size(), 3U);
    EXPECT_EQ(block(peer).size(), 3U);
}

TEST_F(RegtestFaults, ConcernTheTransactionThatIsNamed) {
    auto omitting = peer_of({.kind = FaultKind::omit_match, .transaction = second_match});
    EXPECT_EQ(proven(block(omitting)[0]), Txids{first_match});
    auto adding = peer_of({.kind = FaultKind::add_match, .transaction = second_match});
    EXPECT_EQ(proven(block(adding)[0]), (Txids{first_match, second_match}));
    auto withholding =
        peer_of({.kind = FaultKind::withhold_transaction, .transaction = second_match});
    EXPECT_EQ(sent(block(withholding)), Txids{first_match});
    auto elsewhere = peer_of({.kind = FaultKind::omit_match, .transaction = chain::Txid{}});
    EXPECT_EQ(proven(block(elsewhere)[0]), (Txids{first_match, second_match}));
}

TEST_F(RegtestFaults, SendATransactionThatIsNotProven) {
    auto peer = peer_of({FaultKind::send_unmatched});
    const auto answer = block(peer);
    EXPECT_EQ(proven(answer[0]), (Txids{first_match, second_match}));
    const auto coinbase = chain.block_at(chain.height()).txids[0];
    EXPECT_EQ(sent(answer), (Txids{first_match, second_match, coinbase}));
}

TEST_F(RegtestFaults, CorruptTheProof) {
    auto peer = peer_of({FaultKind::corrupt_proof});
    const auto answer = block(peer);
    const auto& message = std::get<net::MerkleBlock>(answer[0]);
    EXPECT_FALSE(chain::check_merkle_proof(message.tree, message.header.merkle_root));
}

TEST_F(RegtestFaults, SendGarbageThatNothingDecodes) {
    auto peer = peer_of({FaultKind::garbage});
    const auto answer = block(peer);
    ASSERT_EQ(answer.size(), 1U);
    EXPECT_EQ(command_of(answer[0]), "merkleblock");
    EXPECT_FALSE(decode_message(net::Frame{"merkleblock", encode_payload(answer[0])}));
}

TEST_F(RegtestFaults, StallWithoutHangingUp) {
    auto peer = peer_of({FaultKind::stall, 1});
    EXPECT_EQ(block(peer).size(), 3U);
    EXPECT_TRUE(block(peer).empty());
    peer.send(net::Ping{1});
    chain.mine();
    EXPECT_TRUE(peer.received().empty());
    EXPECT_FALSE(peer.node.disconnect_reason());
}

TEST_F(RegtestFaults, HangUpAfterTheServedAnswers) {
    auto peer = peer_of({FaultKind::hang_up, 2});
    const net::Inventory entry{net::InventoryType::filtered_block, {chain.tip().bytes}};
    peer.send(net::GetData{{entry, entry, entry}});
    EXPECT_TRUE(peer.node.disconnect_reason());
    EXPECT_EQ(peer.received().size(), 6U) << "answers from before the fault are still sent";
}

TEST_F(RegtestFaults, StrikeFullBlocksToo) {
    const auto whole = [this](FaultKind kind) {
        auto peer = peer_of({.kind = kind, .times = 1});
        peer.request(net::InventoryType::witness_block, chain.tip());
        return peer.received();
    };
    const auto header = chain.block_at(chain.height()).header;
    for (const auto kind : {FaultKind::withhold_transaction, FaultKind::corrupt_proof}) {
        const auto block = std::get<net::FullBlock>(whole(kind).at(0)).block.decode();
        EXPECT_EQ(block.header, header);
        EXPECT_FALSE(chain::check_transactions(block)) << describe(kind);
    }
    const auto foreign =
        std::get<net::FullBlock>(whole(FaultKind::foreign_proof).at(0)).block.decode();
    EXPECT_TRUE(chain::check_transactions(foreign));
    EXPECT_EQ(chain.blocks().find(foreign.header.hash()), nullptr);
    const auto garbage = whole(FaultKind::garbage);
    EXPECT_FALSE(decode_message(net::Frame{"block", encode_payload(garbage.at(0))}));
    EXPECT_EQ(command_of(garbage[0]), "block");
    EXPECT_TRUE(whole(FaultKind::stall).empty());
}

TEST_F(RegtestFaults, StrikeTheGivenNumberOfTimes) {
    auto peer = peer_of({.kind = FaultKind::omit_match, .after_blocks = 1, .times = 3});
    std::vector<std::size_t> matches;
    for (int i = 0; i < 5; ++i) matches.push_back(proven(block(peer)[0]).size());
    EXPECT_EQ(matches, (std::vector<std::size_t>{2, 0, 1, 2, 2}));
}

TEST_F(RegtestFaults, RestartWithEachConnection) {
    for (int i = 0; i < 2; ++i) {
        auto peer = peer_of({.kind = FaultKind::omit_match, .times = 1});
        EXPECT_EQ(proven(block(peer)[0]).size(), 1U);
    }
}

// As Bitcoin Core with NODE_NETWORK_LIMITED alone. BIP159 says 288 blocks; two more allow for
// races.
TEST_F(RegtestFaults, ServeOnlyTheLastBlocksIfPruned) {
    chain.mine(300);
    NodeBehaviour pruned;
    pruned.services &= ~net::kNodeNetwork;
    RegtestPeer peer(chain, pruned);
    for (const auto type : {net::InventoryType::filtered_block, net::InventoryType::block}) {
        peer.load(filter_of({}));
        peer.request(type, chain.block_at(chain.height() - 290).header.hash());
        EXPECT_EQ(peer.received().size(), 1U);
        EXPECT_FALSE(peer.node.disconnect_reason());
        RegtestPeer other(chain, pruned);
        other.load(filter_of({}));
        other.request(type, chain.block_at(chain.height() - 291).header.hash());
        EXPECT_TRUE(other.received().empty());
        EXPECT_TRUE(other.node.disconnect_reason());
    }
}

TEST_F(RegtestFaults, AreDescribedInDifferentWords) {
    std::vector<std::string_view> words;
    for (const auto kind :
         {FaultKind::withhold_transaction, FaultKind::omit_match, FaultKind::add_match,
          FaultKind::swap_transactions, FaultKind::send_unmatched, FaultKind::corrupt_proof,
          FaultKind::foreign_proof, FaultKind::garbage, FaultKind::pause, FaultKind::stall,
          FaultKind::hang_up}) {
        words.push_back(describe(kind));
    }
    std::ranges::sort(words);
    EXPECT_EQ(std::ranges::adjacent_find(words), words.end());
}

}  // namespace
}  // namespace petal::regtest
