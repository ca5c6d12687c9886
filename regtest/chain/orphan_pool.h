/// Transactions from peers that wait for a parent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "chain/hash.h"
#include "chain/transaction.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/mempool/acceptance.h"

namespace petal::regtest {

/// Offers transactions to the chain, and keeps transactions with missing inputs until a parent is
/// accepted or confirmed (Bitcoin Core: TxOrphanage). Each orphan belongs to the peers that
/// announced it. If there is no room, the peer with the largest share loses its oldest orphan, so
/// that no peer can evict the orphans of another. As in Bitcoin Core, each connection counts as a
/// peer: a host with several connections may evict the orphans of others. The chain must outlive
/// the pool.
class OrphanPool {
public:
    using ConnectionId = std::uint64_t;
    static constexpr std::size_t kMaxOrphans = 100;
    /// The limit for all orphans together, equal to the maximum weight of a block.
    static constexpr std::size_t kMaxWeight = 4'000'000;

    explicit OrphanPool(RegtestChain& chain)
        : chain_(chain), tip_(chain.tip()), submissions_seen_(chain.history().submitted().size()) {}

    struct Outcome {
        /// False also if the chain has the transaction already.
        bool is_accepted = false;
        /// The parents of an orphan, to be requested from the peer.
        std::vector<chain::Txid> missing_parents;
    };
    /// Offers the transaction and, if it is accepted, the orphans that spend its outputs.
    Outcome offer(const chain::Transaction& transaction, ConnectionId peer,
                  const MempoolPolicy& policy);

    /// A peer announced the transaction with this hash. If the hash is the wtxid of an orphan, the
    /// orphan also belongs to this peer, and its missing parents are returned, to be requested from
    /// the peer. Otherwise empty.
    std::optional<std::vector<chain::Txid>> announce(const chain::Hash256& hash, ConnectionId peer);

    /// Follows the chain. Removes orphans that new blocks confirm or conflict with. Offers orphans
    /// that spend outputs of new blocks or of submitted transactions. Call this after every change
    /// of the chain.
    void catch_up(const MempoolPolicy& policy);

    /// Forgets the orphans that no other peer announced.
    void forget_peer(ConnectionId peer);

private:
    struct Orphan {
        chain::Transaction transaction;
        chain::Wtxid wtxid;
        std::size_t weight = 0;
        std::vector<ConnectionId> peers;  // if empty, the orphan is dropped
    };

    std::deque<Orphan>::iterator find(const chain::Wtxid& wtxid);
    std::vector<chain::Txid> missing_parents_of(const chain::Transaction& transaction);
    static void add_peer(Orphan& orphan, ConnectionId peer);
    void drop_orphans_without_peer();
    void keep(Orphan orphan);
    ConnectionId largest_peer() const;
    void offer_children_of(std::vector<chain::Txid> accepted, const MempoolPolicy& policy);

    RegtestChain& chain_;
    std::deque<Orphan> orphans_;  // oldest first
    std::size_t weight_ = 0;
    // As of the last catch_up().
    chain::BlockHash tip_;
    std::size_t submissions_seen_;
};

}  // namespace petal::regtest
