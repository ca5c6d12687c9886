/// The transactions of a chain's latest block, by id.
#pragma once

#include <optional>
#include <unordered_map>

#include "chain/bytes.h"
#include "chain/hash.h"
#include "chain/transaction.h"
#include "regtest/chain/regtest_chain.h"

namespace petal::regtest {

/// An index of the tip's transactions, rebuilt whenever the tip has changed (Bitcoin Core:
/// m_most_recent_block_txs). The chain must outlive the index.
class LatestTransactions {
public:
    explicit LatestTransactions(const RegtestChain& chain) : chain_(chain) {}

    bool contains(const chain::Txid& txid);
    bool contains(const chain::Wtxid& wtxid);
    /// Empty if the tip has no such transaction.
    std::optional<chain::Transaction> find(const chain::Txid& txid);
    std::optional<chain::Transaction> find(const chain::Wtxid& wtxid);

private:
    void update();

    const RegtestChain& chain_;
    chain::BlockHash tip_;  // the block of the indexed transactions
    // Wire forms, in the memory of the block.
    std::unordered_map<chain::Txid, chain::ByteView> by_txid_;
    std::unordered_map<chain::Wtxid, chain::ByteView> by_wtxid_;
};

}  // namespace petal::regtest
