#include "net/regtest/mempool/feerate_diagram.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

namespace petal::net {
namespace {

/// Of a fee below 2^51 and a size below 2^32, and of sums of their products.
__extension__ using Wide = __int128;

constexpr Wide kUnlimited = Wide{std::numeric_limits<std::int64_t>::max()} << 60U;

Wide product(chain::Satoshis fee, std::size_t size) {
    return Wide{fee} * static_cast<Wide>(size);
}

/// Finds the set of nodes of the highest total value that holds no node without its parents: the
/// side of the source of a minimum cut.
class BestClosure {
public:
    explicit BestClosure(std::size_t nodes)
        : source_(nodes), sink_(nodes + 1), room_(nodes + 2, std::vector<Wide>(nodes + 2)) {}

    void set_value(std::size_t node, Wide value) {
        if (value > 0) room_[source_][node] = value;
        if (value < 0) room_[node][sink_] = -value;
    }
    void require_parent(std::size_t node, std::size_t parent) { room_[node][parent] = kUnlimited; }

    /// Whether each node is in the set. None is where no set is worth more than nothing.
    std::vector<bool> find() {
        for (;;) {
            const auto before = reach();
            if (!before[sink_]) {
                std::vector<bool> chosen;
                for (std::size_t i = 0; i < source_; ++i) chosen.push_back(before[i].has_value());
                return chosen;
            }
            push_along(before);
        }
    }

private:
    /// For each node that can be reached from the source, the one before it on a shortest way.
    using Way = std::vector<std::optional<std::size_t>>;

    Way reach() const {
        Way before(room_.size());
        before[source_] = source_;
        std::vector<std::size_t> open{source_};
        for (std::size_t i = 0; i < open.size(); ++i) {
            for (std::size_t next = 0; next < room_.size(); ++next) {
                if (before[next] || room_[open[i]][next] == 0) continue;
                before[next] = open[i];
                open.push_back(next);
            }
        }
        return before;
    }

    void push_along(const Way& before) {
        Wide least = kUnlimited;
        for (std::size_t at = sink_; at != source_; at = *before[at]) {
            least = std::min(least, room_[*before[at]][at]);
        }
        for (std::size_t at = sink_; at != source_; at = *before[at]) {
            room_[*before[at]][at] -= least;
            room_[at][*before[at]] += least;
        }
    }

    std::size_t source_;
    std::size_t sink_;
    std::vector<std::vector<Wide>> room_;  // what may still flow from one node to another
};

PaidSize total_of(std::span<const ClusterTransaction> cluster, const std::vector<bool>& chosen) {
    PaidSize total;
    for (std::size_t i = 0; i < cluster.size(); ++i) {
        if (!chosen[i]) continue;
        total.fee += cluster[i].paid.fee;
        total.size += cluster[i].paid.size;
    }
    return total;
}

/// The best part of what is left. Each round finds a part with a higher fee rate than the last
/// one's (Dinkelbach), until there is none.
std::vector<bool> best_chunk(std::span<const ClusterTransaction> cluster,
                             const std::vector<bool>& left) {
    std::vector<bool> best = left;
    for (;;) {
        const PaidSize total = total_of(cluster, best);
        BestClosure closure(cluster.size());
        for (std::size_t i = 0; i < cluster.size(); ++i) {
            if (!left[i]) continue;
            const PaidSize& paid = cluster[i].paid;
            closure.set_value(i, product(paid.fee, total.size) - product(total.fee, paid.size));
            for (const std::size_t parent : cluster[i].parents) {
                if (left[parent]) closure.require_parent(i, parent);
            }
        }
        std::vector<bool> better = closure.find();
        if (std::ranges::find(better, true) == better.end()) return best;
        best = std::move(better);
    }
}

/// The chunks in their order, by the places of their transactions.
std::vector<std::vector<bool>> best_chunks(std::span<const ClusterTransaction> cluster) {
    std::vector<std::vector<bool>> chunks;
    std::vector<bool> left(cluster.size(), true);
    while (std::ranges::find(left, true) != left.end()) {
        chunks.push_back(best_chunk(cluster, left));
        for (std::size_t i = 0; i < left.size(); ++i) {
            if (chunks.back()[i]) left[i] = false;
        }
    }
    return chunks;
}

bool has_higher_rate(const PaidSize& one, const PaidSize& other) {
    return product(one.fee, other.size) > product(other.fee, one.size);
}

/// The most that can be earned with the first bytes: chunks by falling fee rate, of the last one of
/// which a part counts.
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
    for (const auto& chunk : best_chunks(cluster)) chunks.push_back(total_of(cluster, chunk));
    return chunks;
}

std::vector<PaidSize> chunk_of_each(std::span<const ClusterTransaction> cluster) {
    struct Part {
        PaidSize total;
        std::vector<std::size_t> places;
    };
    std::vector<PaidSize> each(cluster.size());
    for (const auto& chunk : best_chunks(cluster)) {
        std::vector<Part> parts;
        for (std::size_t i = 0; i < cluster.size(); ++i) {
            if (!chunk[i]) continue;
            Part part{cluster[i].paid, {i}};
            for (; !parts.empty() && has_higher_rate(part.total, parts.back().total);
                 parts.pop_back()) {
                const Part& before = parts.back();
                part.total.fee += before.total.fee;
                part.total.size += before.total.size;
                std::ranges::copy(before.places, std::back_inserter(part.places));
            }
            parts.push_back(std::move(part));
        }
        for (const Part& part : parts) {
            for (const std::size_t place : part.places) each[place] = part.total;
        }
    }
    return each;
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

}  // namespace petal::net
