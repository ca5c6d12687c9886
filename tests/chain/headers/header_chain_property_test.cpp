/// Random trees of headers, compared with a simple model that reads every header each time.
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "chain/headers/header_chain.h"
#include "tests/chain/headers/header_tree_model.h"

namespace petal::chain {
namespace {

using test::kNow;

void expect_agreement(const HeaderChain& chain, const HeaderTreeModel& model) {
    const std::size_t best = model.best();
    const auto path = model.path_to(best);
    ASSERT_EQ(chain.tip(), model.ref(best));
    ASSERT_EQ(chain.chainwork(), model.work(best));
    for (std::uint32_t height = 0; height < path.size(); ++height) {
        ASSERT_EQ(chain.header_at(height), model.header(path[height]));
        ASSERT_EQ(chain.hash_at(height), model.header(path[height]).hash());
    }
    for (std::size_t node = 0; node < model.size(); ++node) {
        const BlockHash hash = model.header(node).hash();
        const std::size_t fork = model.common(node, best);
        ASSERT_EQ(chain.height_of(hash), model.ref(node).height);
        ASSERT_EQ(*chain.find(hash), model.header(node));
        ASSERT_EQ(chain.is_on_best_chain(hash), fork == node);
        ASSERT_EQ(chain.fork_point(hash), model.ref(fork));
    }
    for (const std::int64_t offset : {0, 17, 60, 200}) {
        const std::int64_t time = std::int64_t{model.header(0).time} + offset;
        std::uint32_t first = 0;
        while (first < path.size() && model.header(path[first]).time < time) ++first;
        ASSERT_EQ(chain.first_height_since(time + 7200), first);
    }
}

void grow_at_random(const NetworkParams& network, std::uint64_t seed, int runs) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    HeaderTreeModel model{network};
    HeaderChain chain{network};
    for (int run = 0; run < runs; ++run) {
        const std::size_t before = model.best();
        // Most new headers extend one of the newest, so that branches grow long.
        const std::size_t back = random() % (random() % 8 == 0 ? model.size() : 3);
        std::size_t node = model.size() - 1 - std::min(back, model.size() - 1);
        std::vector<BlockHeader> headers;
        for (std::uint64_t i = 0; i <= random() % 6; ++i) {
            const auto spacing = static_cast<std::uint32_t>(1 + random() % 5);
            node = model.mine(node, spacing, static_cast<Byte>(random() % 3));
            headers.push_back(model.header(node));
        }
        const AcceptResult result = chain.accept(headers, kNow);

        ASSERT_EQ(result.error, std::nullopt);
        ASSERT_EQ(result.accepted, headers.size());
        ASSERT_EQ(result.move.old_tip, model.ref(before));
        ASSERT_EQ(result.move.new_tip, model.ref(model.best()));
        ASSERT_EQ(result.move.fork, model.ref(model.common(before, model.best())));
    }
    expect_agreement(chain, model);
}

TEST(RandomTrees, AgreeWithTheModelOnRegtest) {
    for (std::uint64_t seed = 0; seed < 30; ++seed)
        grow_at_random(test::regtest_params(), seed, 60);
}

TEST(RandomTrees, AgreeWithTheModelIfDifficultyVaries) {
    const NetworkParams network = tiny_network();
    for (std::uint64_t seed = 100; seed < 120; ++seed) grow_at_random(network, seed, 60);
}

TEST(RandomTrees, AgreeWithTheModelIfLateBlocksAreEasy) {
    NetworkParams network = tiny_network();
    network.min_difficulty_blocks = true;
    for (std::uint64_t seed = 200; seed < 210; ++seed) grow_at_random(network, seed, 60);
}

}  // namespace
}  // namespace petal::chain
