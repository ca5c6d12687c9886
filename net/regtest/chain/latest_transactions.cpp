#include "net/regtest/chain/latest_transactions.h"

namespace petal::net {

const chain::Transaction* LatestTransactions::find(const chain::Txid& txid) {
    update();
    const auto found = by_txid_.find(txid);
    return found == by_txid_.end() ? nullptr : found->second;
}

const chain::Transaction* LatestTransactions::find(const chain::Wtxid& wtxid) {
    update();
    const auto found = by_wtxid_.find(wtxid);
    return found == by_wtxid_.end() ? nullptr : found->second;
}

void LatestTransactions::update() {
    if (tip_ == chain_.tip()) return;
    tip_ = chain_.tip();
    by_txid_.clear();
    by_wtxid_.clear();
    const Block& block = chain_.block_at(chain_.height());
    for (std::size_t i = 0; i < block.transactions.size(); ++i) {
        by_txid_.emplace(block.txids[i], &block.transactions[i]);
        by_wtxid_.emplace(block.transactions[i].wtxid(), &block.transactions[i]);
    }
}

}  // namespace petal::net
