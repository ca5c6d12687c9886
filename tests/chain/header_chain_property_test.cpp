/// Random trees of headers, against a plain model that looks at every header each time.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "chain/header_chain.h"
#include "chain/proof_of_work.h"
#include "tests/chain/small_network.h"

namespace petal::chain {
namespace {

constexpr std::int64_t kNow = 2'000'000'000;

// Periods of four blocks of which each takes only 64 hashes, so that branches differ in work.
NetworkParams tiny_network() {
    NetworkParams network = small_network(4);
    network.pow_limit = Uint256(1) << 250;
    network.genesis.bits = 0x20040000;
    test::find_nonce(network.genesis);
    network.retarget_timespan = 8;
    return network;
}

class Model {
public:
    explicit Model(const NetworkParams& network) : network_(network) {
        add(network.genesis, /*parent=*/0);
    }

    std::size_t size() const { return nodes_.size(); }
    const BlockHeader& header(std::size_t node) const { return nodes_[node].header; }

    // Mines a valid header after `parent` and adds it. Returns its number.
    std::size_t mine(std::size_t parent, std::uint32_t spacing, Byte salt) {
        const std::vector<std::size_t> branch = path_to(parent);
        const Branch ancestry{nodes_, branch};
        const std::uint32_t time = nodes_[parent].header.time + spacing;
        const std::uint32_t bits =
            required_bits(network_, ancestry, static_cast<std::uint32_t>(branch.size()), time);
        const BlockHeader header =
            test::mine_header(nodes_[parent].header, time, Hash256{{salt}}, bits);
        const auto known = numbers_.find(to_hex(header.serialize()));
        return known == numbers_.end() ? add(header, parent) : known->second;
    }

    // The first of those with the most work.
    std::size_t best() const {
        std::size_t best = 0;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].work > nodes_[best].work) best = i;
        }
        return best;
    }
    const Uint256& work(std::size_t node) const { return nodes_[node].work; }

    // From the genesis block to `node`: its place in it is a block's height.
    std::vector<std::size_t> path_to(std::size_t node) const {
        std::vector<std::size_t> path{node};
        while (path.back() != 0) path.push_back(nodes_[path.back()].parent);
        return {path.rbegin(), path.rend()};
    }

    BlockRef ref(std::size_t node) const {
        return {static_cast<std::uint32_t>(path_to(node).size() - 1), nodes_[node].header.hash()};
    }

    // The last block that two branches have in common.
    std::size_t common(std::size_t a, std::size_t b) const {
        const auto first = path_to(a);
        const auto second = path_to(b);
        std::size_t height = 0;
        while (height + 1 < std::min(first.size(), second.size()) &&
               first[height + 1] == second[height + 1]) {
            ++height;
        }
        return first[height];
    }

private:
    struct Node {
        BlockHeader header;
        std::size_t parent;
        Uint256 work;
    };

    class Branch final : public HeaderAncestry {
    public:
        Branch(const std::vector<Node>& nodes, const std::vector<std::size_t>& path)
            : nodes_(nodes), path_(path) {}
        BlockHeader header_at(std::uint32_t height) const override {
            return nodes_[path_.at(height)].header;
        }

    private:
        const std::vector<Node>& nodes_;
        const std::vector<std::size_t>& path_;
    };

    std::size_t add(const BlockHeader& header, std::size_t parent) {
        const Uint256 before = nodes_.empty() ? Uint256(0) : nodes_[parent].work;
        const Uint256 target = decode_target(header.bits, network_.pow_limit).value();
        nodes_.push_back({header, parent, before + work_of_target(target)});
        numbers_.emplace(to_hex(header.serialize()), nodes_.size() - 1);
        return nodes_.size() - 1;
    }

    const NetworkParams& network_;
    std::vector<Node> nodes_;
    std::map<std::string, std::size_t> numbers_;
};

void expect_agreement(const HeaderChain& chain, const Model& model) {
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
    Model model{network};
    HeaderChain chain{network};
    for (int run = 0; run < runs; ++run) {
        const std::size_t before = model.best();
        // Mostly near the newest headers, so that branches grow long.
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
    for (std::uint64_t seed = 0; seed < 30; ++seed) grow_at_random(test::regtest(), seed, 60);
}

TEST(RandomTrees, AgreeWithTheModelWhereDifficultyVaries) {
    const NetworkParams network = tiny_network();
    for (std::uint64_t seed = 100; seed < 120; ++seed) grow_at_random(network, seed, 60);
}

TEST(RandomTrees, AgreeWithTheModelWhereLateBlocksAreEasy) {
    NetworkParams network = tiny_network();
    network.min_difficulty_blocks = true;
    for (std::uint64_t seed = 200; seed < 210; ++seed) grow_at_random(network, seed, 60);
}

// Longer than what the sums of work and the heights of periods span.
TEST(RandomTrees, AgreeWithTheModelWhenLong) {
    grow_at_random(test::regtest(), 300, 400);
}

}  // namespace
}  // namespace petal::chain
