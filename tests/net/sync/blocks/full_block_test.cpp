#include "net/sync/blocks/full_block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>
#include <vector>

#include "chain/script/script.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/regtest/regtest_peer.h"
#include "tests/support/unsigned_spend.h"

namespace petal::net {
namespace {

using chain::Bytes;
using chain::Outpoint;
using Txids = std::vector<chain::Txid>;

chain::Hash160 key_hash(chain::Byte number) {
    chain::Hash160 hash{};
    hash.fill(number);
    return hash;
}

WatchIndex watching(std::initializer_list<Bytes> elements) {
    return WatchIndex{std::vector<Bytes>(elements), {}};
}

Txids txids_of(const chain::ProvenBlock& block) {
    Txids txids;
    for (const auto& transaction : block.transactions) txids.push_back(transaction.txid);
    return txids;
}

/// A block with a payment to script(1), its spend to script(2), a spend of that output, and
/// payments to others before and between them.
class FullBlocks : public testing::Test {
protected:
    FullBlocks() {
        const auto other = chain.make_payment({{1'000, regtest::script(8)}});
        payment = chain.make_payment({{50'000, regtest::script(1)}});
        spend = test::make_spend(chain, std::array{Outpoint{payment.txid(), 0}},
                                 {{40'000, regtest::script(2)}});
        spend.inputs[0].witness = {{1, 2, 3}};
        sweep = test::make_spend(chain, std::array{Outpoint{spend.txid(), 0}},
                                 {{30'000, regtest::script(3)}});
        chain.mine_block({other, payment, spend, sweep});
        block = {chain.height(), chain.tip()};
    }

    chain::Block full_block() const {
        const regtest::RegtestBlock& served = chain.block_at(block.height);
        return {served.header, served.transactions};
    }

    chain::Expected<SearchedBlock, Violation> search(
        const chain::Block& received, WatchIndex watched,
        BlockForm asked_for = BlockForm::full_with_witnesses) const {
        return search_full_block(chain::BlockView(received), block, asked_for, watched);
    }

    std::string refusal(const chain::Block& received, DisconnectReason reason,
                        BlockForm asked_for = BlockForm::full_with_witnesses) const {
        const auto searched = search(received, watching({}), asked_for);
        if (searched) return "accepted";
        EXPECT_EQ(searched.error().reason, reason);
        return searched.error().detail;
    }

    regtest::RegtestChain chain;
    chain::BlockRef block;
    chain::Transaction payment;
    chain::Transaction spend;
    chain::Transaction sweep;
};

TEST_F(FullBlocks, YieldTransactionsOfTheWatcher) {
    const auto searched = search(full_block(), watching({Bytes(20, 1)}));
    ASSERT_TRUE(searched);
    EXPECT_EQ(searched->block.block, block);
    EXPECT_EQ(searched->block.header, chain.block_at(block.height).header);
    EXPECT_EQ(searched->block.transaction_count, 5U);
    ASSERT_EQ(txids_of(searched->block), (Txids{payment.txid(), spend.txid()}));
    EXPECT_EQ(searched->block.transactions[0].position, 2U);
    EXPECT_EQ(searched->block.transactions[1].position, 3U);
    EXPECT_EQ(searched->block.transactions[1].transaction, spend) << "with its witness";
    EXPECT_EQ(searched->found, (std::vector{Outpoint{payment.txid(), 0}}));
}

TEST_F(FullBlocks, YieldNoWitnessesThatWereNotChecked) {
    const auto searched = search(full_block(), watching({Bytes(20, 1)}), BlockForm::full);
    ASSERT_TRUE(searched);
    ASSERT_EQ(searched->block.transactions.size(), 2U);
    EXPECT_FALSE(searched->block.transactions[1].transaction.has_witness());
}

TEST_F(FullBlocks, YieldTheMerkleBranchesOfWhatIsFound) {
    const auto searched = search(full_block(), watching({Bytes(20, 1)}));
    ASSERT_TRUE(searched);
    ASSERT_EQ(searched->block.transactions.size(), 2U);
    for (const auto& proven : searched->block.transactions) {
        EXPECT_EQ(proven.branch.size(), 3U);
        EXPECT_TRUE(chain::check_merkle_branch({proven.position, proven.txid},
                                               searched->block.transaction_count, proven.branch,
                                               searched->block.header.merkle_root));
    }
}

TEST_F(FullBlocks, YieldSpendsOfWatchedOutpoints) {
    const Outpoint coin{spend.txid(), 0};
    const chain::WatchedOutpoints confirmed{{coin}, {}};
    const chain::WatchedOutpoints unconfirmed{{}, {coin}};
    for (const auto& watched : {confirmed, unconfirmed}) {
        const auto searched = search(full_block(), WatchIndex{{}, watched});
        ASSERT_TRUE(searched);
        EXPECT_EQ(txids_of(searched->block), Txids{sweep.txid()});
        EXPECT_TRUE(searched->found.empty());
    }
}

TEST_F(FullBlocks, YieldNothingIfNothingMatches) {
    const auto searched =
        search(full_block(), watching({Bytes(20, 7), Bytes(19, 1), Bytes(21, 1)}));
    ASSERT_TRUE(searched);
    EXPECT_TRUE(searched->block.transactions.empty());
    EXPECT_EQ(searched->block.transaction_count, 5U);
}

TEST_F(FullBlocks, AddFoundOutpointsToTheIndex) {
    WatchIndex watched = watching({Bytes(20, 3)});
    ASSERT_TRUE(search_full_block(chain::BlockView(full_block()), block,
                                  BlockForm::full_with_witnesses, watched));
    for (const auto& transaction : chain.block_at(block.height).transactions) {
        for (std::uint32_t i = 0; i < transaction.outputs.size(); ++i) {
            const Outpoint outpoint{transaction.txid(), i};
            EXPECT_EQ(watched.contains(outpoint.serialize()),
                      outpoint == (Outpoint{sweep.txid(), 0}));
        }
    }
    const auto later = test::make_spend(chain, std::array{Outpoint{sweep.txid(), 0}},
                                        {{20'000, regtest::script(9)}});
    const regtest::RegtestBlock& mined = chain.mine_block({later});
    const chain::BlockRef next{chain.height(), chain.tip()};
    const auto searched = search_full_block(chain::BlockView({mined.header, mined.transactions}),
                                            next, BlockForm::full_with_witnesses, watched);
    ASSERT_TRUE(searched);
    EXPECT_EQ(txids_of(searched->block), Txids{later.txid()});
}

TEST_F(FullBlocks, MatchTheDataOfAnyPush) {
    const Bytes key(33, 0x02);
    const auto p2pk = chain.make_payment({{1'000, chain::p2pk_script(key)}});
    const auto p2pkh = chain.make_payment({{1'000, chain::p2pkh_script(key_hash(4))}});
    auto signed_spend =
        test::make_spend(chain, std::array{Outpoint{p2pkh.txid(), 0}}, {{500, regtest::script(9)}});
    signed_spend.inputs[0].script_sig = {0x01, 0x30, 0x03, 0x02, 0xcc, 0xdd};
    chain.mine_block({p2pk, p2pkh, signed_spend});
    block = {chain.height(), chain.tip()};

    EXPECT_EQ(txids_of(search(full_block(), watching({key}))->block), Txids{p2pk.txid()});
    EXPECT_EQ(txids_of(search(full_block(), watching({Bytes(20, 4)}))->block),
              (Txids{p2pkh.txid(), signed_spend.txid()}));
    EXPECT_EQ(txids_of(search(full_block(), watching({{0x02, 0xcc, 0xdd}}))->block),
              Txids{signed_spend.txid()})
        << "by its signature script";
}

TEST_F(FullBlocks, MatchNoPushAfterAMalformedOne) {
    // A push of two bytes, then a push without its length.
    Bytes malformed = {0x02, 0x01, 0x02, 0x4c};
    const auto paid = chain.make_payment({{1'000, malformed}});
    chain.mine_block({paid});
    block = {chain.height(), chain.tip()};
    EXPECT_EQ(txids_of(search(full_block(), watching({{0x01, 0x02}}))->block), Txids{paid.txid()});
    EXPECT_TRUE(search(full_block(), watching({{0x4c}, {}}))->block.transactions.empty());
}

TEST_F(FullBlocks, AreRefusedUnlessRequested) {
    chain::Block other = full_block();
    other.header.nonce ^= 1U;
    EXPECT_NE(refusal(other, DisconnectReason::unrequested).find(block.hash.to_hex()),
              std::string::npos);
}

TEST_F(FullBlocks, AreRefusedIfIncompleteOrChanged) {
    chain::Block changed = full_block();
    changed.transactions.pop_back();
    EXPECT_NE(refusal(changed, DisconnectReason::invalid_proof), "accepted");
    changed = full_block();
    changed.transactions[2].lock_time ^= 1U;
    EXPECT_NE(refusal(changed, DisconnectReason::invalid_proof), "accepted");
    changed = full_block();
    changed.transactions.push_back(changed.transactions.back());
    EXPECT_NE(refusal(changed, DisconnectReason::invalid_proof), "accepted");
    EXPECT_EQ(refusal(full_block(), DisconnectReason::invalid_proof), "accepted");
}

TEST_F(FullBlocks, HaveTheirWitnessesCheckedIfRequested) {
    chain::Block changed = full_block();
    changed.transactions[3].inputs[0].witness = {{1, 2, 4}};
    EXPECT_NE(refusal(changed, DisconnectReason::invalid_proof), "accepted");
    const chain::Block stripped =
        chain::decode_block(full_block().serialize_without_witness()).value();
    EXPECT_NE(refusal(stripped, DisconnectReason::invalid_proof), "accepted");
    EXPECT_EQ(refusal(stripped, DisconnectReason::invalid_proof, BlockForm::full), "accepted");
}

// The checksum of a `block` message is not checked (FrameDecoder).
TEST_F(FullBlocks, AreRefusedWithAnyBitChanged) {
    const Bytes bytes = full_block().serialize();
    for (std::size_t i = 0; i < 8 * bytes.size(); ++i) {
        Bytes changed = bytes;
        changed[i / 8] ^= static_cast<chain::Byte>(1U << (i % 8));
        const auto view = chain::BlockView::find(changed);
        if (!view) continue;
        WatchIndex watched = watching({});
        EXPECT_FALSE(search_full_block(*view, block, BlockForm::full_with_witnesses, watched))
            << "bit " << i;
    }
}

/// Payments to and spends from a few scripts, in an order that depends on the seed.
class RandomHistory {
public:
    explicit RandomHistory(std::uint32_t seed) : random_(seed) {}

    void mine_block(regtest::RegtestChain& chain) {
        std::vector<chain::Transaction> transactions;
        const auto count = random_() % 8;
        for (std::uint32_t i = 0; i < count; ++i) {
            transactions.push_back(
                coins_.empty() || random_() % 2 == 0
                    ? chain.make_payment({{100'000, next_script()}, {100'000, next_script()}})
                    : test::make_spend(chain, std::array{take_coin()}, {{1'000, next_script()}}));
            const auto txid = transactions.back().txid();
            for (std::uint32_t k = 0; k < transactions.back().outputs.size(); ++k) {
                const auto& output = transactions.back().outputs[k];
                if (output.value >= 1'000 && output.script_pubkey.size() > 1) {
                    coins_.push_back({txid, k});
                }
            }
        }
        chain.mine_block(std::move(transactions));
    }

private:
    Bytes next_script() {
        const auto number = static_cast<chain::Byte>(random_() % 40);
        return number % 2 == 0 ? regtest::script(number) : chain::p2pkh_script(key_hash(number));
    }

    Outpoint take_coin() {
        std::swap(coins_[random_() % coins_.size()], coins_.back());
        const Outpoint coin = coins_.back();
        coins_.pop_back();
        return coin;
    }

    std::mt19937 random_;
    std::vector<Outpoint> coins_;
};

// The filter has practically no false positives: it is made for a rate of 1e-9 with 100 elements,
// and gets a few hundred.
TEST(FullBlockSearch, FindsWhatAFilterFinds) {
    for (std::uint32_t seed = 1; seed <= 20; ++seed) {
        regtest::RegtestChain chain;
        RandomHistory history(seed);
        chain.make_payment({{1, regtest::script(0)}});  // fills the purse
        const auto first = chain.height() + 1;
        for (int i = 0; i < 25; ++i) history.mine_block(chain);

        const std::vector<Bytes> elements = {Bytes(20, 1), Bytes(20, 2), Bytes(20, 3)};
        regtest::RegtestPeer peer(chain);
        peer.load(regtest::filter_of(elements));
        WatchIndex watched{elements, {}};
        for (auto height = first; height <= chain.height(); ++height) {
            const regtest::RegtestBlock& mined = chain.block_at(height);
            const chain::BlockRef block{height, mined.header.hash()};
            const auto searched =
                search_full_block(chain::BlockView({mined.header, mined.transactions}), block,
                                  BlockForm::full_with_witnesses, watched);
            ASSERT_TRUE(searched);
            std::vector<Message> found;
            for (const auto& transaction : searched->block.transactions) {
                found.emplace_back(regtest::stripped(transaction.transaction));
                EXPECT_EQ(mined.txids.at(transaction.position), transaction.txid);
            }
            peer.request(InventoryType::filtered_block, block.hash);
            auto answer = peer.received();
            answer.erase(answer.begin());
            EXPECT_EQ(found, answer) << "seed " << seed << ", height " << height;
        }
    }
}

}  // namespace
}  // namespace petal::net
