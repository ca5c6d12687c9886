#include "net/peer/slow_peer_detector.h"

namespace petal::net {

void SlowPeerDetector::on_block(std::size_t transactions) {
    ++blocks_;
    transactions_ += transactions;
}

void SlowPeerDetector::observe(bool owes, Milliseconds now) {
    if (!owes) {
        *this = {};
        return;
    }
    const bool is_over = since_ && now >= *judged_at();
    if (since_ && !is_over) return;
    too_slow_ = is_over && blocks_ < kLeastBlocks && transactions_ < kLeastTransactions;
    since_ = now;
    blocks_ = transactions_ = 0;
}

}  // namespace petal::net
