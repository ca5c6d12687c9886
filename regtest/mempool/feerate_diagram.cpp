#include "regtest/mempool/feerate_diagram.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

namespace petal::regtest {
namespace {

/// Large enough for a fee below 2^51, a size below 2^32, and sums of their products.
__extension__ using Wide = __int128;

constexpr Wide kUnlimited = Wide{std::numeric_limits<std::int64_t>::max()} << 60U;

Wide product(chain::Satoshis fee, std::size_t size) {
    return Wide{fee} * static_cast<Wide>(size);
}

/// Finds the set of nodes with the highest total value that includes the parents of its nodes: the
/// source's side of a minimum cut.
class BestClosure {
public:
    explicit BestClosure(std::size_t nodes) : source_(nodes), sink_(nodes + 1), edges_(nodes + 2) {}

    void set_value(std::size_t node, Wide value) {
        if (value > 0) connect(source_, node, value);
        if (value < 0) connect(node, sink_, -value);
    }
    void require_parent(std::size_t node, std::size_t parent) { connect(node, parent, kUnlimited); }

    /// Whether each node is in the set. The set is empty if no set has a positive value.
    std::vector<bool> find() {
        for (;;) {
            const auto ways = reach();
            if (!ways[sink_]) {
                std::vector<bool> chosen;
                for (std::size_t i = 0; i < source_; ++i) chosen.push_back(ways[i].has_value());
                return chosen;
            }
            push_along(ways);
        }
    }

private:
    struct Edge {
        std::size_t to = 0;
        std::size_t reverse = 0;  // index of the reverse edge at `to`
        Wide room = 0;            // remaining capacity
    };
    /// One edge of a path.
    struct Step {
        std::size_t from = 0;
        std::size_t edge = 0;
    };
    /// For each node that can be reached from the source, the last step of a shortest path.
    using Ways = std::vector<std::optional<Step>>;

    void connect(std::size_t from, std::size_t to, Wide room) {
        edges_[from].push_back({to, edges_[to].size(), room});
        edges_[to].push_back({from, edges_[from].size() - 1, 0});
    }

    Edge& edge_of(const Step& step) { return edges_[step.from][step.edge]; }

    Ways reach() const {
        Ways ways(edges_.size());
        ways[source_] = Step{source_, 0};
        std::vector<std::size_t> open{source_};
        for (std::size_t i = 0; i < open.size() && !ways[sink_]; ++i) {
            const auto& edges = edges_[open[i]];
            for (std::size_t k = 0; k < edges.size(); ++k) {
                if (edges[k].room == 0 || ways[edges[k].to]) continue;
                ways[edges[k].to] = Step{open[i], k};
                open.push_back(edges[k].to);
            }
        }
        return ways;
    }

    void push_along(const Ways& ways) {
        Wide least = kUnlimited;
        for (std::size_t at = sink_; at != source_; at = ways[at]->from) {
            least = std::min(least, edge_of(*ways[at]).room);
        }
        for (std::size_t at = sink_; at != source_; at = ways[at]->from) {
            Edge& edge = edge_of(*ways[at]);
            edge.room -= least;
            edges_[at][edge.reverse].room += least;
        }
    }

