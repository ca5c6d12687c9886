#include "chain/block.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "chain/byte_writer.h"
#include "chain/merkle_proof.h"
#include "tests/support/hex.h"
#include "tests/support/test_data.h"

namespace petal::chain {
namespace {

using namespace petal::test::literals;

// Mainnet's block 000000005a4ded781e667e06ceefafb71410b511fe0d5adc3e5a27ecbec34ae6 (Bitcoin Core:
// bloom_tests.cpp, merkle_block_2).
const Bytes kFourTransactions =
    "0100000075616236cc2126035fadb38deb65b9102cc2c41c09cdf29fc051906800000000fe7d5e12ef0ff901f605"
    "0211249919b1c0653771832b3a80c66cea42847f0ae1d4d26e49ffff001d00f0a441040100000001000000000000"
    "0000000000000000000000000000000000000000000000000000ffffffff0804ffff001d029105ffffffff0100f2"
    "052a010000004341046d8709a041d34357697dfcb30a9d05900a6294078012bf3bb09c6f9b525f1d16d5503d7905"
    "db1ada9501446ea00728668fc5719aa80be2fdfc8a858a4dbdd4fbac00000000010000000255605dc6f5c3dc148b"
    "6da58442b0b2cd422be385eab2ebea4119ee9c268d28350000000049483045022100aa46504baa86df8a33b1192b"
    "1b9367b4d729dc41e389f2c04f3e5c7f0559aae702205e82253a54bf5c4f65b7428551554b2045167d6d206dfe6a"
    "2e198127d3f7df1501ffffffff55605dc6f5c3dc148b6da58442b0b2cd422be385eab2ebea4119ee9c268d283501"
    "0000004847304402202329484c35fa9d6bb32a55a70c0982f606ce0e3634b69006138683bcd12cbb6602200c28fe"
    "b1e2555c3210f1dddb299738b4ff8bbe9667b68cb8764b5ac17b7adf0001ffffffff0200e1f50500000000434104"
    "6a0765b5865641ce08dd39690aade26dfbf5511430ca428a3089261361cef170e3929a68aee3d8d4848b0c5111b0"
    "a37b82b86ad559fd2a745b44d8e8d9dfdc0cac00180d8f000000004341044a656f065871a353f216ca26cef8dde2"
    "f03e8c16202d2e8ad769f02032cb86a5eb5e56842e92e19141d60a01928f8dd2c875a390f67c1f6c94cfc617c0ea"
    "45afac0000000001000000025f9a06d3acdceb56be1bfeaa3e8a25e62d182fa24fefe899d1c17f1dad4c20280000"
    "00004847304402205d6058484157235b06028c30736c15613a28bdb768ee628094ca8b0030d4d6eb0220328789c9"
    "a2ec27ddaec0ad5ef58efded42e6ea17c2e1ce838f3d6913f5e95db601ffffffff5f9a06d3acdceb56be1bfeaa3e"
    "8a25e62d182fa24fefe899d1c17f1dad4c2028010000004a493046022100c45af050d3cea806cedd0ab22520c53e"
    "be63b987b8954146cdca42487b84bdd6022100b9b027716a6b59e640da50a864d6dd8a0ef24c76ce62391fa3eaba"
    "f4d2886d2d01ffffffff0200e1f505000000004341046a0765b5865641ce08dd39690aade26dfbf5511430ca428a"
    "3089261361cef170e3929a68aee3d8d4848b0c5111b0a37b82b86ad559fd2a745b44d8e8d9dfdc0cac00180d8f00"
    "0000004341046a0765b5865641ce08dd39690aade26dfbf5511430ca428a3089261361cef170e3929a68aee3d8d4"
    "848b0c5111b0a37b82b86ad559fd2a745b44d8e8d9dfdc0cac000000000100000002e2274e5fea1bf29d963914bd"
    "301aa63b64daaf8a3e88f119b5046ca5738a0f6b0000000048473044022016e7a727a061ea2254a6c358376aaa61"
    "7ac537eb836c77d646ebda4c748aac8b0220192ce28bf9f2c06a6467e6531e27648d2b3e2e2bae85159c92429398"
    "40295ba501ffffffffe2274e5fea1bf29d963914bd301aa63b64daaf8a3e88f119b5046ca5738a0f6b010000004a"
    "493046022100b7a1a755588d4190118936e15cd217d133b0e4a53c3c15924010d5648d8925c9022100aaef031874"
    "db2114f2d869ac2de4ae53908fbfea5b2b1862e181626bb9005c9f01ffffffff0200e1f505000000004341044a65"
    "6f065871a353f216ca26cef8dde2f03e8c16202d2e8ad769f02032cb86a5eb5e56842e92e19141d60a01928f8dd2"
    "c875a390f67c1f6c94cfc617c0ea45afac00180d8f000000004341046a0765b5865641ce08dd39690aade26dfbf5"
    "511430ca428a3089261361cef170e3929a68aee3d8d4848b0c5111b0a37b82b86ad559fd2a745b44d8e8d9dfdc0c"
    "ac00000000"_hex;

// Signet's block 1 (Bitcoin Core: test/functional/feature_signet.py).
const Bytes kSignetBlock1 =
    "00000020f61eee3b63a380a477a063af32b2bbc97c9ff9f01f2c4225e973988108000000f575c83235984e7dc4af"
    "c1f30944c170462e84437ab6f2d52e16878a79e4678bd1914d5fae77031eccf40700010100000000010100000000"
    "00000000000000000000000000000000000000000000000000000000ffffffff025151feffffff0200f2052a0100"
    "00001600149243f727dd5343293eb83174324019ec16c2630f0000000000000000776a24aa21a9ede2f61c3f71d1"
    "defd3fa999dfa36953755c690689799962b48bebd836974e8cf94c4fecc7daa2490047304402205e423a8754336c"
    "a99dbe16509b877ef1bf98d008836c725005b3c787c41ebe46022047246e4467ad7cc7f1ad98662afcaf14c115e0"
    "095a227c7b05c5182591c23e7e010001200000000000000000000000000000000000000000000000000000000000"
    "00000000000000"_hex;

// A coinbase and BIP143's signed P2WPKH and P2SH-P2WPKH transactions. The reserved value is 00 01
// ... 1f. Two outputs look like commitments: the last one counts, and it has one more byte. With
// d() for the double SHA-256, a and b for d() of the bytes of BIP143's transactions, and 32 zero
// bytes for the coinbase, the commitment is d(d(d(zero, a), d(b, b)), reserved value) (BIP141), and
// the header's root is d(d(x, y), d(z, z)) of the txids that ReadsWitnesses lists. No block of the
// network: it has no proof of work.
const Bytes kWitnesses =
    "000000200000000000000000000000000000000000000000000000000000000000000000783e092373ed503dd122"
    "83b68f363e7b40f2b3d295c6aac6455ed617466e0c4400f15365ffff7f2000000000030100000000010100000000"
    "00000000000000000000000000000000000000000000000000000000ffffffff03020001ffffffff0300f2052a01"
    "00000001510000000000000000266a24aa21a9ed0000000000000000000000000000000000000000000000000000"
    "0000000000000000000000000000276a24aa21a9edf1cf40a95a00c169e53dd296d464d1a895838d4e4be221edc3"
    "ab6035c6f2d725000120000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f00000000"
    "01000000000102fff7f7881a8099afa6940d42d1e7f6362bec38171ea3edf433541db4e4ad969f00000000494830"
    "450221008b9d1dc26ba6a9cb62127b02742fa9d754cd3bebf337f7a55d114c8e5cdd30be022040529b194ba3f928"
    "1a99f2b1c0a19c0489bc22ede944ccf4ecbab4cc618ef3ed01eeffffffef51e1b804cc89d182d279655c3aa89e81"
    "5b1b309fe287d9b2b55d57b90ec68a0100000000ffffffff02202cb206000000001976a9148280b37df378db99f6"
    "6f85c95a783a76ac7a6d5988ac9093510d000000001976a9143bde42dbee7e4dbe6a21b2d50ce2f0167faa815988"
    "ac000247304402203609e17b84f6a7d30c80bfa610b5b4542f32a8a0d5447a12fb1366d7f01cc44a0220573a954c"
    "4518331561406f90300e8f3358f51928d43c212a8caed02de67eebee0121025476c2e83188368da1ff3e292e7aca"
    "fcdb3566bb0ad253f62fc70f07aeee63571100000001000000000101db6b1b20aa0fd7b23880be2ecbd4a9813097"
    "4cf4748fb66092ac4d3ceb1a5477010000001716001479091972186c449eb1ded22b78e40d009bdf0089feffffff"
    "02b8b4eb0b000000001976a914a457b684d7f0d539a46a45bbc043f35b59d0d96388ac0008af2f000000001976a9"
    "14fd270b1ee6abcaea97fea7ad0402e8bd8ad6d77c88ac02473044022047ac8e878352d3ebbde1c94ce3a10d057c"
    "24175747116f8288e5d794d12d482f0220217f36a485cae903c713331d877c1f64677e3622ad4010726870540656"
    "fe9dcb012103ad1d8e89212f0b92c74d23bb710c00662ad1470198ac48c43f7d6f93a2a2687392040000"_hex;

Block block_from(const Bytes& wire) {
    return decode_block(wire).value();
}

/// The block with its merkle root recomputed.
Block with_true_root(Block block) {
    std::vector<Txid> txids;
    for (const auto& transaction : block.transactions) txids.push_back(transaction.txid());
    block.header.merkle_root = merkle_root(txids);
    return block;
}

std::optional<BlockError> transactions_error(const Block& block) {
    const auto txids = check_transactions(block);
    const auto in_view = check_transactions(BlockView(block));
    EXPECT_EQ(in_view.has_value(), txids.has_value());
    if (txids) {
        EXPECT_EQ(in_view.value(), *txids);
        return std::nullopt;
    }
    EXPECT_EQ(in_view.error(), txids.error());
    return txids.error();
}

std::optional<BlockError> witness_error(const Block& block) {
    const auto txids = check_transactions(with_true_root(block));
    const auto checked = check_witnesses(block.transactions, txids.value());
    const BlockView view(block);
    const auto in_view = check_witnesses(view.transactions(), txids.value());
    EXPECT_EQ(in_view.has_value(), checked.has_value());
    if (checked) return std::nullopt;
    EXPECT_EQ(in_view.error(), checked.error());
    return checked.error();
}

TEST(Block, ReadsAMainnetBlock) {
    const Block block = block_from(kFourTransactions);
    EXPECT_EQ(block.header.hash(),
              "000000005a4ded781e667e06ceefafb71410b511fe0d5adc3e5a27ecbec34ae6"_block);
    ASSERT_EQ(block.transactions.size(), 4U);
    const auto txids = check_transactions(block);
    ASSERT_TRUE(txids);
    EXPECT_EQ(txids->at(0),
              "e980fe9f792d014e73b95203dc1335c5f9ce19ac537a419e6df5b47aecb93b70"_txid);
    EXPECT_EQ(txids->at(3),
              "3c1d7e82342158e4109df2e0b6348b6e84e403d8b4046d7007663ace63cddb23"_txid);
    EXPECT_TRUE(check_witnesses(block.transactions, *txids))
        << "a block without witnesses needs no commitment";
}

TEST(Block, ReadsASignetBlock) {
    const Block block = block_from(kSignetBlock1);
    EXPECT_EQ(block.header.hash(),
              "00000086d6b2636cb2a392d45edc4ec544a10024d30141c9adf4bfd9de533b53"_block);
    const auto txids = check_transactions(block);
    ASSERT_TRUE(txids);
    EXPECT_TRUE(check_witnesses(block.transactions, *txids));
}

TEST(Block, ReadsWitnesses) {
    const Block block = block_from(kWitnesses);
    const auto txids = check_transactions(block);
    ASSERT_TRUE(txids);
    EXPECT_EQ(
        *txids,
        (std::vector{"fdc6b697cde6c79ae5479ea3f9cdb9c4d1cd113328cd5cd3ab87575188bd0811"_txid,
                     "e8151a2af31c368a35053ddd4bdb285a8595c769a3ad83e0fa02314a602d4609"_txid,
                     "ef48d9d0f595052e0f8cdcf825f7a5e50b6a388a81f206f3f4846e5ecd7a0c23"_txid}));
    EXPECT_TRUE(check_witnesses(block.transactions, *txids));
}

TEST(Block, IsWrittenAsItWasRead) {
    for (const Bytes& wire : {kFourTransactions, kSignetBlock1, kWitnesses}) {
        const Block block = block_from(wire);
        EXPECT_EQ(block.serialize(), wire);
        const Block stripped = block_from(block.serialize_without_witness());
        EXPECT_EQ(stripped.header, block.header);
        EXPECT_FALSE(transactions_error(stripped)) << "the txids do not depend on witnesses";
        EXPECT_FALSE(stripped.transactions.back().has_witness());
    }
}

TEST(Block, HasAStrippedSizeWithoutItsWitnesses) {
    EXPECT_EQ(stripped_block_size({}), 81U);
    EXPECT_EQ(stripped_block_size(std::vector<Transaction>(253)), 80U + 3 + 253 * 10);
    for (const Bytes& wire : {kFourTransactions, kSignetBlock1, kWitnesses}) {
        const Block block = block_from(wire);
        EXPECT_EQ(stripped_block_size(block.transactions),
                  block.serialize_without_witness().size());
    }
}

TEST(BlockView, FindsTheTransactionsThatDecodingGives) {
    for (const Bytes& wire : {kFourTransactions, kSignetBlock1, kWitnesses}) {
        const Block block = block_from(wire);
        const BlockView view = BlockView::find(wire).value();
        EXPECT_EQ(view.header(), block.header);
        EXPECT_EQ(view.hash(), block.header.hash());
        EXPECT_EQ(view.decode(), block);
        ASSERT_EQ(view.transactions().size(), block.transactions.size());
        for (std::size_t i = 0; i < block.transactions.size(); ++i) {
            const TransactionView& found = view.transactions()[i];
            const Transaction& transaction = block.transactions[i];
            EXPECT_TRUE(std::ranges::equal(found.bytes(), transaction.serialize()));
            Bytes stripped;
            for (const ByteView part : found.stripped()) {
                stripped.insert(stripped.end(), part.begin(), part.end());
            }
            EXPECT_EQ(stripped, transaction.serialize_without_witness());
            EXPECT_EQ(found.has_witness(), transaction.has_witness());
            EXPECT_EQ(found.is_coinbase(), transaction.is_coinbase());
        }
    }
}

TEST(BlockView, RefersToForeignBytesUnlessItOwnsItsOwn) {
    Bytes wire = kWitnesses;
    const BlockView view = BlockView::find(wire).value();
    EXPECT_EQ(view.bytes().data(), wire.data());
    BlockView owner = view;
    owner.own_bytes();
    const BlockView copy = owner;
    owner = {};
    std::ranges::fill(wire, Byte{0});
    EXPECT_TRUE(std::ranges::equal(copy.bytes(), kWitnesses));
    EXPECT_EQ(copy.decode(), block_from(kWitnesses));
}

TEST(Block, IsRefusedWhereverItEndsEarly) {
    for (const Bytes& wire : {kSignetBlock1, kWitnesses}) {
        for (std::size_t size = 0; size < wire.size(); ++size) {
            const auto block = decode_block(ByteView(wire).first(size));
            ASSERT_FALSE(block) << size;
            EXPECT_EQ(block.error(), DecodeError::truncated) << size;
        }
    }
}

TEST(Block, IsRefusedWithTrailingBytes) {
    Bytes wire = kSignetBlock1;
    wire.push_back(0);
    EXPECT_EQ(decode_block(wire).error(), DecodeError::trailing_bytes);
    ByteReader reader{wire};
    EXPECT_EQ(read_block(reader), block_from(kSignetBlock1))
        << "the reader leaves the byte after the block";
    EXPECT_EQ(reader.remaining(), 1U);
}

// Transactions of 60 bytes, the smallest possible: one input, one output, empty scripts.
Bytes block_of_small_transactions(std::size_t count) {
    Transaction small;
    small.inputs.resize(1);
    small.outputs.resize(1);
    const Bytes bytes = small.serialize();
    EXPECT_EQ(bytes.size(), 60U);
    ByteWriter writer;
    writer.bytes(BlockHeader{}.serialize()).compact_size(count);
    for (std::size_t i = 0; i < count; ++i) writer.bytes(bytes);
    return writer.take();
}

TEST(Block, HasNoMoreTransactionsThanFit) {
    EXPECT_TRUE(decode_block(block_of_small_transactions(16'666)));
    EXPECT_EQ(decode_block(block_of_small_transactions(16'667)).error(), DecodeError::too_large);
}

TEST(Block, IsEmptyIfItIsTruncated) {
    Bytes wire = block_of_small_transactions(100);
    wire.pop_back();
    EXPECT_EQ(decode_block(wire).error(), DecodeError::truncated);
    ByteReader reader{wire};
    EXPECT_EQ(read_block(reader), Block{});
}

TEST(Block, HasNoMoreBytesThanItsWeight) {
    Block block;
    block.transactions.resize(1);
    block.transactions[0].inputs.resize(1);
    block.transactions[0].outputs.resize(1);
    // The header and the count take 81 bytes, the transaction 60, its marker and flag 2, and a
    // witness of one item 6.
    Bytes item(kMaxBlockBytes - 81 - 60 - 2 - 6);
    block.transactions[0].inputs[0].witness = {item};
    Bytes wire = block.serialize();
    ASSERT_EQ(wire.size(), kMaxBlockBytes);
    EXPECT_TRUE(decode_block(wire));
    item.push_back(0);
    block.transactions[0].inputs[0].witness = {item};
    EXPECT_EQ(decode_block(block.serialize()).error(), DecodeError::too_large);
}

// A byte outside of witnesses has four times the weight. Header, versions and lock times are not
// counted.
TEST(Block, HasAtMostAMillionBytesOfInputsAndOutputs) {
    Block block;
    block.transactions.resize(2);
    for (Transaction& transaction : block.transactions) {
        transaction.inputs.resize(1);
        transaction.outputs.resize(1);
        // With their counts, inputs take 42 bytes, outputs 14 bytes and the script.
        transaction.outputs[0].script_pubkey.resize(kMaxStrippedBytes / 2 - 42 - 14);
    }
    EXPECT_TRUE(decode_block(block.serialize()));
    block.transactions[1].inputs[0].witness = {Bytes(2'000'000)};
    EXPECT_TRUE(decode_block(block.serialize()));
    block.transactions[1].outputs[0].script_pubkey.push_back(0);
    EXPECT_EQ(decode_block(block.serialize()).error(), DecodeError::too_large);
}

TEST(BlockTransactions, AreRefusedIfChangedOrMissing) {
    Block block = block_from(kFourTransactions);
    block.transactions[3].lock_time ^= 1U;
    EXPECT_EQ(transactions_error(block), BlockError::wrong_merkle_root);
    block.transactions.pop_back();
    EXPECT_EQ(transactions_error(block), BlockError::wrong_merkle_root);
}

TEST(BlockTransactions, AreRefusedIfReordered) {
    Block block = block_from(kFourTransactions);
    std::swap(block.transactions[2], block.transactions[3]);
    EXPECT_EQ(transactions_error(block), BlockError::wrong_merkle_root);
}

// CVE-2012-2459: the last of three transactions is hashed with itself, as if there were four.
TEST(BlockTransactions, AreRefusedIfRepeated) {
    Block block = block_from(kWitnesses);
    block.transactions.push_back(block.transactions.back());
    EXPECT_EQ(with_true_root(block).header, block.header);
    EXPECT_EQ(transactions_error(block), BlockError::repeated_transactions);
}

// The same on the next level: the last two of six transactions are repeated.
TEST(BlockTransactions, AreRefusedIfRepeatedInPairs) {
    Block block = block_from(kFourTransactions);
    const auto more = block_from(kWitnesses).transactions;
    block.transactions.insert(block.transactions.end(), more.begin() + 1, more.end());
    block = with_true_root(block);
    ASSERT_EQ(block.transactions.size(), 6U);
    EXPECT_FALSE(transactions_error(block));
    block.transactions.insert(block.transactions.end(), more.begin() + 1, more.end());
    EXPECT_EQ(transactions_error(block), BlockError::repeated_transactions);
}

TEST(BlockTransactions, BeginWithACoinbase) {
    Block block = block_from(kWitnesses);
    block.transactions.erase(block.transactions.begin());
    EXPECT_EQ(transactions_error(with_true_root(block)), BlockError::no_coinbase);
    block.transactions.clear();
    EXPECT_EQ(transactions_error(block), BlockError::no_coinbase);
}

// A weakness of Bitcoin's merkle tree: if the hashes of two transactions form a transaction of 64
// bytes, a block with only that transaction has the same root.
TEST(BlockTransactions, AreRefusedIfInnerNodesOfTheTree) {
    Transaction node;
    node.inputs.resize(1);
    node.inputs[0].prevout.index = 0x11223344;
    node.inputs[0].script_sig = Bytes(4);
    node.outputs.resize(1);
    const Bytes bytes = node.serialize();
    ASSERT_TRUE(is_merkle_node_sized(bytes.size()));
    const std::vector children = {Txid::from_view(ByteView(bytes).first(32)),
                                  Txid::from_view(ByteView(bytes).last(32))};
    Block block;
    block.transactions = {node};
    block.header.merkle_root = merkle_root(children);
    EXPECT_EQ(with_true_root(block).header, block.header);
    EXPECT_EQ(transactions_error(block), BlockError::no_coinbase);
}

TEST(BlockWitnesses, AreCommittedTo) {
    Block block = block_from(kWitnesses);
    EXPECT_FALSE(witness_error(block));
    auto& witness = block.transactions[2].inputs[0].witness;
    Bytes first(witness[0].begin(), witness[0].end());
    first[5] ^= 1U;
    witness = {first};
    EXPECT_EQ(witness_error(block), BlockError::wrong_witness_commitment);
}

TEST(BlockWitnesses, AreNotLeftOut) {
    Block block = block_from(kWitnesses);
    block.transactions[2].inputs[0].witness.clear();
    EXPECT_EQ(witness_error(block), BlockError::wrong_witness_commitment);
    EXPECT_EQ(witness_error(block_from(block.serialize_without_witness())),
              BlockError::malformed_reserved_value);
}

TEST(BlockWitnesses, NeedTheReservedValue) {
    Block block = block_from(kWitnesses);
    auto& witness = block.transactions[0].inputs[0].witness;
    Bytes reserved_value(witness[0].begin(), witness[0].end());
    reserved_value[31] ^= 1U;
    witness = {reserved_value};
    EXPECT_EQ(witness_error(block), BlockError::wrong_witness_commitment);
    reserved_value.pop_back();
    witness = {reserved_value};
    EXPECT_EQ(witness_error(block), BlockError::malformed_reserved_value);
    witness = {Bytes(32), Bytes()};
    EXPECT_EQ(witness_error(block), BlockError::malformed_reserved_value);
}

TEST(BlockWitnesses, AreRefusedWithoutACommitment) {
    Block block = block_from(kWitnesses);
    block.transactions[0].outputs.resize(1);
    EXPECT_EQ(witness_error(block), BlockError::unexpected_witness);
    for (auto& transaction : block.transactions) {
        for (auto& input : transaction.inputs) input.witness.clear();
    }
    EXPECT_FALSE(witness_error(block));
}

// A commitment is recognised by its first six bytes and its length of 38 bytes.
TEST(BlockWitnesses, AreNotCommittedToByAShorterScript) {
    Block block = block_from(kWitnesses);
    block.transactions[0].outputs[2].script_pubkey.resize(37);
    EXPECT_EQ(witness_error(block), BlockError::wrong_witness_commitment)
        << "the commitment of the other output";
    block.transactions[0].outputs[1].script_pubkey[5] ^= 1U;
    EXPECT_EQ(witness_error(block), BlockError::unexpected_witness);
}

TEST(BlockWitnesses, AreCommittedToAsTheyAreChecked) {
    Block block = block_from(kWitnesses);
    const auto txids = check_transactions(block);
    const auto& script = block.transactions[0].outputs[2].script_pubkey;
    std::array<Byte, 32> reserved_value{};
    for (std::size_t i = 0; i < 32; ++i) reserved_value[i] = static_cast<Byte>(i);
    const auto commitment = witness_commitment(block.transactions, txids.value(), reserved_value);
    EXPECT_EQ(to_hex(commitment.view()),
              "f1cf40a95a00c169e53dd296d464d1a895838d4e4be221edc3ab6035c6f2d725");
    EXPECT_EQ(witness_commitment_script(commitment), Bytes(script.begin(), script.end() - 1));
}

TEST(BlockVectors, AreReadAndProven) {
    const auto vectors = test::read_test_json("vectors/merkleblock.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;
    for (const auto& [name, hex] : vectors->at("blocks").items()) {
        const Bytes wire = test::bytes_from_hex(hex.get<std::string>());
        const auto block = decode_block(wire);
        ASSERT_TRUE(block) << name;
        EXPECT_EQ(block->serialize(), wire) << name;
        EXPECT_FALSE(transactions_error(*block)) << name;
    }
}

}  // namespace
}  // namespace petal::chain
