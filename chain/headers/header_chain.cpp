// Accepting headers, and queries on the tree of headers.
#include "chain/headers/header_chain.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <deque>
#include <unordered_set>

#include "chain/headers/header_table.h"
#include "chain/headers/proof_of_work.h"

namespace petal::chain {

namespace {

// The number of remembered invalid headers. Each has proof of work, which is expensive except on
// test networks.
constexpr std::size_t kMaxRememberedInvalid = 1000;

// The branch up to a header of the table.
class TableBranch final : public HeaderBranch {
public:
    TableBranch(const HeaderTable& table, std::uint32_t end)
        : table_(table), end_(end), near_(end) {}

    std::uint32_t height() const override { return table_[end_].height(); }
    std::uint32_t max_time() const override { return table_[end_].max_time(); }

    BlockHeader header_at(std::uint32_t height) const override {
        // The rules look further and further back, so each search continues from the last result.
        const std::uint32_t from = table_[near_].height() >= height ? near_ : end_;
        near_ = table_.ancestor(from, height);
        return table_[near_].header();
    }

    std::uint32_t median_time_past() const override {
        // Filled from the end, so that the times are almost sorted. Times below an anchor are
        // unknown and stay zero, which gives the earliest possible median.
        std::array<std::uint32_t, kMedianTimeSpan> times{};
        auto first = times.end();
        std::uint32_t number = end_;
        do {
            *--first = table_[number].time();
            if (number == 0) break;
            number = table_[number].parent();
        } while (first != times.begin());
        if (table_.root_height() > 0) first = times.begin();
        return median_time({first, times.end()});
    }

private:
    const HeaderTable& table_;
    std::uint32_t end_;
    mutable std::uint32_t near_;
};

// The height of the last header of the best chain that is `number` or an ancestor of `number`.
std::uint32_t fork_height(const HeaderTable& table, std::uint32_t number) {
    while (!table.is_best(number)) number = table[number].parent();
    return table[number].height();
}

}  // namespace

std::vector<std::uint32_t> locator_heights(std::uint32_t tip, std::uint32_t lowest) {
    constexpr std::size_t kDenseEntries = 12;
    std::vector<std::uint32_t> heights{tip};
    for (std::uint32_t step = 1; tip > lowest;) {
        tip -= std::min(step, tip - lowest);
        heights.push_back(tip);
        if (heights.size() >= kDenseEntries) step *= 2;
    }
    return heights;
}

struct HeaderChain::State {
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

    // Decodes compact targets. Caches the last result, because almost every header has the same
    // bits as its parent.
    class Difficulty {
    public:
        // Returns whether the network allows the bits.
        bool set(std::uint32_t bits, const Uint256& pow_limit) {
            if (bits == bits_) return true;
            const auto target = decode_target(bits, pow_limit);
            if (!target) return false;
            bits_ = bits;
            target_ = *target;
            work_ = work_of_target(*target);
            return true;
        }
        const Uint256& target() const { return target_; }
        const Uint256& work() const { return work_; }

    private:
        std::uint32_t bits_ = 0;
        Uint256 target_;
        Uint256 work_;
    };

    State(const NetworkParams& network_params, const Anchor& root)
        : network(network_params), table(root) {}

    /// Adds one header. Returns whether the header is new, or why it is refused.
    Expected<bool, HeaderError> add(const HashedHeader& hashed, std::int64_t now);
    template <typename Header>
    AcceptResult add_all(std::span<const Header> headers, std::int64_t now);
    BlockRef best_ref(std::uint32_t height) const;
    ChainMove move_from(std::uint32_t old_tip) const;