    std::size_t source_;
    std::size_t sink_;
    std::vector<std::vector<Edge>> edges_;  // edges of each node
};

/// Transactions of a cluster, by index.
using Part = std::vector<std::size_t>;

PaidSize total_of(std::span<const ClusterTransaction> cluster, const Part& part) {
    PaidSize total;
    for (const std::size_t place : part) {
        total.fee += cluster[place].paid.fee;
        total.size += cluster[place].paid.size;
    }
    return total;
}

/// For each transaction, whether it is in the best subset of a part: the subset that includes its
/// parents in the part, and pays the most above the part's fee rate. All false if no subset pays
/// more.
std::vector<bool> better_half(std::span<const ClusterTransaction> cluster, const Part& part) {
    const PaidSize total = total_of(cluster, part);
    std::vector<std::optional<std::size_t>> nodes(cluster.size());
    for (std::size_t i = 0; i < part.size(); ++i) nodes[part[i]] = i;
    BestClosure closure(part.size());
    for (std::size_t i = 0; i < part.size(); ++i) {
        const PaidSize& paid = cluster[part[i]].paid;
        closure.set_value(i, product(paid.fee, total.size) - product(total.fee, paid.size));
        for (const std::size_t parent : cluster[part[i]].parents) {
            if (nodes[parent]) closure.require_parent(i, *nodes[parent]);
        }
    }
    return closure.find();
}

/// The chunks in order. A subset that pays the most above some fee rate never splits a chunk: a
/// chunk is inside if its own fee rate is higher, otherwise outside.
std::vector<Part> best_chunks(std::span<const ClusterTransaction> cluster) {
    std::vector<Part> chunks;
    std::vector<Part> open(1);  // the last part is next
    for (std::size_t i = 0; i < cluster.size(); ++i) open[0].push_back(i);
    while (!open.empty()) {
        Part part = std::move(open.back());
        open.pop_back();
        if (part.empty()) continue;
        const std::vector<bool> is_better = better_half(cluster, part);
        Part better;
        Part rest;
        for (std::size_t i = 0; i < part.size(); ++i) {
            (is_better[i] ? better : rest).push_back(part[i]);
        }
        if (better.empty()) {
            chunks.push_back(std::move(rest));
            continue;
        }
        open.push_back(std::move(rest));
        open.push_back(std::move(better));
    }
    return chunks;
}

bool has_higher_rate(const PaidSize& one, const PaidSize& other) {
    return product(one.fee, other.size) > product(other.fee, one.size);
}

/// The maximum fee for each size: chunks by falling fee rate, the last chunk in proportion.
class Diagram {
public:
    explicit Diagram(std::vector<PaidSize> chunks) : chunks_(std::move(chunks)) {
        std::ranges::sort(chunks_, has_higher_rate);
    }

    /// The sizes at which the fee rate changes.
    std::vector<std::size_t> corners() const {
        std::vector<std::size_t> sizes;
        std::size_t size = 0;
        for (const PaidSize& chunk : chunks_) sizes.push_back(size += chunk.size);
        return sizes;
    }

    /// A fraction of satoshis.
    struct Fee {
        Wide numerator = 0;
        Wide denominator = 1;
    };
    Fee fee_at(std::size_t size) const {
        chain::Satoshis fee = 0;
        for (const PaidSize& chunk : chunks_) {
            if (chunk.size > size) {
                const auto whole = static_cast<Wide>(chunk.size);
                return {fee * whole + product(chunk.fee, size), whole};
            }
            fee += chunk.fee;
            size -= chunk.size;
        }
        return {fee, 1};
    }

private:
    std::vector<PaidSize> chunks_;
};

}  // namespace

std::vector<PaidSize> chunks_of(std::span<const ClusterTransaction> cluster) {
    std::vector<PaidSize> chunks;
    for (const Part& chunk : best_chunks(cluster)) chunks.push_back(total_of(cluster, chunk));
    return chunks;
}

std::vector<Chunk> smallest_chunks_of(std::span<const ClusterTransaction> cluster) {
    std::vector<Chunk> all;
    for (const Part& best : best_chunks(cluster)) {
        std::vector<Chunk> chunks;
        for (const std::size_t place : best) {
            Chunk chunk{cluster[place].paid, {place}};
            for (; !chunks.empty() && has_higher_rate(chunk.paid, chunks.back().paid);
                 chunks.pop_back()) {
                const Chunk& before = chunks.back();
                chunk.paid.fee += before.paid.fee;
                chunk.paid.size += before.paid.size;
                std::ranges::copy(before.places, std::back_inserter(chunk.places));
            }
            chunks.push_back(std::move(chunk));
        }
        for (Chunk& chunk : chunks) {
            std::ranges::sort(chunk.places);
            all.push_back(std::move(chunk));
        }
    }
    return all;
}

bool improves_feerate_diagram(std::vector<PaidSize> before, std::vector<PaidSize> now) {
    const Diagram old_diagram(std::move(before));
    const Diagram new_diagram(std::move(now));
    std::vector<std::size_t> sizes = old_diagram.corners();
    std::ranges::copy(new_diagram.corners(), std::back_inserter(sizes));
    bool is_better = false;
    for (const std::size_t size : sizes) {
        const auto was = old_diagram.fee_at(size);
        const auto is = new_diagram.fee_at(size);
        const Wide gain = is.numerator * was.denominator - was.numerator * is.denominator;
        if (gain < 0) return false;
        if (gain > 0) is_better = true;
    }
    return is_better;
}

}  // namespace petal::regtest
