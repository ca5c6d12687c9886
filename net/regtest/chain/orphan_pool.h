/// Transactions from peers that wait for a parent.
#pragma once

#include <cstddef>
#include <deque>
#include <vector>

#include "chain/hash.h"
#include "chain/transaction.h"
#include "net/regtest/chain/regtest_chain.h"
#include "net/regtest/mempool/acceptance.h"

namespace petal::net {

/// Offers transactions to the chain, and keeps those whose inputs are missing until a parent is
/// accepted (Bitcoin Core: TxOrphanage). If there is no room, the oldest one leaves. The chain must
/// outlive it.
class OrphanPool {
public:
    static constexpr std::size_t kMaxOrphans = 100;
    /// Of all together; as a block may weigh.
    static constexpr std::size_t kMaxWeight = 4'000'000;

    explicit OrphanPool(RegtestChain& chain) : chain_(chain) {}

    struct Outcome {
        bool is_accepted = false;
        /// The transactions to ask the peer for; of an orphan.
        std::vector<chain::Txid> missing_parents;
    };
    /// Offers the transaction and, if it is accepted, the orphans that spend from it.
    Outcome offer(const chain::Transaction& transaction, const MempoolPolicy& policy);

    std::size_t size() const { return orphans_.size(); }

private:
    std::vector<chain::Txid> missing_parents_of(const chain::Transaction& transaction) const;
    void keep(const chain::Transaction& transaction);
    std::vector<chain::Transaction> take_children_of(const chain::Txid& txid);

    RegtestChain& chain_;
    std::deque<chain::Transaction> orphans_;  // the oldest first
    std::size_t weight_ = 0;
};

}  // namespace petal::net
