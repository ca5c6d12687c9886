/// The transactions of a chain's latest block, by their ids.
#pragma once

#include <optional>
#include <unordered_map>

#include "chain/bytes.h"
#include "chain/hash.h"
#include "chain/transaction.h"
#include "regtest/chain/regtest_chain.h"

namespace petal::regtest {

/// An index of the tip's transactions, which is made anew whenever the tip has changed (Bitcoin
/// Core: m_most_recent_block_txs). The chain must outlive it.
class LatestTransactions {
public:
    explicit LatestTransactions(const RegtestChain& chain) : chain_(chain) {}

    bool contains(const chain::Txid& txid);
    bool contains(const chain::Wtxid& wtxid);
    /// Empty if there is none.
    std::optional<chain::Transaction> find(const chain::Txid& txid);
    std::optional<chain::Transaction> find(const chain::Wtxid& wtxid);

private:
    void update();

    const RegtestChain& chain_;
    chain::BlockHash tip_;  // the block of these transactions
    // Their wire forms in the block.
    std::unordered_map<chain::Txid, chain::ByteView> by_txid_;
    std::unordered_map<chain::Wtxid, chain::ByteView> by_wtxid_;
};

}  // namespace petal::regtest
