#include "net/peer/recent_txids.h"

namespace petal::net {

bool RecentTxids::insert(const chain::Txid& txid) {
    if (!txids_.insert(txid).second) return false;
    order_.push_back(txid);
    limit_to(max_);
    return true;
}

void RecentTxids::limit_to(std::size_t max) {
    max_ = max;
    while (order_.size() > max_) {
        txids_.erase(order_.front());
        order_.pop_front();
    }
}

}  // namespace petal::net
