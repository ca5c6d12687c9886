// The merkle proofs of a wallet's transactions: they are stored with the transactions, and removed
// with their block.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/wallet/wallet_fixture.h"
#include "wallet/store/wallet_schema.h"

namespace petal::wallet {
namespace {

class MerkleProofs : public test::WalletFixture {
protected:
    std::optional<StoredMerkleProof> proof_of(const chain::Transaction& transaction) const {
        return wallet->known_transaction(transaction.txid())->proof;
    }

    bool is_proven(const chain::Transaction& transaction, std::uint32_t height) const {
        return is_proven_by(*wallet, transaction, height);
    }

    /// Whether a wallet has a proof that the block at this height has the transaction.
    bool is_proven_by(const Wallet& of, const chain::Transaction& transaction,
                      std::uint32_t height) const {
        const auto known = of.known_transaction(transaction.txid());
        if (!known->proof || !known->position) return false;
        const auto& [count, branch] = *known->proof;
        return chain::check_merkle_branch({*known->position, transaction.txid()}, count, branch,
                                          chain.at(height).header.merkle_root)
            .has_value();
    }

    bool damaged() const {
        return test::error_of([&] { return wallet->known_transaction(payment.txid()); }) ==
               WalletError::Kind::damaged;
    }

    const chain::Transaction payment = pay(10);
    const chain::Transaction other = pay(20, 1, 1);
};

TEST_F(MerkleProofs, AreStoredWithTheTransactions) {
    mine({payment, other});
    reopen();
    EXPECT_TRUE(is_proven(payment, 1));
    EXPECT_TRUE(is_proven(other, 1));
    EXPECT_EQ(proof_of(payment)->transaction_count, 5U);
    EXPECT_EQ(proof_of(payment)->branch.size(), 3U);
}

TEST_F(MerkleProofs, OfABlockWithOneTransactionAreEmpty) {
    const auto mined = test::coinbase(1, {{50, script(0)}});
    mine({mined});
    EXPECT_TRUE(is_proven(mined, 1));
    EXPECT_EQ(proof_of(mined), (StoredMerkleProof{1, {}}));
}

TEST_F(MerkleProofs, AreRemovedWithTheirBlock) {
    mine();
    mine({payment});
    mine({other});
    wallet->undo_to(chain.cut(2));
    EXPECT_TRUE(is_proven(payment, 2));
    EXPECT_EQ(proof_of(other), std::nullopt);
    wallet->undo_to(chain.cut(1));
    EXPECT_EQ(ask("SELECT count(*) FROM merkle_branch"), 0);

    mine({other, payment});
    EXPECT_TRUE(is_proven(payment, 2)) << "in its present block";
    EXPECT_EQ(wallet->known_transaction(payment.txid())->position, 4U);
}

// Otherwise, the position could be that of one block and the proof that of another.
TEST_F(MerkleProofs, FollowAReorganisationByAnotherProcess) {
    mine({payment});
    const Wallet reader = Wallet::open(file, test::regtest_params(), Access::read);
    wallet->undo_to(chain.cut(0));
    mine({other, payment});
    EXPECT_TRUE(is_proven_by(reader, payment, 1));
    EXPECT_EQ(reader.transaction(payment.txid())->block_hash, chain.at(1).block.hash);
}

TEST_F(MerkleProofs, ComeWhenAnUnconfirmedTransactionIsConfirmed) {
    test::see(*wallet, payment, 1);
    EXPECT_EQ(proof_of(payment), std::nullopt);
    mine({payment});
    EXPECT_TRUE(is_proven(payment, 1));
}

TEST_F(MerkleProofs, OfTheFourthVersionAreReadAndMoved) {
    mine({payment});
    mine({other});
    test::see(*wallet, pay(30, 2), 1);
    wallet.reset();
    execute(test::kToFourthVersion);
    execute("INSERT INTO merkle_proof SELECT txid, 1, x'' FROM tx WHERE height IS NULL");
    for (const Access access : {Access::read, Access::sync}) {
        wallet.emplace(Wallet::open(file, test::regtest_params(), access));
        EXPECT_TRUE(is_proven(payment, 1));
        EXPECT_TRUE(is_proven(other, 2));
        wallet.reset();
    }
    EXPECT_EQ(ask("SELECT count(*) FROM merkle_branch"), 2)
        << "those of the confirmed transactions";
}

TEST_F(MerkleProofs, OfTheThirdVersionComeWithARescan) {
    mine({payment});
    wallet.reset();
    execute(test::kToThirdVersion);
    wallet.emplace(Wallet::open(file, test::regtest_params(), Access::read));
    EXPECT_EQ(wallet->balance().confirmed, 10);
    EXPECT_EQ(proof_of(payment), std::nullopt);
    wallet.reset();
    wallet.emplace(Wallet::open(file, test::regtest_params(), Access::sync));
    EXPECT_EQ(wallet->balance().confirmed, 10);
    EXPECT_EQ(proof_of(payment), std::nullopt);
    EXPECT_EQ(ask("PRAGMA user_version"), kSchemaVersion);

    wallet->rescan({});
    apply(chain.at(1));
    EXPECT_TRUE(is_proven(payment, 1));
}

TEST_F(MerkleProofs, OfImpossibleSizesAreDamage) {
    mine({payment});
    EXPECT_FALSE(damaged());
    for (const std::string change : {"branch = zeroblob(33)", "branch = zeroblob(32 * 16)",
                                     "transaction_count = -1", "transaction_count = 1 << 32"}) {
        execute("UPDATE merkle_branch SET " + change);
        EXPECT_TRUE(damaged()) << change;
        execute("UPDATE merkle_branch SET branch = zeroblob(32 * 15), transaction_count = 7");
        EXPECT_FALSE(damaged()) << "whether the proof is valid is checked elsewhere";
    }
}

}  // namespace
}  // namespace petal::wallet
