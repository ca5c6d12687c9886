#include "chain/merkle_proof.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <ostream>
#include <random>
#include <set>
#include <string>

#include "chain/block_header.h"
#include "chain/byte_reader.h"
#include "chain/transaction.h"
#include "tests/chain/random_txids.h"
#include "tests/support/hex.h"
#include "tests/support/test_data.h"

namespace petal::chain {
namespace {

using namespace petal::test::literals;
using test::repeat;

PartialMerkleTree read_tree(ByteReader& reader) {
    const PartialMerkleTree tree = read_partial_merkle_tree(reader);
    EXPECT_TRUE(reader.ok());
    EXPECT_EQ(reader.remaining(), 0U);
    return tree;
}

PartialMerkleTree tree_from(const Bytes& wire) {
    ByteReader reader{wire};
    return read_tree(reader);
}

// Mainnet's block 00000000…6cb6dea4: a proof of the last of seven transactions.
const Hash256 kRootOf7 = "8772d9d0fdf8c1303c7b1167e3c73b095fd970e33c799c6563d98b2e96c5167f"_hash256;
const std::string kHashesOf7 =
    "3612262624047ee87660be1a707519a443b1c1ce3d248cbfc6c15870f6c5daa2"
    "323a54ad9aa4ba42d1edfb9519af995cf93b736364f81a090885b61b6d7ee1ca"
    "54c10adf159bf118b8b2e629141ac6b5c69addf4ddea130a7d72a4bdf0922a0a";
const std::string kOnes(64, '1');
const std::string kTwos(64, '2');
const std::string kThrees(64, '3');
const std::string kFours(64, '4');

TEST(MerkleProof, ProvesARealTransaction) {
    const auto matches = check_merkle_proof(
        tree_from(test::bytes_from_hex("0700000003" + kHashesOf7 + "0135")), kRootOf7);
    ASSERT_TRUE(matches);
    EXPECT_EQ(*matches,
              (std::vector<MerkleMatch>{
                  {6, "0a2a92f0bda4727d0a13eaddf4dd9ac6b5c61a1429e6b2b818f19b15df0ac154"_txid}}));
}

struct BadProof {
    std::string name;
    std::string wire;
    MerkleProofError error;
};

void PrintTo(const BadProof& row, std::ostream* out) {
    *out << row.name;
}

class BadProofs : public testing::TestWithParam<BadProof> {};

TEST_P(BadProofs, AreRefusedWithTheReason) {
    const auto result =
        check_merkle_proof(tree_from(test::bytes_from_hex(GetParam().wire)), kRootOf7);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(), GetParam().error) << describe(result.error());
}

// Each row differs from the proof above only in what its name says.
// clang-format off
INSTANTIATE_TEST_SUITE_P(Mutated, BadProofs, testing::ValuesIn(std::initializer_list<BadProof>{
    {"NoTransactions",      "0000000003" + kHashesOf7 + "0135", MerkleProofError::no_transactions},
    {"TooManyTransactions", "1b41000003" + kHashesOf7 + "0135", MerkleProofError::too_many_transactions},
    {"MoreHashesThanTransactions", "0700000008" + kHashesOf7 + repeat(kOnes, 5) + "0135", MerkleProofError::more_hashes_than_transactions},
    {"NoFlags",             "0700000003" + kHashesOf7 + "00", MerkleProofError::fewer_flags_than_hashes},
    {"OneHashMissing",      "0700000002" + kHashesOf7.substr(0, 128) + "0135", MerkleProofError::hashes_exhausted},
    {"OneHashMore",         "0700000004" + kHashesOf7 + kOnes + "0135", MerkleProofError::unused_hashes},
    {"OneFlagByteMore",     "0700000003" + kHashesOf7 + "023500", MerkleProofError::unused_flags},
    {"FlagsOfAWholeTree",   "0700000007" + kOnes + kTwos + kHashesOf7 + kThrees + kFours + "01ff", MerkleProofError::flags_exhausted},
    {"OneBitOfAHash",       "0700000003" + std::string("37") + kHashesOf7.substr(2) + "0135", MerkleProofError::wrong_root},
    {"OneTransactionMore",  "0800000003" + kHashesOf7 + "0135", MerkleProofError::hashes_exhausted},
    {"OnlyTheRootClaimed",  "0700000001" + kOnes + "0100", MerkleProofError::wrong_root},
    {"NoHashes",            "0700000000" "0100", MerkleProofError::hashes_exhausted},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(MerkleProof, TakesAsManyTransactionsAsFitIntoABlock) {
    EXPECT_EQ(kMaxTransactionsPerBlock, 16'666U);
    PartialMerkleTree tree{kMaxTransactionsPerBlock, {kRootOf7}, {0}};
    const auto nothing_matched = check_merkle_proof(tree, kRootOf7);
    ASSERT_TRUE(nothing_matched);
    EXPECT_TRUE(nothing_matched->empty());

    ++tree.transaction_count;
    ASSERT_FALSE(check_merkle_proof(tree, kRootOf7));
    EXPECT_EQ(check_merkle_proof(tree, kRootOf7).error(), MerkleProofError::too_many_transactions);
}

TEST(MerkleProof, ProvesTheOnlyTransaction) {
    const PartialMerkleTree tree{1, {kRootOf7}, {1}};
    const auto matches = check_merkle_proof(tree, kRootOf7);
    ASSERT_TRUE(matches);
    EXPECT_EQ(*matches, (std::vector<MerkleMatch>{{0, Txid{kRootOf7.bytes}}}));
}

// Bitcoin Core accepts flags of one in the last byte's padding.
TEST(MerkleProof, IgnoresPaddingBits) {
    EXPECT_TRUE(check_merkle_proof(
        tree_from(test::bytes_from_hex("0700000003" + kHashesOf7 + "01b5")), kRootOf7));
}

// CVE-2012-2459, as in Bitcoin Core's pmt_malleability: the root of the leaves 1 to 10, 9 and 10 is
// that of the leaves 1 to 10.
TEST(MerkleProof, RefusesEqualSiblings) {
    std::vector<Txid> txids(12);
    for (std::size_t i = 0; i < 12; ++i) {
        txids[i].bytes[0] = static_cast<Byte>(i < 10 ? i + 1 : i - 1);
    }
    std::vector<bool> matches(12);
    matches[8] = matches[9] = matches[10] = matches[11] = true;
    const PartialMerkleTree tree = make_merkle_proof(txids, matches);
    const Hash256 root = merkle_root(txids);
    EXPECT_EQ(root, merkle_root(std::span(txids).first(10)));

    ASSERT_FALSE(check_merkle_proof(tree, root));
    EXPECT_EQ(check_merkle_proof(tree, root).error(), MerkleProofError::equal_siblings);

    // Without the repeated leaves, the proof is valid.
    matches.resize(10);
    EXPECT_TRUE(check_merkle_proof(make_merkle_proof(std::span(txids).first(10), matches), root));
}

// CVE-2017-12842: a block of two transactions, the second of which has 64 bytes, is presented as
// four leaves.
const Hash256 kRootOf64 =
    Hash256::from_view("193f420f66c808ccd0b7bdfb6a975901dc42f3d02f83ab6733d534758109b8ce"_hex);
const std::string kOtherLeaf = "6a751689f1cf1eaeecd868e20541be6ae12037bc0d31c5cc40ca08a7470b2156";

TEST(MerkleProof, RefusesAnInnerNodeThatIsATransaction) {
    const Bytes forged =
        test::bytes_from_hex("0400000003" + kOtherLeaf +
                             "0100000001000102030405060708090a0b0c0d0e0f101112131415161718191a"
                             "1b1c1d1e1f0000000000ffffffff01e8030000000000000451024e7300000000"
                             "0115");
    ASSERT_FALSE(check_merkle_proof(tree_from(forged), kRootOf64));
    EXPECT_EQ(check_merkle_proof(tree_from(forged), kRootOf64).error(),
              MerkleProofError::inner_node_is_transaction);

    const auto reported = check_ambiguous_merkle_proof(tree_from(forged), kRootOf64);
    ASSERT_TRUE(reported);
    EXPECT_TRUE(reported->is_ambiguous);
}

TEST(MerkleProof, LeavesTransactionsOf64BytesToTheCaller) {
    const Bytes honest =
        test::bytes_from_hex("0200000002" + kOtherLeaf +
                             "6a2930f1218fde267e8d48ce90f1e3e8fba34a0e2574358c80b04aca42e89d27"
                             "0105");
    const auto proven = check_ambiguous_merkle_proof(tree_from(honest), kRootOf64);
    ASSERT_TRUE(proven);
    EXPECT_FALSE(proven->is_ambiguous);
    EXPECT_FALSE(is_merkle_node_sized(63));
    EXPECT_TRUE(is_merkle_node_sized(64));
    EXPECT_FALSE(is_merkle_node_sized(65));
}

// Consensus never accepts these bytes as a transaction, so they are harmless as an inner node.
// Refusing them would refuse honest blocks.
TEST(MerkleProof, AcceptsInnerNodesThatNoBlockHasAsTransaction) {
    const std::string input(72, 'a');
    for (const std::string& node : {"01000000"
                                    "01" +
                                        input + "0d" + repeat("bb", 13) +
                                        "ffffffff"
                                        "00"
                                        "00000000",
                                    "01000000"
                                    "01" +
                                        input +
                                        "00"
                                        "ffffffff"
                                        "01"
                                        "0140075af0750700"
                                        "04"
                                        "51024e73"
                                        "00000000",
                                    "01000000"
                                    "01" +
                                        input +
                                        "00"
                                        "ffffffff"
                                        "01"
                                        "ffffffffffffffff"
                                        "04"
                                        "51024e73"
                                        "00000000"}) {
        const Bytes bytes = test::bytes_from_hex(node);
        ASSERT_EQ(bytes.size(), 64U);
        ASSERT_TRUE(decode_transaction(bytes))
            << "it decodes, but its amounts or its lack of outputs are invalid";
        const std::vector<Txid> txids{Txid::from_view(bytes),
                                      Txid::from_view(ByteView{bytes}.subspan(32))};
        const auto tree = make_merkle_proof(txids, {true, false});
        EXPECT_TRUE(check_merkle_proof(tree, merkle_root(txids))) << node;
    }
}

std::vector<MerkleMatch> expected_matches(const std::vector<Txid>& txids,
                                          const std::vector<bool>& matches) {
    std::vector<MerkleMatch> expected;
    for (std::uint32_t i = 0; i < txids.size(); ++i) {
        if (matches[i]) expected.push_back({i, txids[i]});
    }
    return expected;
}

// Bitcoin Core: pmt_tests.cpp checks the same sizes.
TEST(MerkleProof, RoundTripsRandomBlocks) {
    std::mt19937_64 random(2009);
    for (const std::size_t count :
         {1U, 2U, 3U, 4U, 7U, 17U, 56U, 100U, 127U, 256U, 312U, 513U, 1000U}) {
        const auto txids = random_txids(random, count);
        const Hash256 root = merkle_root(txids);
        for (const unsigned one_in : {1U, 2U, 8U, 64U, 1U << 20U}) {
            std::vector<bool> matches;
            for (std::size_t i = 0; i < count; ++i) matches.push_back(random() % one_in == 0);
            const auto tree = make_merkle_proof(txids, matches);
            const auto proved = check_merkle_proof(tree, root);
            ASSERT_TRUE(proved) << describe(proved.error());
            EXPECT_EQ(*proved, expected_matches(txids, matches));
            EXPECT_LE(tree.hashes.size(), count);
        }
    }
}

void flip_bit(Byte& byte, std::uint64_t bit) {
    byte = static_cast<Byte>(byte ^ 1U << bit % 8);
}

TEST(MerkleProof, ProvesNothingElseWhenMutated) {
    std::mt19937_64 random(37);
    int checked = 0;
    for (int round = 0; round < 3000; ++round) {
        const auto txids = random_txids(random, 1 + random() % 40);
        std::vector<bool> matches;
        for (std::size_t i = 0; i < txids.size(); ++i) matches.push_back(random() % 4 == 0);
        const Hash256 root = merkle_root(txids);
        PartialMerkleTree tree = make_merkle_proof(txids, matches);

        switch (random() % 3) {
            case 0:
                flip_bit(tree.hashes[random() % tree.hashes.size()].bytes[random() % 32], random());
                break;
            case 1:
                flip_bit(tree.flags[random() % tree.flags.size()], random());
                break;
            default:
                tree.transaction_count ^= 1U << random() % 6;
        }
        // Clearing a flag may hide a match, and another count may move one, but no txid is ever
        // invented.
        const auto proved = check_merkle_proof(tree, root);
        if (!proved) continue;
        for (const MerkleMatch& match : *proved) {
            ASSERT_NE(std::find(txids.begin(), txids.end(), match.txid), txids.end());
            if (tree.transaction_count != txids.size()) continue;
            EXPECT_EQ(txids[match.position], match.txid);
            ++checked;
        }
    }
    EXPECT_GT(checked, 0);
}

TEST(MerkleRoot, CopiesTheLastOfAnOddLevel) {
    const Txid a{{1}};
    const Txid b{{2}};
    const Txid c{{3}};
    EXPECT_EQ(merkle_root(std::array{a}), Hash256{a.bytes});
    EXPECT_EQ(merkle_root(std::array{a, b}), sha256d({a.view(), b.view()}));
    EXPECT_EQ(merkle_root(std::array{a, b, c}), sha256d({sha256d({a.view(), b.view()}).view(),
                                                         sha256d({c.view(), c.view()}).view()}));
}

TEST(MerkleProofErrors, AreDescribedEachInItsOwnWords) {
    std::set<std::string_view> texts;
    const int last = static_cast<int>(MerkleProofError::malformed_branch);
    for (int error = 0; error <= last; ++error) {
        texts.insert(describe(static_cast<MerkleProofError>(error)));
    }
    EXPECT_EQ(texts.size(), 12U);
    EXPECT_FALSE(texts.contains(""));
}

struct MerkleBlock {
    BlockHeader header;
    PartialMerkleTree tree;
};

MerkleBlock merkle_block_from(const nlohmann::json& hex) {
    const Bytes wire = test::bytes_from_hex(hex.get<std::string>());
    ByteReader reader{wire};
    const BlockHeader header = read_block_header(reader);
    return {header, read_tree(reader)};
}

TEST(RecordedMerkleBlocks, ProveTheirMatches) {
    const auto data = test::read_test_json("vectors/merkleblock.json");
    if (!data) GTEST_SKIP() << test::kNoTestData;
    for (const auto& row : data->at("cases")) {
        SCOPED_TRACE(row.at("name").get<std::string>());
        const MerkleBlock block = merkle_block_from(row.at("merkleblock_payload"));
        EXPECT_EQ(row.at("block_hash"), block.header.hash().to_hex());
        const auto proved = check_merkle_proof(block.tree, block.header.merkle_root);
        ASSERT_TRUE(proved);
        ASSERT_EQ(proved->size(), row.at("matched_txids").size());
        for (std::size_t i = 0; i < proved->size(); ++i) {
            EXPECT_EQ(row.at("matched_txids")[i], (*proved)[i].txid.to_hex());
            EXPECT_EQ(row.at("matched_indexes")[i], (*proved)[i].position);
        }
        const auto branches = merkle_branches(block.tree);
        ASSERT_EQ(branches.size(), proved->size());
        for (std::size_t i = 0; i < proved->size(); ++i) {
            EXPECT_TRUE(check_merkle_branch((*proved)[i], block.tree.transaction_count, branches[i],
                                            block.header.merkle_root));
        }
        EXPECT_EQ(row.at("merkleblock_payload"),
                  to_hex(block.header.serialize()) + to_hex(block.tree.serialize()));
    }
    for (const auto& row : data->at("accepted_oddities")) {
        const MerkleBlock block = merkle_block_from(row.at("payload"));
        EXPECT_TRUE(check_merkle_proof(block.tree, block.header.merkle_root)) << row.at("name");
    }
}

// Real blocks: their transactions give the merkle root of the header and the proofs that servers
// sent.
TEST(RecordedMerkleBlocks, AreMadeFromFullBlocks) {
    const auto data = test::read_test_json("vectors/merkleblock.json");
    if (!data) GTEST_SKIP() << test::kNoTestData;
    std::size_t compared = 0;
    for (const auto& hex : data->at("blocks")) {
        const Bytes wire = test::bytes_from_hex(hex.get<std::string>());
        ByteReader reader{wire};
        const BlockHeader header = read_block_header(reader);
        std::vector<Txid> txids(reader.read_count(kMaxCompactSize, 60));
        for (Txid& txid : txids) txid = read_transaction(reader).txid();
        ASSERT_TRUE(reader.ok());
        EXPECT_EQ(merkle_root(txids), header.merkle_root);

        for (const auto& row : data->at("cases")) {
            if (row.at("block_hash") != header.hash().to_hex()) continue;
            std::vector<bool> matches(txids.size());
            for (const std::size_t index : row.at("matched_indexes")) matches[index] = true;
            EXPECT_EQ(make_merkle_proof(txids, matches),
                      merkle_block_from(row.at("merkleblock_payload")).tree)
                << row.at("name");
            ++compared;
        }
    }
    EXPECT_EQ(compared, 13U);
}

TEST(RecordedMerkleBlocks, AreRefusedWhenInvalid) {
    const auto data = test::read_test_json("vectors/merkleblock.json");
    if (!data) GTEST_SKIP() << test::kNoTestData;
    const std::map<std::string, MerkleProofError> reasons{
        {"no-tx", MerkleProofError::no_transactions},
        {"too-many-tx", MerkleProofError::too_many_transactions},
        {"too-many-hashes", MerkleProofError::more_hashes_than_transactions},
        {"too-few-bits", MerkleProofError::fewer_flags_than_hashes},
        {"hash-overflow", MerkleProofError::hashes_exhausted},
        {"hashes-not-consumed", MerkleProofError::unused_hashes},
        {"bits-not-consumed", MerkleProofError::unused_flags},
        {"root-mismatch", MerkleProofError::wrong_root},
        {"dup-subtree", MerkleProofError::equal_siblings},
    };
    EXPECT_EQ(data->at("invalid").size(), 10U);
    for (const auto& row : data->at("invalid")) {
        const bool has_header = row.contains("payload");
        const MerkleBlock block =
            has_header ? merkle_block_from(row.at("payload"))
                       : MerkleBlock{
                             {}, tree_from(test::bytes_from_hex(row.at("pmt").get<std::string>()))};
        const auto result = check_merkle_proof(block.tree, block.header.merkle_root);
        ASSERT_FALSE(result) << row.at("name");
        EXPECT_EQ(result.error(), reasons.at(row.at("reason"))) << row.at("name");
    }
}

}  // namespace
}  // namespace petal::chain
