/// Unconfirmed transactions from a peer: which are asked for, and which were sent.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>

#include "chain/transaction.h"
#include "net/wire/messages.h"
#include "regtest/chain/orphan_pool.h"
#include "regtest/message_queue.h"

namespace petal::regtest {

/// The orphans of all peers, as accessed for one of them.
struct OrphansOfPeer {
    OrphanPool* pool = nullptr;  ///< null for a node that keeps none
    OrphanPool::ConnectionId peer = 0;
};

/// Requests transactions that a peer announces and the node does not have, as Bitcoin Core does
/// (node/txdownloadman_impl.cpp), without its delays: a transaction is requested from every peer
/// that announces it, and the parents of an orphan from every peer that announces the orphan. The
/// chain decides whether they are valid.
class TransactionIntake {
public:
    using Milliseconds = std::chrono::milliseconds;
    using IsKnown = std::function<bool(const net::Inventory&)>;
    /// The number of announcements that Core tracks for a peer (MAX_PEER_TX_ANNOUNCEMENTS).
    static constexpr std::size_t kMaxRequested = 5'000;
    /// A request that was not answered within this time no longer counts (GETDATA_TX_INTERVAL).
    static constexpr Milliseconds kAnswerLimit = std::chrono::minutes{1};

    /// The pool must outlive it.
    explicit TransactionIntake(OrphansOfPeer orphans = {}) : orphans_(orphans) {}

    /// After wtxidrelay: only announcements by wtxid count (BIP339).
    void use_wtxids() { announced_as_ = net::InventoryType::wtx; }
    /// The peer can send witnesses (NODE_WITNESS).
    void ask_for_witnesses() { has_witnesses_ = true; }

    /// The request for announced transactions that are not known, and for the missing parents of
    /// announced orphans; without entries if all are known.
    /// is_known   whether the node has the object of an entry
    net::GetData request(const net::Inv& announcement, const IsKnown& is_known, Milliseconds now);
    /// The request for the missing parents of an orphan that the peer sent, which are not known.
    net::GetData request_parents(std::span<const chain::Txid> txids, const IsKnown& is_known,
                                 Milliseconds now);
    /// Accepts a transaction from the peer, requested or not, like Core.
    void take(chain::Transaction transaction);
    /// Transactions that the peer does not have may be announced and requested again.
    void take(const net::NotFound& message);

    /// How many bytes the transactions that take_one() would return take on the wire.
    std::size_t arrived_bytes() const { return arrived_.bytes(); }
    /// The received transactions, in order, one a call; empty when there are no more.
    std::optional<chain::Transaction> take_one();

private:
    void forget_unanswered(Milliseconds now);
    void add_request(net::GetData& wanted, const net::Inventory& entry, const IsKnown& is_known,
                     Milliseconds now);

    OrphansOfPeer orphans_;
    net::InventoryType announced_as_ = net::InventoryType::tx;
    bool has_witnesses_ = false;
    std::unordered_map<chain::Hash256, Milliseconds> requested_;  // open ones; times
    MessageQueue arrived_;
};

}  // namespace petal::regtest
