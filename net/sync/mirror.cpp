#include "net/sync/mirror.h"

#include <algorithm>

#include "bloom/transaction_match.h"
#include "net/sync/filter_policy.h"

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

double Mirror::room(double rate) const {
    return room_between(filter_, filter_.false_positive_rate(), rate);
}

std::shared_ptr<const bloom::BloomFilter> Mirror::snapshot() {
    if (!snapshot_) snapshot_ = std::make_shared<const bloom::BloomFilter>(filter_);
    return snapshot_;
}

void Mirror::on_announced(const chain::Txid& txid) {
    if (announced_.size() < kMaxAnnounced) announced_.insert(txid);
}

}  // namespace petal::net
