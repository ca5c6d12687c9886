#include "bloom/measures/evidence.h"

#include "samples.h"

namespace petal::bloom {
namespace {

using test::kWorld;

TEST(Evidence, OfOneMatchIsTheLogarithmOfTheRate) {
    EXPECT_SIX_DIGITS(bits_per_match(LogProbability::of(1e-5)), 16.60964);
    EXPECT_EQ(bits_per_match(LogProbability::of(1)), 0);
    EXPECT_SIX_DIGITS(posterior(0.5, LogProbability::of(0.01), 1), 1 / 1.01);
    EXPECT_SIX_DIGITS(posterior(1e-8, LogProbability::of(0.001), 4), 1e-8 / (1e-8 + 1e-12));
    EXPECT_EQ(posterior(0, LogProbability::of(0.001), 4), 0);
    EXPECT_DOUBLE_EQ(posterior(1e-8, LogProbability(), 1), 1);
}

struct ClusterCase {
    double rate;
    std::uint64_t members;
};

TEST(Evidence, SaysWhenAClusterIsConclusive) {
    const std::array<ClusterCase, 9> cases{{{1e-11, 1},
                                            {0.99e-10, 1},
                                            {1.01e-10, 2},
                                            {1e-5, 2},
                                            {1e-4, 3},
                                            {1e-3, 4},
                                            {1e-2, 5},
                                            {0.1, 10},
                                            {0.5, 34}}};
    for (const ClusterCase& c : cases) {
        EXPECT_EQ(conclusive_cluster(bits_per_match(LogProbability::of(c.rate)), 1e8), c.members)
            << c.rate;
    }
    EXPECT_EQ(conclusive_cluster(0, 1e8), std::nullopt);
    EXPECT_EQ(conclusive_cluster(bits_per_match(LogProbability()), 1e8), 1U);
}

TEST(Evidence, IsSpreadBySharding) {
    EXPECT_SIX_DIGITS(shard_evidence(1, LogProbability::of(1e-5)), 16.609640474);
    EXPECT_SIX_DIGITS(shard_evidence(4, LogProbability::of(2.5460088e-4)), 2.1758434);
    EXPECT_SIX_DIGITS(shard_evidence(8, LogProbability::of(1.25e-4)), 1.0784275);
    EXPECT_SIX_DIGITS(shard_evidence(2, LogProbability::of(5e-4)), 4.4859944);
    EXPECT_EQ(shard_evidence(4, LogProbability::of(1)), 0);
    // Clusters of 10, 13, 16 and 31 for odds of 1e10.
    EXPECT_EQ(conclusive_cluster(shard_evidence(4, LogProbability::of(2.546e-4)), 1e8), 16U);
    EXPECT_EQ(conclusive_cluster(shard_evidence(8, LogProbability::of(1.25e-4)), 1e8), 31U);
}

TEST(Evidence, ShardEvidenceIsTheMeanLogLikelihood) {
    // The filter of a random shard is asked for the wallet's addresses. They match with probability
    // t in their own shard, and f in others.
    const double f = 0.01;
    test::RandomElements random(5);
    test::Mean bits;
    const double t = 0.25 + 0.75 * f;
    for (int i = 0; i < 100'000; ++i) {
        const bool own_shard = random.below(4) == 0;
        const bool matches = own_shard || random.below(100) == 0;
        bits.add(matches ? std::log2(t / f) : std::log2((1 - t) / (1 - f)));
    }
    EXPECT_NEAR(bits.value(), shard_evidence(4, LogProbability::of(f)), 4 * bits.error());
}

TEST(Evidence, OfBlockDownloadHasTheReferenceFigures) {
    const double blocks = 52'560;
    EXPECT_SIX_DIGITS(block_fetch_evidence(104.28534847901938, blocks, 1), 8.977284984);
    EXPECT_SIX_DIGITS(block_fetch_evidence(104.28534847901938, blocks, 8), 0.9539093024);
    EXPECT_SIX_DIGITS(block_fetch_evidence(104.28534847901938, blocks, 64), 0.11794903065);
}

TEST(Evidence, OfShardsGrowsWithPeers) {
    EXPECT_NEAR(shard_exposure(0.1, 8), 0.570, 0.0005);
    EXPECT_NEAR(shard_exposure(0.1, 20), 0.878, 0.0005);
    EXPECT_NEAR(both_ends_exposure(4, shard_exposure(0.1, 2)), 0.075, 0.0005);
    EXPECT_NEAR(both_ends_exposure(1, shard_exposure(0.1, 8)), 0.570, 0.0005);
}

TEST(Chains, DieOutUnlessTheRateIsHuge) {
    EXPECT_SIX_DIGITS(kWorld.branching(), 2.568873593);
    EXPECT_SIX_DIGITS(kWorld.outputs(), 3553138950.884);
    EXPECT_SIX_DIGITS(false_chains(kWorld, LogProbability::of(1e-5), 2), 0.9127565);
    EXPECT_SIX_DIGITS(false_chains(kWorld, LogProbability::of(1e-3), 2), 9127.565);
    EXPECT_SIX_DIGITS(false_chains(kWorld, LogProbability::of(1e-3), 3), 23.44756);
    EXPECT_SIX_DIGITS(false_chains(kWorld, LogProbability::of(1e-3), 4), 0.06023382);
    EXPECT_EQ(conclusive_chain(kWorld, LogProbability::of(1e-5)), 3U);
    EXPECT_EQ(conclusive_chain(kWorld, LogProbability::of(1e-4)), 4U);
    EXPECT_EQ(conclusive_chain(kWorld, LogProbability::of(1e-3)), 5U);
    EXPECT_EQ(conclusive_chain(kWorld, LogProbability::of(1e-2)), 8U);
    EXPECT_EQ(conclusive_chain(kWorld, LogProbability::of(0.1)), 19U);
    EXPECT_EQ(conclusive_chain(kWorld, LogProbability::of(0.3)), 99U);
    EXPECT_EQ(conclusive_chain(kWorld, LogProbability::of(0.39)), std::nullopt);
    EXPECT_EQ(conclusive_chain(kWorld, LogProbability::of(1)), std::nullopt);
    EXPECT_EQ(conclusive_chain(kWorld, LogProbability()), 1U);
}

// A forest in which every output has two successors, and the chains of three matches in it.
TEST(Chains, AreAsManyAsInAGraph) {
    World world;
    world.transactions = 1'000;
    world.outputs_per_transaction = 2;
    world.unspent_outputs = 0;
    constexpr double kRate = 0.1;
    test::RandomElements random(6);
    test::Mean chains;
    for (int trial = 0; trial < 300; ++trial) {
        int found = 0;
        for (int root = 0; root < 2'000; ++root) {
            const auto matches = [&random] { return random.below(10) == 0; };
            if (!matches()) continue;
            for (int child = 0; child < 2; ++child) {
                if (!matches()) continue;
                for (int grandchild = 0; grandchild < 2; ++grandchild) found += matches() ? 1 : 0;
            }
        }
        chains.add(found);
    }
    EXPECT_NEAR(chains.value(), false_chains(world, LogProbability::of(kRate), 3),
                4 * chains.error());
}

TEST(Pairs, MatchByChanceAsTheSquareOfTheRate) {
    test::RandomElements random(7);
    BloomFilter filter(filter_size(60, 0.1), 99, UpdateMode::none);
    random.insert_into(filter, 60);
    const double f = filter.false_positive_rate();
    constexpr int kTries = 60'000;
    int hits = 0;
    for (int i = 0; i < kTries; ++i) {
        hits += filter.contains(random.next()) && filter.contains(random.next()) ? 1 : 0;
    }
    EXPECT_FREQUENCY(f * f, hits, kTries);
    EXPECT_SIX_DIGITS(false_pairs(kTries, LogProbability::of(f)), kTries * f * f);
}

TEST(Pairs, HaveTheReferenceFigures) {
    const auto pairs = derivable_pairs(kWorld);
    ASSERT_EQ(pairs.size(), 4U);
    EXPECT_SIX_DIGITS(false_pairs(pairs[0].candidates, LogProbability::of(1e-5)), 0.12);
    EXPECT_NEAR(false_pairs(pairs[3].candidates, LogProbability::of(5e-5)), 0.4325, 1e-4);
}

}  // namespace
}  // namespace petal::bloom
