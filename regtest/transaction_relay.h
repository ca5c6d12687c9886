/// Unconfirmed transactions for a peer: which are announced to it, and which it may fetch.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "net/wire/messages.h"
#include "regtest/chain/latest_transactions.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/known_inventory.h"
#include "regtest/peer_filter.h"

namespace petal::regtest {

/// Relays the chain's transactions to one peer as Bitcoin Core does (net_processing.cpp:
/// SendMessages, FindTxForGetData): transactions that arrive while relay is on are announced once,
/// at the next trickle, if they match the filter; earlier ones are announced after a mempool
/// message. The chain must outlive it.
class TransactionRelay {
public:
    explicit TransactionRelay(const RegtestChain& chain) : chain_(chain), latest_(chain) {}

    /// Keeps no state for the peer: it does not want transactions and can't request any later.
    void keep_no_state() { keeps_state_ = false; }
    bool keeps_state() const { return keeps_state_; }
    /// The handshake is complete: announces transactions that arrive from now on.
    void start() { submissions_seen_ = chain_.history().submitted().size(); }

    bool is_enabled() const { return enabled_; }
    void enable(bool enabled) { enabled_ = enabled; }
    /// After wtxidrelay: announce by wtxid (BIP339).
    void use_wtxids() { uses_wtxids_ = true; }
    /// Announces only transactions that pay at least this, in satoshi per 1,000 vB (BIP133). A rate
    /// that is not a valid amount of money changes nothing.
    void set_fee_filter(chain::Satoshis fee_rate);
    chain::Satoshis fee_filter() const { return fee_filter_; }
    /// The peer has this transaction: it is not announced to it.
    void mark_known(const net::Inventory& entry);
    /// At the next trickle, announces the mempool, including transactions announced before (BIP35).
    void request_mempool() { mempool_requested_ = true; }

    /// Whether trickle() is due and has transactions to check; if it is due, the next one is due
    /// after the interval.
    bool begin_trickle(std::chrono::milliseconds now, std::chrono::milliseconds interval);
    /// The announcements to send now. Matching updates the filter. Everything that is in the
    /// mempool at this moment may be fetched from now on, announced or not.
    std::vector<net::Inv> trickle(PeerFilter& filter);

    /// The chain's revision at the last trickle.
    std::uint64_t last_trickle() const { return last_trickle_; }
    /// The number of transactions that may be announced at the next trickle.
    std::size_t waiting_announcements() const;

    /// Whether the node has the transaction: in the mempool or in the latest block.
    bool has(const net::Inventory& entry) const;
    /// A transaction that a getdata names, if it may be fetched: in the mempool since before the
    /// last trickle, or in the latest block. Empty if not.
    std::optional<chain::Transaction> find(const net::Inventory& entry) const;

private:
    std::vector<std::size_t> new_mempool_positions() const;
    std::optional<chain::Transaction> find_in_latest_block(const net::Inventory& entry) const;
    std::optional<std::size_t> mempool_position(const net::Inventory& entry) const;
    bool pays_enough(const chain::Transaction& transaction, chain::Satoshis fee) const;
    net::Inventory inventory_of(const MempoolEntry& entry) const;

    const RegtestChain& chain_;
    mutable LatestTransactions latest_;  // a cache
    std::size_t submissions_seen_ = 0;
    bool keeps_state_ = true;
    bool enabled_ = false;
    bool uses_wtxids_ = false;
    bool mempool_requested_ = false;
    chain::Satoshis fee_filter_ = 0;
    KnownInventory known_;            // txids, or wtxids if those are used
    std::uint64_t last_trickle_ = 0;  // the chain's revision at it
    std::chrono::milliseconds next_trickle_{0};
};

}  // namespace petal::regtest
