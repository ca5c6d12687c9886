/// A simple model of a tree of headers, which reads every header each time.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "chain/headers/header_chain.h"
#include "chain/headers/proof_of_work.h"
#include "tests/chain/headers/small_network.h"

namespace petal::chain {

/// Periods of four blocks. Each block takes only 64 hashes, so that branches can differ in work.
inline NetworkParams tiny_network() {
    NetworkParams network = small_network(4);
    network.pow_limit = Uint256(1) << 250;
    network.genesis.bits = 0x20040000;
    test::find_nonce(network.genesis);
    network.retarget_timespan = 8;
    return network;
}

/// A tree of valid headers. Headers are numbered in the order in which they are made, so a parent
/// comes before its children. The genesis block is number 0.
class HeaderTreeModel {
public:
    explicit HeaderTreeModel(const NetworkParams& network) : network_(network) {
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

    // The first header with the most work.
    std::size_t best() const {
        std::size_t best = 0;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].work > nodes_[best].work) best = i;
        }
        return best;
    }
    const Uint256& work(std::size_t node) const { return nodes_[node].work; }

    // The headers from the genesis block to `node`. The index in this list is the height.
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

}  // namespace petal::chain
