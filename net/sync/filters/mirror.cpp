#include "net/sync/filters/mirror.h"

#include <algorithm>

#include "bloom/transaction_match.h"
#include "net/sync/filters/filter_policy.h"

namespace petal::net {

Mirror::Mirror(bloom::BloomFilter loaded)
    : filter_(std::move(loaded)), initial_rate_(filter_.false_positive_rate()) {}

Mirror::Replay Mirror::replay(const chain::Transaction& transaction, const chain::Txid& txid) {
    auto match = bloom::match_and_update(filter_, transaction, txid);
    if (!match.inserted.empty()) snapshot_.reset();
    insertions_ += match.inserted.size();
    if (match.matched) {
        announced_.erase(txid);  // what it inserted is known now
        return {true, std::move(match.inserted)};
    }
    const bool spends_announced =
        explains_all_ ||
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

void Mirror::on_announced(const chain::Txid& txid, std::size_t max) {
    if (explains_all_) return;
    announced_.insert(txid);
    explains_all_ = announced_.size() > max;
    if (explains_all_) announced_ = {};
}

}  // namespace petal::net
