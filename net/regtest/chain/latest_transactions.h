/// The transactions of a chain's latest block, by their ids.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "chain/hash.h"
#include "chain/transaction.h"
#include "net/regtest/chain/regtest_chain.h"

namespace petal::net {

/// An index of the tip's transactions, which is made anew whenever the tip has changed (Bitcoin
/// Core: m_most_recent_block_txs). The chain must outlive it.
class LatestTransactions {
public:
    explicit LatestTransactions(const RegtestChain& chain) : chain_(chain) {}

    /// Null for none.
    const chain::Transaction* find(const chain::Txid& txid);
    const chain::Transaction* find(const chain::Wtxid& wtxid);

private:
    void update();

    const RegtestChain& chain_;
    chain::BlockHash tip_;  // whose transactions these are
    std::unordered_map<chain::Txid, const chain::Transaction*> by_txid_;
    std::unordered_map<chain::Wtxid, const chain::Transaction*> by_wtxid_;
};

}  // namespace petal::net
