#include "net/sync/filters/mirror.h"

#include "bloom/transaction_match.h"
#include "net/sync/filters/filter_policy.h"

namespace petal::net {

Mirror::Mirror(bloom::BloomFilter loaded)
    : filter_(std::move(loaded)), initial_rate_(filter_.false_positive_rate()) {}

Mirror::Replay Mirror::replay(const chain::Transaction& transaction, const chain::Txid& txid) {
    // btcd inserts the outpoints of outputs with an empty push, too, even of transactions that it
    // matches by them alone and that are not known here.
    if (bloom::matches_by_an_empty_push(filter_, transaction)) explains_all_ = true;
    auto match = bloom::match_and_update(filter_, transaction, txid);
    if (!match.inserted.empty()) count_insertions(match.inserted.size());
    if (match.matched) {
        announced_.erase(txid);  // its outpoints are known now
        return {true, std::move(match.inserted)};
    }
    return {explains_all_ || !announced_.empty(), {}};
}

void Mirror::on_added(const chain::Outpoint& outpoint) {
    filter_.insert(outpoint.serialize());
    count_insertions(1);
}

void Mirror::count_insertions(std::size_t outpoints) {
    insertions_ += outpoints;
    rate_ = filter_.false_positive_rate();
    snapshot_.reset();
}

double Mirror::room(double rate) const {
    return room_between(filter_, rate_, rate);
}

std::shared_ptr<const bloom::BloomFilter> Mirror::snapshot() {
    if (!snapshot_) snapshot_ = std::make_shared<const bloom::BloomFilter>(filter_);
    return snapshot_;
}

void Mirror::on_announced(const chain::Txid& txid, bool is_by_this, std::size_t max) {
    if (explains_all_) return;
    announced_[txid] |= is_by_this;
    explains_all_ = announced_.size() > max;
    if (explains_all_) announced_ = {};
}

void Mirror::on_unconfirmed(const chain::Transaction& transaction, const chain::Txid& txid) {
    const auto open = announced_.find(txid);
    const bool is_by_this = open != announced_.end() && open->second;
    if (explains_all_ || is_by_this) replay(transaction, txid);
}

}  // namespace petal::net
