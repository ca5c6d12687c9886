/// Announces and serves unconfirmed transactions to a peer.
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
/// SendMessages, FindTxForGetData). Transactions that arrive while relay is on are announced once,
/// at the next trickle, if they match the filter. Earlier transactions are announced after a
/// mempool message. The chain must outlive the relay.
class TransactionRelay {
public:
    explicit TransactionRelay(const RegtestChain& chain) : chain_(chain), latest_(chain) {}

    /// Keeps no state, for a peer that does not want transactions and cannot request them later.
    void keep_no_state() { keeps_state_ = false; }
    bool keeps_state() const { return keeps_state_; }
    /// The handshake is complete: transactions that arrive from now on are announced.
    void start() { submissions_seen_ = chain_.history().submitted().size(); }

    bool is_enabled() const { return enabled_; }
    void enable(bool enabled) { enabled_ = enabled; }
    /// The peer sent wtxidrelay: announce by wtxid (BIP339).
    void use_wtxids() { uses_wtxids_ = true; }
    /// Announces only transactions with at least this fee rate, in satoshi per 1,000 vB (BIP133).
    /// Ignores a rate that is not a valid amount of money.
    void set_fee_filter(chain::Satoshis fee_rate);
    chain::Satoshis fee_filter() const { return fee_filter_; }
    /// The peer has this transaction, which is not announced back.
    void mark_known(const net::Inventory& entry);
    /// At the next trickle, announces the mempool, including transactions announced before (BIP35).
    void request_mempool() { mempool_requested_ = true; }

    /// Whether a trickle is due and has transactions to check. If a trickle is due, the next one is
    /// due after the interval.
    bool begin_trickle(std::chrono::milliseconds now, std::chrono::milliseconds interval);
    /// The announcements to send now. Matches update the filter. Everything in the mempool at this
    /// moment may be requested from now on, announced or not.
    std::vector<net::Inv> trickle(PeerFilter& filter);

    /// The chain's revision at the last trickle.
    std::uint64_t last_trickle() const { return last_trickle_; }
    /// The number of transactions that may be announced at the next trickle.
    std::size_t waiting_announcements() const;

    /// Whether the node has the transaction, in the mempool or in the latest block.
    bool has(const net::Inventory& entry) const;
    /// The transaction of a getdata entry, if the peer may request it: in the mempool since before
    /// the last trickle, or in the latest block. Otherwise empty.
    std::optional<chain::Transaction> find(const net::Inventory& entry) const;

private:
    std::vector<std::size_t> new_mempool_positions() const;
    std::optional<chain::Transaction> find_in_latest_block(const net::Inventory& entry) const;
    std::optional<std::size_t> mempool_position(const net::Inventory& entry) const;
    bool pays_enough(const chain::Transaction& transaction, chain::Satoshis fee) const;
    net::Inventory inventory_of(const MempoolEntry& entry) const;

    const RegtestChain& chain_;
    mutable LatestTransactions latest_;  // cache
    std::size_t submissions_seen_ = 0;
    bool keeps_state_ = true;
    bool enabled_ = false;
    bool uses_wtxids_ = false;
    bool mempool_requested_ = false;
    chain::Satoshis fee_filter_ = 0;
    KnownInventory known_;            // wtxids if uses_wtxids_, otherwise txids
    std::uint64_t last_trickle_ = 0;  // the chain's revision at the last trickle
    std::chrono::milliseconds next_trickle_{0};
};

}  // namespace petal::regtest
