#include "regtest/mempool/feerate_diagram.h"

#include <gtest/gtest.h>

#include <random>
#include <utility>

namespace petal::regtest {
namespace {

using Cluster = std::vector<ClusterTransaction>;
using Chunks = std::vector<PaidSize>;

bool pay_alike(const PaidSize& one, const PaidSize& other) {
    return one.fee * static_cast<chain::Satoshis>(other.size) ==
           other.fee * static_cast<chain::Satoshis>(one.size);
}

/// Merges adjacent chunks of the same fee rate.
Chunks merged(const Chunks& chunks) {
    Chunks merged;
    for (const PaidSize& chunk : chunks) {
        if (merged.empty() || !pay_alike(merged.back(), chunk)) {
            merged.push_back(chunk);
        } else {
            merged.back().fee += chunk.fee;
            merged.back().size += chunk.size;
        }
    }
    return merged;
}

/// Computes the chunks by trying every subset of the cluster.
class EverySet {
public:
    explicit EverySet(const Cluster& cluster) : cluster_(cluster) {}

    Chunks chunks() {
        Chunks chunks;
        unsigned left = (1U << cluster_.size()) - 1;
        while (left != 0) {
            unsigned best = 0;
            for (unsigned set = left; set != 0; set = (set - 1) & left) {
                if (is_closed(set, left) && (best == 0 || is_better(set, best))) best = set;
            }
            chunks.push_back(total_of(best));
            left &= ~best;
        }
        return chunks;
    }

private:
    bool is_closed(unsigned set, unsigned left) const {
        for (std::size_t i = 0; i < cluster_.size(); ++i) {
            if ((set >> i & 1U) == 0) continue;
            for (const std::size_t parent : cluster_[i].parents) {
                if ((left >> parent & 1U) != 0 && (set >> parent & 1U) == 0) return false;
            }
        }
        return true;
    }
    PaidSize total_of(unsigned set) const {
        PaidSize total;
        for (std::size_t i = 0; i < cluster_.size(); ++i) {
            if ((set >> i & 1U) == 0) continue;
            total.fee += cluster_[i].paid.fee;
            total.size += cluster_[i].paid.size;
        }
        return total;
    }
    bool is_better(unsigned set, unsigned other) const {
        const PaidSize one = total_of(set);
        const PaidSize two = total_of(other);
        return one.fee * static_cast<chain::Satoshis>(two.size) >
               two.fee * static_cast<chain::Satoshis>(one.size);
    }

    const Cluster& cluster_;
};

TEST(FeerateDiagram, HasTheBestChunksOfRandomClusters) {
    std::mt19937 random(20261125);
    const auto below = [&random](unsigned end) { return static_cast<unsigned>(random() % end); };
    for (int round = 0; round < 1'000; ++round) {
        Cluster cluster(1 + below(8));
        for (std::size_t i = 0; i < cluster.size(); ++i) {
            cluster[i].paid = {below(50), 1 + below(20)};
            for (std::size_t parent = 0; parent < i; ++parent) {
                if (below(3) == 0) cluster[i].parents.push_back(parent);
            }
        }
        EXPECT_EQ(merged(chunks_of(cluster)), merged(EverySet(cluster).chunks())) << round;
    }
}

TEST(FeerateDiagram, TakesAParentWithTheChildThatPaysForIt) {
    const Cluster family = {{{100, 100}, {}}, {{900, 100}, {0}}, {{50, 100}, {0}}};
    EXPECT_EQ(chunks_of(family), (Chunks{{1'000, 200}, {50, 100}}));
    EXPECT_EQ(chunks_of(Cluster{}), Chunks{});
}

TEST(FeerateDiagram, ShowsTheTransactionsOfEachChunk) {
    using Places = std::vector<std::vector<std::size_t>>;
    const auto show = [](const Cluster& cluster, Chunks& paid) {
        Places places;
        paid.clear();
        for (const Chunk& chunk : smallest_chunks_of(cluster)) {
            paid.push_back(chunk.paid);
            places.push_back(chunk.places);
        }
        return places;
    };
    Chunks paid;
    const Cluster family = {{{100, 100}, {}}, {{50, 100}, {0}}, {{900, 100}, {0}}};
    EXPECT_EQ(show(family, paid), (Places{{0, 2}, {1}}));
    EXPECT_EQ(paid, (Chunks{{1'000, 200}, {50, 100}}));
    const Cluster alike = {{{100, 100}, {}}, {{100, 100}, {0}}, {{300, 100}, {0, 1}}};
    EXPECT_EQ(show(alike, paid), (Places{{0, 1, 2}}));
    const Cluster chain = {{{200, 100}, {}}, {{100, 50}, {0}}, {{400, 200}, {1}}};
    EXPECT_EQ(show(chain, paid), (Places{{0}, {1}, {2}}));
    EXPECT_EQ(paid, (Chunks{{200, 100}, {100, 50}, {400, 200}}));
}

TEST(FeerateDiagram, IsImprovedOnlyIfItIsLowerAtNoSize) {
    const Chunks before = {{500, 100}, {100, 100}};
    EXPECT_FALSE(improves_feerate_diagram(before, before));
    EXPECT_FALSE(improves_feerate_diagram(before, {{600, 200}}));  // lower for the first 100 vB
    EXPECT_TRUE(improves_feerate_diagram(before, {{100, 100}, {501, 100}}));
    EXPECT_TRUE(improves_feerate_diagram(before, {{600, 100}}));
    EXPECT_FALSE(improves_feerate_diagram(before, {{599, 100}}));  // lower for the whole
    EXPECT_FALSE(improves_feerate_diagram(before, {{10'000, 10'000}}));
    EXPECT_TRUE(improves_feerate_diagram(before, {{5'001, 1'000}}));
    EXPECT_TRUE(improves_feerate_diagram({}, {{1, 100}}));
}

TEST(FeerateDiagram, ComparesTheLargestAmounts) {
    const Chunks all = {{chain::kMaxMoney, 400'001}};
    EXPECT_TRUE(improves_feerate_diagram(all, {{chain::kMaxMoney, 400'000}}));
    EXPECT_FALSE(improves_feerate_diagram(all, {{chain::kMaxMoney, 400'002}}));
}

}  // namespace
}  // namespace petal::regtest
