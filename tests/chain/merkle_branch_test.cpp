#include <gtest/gtest.h>

#include <initializer_list>
#include <ostream>
#include <random>
#include <string>

#include "chain/byte_reader.h"
#include "chain/merkle_proof.h"
#include "tests/chain/random_txids.h"
#include "tests/support/hex.h"

namespace petal::chain {
namespace {

using namespace petal::test::literals;

// Mainnet's block 00000000…6cb6dea4: a proof of the last of seven transactions.
TEST(MerkleBranches, LeadFromTheTransactionToTheRoot) {
    const Bytes wire =
        "0700000003"
        "3612262624047ee87660be1a707519a443b1c1ce3d248cbfc6c15870f6c5daa2"
        "323a54ad9aa4ba42d1edfb9519af995cf93b736364f81a090885b61b6d7ee1ca"
        "54c10adf159bf118b8b2e629141ac6b5c69addf4ddea130a7d72a4bdf0922a0a"
        "0135"_hex;
    ByteReader reader{wire};
    const PartialMerkleTree tree = read_partial_merkle_tree(reader);
    const auto branches = merkle_branches(tree);
    const Hash256 leaf = "0a2a92f0bda4727d0a13eaddf4dd9ac6b5c61a1429e6b2b818f19b15df0ac154"_hash256;
    ASSERT_EQ(branches.size(), 1U);
    // The last of seven transactions is its own sibling.
    EXPECT_EQ(branches[0], (MerkleBranch{leaf, tree.hashes[1], tree.hashes[0]}));
}

TEST(MerkleBranches, AreEmptyInABlockOfOneTransaction) {
    EXPECT_EQ(merkle_branches({1, {Hash256{}}, {1}}), std::vector<MerkleBranch>(1));
    EXPECT_TRUE(merkle_branches({1, {Hash256{}}, {0}}).empty()) << "there is no match";
}

// Hashes a branch up to the root as Electrum's client does (lib/verifier.py, hash_merkle_root),
// without a partial tree.
Hash256 fold(const MerkleMatch& match, const MerkleBranch& branch) {
    Hash256 hash{match.txid.bytes};
    for (std::size_t height = 0; height < branch.size(); ++height) {
        const Hash256& sibling = branch[height];
        const bool is_right = (match.position >> height & 1U) != 0;
        hash = is_right ? sha256d({sibling.view(), hash.view()})
                        : sha256d({hash.view(), sibling.view()});
    }
    return hash;
}

// A server sends the same proof for a single transaction.
TEST(MerkleBranches, MakeTheProofOfEachTransactionAlone) {
    std::mt19937_64 random(1979);
    for (std::size_t count = 1; count <= 33; ++count) {
        const auto txids = random_txids(random, count);
        const Hash256 root = merkle_root(txids);
        const auto branches =
            merkle_branches(make_merkle_proof(txids, std::vector<bool>(count, true)));
        ASSERT_EQ(branches.size(), count);
        for (std::uint32_t i = 0; i < count; ++i) {
            EXPECT_EQ(fold({i, txids[i]}, branches[i]), root);
            std::vector<bool> matches(count);
            matches[i] = true;
            const auto alone = make_merkle_proof(txids, matches);
            EXPECT_EQ(merkle_branches(alone), std::vector<MerkleBranch>(1, branches[i]));
            const auto proof = check_merkle_branch({i, txids[i]}, static_cast<std::uint32_t>(count),
                                                   branches[i], root);
            ASSERT_TRUE(proof) << describe(proof.error());
            EXPECT_EQ(*proof, alone);
        }
    }
}

TEST(MerkleBranches, AreAsLongAsTheLargestTreeIsHigh) {
    const std::vector<Txid> txids(kMaxTransactionsPerBlock);
    std::vector<bool> matches(txids.size());
    matches.back() = true;
    EXPECT_EQ(merkle_branches(make_merkle_proof(txids, matches)).at(0).size(),
              kMaxMerkleTreeHeight);
}

struct BranchChange {
    std::string name;
    MerkleProofError error;
    void (*change)(MerkleMatch& match, std::uint32_t& count, MerkleBranch& branch, Hash256& root);
};

void PrintTo(const BranchChange& row, std::ostream* out) {
    *out << row.name;
}

class BadBranches : public testing::TestWithParam<BranchChange> {};

// The branch of the last of five transactions, which is its own sibling on two levels, changed by
// the row.
TEST_P(BadBranches, AreRefusedWithTheReason) {
    std::mt19937_64 random(5);
    const auto txids = random_txids(random, 5);
    MerkleMatch match{4, txids[4]};
    std::uint32_t count = 5;
    MerkleBranch branch = merkle_branches(make_merkle_proof(txids, {0, 0, 0, 0, 1})).at(0);
    Hash256 root = merkle_root(txids);
    ASSERT_TRUE(check_merkle_branch(match, count, branch, root));
    GetParam().change(match, count, branch, root);
    const auto proof = check_merkle_branch(match, count, branch, root);
    ASSERT_FALSE(proof);
    EXPECT_EQ(proof.error(), GetParam().error) << describe(proof.error());
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Changed, BadBranches, testing::ValuesIn(std::initializer_list<BranchChange>{
    {"NoTransactions",      MerkleProofError::no_transactions,  [](auto&, auto& count, auto&, auto&) { count = 0; }},
    {"TooManyTransactions", MerkleProofError::too_many_transactions, [](auto&, auto& count, auto&, auto&) { count = kMaxTransactionsPerBlock + 1; }},
    {"PositionBehindTheLast", MerkleProofError::malformed_branch, [](auto& match, auto&, auto&, auto&) { match.position = 5; }},
    {"OneHashMissing",      MerkleProofError::malformed_branch, [](auto&, auto&, auto& branch, auto&) { branch.pop_back(); }},
    {"OneHashMore",         MerkleProofError::malformed_branch, [](auto&, auto&, auto& branch, auto&) { branch.push_back({}); }},
    {"NoHashes",            MerkleProofError::malformed_branch, [](auto&, auto&, auto& branch, auto&) { branch.clear(); }},
    {"OtherThanItself",     MerkleProofError::malformed_branch, [](auto&, auto&, auto& branch, auto&) { branch[0].bytes[0] ^= 1U; }},
    {"OtherThanItselfAbove", MerkleProofError::malformed_branch, [](auto&, auto&, auto& branch, auto&) { branch[1].bytes[0] ^= 1U; }},
    {"OneBitOfASibling",    MerkleProofError::wrong_root,       [](auto&, auto&, auto& branch, auto&) { branch[2].bytes[0] ^= 1U; }},
    {"OtherTransaction",    MerkleProofError::wrong_root,       [](auto& match, auto&, auto&, auto&) { match.txid.bytes[0] ^= 1U; }},
    {"OtherRoot",           MerkleProofError::wrong_root,       [](auto&, auto&, auto&, auto& root) { root.bytes[0] ^= 1U; }},
    // CVE-2012-2459: with the fifth transaction repeated as a sixth, the root is the same.
    {"RepeatedTransaction", MerkleProofError::equal_siblings,   [](auto&, auto& count, auto&, auto&) { count = 6; }},
    {"RepeatedPosition",    MerkleProofError::equal_siblings,   [](auto& match, auto& count, auto&, auto&) { count = 6; match.position = 5; }},
    {"OtherPosition",       MerkleProofError::equal_siblings,   [](auto& match, auto&, auto&, auto&) { match.position = 0; }},
}), [](const auto& row) { return row.param.name; });
// clang-format on

// A block that was checked as a whole may contain such a node, at least if its miner wants it to.
TEST(MerkleBranches, AllowInnerNodesThatReadAsTransactions) {
    const std::vector<Txid> txids{
        Txid::from_view("0100000001000102030405060708090a0b0c0d0e0f101112131415161718191a"_hex),
        Txid::from_view("1b1c1d1e1f0000000000ffffffff01e8030000000000000451024e7300000000"_hex),
        Txid{{3}}};
    const auto tree = make_merkle_proof(txids, {true, false, true});
    const auto proved = check_merkle_proof(tree, merkle_root(txids));
    ASSERT_FALSE(proved);
    EXPECT_EQ(proved.error(), MerkleProofError::inner_node_is_transaction);

    const auto branches = merkle_branches(tree);
    ASSERT_EQ(branches.size(), 2U);
    EXPECT_EQ(fold({0, txids[0]}, branches[0]), merkle_root(txids));
    EXPECT_EQ(fold({2, txids[2]}, branches[1]), merkle_root(txids));
    EXPECT_TRUE(check_merkle_branch({0, txids[0]}, 3, branches[0], merkle_root(txids)));
}

}  // namespace
}  // namespace petal::chain
