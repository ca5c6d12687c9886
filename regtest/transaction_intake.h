/// Downloads unconfirmed transactions from a peer.
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

/// The orphan pool of all peers, as used by one peer.
struct OrphansOfPeer {
    OrphanPool* pool = nullptr;  ///< null if the node keeps no orphans
    OrphanPool::ConnectionId peer = 0;
};

/// Requests announced transactions that the node does not have, as Bitcoin Core does
/// (node/txdownloadman_impl.cpp), but without its delays. A transaction is requested from every
/// peer that announces it, and the parents of an orphan from every peer that announces the orphan.
/// The chain validates the transactions.
class TransactionIntake {
public:
    using Milliseconds = std::chrono::milliseconds;
    using IsKnown = std::function<bool(const net::Inventory&)>;
    /// The number of announcements tracked per peer (Bitcoin Core: MAX_PEER_TX_ANNOUNCEMENTS).
    static constexpr std::size_t kMaxRequested = 5'000;
    /// After this time without an answer, a request no longer counts (GETDATA_TX_INTERVAL).
    static constexpr Milliseconds kAnswerLimit = std::chrono::minutes{1};

    /// The orphan pool must outlive the intake.
    explicit TransactionIntake(OrphansOfPeer orphans = {}) : orphans_(orphans) {}

    /// The peer sent wtxidrelay: only announcements by wtxid count (BIP339).
    void use_wtxids() { announced_as_ = net::InventoryType::wtx; }
    /// The peer signals NODE_WITNESS.
    void ask_for_witnesses() { has_witnesses_ = true; }

    /// The request for announced transactions that are unknown, and for the missing parents of
    /// announced orphans. Without entries if all are known.
    /// is_known   whether the node has the transaction of an entry
    net::GetData request(const net::Inv& announcement, const IsKnown& is_known, Milliseconds now);
    /// The request for unknown parents of an orphan that the peer sent.
    net::GetData request_parents(std::span<const chain::Txid> txids, const IsKnown& is_known,
                                 Milliseconds now);
    /// Accepts a transaction from the peer, requested or not, like Bitcoin Core.
    void take(chain::Transaction transaction);
    /// Transactions that the peer does not have may be announced and requested again.
    void take(const net::NotFound& message);

    /// The size on the wire of the transactions that take_one() would return.
    std::size_t arrived_bytes() const { return arrived_.bytes(); }
    /// Returns the received transactions in order, one per call. Empty if there are no more.
    std::optional<chain::Transaction> take_one();

private:
    void forget_unanswered(Milliseconds now);
    void add_request(net::GetData& wanted, const net::Inventory& entry, const IsKnown& is_known,
                     Milliseconds now);

    OrphansOfPeer orphans_;
    net::InventoryType announced_as_ = net::InventoryType::tx;
    bool has_witnesses_ = false;
    std::unordered_map<chain::Hash256, Milliseconds> requested_;  // open requests, with their times
    MessageQueue arrived_;
};

}  // namespace petal::regtest
