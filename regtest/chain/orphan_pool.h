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

/// Offers transactions to the chain, and keeps those whose inputs are missing until a parent is
/// accepted or confirmed (Bitcoin Core: TxOrphanage). Each orphan belongs to the peers that
/// announced it. If there is no room, the peer that takes up the most room loses its oldest orphan,
/// so that no peer evicts another's. As in Core, each connection is a peer: with several
/// connections, one host may evict the orphans of others. The chain must outlive it.
class OrphanPool {
public:
    using ConnectionId = std::uint64_t;
    static constexpr std::size_t kMaxOrphans = 100;
    /// The limit for all orphans together, equal to the maximum weight of a block.
    static constexpr std::size_t kMaxWeight = 4'000'000;

    explicit OrphanPool(RegtestChain& chain)
        : chain_(chain), tip_(chain.tip()), submissions_seen_(chain.history().submitted().size()) {}

    struct Outcome {
        /// False also if the chain already has the transaction.
        bool is_accepted = false;
        /// The transactions to ask the peer for; of an orphan.
        std::vector<chain::Txid> missing_parents;
    };
    /// Offers the transaction and, if it is accepted, the orphans that spend from it.
    Outcome offer(const chain::Transaction& transaction, ConnectionId peer,
                  const MempoolPolicy& policy);

    /// A peer announces the transaction with this hash. If it is the wtxid of an orphan, the orphan
    /// belongs to the peer, too, and its missing parents are returned, to be requested from the
    /// peer; otherwise empty.
    std::optional<std::vector<chain::Txid>> announce(const chain::Hash256& hash, ConnectionId peer);

    /// Follows the chain: removes orphans that new blocks confirm or conflict with, and offers
    /// orphans that spend outputs of new blocks or of submitted transactions. Call this after every
    /// change of the chain.
    void catch_up(const MempoolPolicy& policy);

    /// Forgets the orphans that no other peer has announced.
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
    std::deque<Orphan> orphans_;  // the oldest first
    std::size_t weight_ = 0;
    // The chain's at the last catch_up().
    chain::BlockHash tip_;
    std::size_t submissions_seen_;
};

}  // namespace petal::regtest