    const NetworkParams& network;
    HeaderTable table;

private:
    Difficulty difficulty_;  // of the header being added
    RecentHashes invalid_;
};

Expected<bool, HeaderError> HeaderChain::State::add(const HashedHeader& hashed, std::int64_t now) {
    const BlockHeader& header = hashed.header();
    const BlockHash& hash = hashed.hash();
    table.prefetch(hash);
    // The newest header has no child, so a header that follows the newest header is new and needs
    // no lookup.
    const bool follows_newest = header.previous == table.newest_hash();
    if (!follows_newest && table.find(hash)) return false;
    if (!difficulty_.set(header.bits, network.pow_limit)) {
        return Unexpected(HeaderError::bad_target);
    }
    if (!meets_target(hash, difficulty_.target())) {
        return Unexpected(HeaderError::insufficient_work);
    }

    const auto parent = follows_newest ? table.newest() : table.find(header.previous);
    if (!parent && !invalid_.contains(header.previous)) {
        return Unexpected(HeaderError::unknown_parent);
    }
    const bool is_invalid = !parent || table.exclusion_of(*parent) == Exclusion::invalid;
    const auto error = is_invalid
                           ? HeaderError::descends_from_invalid
                           : check_in_context(network, TableBranch{table, *parent}, header, now);
    if (error) {
        if (proves_fault(*error)) invalid_.insert(hash);
        return Unexpected(*error);
    }
    table.append(hashed, *parent, difficulty_.work());
    return true;
}

template <typename Header>
AcceptResult HeaderChain::State::add_all(std::span<const Header> headers, std::int64_t now) {
    AcceptResult result;
    const std::uint32_t old_tip = table.tip();
    for (const Header& header : headers) {
        const auto is_new = add(HashedHeader{header}, now);
        if (!is_new) {
            result.error = is_new.error();
            break;
        }
        ++result.accepted;
        if (*is_new) ++result.added;
    }
    result.move = move_from(old_tip);
    return result;
}

ChainMove HeaderChain::State::move_from(std::uint32_t old_tip) const {
    return {{table[old_tip].height(), table.hash_of(old_tip)},
            best_ref(fork_height(table, old_tip)),
            best_ref(table.tip_height())};
}

BlockRef HeaderChain::State::best_ref(std::uint32_t height) const {
    return {height, table.hash_of(table.best_at(height))};
}

HeaderChain::HeaderChain(const NetworkParams& network)
    : HeaderChain(network, genesis_anchor(network)) {}
HeaderChain::HeaderChain(const NetworkParams& network, const Anchor& root)
    : state_(std::make_unique<State>(network, root)) {}
HeaderChain::~HeaderChain() = default;
HeaderChain::HeaderChain(HeaderChain&&) noexcept = default;
HeaderChain& HeaderChain::operator=(HeaderChain&&) noexcept = default;

AcceptResult HeaderChain::accept(std::span<const BlockHeader> headers, std::int64_t now) {
    return state_->add_all(headers, now);
}

AcceptResult HeaderChain::accept_hashed(std::span<const HashedHeader> headers, std::int64_t now) {
    return state_->add_all(headers, now);
}

ChainMove HeaderChain::exclude(const BlockHash& hash, Exclusion why) {
    HeaderTable& table = state_->table;
    const std::uint32_t old_tip = table.tip();
    table.exclude(table.find(hash).value(), why);
    return state_->move_from(old_tip);
}

void HeaderChain::readmit(const BlockHash& hash) {
    assert(exclusion_of(hash) == Exclusion::withheld);
    state_->table.readmit(state_->table.find(hash).value());
}

std::optional<Exclusion> HeaderChain::exclusion_of(const BlockHash& hash) const {
    const HeaderTable& table = state_->table;
    const auto number = table.has_exclusions() ? table.find(hash) : std::nullopt;
    return number ? table.exclusion_of(*number) : std::nullopt;
}

const NetworkParams& HeaderChain::network() const {
    return state_->network;
}

BlockRef HeaderChain::root() const {
    return state_->best_ref(state_->table.root_height());
}

BlockRef HeaderChain::tip() const {
    return {state_->table.tip_height(), state_->table.tip_hash()};
}

BlockHeader HeaderChain::tip_header() const {
    return state_->table[state_->table.tip()].header();
}

const Uint256& HeaderChain::chainwork() const {
    return state_->table.tip_work();
}

std::optional<Uint256> HeaderChain::chainwork_at(const BlockHash& hash) const {
    const auto number = state_->table.find(hash);
    return number ? std::optional(state_->table[*number].work()) : std::nullopt;
}

bool HeaderChain::has_minimum_chainwork() const {
    return state_->table.tip_work() >= state_->network.minimum_chainwork;
}

bool HeaderChain::has_minimum_chainwork(const BlockHash& hash) const {
    if (state_->network.minimum_chainwork == 0) return true;
    if (has_minimum_chainwork() && is_on_best_chain(hash)) return true;
    const auto work = chainwork_at(hash);
    return work && *work >= state_->network.minimum_chainwork;
}

BlockHash HeaderChain::hash_at(std::uint32_t height) const {
    return state_->best_ref(height).hash;
}

BlockHeader HeaderChain::header_at(std::uint32_t height) const {
    return state_->table[state_->table.best_at(height)].header();
}

std::optional<std::uint32_t> HeaderChain::height_of(const BlockHash& hash) const {
    const auto number = state_->table.find(hash);
    return number ? std::optional(state_->table[*number].height()) : std::nullopt;
}

std::optional<BlockHeader> HeaderChain::find(const BlockHash& hash) const {
    const auto number = state_->table.find(hash);
    return number ? std::optional(state_->table[*number].header()) : std::nullopt;
}

bool HeaderChain::is_on_best_chain(const BlockHash& hash) const {
    const auto number = state_->table.find(hash);
    return number && state_->table.is_best(*number);
}

std::optional<BlockRef> HeaderChain::fork_point(const BlockHash& hash) const {
    const auto number = state_->table.find(hash);
    if (!number) return std::nullopt;
    return state_->best_ref(fork_height(state_->table, *number));
}

std::vector<BlockHash> HeaderChain::locator() const {
    return locator(state_->table.tip_height());
}

std::vector<BlockHash> HeaderChain::locator(std::uint32_t height) const {
    std::vector<BlockHash> hashes;
    for (const std::uint32_t at : locator_heights(height, state_->table.root_height())) {
        hashes.push_back(hash_at(at));
    }
    return hashes;
}

std::uint32_t HeaderChain::first_height_since(std::int64_t time) const {
    const HeaderTable& table = state_->table;
    std::uint32_t low = table.root_height();
    for (std::uint32_t high = table.tip_height() + 1; low < high;) {
        const std::uint32_t middle = low + (high - low) / 2;
        const bool before = table[table.best_at(middle)].max_time() + kMaxFutureTime < time;
        (before ? low : high) = before ? middle + 1 : middle;
    }
    return low;
}

std::uint32_t HeaderChain::size() const {
    return state_->table.size();
}

BlockHeader HeaderChain::header_by_number(std::uint32_t number) const {
    return state_->table[number].header();
}

std::optional<HeaderError> HeaderChain::recheck(std::uint32_t number, std::int64_t now) const {
    const HeaderTable& table = state_->table;
    const HeaderRecord& record = table[number];
    if (number == 0) return std::nullopt;
    State::Difficulty difficulty;
    if (!difficulty.set(record.bits(), state_->network.pow_limit)) return HeaderError::bad_target;
    if (!meets_target(record.hash(), difficulty.target())) return HeaderError::insufficient_work;
    const HeaderRecord& parent = table[record.parent()];
    // The table may know the parent's hash only from this record.
    const bool is_linked = record.previous() == parent.hash() &&
                           record.height() == parent.height() + 1 &&
                           record.work() == parent.work() + difficulty.work();
    if (!is_linked) return HeaderError::unknown_parent;
    return check_in_context(state_->network, TableBranch{table, record.parent()}, record.header(),
                            now);
}

HeaderTable& HeaderChain::table() {
    return state_->table;
}

}  // namespace petal::chain
