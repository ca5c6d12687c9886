// The tree of headers: contextual validation (Bitcoin Core: ContextualCheckBlockHeader), most work.
#include "chain/header_chain.h"

#include <algorithm>
#include <array>
#include <boost/container/deque.hpp>
#include <cassert>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "chain/header_index.h"
#include "chain/proof_of_work.h"

namespace petal::chain {

namespace {

// A header may be so many seconds ahead of the clock (Bitcoin Core: MAX_FUTURE_BLOCK_TIME).
constexpr std::int64_t kMaxFutureTime = 2 * 60 * 60;
// How many blocks the median of times spans (Bitcoin Core: CBlockIndex::nMedianTimeSpan).
constexpr std::size_t kMedianTimeSpan = 11;
// How far a period's first block may lie before its parent, in seconds (BIP94).
constexpr std::int64_t kMaxTimewarp = 600;
// How many headers that broke a rule are remembered. Each proved work, so they do not come cheap,
// but on the test networks not dear either.
constexpr std::size_t kMaxRememberedInvalid = 1000;
// At every so many heights the work of the whole branch is kept, to be summed up in between.
constexpr std::uint32_t kWorkSpacing = 64;

// The last kMaxRememberedInvalid hashes inserted.
class RecentHashes {
public:
    void insert(const BlockHash& hash) {
        if (!set_.insert(hash).second) return;
        order_.push_back(hash);
        if (order_.size() <= kMaxRememberedInvalid) return;
        set_.erase(order_.front());
        order_.pop_front();
    }
    bool contains(const BlockHash& hash) const { return set_.contains(hash); }

private:
    std::unordered_set<BlockHash> set_;
    std::deque<BlockHash> order_;
};

// What bits mean. Almost every header has its parent's bits, so the last meaning is kept.
struct Difficulty {
    std::uint32_t bits = 0;
    Uint256 target;
    Uint256 work;
};

// A header and its place in the tree. Its hash is not kept: a child's `previous` tells it.
struct Node {
    BlockHeader header;
    std::uint32_t parent = 0;  // the genesis block's own is itself
    std::uint32_t height = 0;
};

// Grows without copying what it holds, and so without ever taking twice its memory.
using Nodes = boost::container::deque<
    Node, void, boost::container::deque_options<boost::container::block_size<1024U>>::type>;

// A block of the best chain.
struct BestEntry {
    std::uint32_t node = 0;
    std::uint32_t max_time = 0;  // of it and all before: ascending, unlike the times themselves
};

}  // namespace

std::string_view describe(HeaderError error) {
    switch (error) {
        case HeaderError::unknown_parent:
            return "the block before it is not known";
        case HeaderError::bad_target:
            return "its target is not one that the network allows";
        case HeaderError::insufficient_work:
            return "its hash does not meet its target";
        case HeaderError::wrong_bits:
            return "its difficulty is not the required one";
        case HeaderError::time_too_old:
            return "its time is not after the median of the eleven blocks before";
        case HeaderError::time_warp:
            return "its time is too far before that of the block before (BIP94)";
        case HeaderError::time_too_new:
            return "its time is more than two hours ahead of the clock";
        case HeaderError::obsolete_version:
            return "its version is too old for its height";
        case HeaderError::descends_from_invalid:
            return "it follows a block that broke a rule";
    }
    assert(false);
    return {};
}

bool proves_fault(HeaderError error) {
    return error != HeaderError::unknown_parent && error != HeaderError::time_too_new;
}

struct HeaderChain::State {
    explicit State(const NetworkParams& network_params);

    template <typename Header>
    AcceptResult add_all(std::span<const Header> headers, std::int64_t now);

    std::optional<std::uint32_t> find(const BlockHash& hash) const;
    BlockHash hash_of(std::uint32_t node) const;
    bool is_best(std::uint32_t node) const;
    BlockRef best_ref(std::uint32_t height) const;
    std::uint32_t ancestor(std::uint32_t node, std::uint32_t height) const;
    std::uint32_t fork_node(std::uint32_t node) const;
    std::uint32_t median_time_past(std::uint32_t node) const;
    std::uint32_t tip_height() const { return static_cast<std::uint32_t>(best.size() - 1); }

