#include "net/sync/blocks/block_download.h"

#include <gtest/gtest.h>

#include "bloom/transaction_match.h"
#include "chain/script/script.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/support/hex.h"
#include "tests/support/list_watcher.h"

namespace petal::net {
namespace {

using test::ListWatcher;
using namespace test::literals;

/// A server's answer for one block.
struct Served {
    MerkleBlock merkle_block;
    std::vector<chain::Transaction> transactions;
};

Served serve(const regtest::RegtestBlock& block, bloom::BloomFilter& filter) {
    std::vector<bool> matches;
    Served served;
    for (std::size_t i = 0; i < block.transactions.size(); ++i) {
        const bool matched =
            bloom::match_and_update(filter, block.transactions[i], block.txids[i]).matched;
        matches.push_back(matched);
        if (matched) served.transactions.push_back(block.transactions[i]);
    }
    served.merkle_block = {block.header, chain::make_merkle_proof(block.txids, matches)};
    return served;
}

std::vector<chain::BlockRef> blocks_of(const std::vector<BlockRequest>& requests) {
    std::vector<chain::BlockRef> blocks;
    for (const BlockRequest& request : requests) blocks.push_back(request.block);
    return blocks;
}

class BlockDownloadTest : public testing::Test {
protected:
    BlockDownloadTest() {
        chain.mine(110);
        for (std::uint32_t i = 0; i < 3; ++i) {
            std::vector<chain::Transaction> payments;
            for (std::uint32_t k = 0; k < 2; ++k) {
                payments.push_back(chain.make_payment({{5'000, ListWatcher::script(2 * i + k)}}));
            }
            chain.mine_block(std::move(payments));
        }
        first = chain.height() - 2;
        download.load_filter(filter, kLoadNonce);
    }

    static bloom::BloomFilter make_filter() {
        bloom::BloomFilter result(bloom::filter_size(1'000, 1e-9), 5, bloom::UpdateMode::all);
        for (std::uint32_t i = 0; i < 10; ++i) {
            const auto script = ListWatcher::script(i);
            result.insert(chain::watch_element(script));
        }
        return result;
    }

    chain::BlockRef block_ref(std::uint32_t height) {
        return {height, chain.block_at(height).header.hash()};
    }

    std::vector<WantedBlock> wanted(const std::vector<std::uint32_t>& heights) {
        std::vector<WantedBlock> blocks;
        for (const std::uint32_t height : heights) {
            blocks.push_back({block_ref(height), BlockForm::filtered});
        }
        return blocks;
    }

    /// Requests the three blocks with payments.
    void request_three() {
        download.request(wanted({first, first + 1, first + 2}), BlockPurpose::scan, 0, kNonce);
    }

    Served served(std::uint32_t height) { return serve(chain.block_at(height), server_filter); }

    /// Feeds a server's answer and returns the delivered block.
    Delivery deliver(std::uint32_t height) {
        Served answer = served(height);
        auto result = download.on_merkle_block(answer.merkle_block);
        for (const auto& transaction : answer.transactions) {
            EXPECT_TRUE(result);
            EXPECT_FALSE(*result);
            result = download.on_transaction(transaction, transaction.txid());
        }
        EXPECT_TRUE(result);
        EXPECT_TRUE(*result);
        return **result;
    }

    static constexpr std::uint64_t kNonce = 77;
    static constexpr std::uint64_t kLoadNonce = 5;
    regtest::RegtestChain chain;
    std::uint32_t first = 0;
    bloom::BloomFilter filter = make_filter();
    bloom::BloomFilter server_filter = filter;
    BlockDownload download;
};

// BIP157: at most 1,000 filters in a request.
TEST_F(BlockDownloadTest, RequestsConsecutiveFiltersByAsFewMessagesAsAllowed) {
    std::vector<WantedBlock> blocks;
    for (std::uint32_t height = 1; height <= 2'500; ++height) {
        if (height == 2'400) continue;
        chain::BlockHash hash;
        hash.bytes[0] = static_cast<chain::Byte>(height);
        hash.bytes[1] = static_cast<chain::Byte>(height >> 8U);
        blocks.push_back({{height, hash}, BlockForm::compact_filter});
    }
    const auto messages = download.request(blocks, BlockPurpose::scan, 0, kNonce);
    ASSERT_EQ(messages.size(), 5U) << "and the ping";
    const auto request = [](std::uint32_t start, const WantedBlock& last) {
        return Message{GetCFilters{BlockFilterType::basic, start, last.block.hash}};
    };
    EXPECT_EQ(messages[0], request(1, blocks[999]));
    EXPECT_EQ(messages[1], request(1'001, blocks[1'999]));
    EXPECT_EQ(messages[2], request(2'001, blocks[2'398])) << "up to the gap";
    EXPECT_EQ(messages[3], request(2'401, blocks.back()));
}

TEST_F(BlockDownloadTest, RequestsBlocksInOrderAndThenPings) {
    const auto blocks = wanted({1, 2});
    const auto messages = download.request(blocks, BlockPurpose::scan, 0, kNonce);
    ASSERT_EQ(messages.size(), 2U);
    const auto& getdata = std::get<GetData>(messages[0]);
    ASSERT_EQ(getdata.entries.size(), 2U);
    EXPECT_EQ(getdata.entries[1].type, InventoryType::filtered_block);
    EXPECT_EQ(getdata.entries[1].hash.bytes, blocks[1].block.hash.bytes);
    EXPECT_EQ(std::get<Ping>(messages[1]).nonce, kNonce);
}

TEST_F(BlockDownloadTest, RequestsCompactFiltersOfConsecutiveBlocksTogether) {
    std::vector<WantedBlock> blocks;
    for (const std::uint32_t height : {3U, 4U, 5U, 7U}) {
        blocks.push_back({block_ref(height), BlockForm::compact_filter});
    }
    blocks.push_back({block_ref(8), BlockForm::full});
    blocks.push_back({block_ref(9), BlockForm::compact_filter});
    const auto messages = download.request(blocks, BlockPurpose::scan, 0, kNonce);
    ASSERT_EQ(messages.size(), 5U);
    const auto filters = [this](std::uint32_t from, std::uint32_t to) {
        return Message{GetCFilters{BlockFilterType::basic, from, block_ref(to).hash}};
    };
    EXPECT_EQ(messages[0], filters(3, 5));
    EXPECT_EQ(messages[1], filters(7, 7));
    EXPECT_EQ(std::get<GetData>(messages[2]).entries[0].type, InventoryType::block);
    EXPECT_EQ(messages[3], filters(9, 9));
    EXPECT_EQ(std::get<Ping>(messages[4]).nonce, kNonce);
    EXPECT_EQ(download.requests().full_blocks(), 1U);
}

TEST_F(BlockDownloadTest, TakesOnlyTheCompactFilterThatIsNext) {
    const auto take = [this](std::uint32_t height, bool matches) {
        const CFilter message{BlockFilterType::basic, block_ref(height).hash, {0}};
        return download.on_compact_filter(
            message, [&](const chain::BlockRef&) { return matches; }, 0);
    };
    EXPECT_EQ(take(3, true).error().reason, DisconnectReason::unrequested);
    const std::vector<WantedBlock> blocks{{block_ref(3), BlockForm::compact_filter},
                                          {block_ref(4), BlockForm::compact_filter},
                                          {block_ref(5), BlockForm::full}};
    download.request(blocks, BlockPurpose::scan, 0, kNonce);
    EXPECT_TRUE(download.requests().expects_compact_filter());
    EXPECT_EQ(take(4, true).error().reason, DisconnectReason::incomplete) << "3 is skipped";
    const auto matching = take(3, true);
    ASSERT_TRUE(matching && *matching);
    EXPECT_TRUE((*matching)->needs_full_block);
    EXPECT_EQ((*matching)->block.block, block_ref(3));
    EXPECT_EQ((*matching)->filter_hash, chain::hash_filter(chain::Bytes{0}));
    EXPECT_FALSE((*take(4, false))->needs_full_block);
    EXPECT_FALSE(download.requests().expects_compact_filter());
    EXPECT_EQ(take(5, false).error().reason, DisconnectReason::unrequested) << "in full";
}

TEST_F(BlockDownloadTest, DeliversEachBlockOnceItsLastTransactionCame) {
    request_three();
    const Delivery delivery = deliver(first);
    EXPECT_TRUE(delivery.wanted);
    EXPECT_EQ(delivery.block.block, block_ref(first));
    ASSERT_EQ(delivery.block.transactions.size(), 2U);
    EXPECT_EQ(delivery.block.transactions[0].position, 1U);
    EXPECT_EQ(delivery.inserted.size(), 2U);
    EXPECT_EQ(download.in_flight(), 2U);
    deliver(first + 1);
    deliver(first + 2);
    EXPECT_TRUE(download.on_pong({kNonce}).empty());
    EXPECT_EQ(download.filter().latest()->filter(), server_filter);
}

TEST_F(BlockDownloadTest, GivesEachTransactionItsMerkleBranch) {
    request_three();
    const auto& block = deliver(first).block;
    ASSERT_EQ(block.transaction_count, 3U);
    ASSERT_EQ(block.transactions.size(), 2U);
    for (const auto& proven : block.transactions) {
        EXPECT_EQ(proven.branch.size(), 2U);
        EXPECT_TRUE(chain::check_merkle_branch({proven.position, proven.txid},
                                               block.transaction_count, proven.branch,
                                               block.header.merkle_root));
    }
}

// The merkle proof does not cover witnesses, and a server sends none (BIP144).
TEST_F(BlockDownloadTest, KeepsNoWitnessesOfFilteredBlocks) {
    request_three();
    Served answer = served(first);
    auto result = download.on_merkle_block(answer.merkle_block);
    for (auto& transaction : answer.transactions) {
        transaction.inputs[0].witness = {chain::Bytes(100'000)};
        result = download.on_transaction(transaction, transaction.txid());
    }
    ASSERT_TRUE(result);
    ASSERT_TRUE(*result);
    ASSERT_EQ((*result)->block.transactions.size(), 2U);
    for (const auto& proven : (*result)->block.transactions) {
        EXPECT_FALSE(proven.transaction.has_witness());
    }
}

TEST_F(BlockDownloadTest, DeliversABlockWithoutMatchesAtOnce) {
    const auto blocks = wanted({50});
    download.request(blocks, BlockPurpose::scan, 0, kNonce);
    const auto result = download.on_merkle_block(served(50).merkle_block);
    ASSERT_TRUE(result);
    ASSERT_TRUE(*result);
    EXPECT_TRUE((*result)->block.transactions.empty());
}

TEST_F(BlockDownloadTest, BlamesATransactionThatDidNotCome) {
    request_three();
    const Served answer = served(first);
    ASSERT_TRUE(download.on_merkle_block(answer.merkle_block));
    ASSERT_TRUE(download.on_transaction(answer.transactions[0], answer.transactions[0].txid()));
    const auto next = download.on_merkle_block(served(first + 1).merkle_block);
    ASSERT_FALSE(next);
    EXPECT_EQ(next.error().reason, DisconnectReason::incomplete);
}

TEST_F(BlockDownloadTest, FindsSkippedBlocksByThePong) {
    request_three();
    deliver(first);
    EXPECT_EQ(blocks_of(download.on_pong({kNonce})),
              (std::vector<chain::BlockRef>{block_ref(first + 1), block_ref(first + 2)}));
    EXPECT_EQ(download.in_flight(), 0U);
}

TEST_F(BlockDownloadTest, IgnoresAPongOfSomeOtherPing) {
    request_three();
    EXPECT_TRUE(download.on_pong({kNonce + 1}).empty());
    EXPECT_EQ(download.in_flight(), 3U);
}

TEST_F(BlockDownloadTest, BlamesASkippedBlock) {
    request_three();
    const auto skipped = download.on_merkle_block(served(first + 1).merkle_block);
    ASSERT_FALSE(skipped);
    EXPECT_EQ(skipped.error().reason, DisconnectReason::incomplete);
}

TEST_F(BlockDownloadTest, BlamesABlockThatWasNotAskedFor) {
    request_three();
    const auto strange = download.on_merkle_block(served(5).merkle_block);
    ASSERT_FALSE(strange);
    EXPECT_EQ(strange.error().reason, DisconnectReason::unrequested);
}

TEST_F(BlockDownloadTest, BlamesAProofThatProvesNothing) {
    request_three();
    MerkleBlock block = served(first).merkle_block;
    block.tree.hashes.back().bytes[0] ^= 1U;
    const auto result = download.on_merkle_block(block);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().reason, DisconnectReason::invalid_proof);
}

TEST_F(BlockDownloadTest, BlamesATransactionThatTheFilterDoesNotMatch) {
    const auto blocks = wanted({50});
    download.request(blocks, BlockPurpose::scan, 0, kNonce);
    const regtest::RegtestBlock& block = chain.block_at(50);
    const MerkleBlock claim{block.header, chain::make_merkle_proof(block.txids, {true})};
    ASSERT_TRUE(download.on_merkle_block(claim));
    const auto result = download.on_transaction(block.transactions[0], block.txids[0]);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().reason, DisconnectReason::contradicts_filter);
}

// As btcd, which looks for empty pushes, such as OP_0 of a witness program, too.
TEST_F(BlockDownloadTest, DoesNotBlameAMatchOfTheEmptyElement) {
    filter.insert({});
    download.load_filter(filter, kLoadNonce + 1);
    download.on_pong({kLoadNonce + 1});
    chain.mine_block({chain.make_payment({{5'000, ListWatcher::script(60)}})});
    const regtest::RegtestBlock& block = chain.block_at(chain.height());
    const auto blocks = wanted({chain.height()});
    download.request(blocks, BlockPurpose::scan, 0, kNonce);
    const MerkleBlock claim{block.header, chain::make_merkle_proof(block.txids, {false, true})};
    ASSERT_TRUE(download.on_merkle_block(claim));
    EXPECT_TRUE(download.on_transaction(block.transactions[1], block.txids[1]));
}

// A transaction that is announced between a filterload and its pong may have been matched by either
// filter.
TEST_F(BlockDownloadTest, MirrorsAnnouncedTransactionsOnceTheFilterIsInUse) {
    const chain::Transaction paid = chain.make_payment({{5'000, ListWatcher::script(1)}});
    const auto receive = [&] {
        download.filter().on_announced(paid.txid(), 10);
        download.filter().on_unconfirmed(paid, paid.txid());
    };
    receive();
    EXPECT_EQ(download.filter().latest()->filter(), filter);
    download.on_pong({kLoadNonce});
    receive();
    EXPECT_TRUE(bloom::match_and_update(filter, paid, paid.txid()).matched);
    EXPECT_EQ(download.filter().latest()->filter(), filter);

    download.load_filter(make_filter(), kLoadNonce + 1);
    download.on_pong({kLoadNonce});
    receive();
    EXPECT_EQ(download.filter().latest()->filter(), make_filter());
}

TEST_F(BlockDownloadTest, MarksDiscardedBlocksAsUnwanted) {
    request_three();
    download.requests().discard_above(first);
    EXPECT_EQ(download.requests().wanted().size(), 1U);
    EXPECT_TRUE(deliver(first).wanted);
    EXPECT_FALSE(deliver(first + 1).wanted);
}

TEST_F(BlockDownloadTest, AllowsDiscardedBlocksToBeSkipped) {
    request_three();
    deliver(first);
    download.requests().discard_above(first);
    EXPECT_TRUE(download.on_pong({kNonce}).empty());
    EXPECT_EQ(download.in_flight(), 0U);
}

TEST_F(BlockDownloadTest, GivesUpABlockThatIsNotFound) {
    request_three();
    const NotFound missing{
        {{InventoryType::filtered_block, chain::Hash256{block_ref(first + 2).hash.bytes}}}};
    EXPECT_EQ(blocks_of(download.on_not_found(missing)),
              (std::vector<chain::BlockRef>{block_ref(first + 2)}));
    EXPECT_TRUE(download.on_not_found(missing).empty()) << "it is given up only once";
}

TEST_F(BlockDownloadTest, MirrorsEachFilterForTheRequestsAfterIt) {
    const auto before = wanted({first});
    download.request(before, BlockPurpose::scan, 0, kNonce);
    bloom::BloomFilter wider = make_filter();
    for (std::uint32_t i = 10; i < 20; ++i) {
        const auto script = ListWatcher::script(i);
        wider.insert(chain::watch_element(script));
    }
    download.load_filter(wider, kLoadNonce + 1);
    const auto behind = wanted({first + 1});
    download.request(behind, BlockPurpose::scan, 0, kNonce + 1);

    deliver(first);  // still matched by the first filter
    server_filter = wider;
    deliver(first + 1);
    EXPECT_EQ(download.filter().latest()->filter(), server_filter);
}

// CVE-2017-12842: a transaction of 64 bytes may be an inner node of the merkle tree.
TEST(FilteredBlocks, WithATransactionOf64BytesNeedTheFullBlock) {
    for (const std::size_t script_bytes : {3U, 4U, 5U}) {
        chain::Transaction transaction;
        transaction.inputs.resize(1);
        transaction.outputs.push_back({1'000, chain::Bytes(script_bytes, 0x51)});
        const std::vector<chain::Txid> txids{chain::Txid{}, transaction.txid()};
        MerkleBlock message;
        message.header.merkle_root = chain::merkle_root(txids);
        message.tree = chain::make_merkle_proof(txids, {false, true});
        auto block = FilteredBlock::start(message, {});
        ASSERT_TRUE(block && block->expects(transaction.txid()));
        EXPECT_FALSE(block->needs_full_block());

        EXPECT_TRUE(block->take(transaction));
        EXPECT_TRUE(block->complete());
        EXPECT_EQ(block->needs_full_block(), script_bytes == 4);
    }
}

// One block's proof of work must not fill the memory: a proof may lead to 16,000 transactions.
TEST(FilteredBlocks, AreNotLargerThanABlockMayBe) {
    std::vector<chain::Transaction> transactions(3);
    std::vector<chain::Txid> txids;
    for (chain::Transaction& transaction : transactions) {
        transaction.inputs.resize(1);
        transaction.inputs[0].prevout.index = static_cast<std::uint32_t>(txids.size());
        transaction.outputs.push_back({1'000, chain::Bytes(400'000, 0x51)});
        txids.push_back(transaction.txid());
    }
    MerkleBlock message;
    message.header.merkle_root = chain::merkle_root(txids);
    message.tree = chain::make_merkle_proof(txids, {true, true, true});
    auto block = FilteredBlock::start(message, {});
    ASSERT_TRUE(block);
    EXPECT_TRUE(block->take(transactions[0]));
    EXPECT_TRUE(block->take(transactions[1]));
    const auto taken = block->take(transactions[2]);
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().reason, DisconnectReason::invalid_proof);
}

// The reverse case: an inner node that may be a transaction.
TEST(FilteredBlocks, WithAnInnerNodeThatReadsAsATransactionNeedTheFullBlock) {
    const std::vector<chain::Txid> txids{
        chain::Txid::from_view(
            "0100000001000102030405060708090a0b0c0d0e0f101112131415161718191a"_hex),
        chain::Txid::from_view(
            "1b1c1d1e1f0000000000ffffffff01e8030000000000000451024e7300000000"_hex)};
    MerkleBlock message;
    message.header.merkle_root = chain::merkle_root(txids);
    message.tree = chain::make_merkle_proof(txids, {true, false});
    const auto block = FilteredBlock::start(message, {});
    ASSERT_TRUE(block);
    EXPECT_TRUE(block->needs_full_block());
}

}  // namespace
}  // namespace petal::net
