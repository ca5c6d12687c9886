#include "net/sync/mirror.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bloom/transaction_match.h"

namespace petal::net {

namespace {

// As many as a server remembers of what it announced to one peer (Bitcoin Core:
// m_tx_inventory_known_filter).
constexpr std::size_t kMaxAnnounced = 50'000;

}  // namespace

Mirror::Mirror(bloom::BloomFilter loaded)
    : filter_(std::move(loaded)), initial_rate_(filter_.false_positive_rate()) {}

Mirror::Replay Mirror::replay(const chain::Transaction& transaction, const chain::Txid& txid) {
    auto match = bloom::match_and_update(filter_, transaction, txid);
    if (!match.inserted.empty()) snapshot_.reset();
    insertions_ += match.inserted.size();
    if (match.matched) return {true, std::move(match.inserted)};
    const bool spends_announced =
        std::any_of(transaction.inputs.begin(), transaction.inputs.end(),
                    [this](const auto& input) { return announced_.contains(input.prevout.txid); });
    return {spends_announced, {}};
}

void Mirror::on_added(const chain::Outpoint& outpoint) {
    filter_.insert(outpoint.serialize());
    snapshot_.reset();
    ++insertions_;
}

// Each insertion leaves a bit unset with probability (1 - 1/m)^k, where m is the number of bits and
// k that of the hash functions; the rate is the share of set bits to the power of k (Bloom 1970).
double Mirror::room(double rate) const {
    const auto bits = static_cast<double>(filter_.bytes().size() * 8);
    const auto functions = static_cast<double>(filter_.hash_functions());
    if (rate >= 1) return std::numeric_limits<double>::infinity();
    if (filter_.false_positive_rate() >= rate) return 0;
    const double fill = std::pow(filter_.false_positive_rate(), 1 / functions);
    const double filled = std::pow(rate, 1 / functions);
    return bits / functions * std::log((1 - fill) / (1 - filled));
}

std::shared_ptr<const bloom::BloomFilter> Mirror::snapshot() {
    if (!snapshot_) snapshot_ = std::make_shared<const bloom::BloomFilter>(filter_);
    return snapshot_;
}

void Mirror::on_announced(const chain::Txid& txid) {
    if (announced_.size() < kMaxAnnounced) announced_.insert(txid);
}

}  // namespace petal::net