    const NetworkParams& network;
    Nodes nodes;  // the genesis block first; a parent before its children
    std::vector<BestEntry> best;
    BlockHash tip_hash;
    Uint256 tip_work;
    std::function<void(const HashedHeader&)> on_added;

private:
    class Branch;

    /// Takes one header; whether it is new, or why it is refused.
    Expected<bool, HeaderError> add(const HashedHeader& hashed, std::int64_t now);
    bool set_difficulty(std::uint32_t bits);
    bool is_after_median(std::uint32_t time, std::uint32_t parent) const;
    std::optional<HeaderError> check_context(const BlockHeader& header, std::uint32_t parent,
                                             std::int64_t now) const;
    void append(const HashedHeader& hashed, std::uint32_t parent);
    Uint256 work_of(std::uint32_t node) const;
    void set_tip(std::uint32_t node);
    void extend_best(std::uint32_t node);

    HeaderIndex index_;
    std::unordered_map<std::uint32_t, Uint256> spaced_work_;  // by node, see kWorkSpacing
    RecentHashes invalid_;
    Difficulty difficulty_;  // of the header being added
    // The newest header: most likely the next one's parent.
    std::uint32_t last_node_ = 0;
    BlockHash last_hash_;
    Uint256 last_work_;
};

// The branch that ends in a node, for the rules on difficulty.
class HeaderChain::State::Branch final : public HeaderAncestry {
public:
    Branch(const State& state, std::uint32_t end) : state_(state), end_(end), near_(end) {}

    BlockHeader header_at(std::uint32_t height) const override {
        // The rules look ever further back, so a search goes on from where the last one ended.
        const std::uint32_t from = state_.nodes[near_].height >= height ? near_ : end_;
        near_ = state_.ancestor(from, height);
        return state_.nodes[near_].header;
    }

private:
    const State& state_;
    std::uint32_t end_;
    mutable std::uint32_t near_;
};

HeaderChain::State::State(const NetworkParams& network_params) : network(network_params) {
    const HashedHeader genesis{network.genesis};
    [[maybe_unused]] const bool valid = set_difficulty(network.genesis.bits);
    assert(valid && meets_target(genesis.hash(), difficulty_.target));
    append(genesis, 0);
}

Expected<bool, HeaderError> HeaderChain::State::add(const HashedHeader& hashed, std::int64_t now) {
    const BlockHeader& header = hashed.header();
    const BlockHash& hash = hashed.hash();
    index_.prefetch(hash);
    // The newest header of all has no child yet, so what follows it is new and needs no search.
    const bool follows_newest = header.previous == last_hash_;
    if (!follows_newest && find(hash)) return false;
    if (!set_difficulty(header.bits)) return Unexpected(HeaderError::bad_target);
    if (!meets_target(hash, difficulty_.target)) {
        return Unexpected(HeaderError::insufficient_work);
    }

    const auto parent = follows_newest ? last_node_ : find(header.previous);
    if (!parent && !invalid_.contains(header.previous)) {
        return Unexpected(HeaderError::unknown_parent);
    }
    const auto error =
        parent ? check_context(header, *parent, now) : HeaderError::descends_from_invalid;
    if (error) {
        if (proves_fault(*error)) invalid_.insert(hash);
        return Unexpected(*error);
    }
    append(hashed, *parent);
    return true;
}

template <typename Header>
AcceptResult HeaderChain::State::add_all(std::span<const Header> headers, std::int64_t now) {
    AcceptResult result;
    const std::uint32_t old_tip = best.back().node;
    result.move.old_tip = best_ref(tip_height());
    for (const Header& header : headers) {
        const auto is_new = add(HashedHeader{header}, now);
        if (!is_new) {
            result.error = is_new.error();
            break;
        }
        ++result.accepted;
        if (*is_new) ++result.added;
    }
    result.move.fork = best_ref(nodes[fork_node(old_tip)].height);
    result.move.new_tip = best_ref(tip_height());
    return result;
}

std::optional<std::uint32_t> HeaderChain::State::find(const BlockHash& hash) const {
    return index_.find(hash, [&](std::uint32_t node) { return hash_of(node) == hash; });
}

BlockHash HeaderChain::State::hash_of(std::uint32_t node) const {
    if (!is_best(node)) return nodes[node].header.hash();
    const std::uint32_t height = nodes[node].height;
    return height == tip_height() ? tip_hash : nodes[best[height + 1].node].header.previous;
}

bool HeaderChain::State::is_best(std::uint32_t node) const {
    const std::uint32_t height = nodes[node].height;
    return height < best.size() && best[height].node == node;
}

BlockRef HeaderChain::State::best_ref(std::uint32_t height) const {
    return {height, hash_of(best[height].node)};
}

std::uint32_t HeaderChain::State::ancestor(std::uint32_t node, std::uint32_t height) const {
    assert(nodes[node].height >= height);
    while (nodes[node].height > height && !is_best(node)) node = nodes[node].parent;
    return nodes[node].height > height ? best[height].node : node;
}

std::uint32_t HeaderChain::State::fork_node(std::uint32_t node) const {
    while (!is_best(node)) node = nodes[node].parent;
    return node;
}

std::uint32_t HeaderChain::State::median_time_past(std::uint32_t node) const {
    // Filled from the end, so that the times are almost sorted already.
    std::array<std::uint32_t, kMedianTimeSpan> times;
    auto first = times.end();
    do {
        *--first = nodes[node].header.time;
        if (nodes[node].height == 0) break;
        node = nodes[node].parent;
    } while (first != times.begin());
    std::sort(first, times.end());
    return first[(times.end() - first) / 2];
}

bool HeaderChain::State::is_after_median(std::uint32_t time, std::uint32_t parent) const {
    // What is later than all blocks before is later than any median; most headers are.
    if (is_best(parent) && time > best[nodes[parent].height].max_time) return true;
    return time > median_time_past(parent);
}

bool HeaderChain::State::set_difficulty(std::uint32_t bits) {
    if (bits == difficulty_.bits) return true;
    const auto target = decode_target(bits, network.pow_limit);
    if (target) difficulty_ = {bits, *target, work_of_target(*target)};
    return target.has_value();
}

std::optional<HeaderError> HeaderChain::State::check_context(const BlockHeader& header,
                                                             std::uint32_t parent,
                                                             std::int64_t now) const {
    const std::uint32_t height = nodes[parent].height + 1;
    const std::int64_t parent_time = nodes[parent].header.time;
    const Branch branch{*this, parent};
    if (header.bits != required_bits(network, branch, height, header.time)) {
        return HeaderError::wrong_bits;
    }
    if (!is_after_median(header.time, parent)) return HeaderError::time_too_old;
    const bool starts_period = height % network.retarget_interval == 0;
    if (network.bip94 && starts_period && header.time < parent_time - kMaxTimewarp) {
        return HeaderError::time_warp;
    }
    if (header.time > now + kMaxFutureTime) return HeaderError::time_too_new;

    std::int32_t least_version = 1;
    for (const std::uint32_t from : network.version_heights) {
        if (height >= from) ++least_version;
    }
    const bool obsolete = least_version > 1 && header.version < least_version;
    return obsolete ? std::optional(HeaderError::obsolete_version) : std::nullopt;
}

void HeaderChain::State::append(const HashedHeader& hashed, std::uint32_t parent) {
    const auto node = static_cast<std::uint32_t>(nodes.size());
    const bool is_genesis = node == 0;
    const std::uint32_t height = is_genesis ? 0 : nodes[parent].height + 1;
    const Uint256 parent_work = parent == last_node_ ? last_work_ : work_of(parent);

    nodes.push_back({hashed.header(), parent, height});
    index_.insert(hashed.hash(), node);
    last_node_ = node;
    last_hash_ = hashed.hash();
    last_work_ = parent_work + difficulty_.work;
    if (height % kWorkSpacing == 0) spaced_work_.emplace(node, last_work_);
    if (last_work_ > tip_work) set_tip(node);
    if (on_added) on_added(hashed);
}

Uint256 HeaderChain::State::work_of(std::uint32_t node) const {
    Difficulty difficulty;
    Uint256 sum = 0;
    for (; nodes[node].height % kWorkSpacing != 0; node = nodes[node].parent) {
        const std::uint32_t bits = nodes[node].header.bits;
        if (bits != difficulty.bits) {
            const Uint256 target = decode_target(bits, network.pow_limit).value();
            difficulty = {bits, target, work_of_target(target)};
        }
        sum += difficulty.work;
    }
    return sum + spaced_work_.at(node);
}

// `node` came last.
void HeaderChain::State::set_tip(std::uint32_t node) {
    std::vector<std::uint32_t> path;  // from the best chain, which it leaves, to before `node`
    std::uint32_t from = nodes[node].parent;
    for (; !is_best(from) && from != node; from = nodes[from].parent) path.push_back(from);
    if (from != node) best.resize(nodes[from].height + std::size_t{1});
    for (; !path.empty(); path.pop_back()) extend_best(path.back());
    extend_best(node);
    tip_hash = last_hash_;
    tip_work = last_work_;
}

void HeaderChain::State::extend_best(std::uint32_t node) {
    const std::uint32_t max_time_before = best.empty() ? 0 : best.back().max_time;
    best.push_back({node, std::max(max_time_before, nodes[node].header.time)});
}

HeaderChain::HeaderChain(const NetworkParams& network) : state_(std::make_unique<State>(network)) {}
HeaderChain::~HeaderChain() = default;
HeaderChain::HeaderChain(HeaderChain&&) noexcept = default;
HeaderChain& HeaderChain::operator=(HeaderChain&&) noexcept = default;

void HeaderChain::on_added(std::function<void(const HashedHeader&)> callback) {
    state_->on_added = std::move(callback);
}

AcceptResult HeaderChain::accept(std::span<const BlockHeader> headers, std::int64_t now) {
    return state_->add_all(headers, now);
}

AcceptResult HeaderChain::accept_hashed(std::span<const HashedHeader> headers, std::int64_t now) {
    return state_->add_all(headers, now);
}

const NetworkParams& HeaderChain::network() const {
    return state_->network;
}

BlockRef HeaderChain::tip() const {
    return {state_->tip_height(), state_->tip_hash};
}

const BlockHeader& HeaderChain::tip_header() const {
    return header_at(state_->tip_height());
}

const Uint256& HeaderChain::chainwork() const {
    return state_->tip_work;
}

bool HeaderChain::has_minimum_chainwork() const {
    return state_->tip_work >= state_->network.minimum_chainwork;
}

BlockHash HeaderChain::hash_at(std::uint32_t height) const {
    assert(height <= state_->tip_height());
    return state_->best_ref(height).hash;
}

const BlockHeader& HeaderChain::header_at(std::uint32_t height) const {
    assert(height <= state_->tip_height());
    return state_->nodes[state_->best[height].node].header;
}

std::optional<std::uint32_t> HeaderChain::height_of(const BlockHash& hash) const {
    const auto node = state_->find(hash);
    if (!node) return std::nullopt;
    return state_->nodes[*node].height;
}

const BlockHeader* HeaderChain::find(const BlockHash& hash) const {
    const auto node = state_->find(hash);
    return node ? &state_->nodes[*node].header : nullptr;
}

bool HeaderChain::is_on_best_chain(const BlockHash& hash) const {
    const auto node = state_->find(hash);
    return node && state_->is_best(*node);
}

std::optional<BlockRef> HeaderChain::fork_point(const BlockHash& hash) const {
    const auto node = state_->find(hash);
    if (!node) return std::nullopt;
    return state_->best_ref(state_->nodes[state_->fork_node(*node)].height);
}

std::uint32_t HeaderChain::median_time_past(std::uint32_t height) const {
    assert(height <= state_->tip_height());
    return state_->median_time_past(state_->best[height].node);
}

std::vector<BlockHash> HeaderChain::locator() const {
    return locator(state_->tip_height());
}

std::vector<BlockHash> HeaderChain::locator(std::uint32_t height) const {
    constexpr std::size_t kDenseEntries = 12;
    std::vector<BlockHash> hashes{hash_at(height)};
    for (std::uint32_t step = 1; height > 0;) {
        height -= std::min(step, height);
        hashes.push_back(hash_at(height));
        if (hashes.size() >= kDenseEntries) step *= 2;
    }
    return hashes;
}

std::uint32_t HeaderChain::first_height_since(std::int64_t time) const {
    const auto& best = state_->best;
    const auto first = std::partition_point(best.begin(), best.end(), [&](const BestEntry& entry) {
        return entry.max_time + kMaxFutureTime < time;
    });
    return static_cast<std::uint32_t>(first - best.begin());
}

}  // namespace petal::chain
