#include "regtest/transaction_relay.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "chain/transaction_rules.h"

namespace petal::regtest {
namespace {

/// Appends an entry. Begins a new message when the last one is full.
void append(std::vector<net::Inv>& messages, const net::Inventory& entry) {
    if (messages.empty() || messages.back().entries.size() == net::kMaxInventoryEntries) {
        messages.emplace_back();
    }
    messages.back().entries.push_back(entry);
}

}  // namespace

void TransactionRelay::set_fee_filter(chain::Satoshis fee_rate) {
    if (fee_rate >= 0 && fee_rate <= chain::kMaxMoney) fee_filter_ = fee_rate;
}

void TransactionRelay::mark_known(const net::Inventory& entry) {
    const auto expected = uses_wtxids_ ? net::InventoryType::wtx : net::InventoryType::tx;
    const bool by_txid = entry.type == net::InventoryType::witness_tx;  // see TransactionIntake
    if (entry.type == expected || (by_txid && !uses_wtxids_)) known_.insert(entry.hash);
}

bool TransactionRelay::begin_trickle(std::chrono::milliseconds now,
                                     std::chrono::milliseconds interval) {
    if (!keeps_state_ || now < next_trickle_) return false;
    next_trickle_ = now + interval;
    return mempool_requested_ || chain_.history().revision() != last_trickle_;
}

std::vector<net::Inv> TransactionRelay::trickle(PeerFilter& filter) {
    std::vector<std::size_t> positions = new_mempool_positions();
    submissions_seen_ = chain_.history().submitted().size();
    if (!enabled_) positions.clear();
    const bool repeats_known = mempool_requested_;
    if (mempool_requested_) {
        positions.resize(chain_.mempool().transactions().size());
        std::iota(positions.begin(), positions.end(), std::size_t{0});
    }
    mempool_requested_ = false;
    last_trickle_ = chain_.history().revision();

    std::vector<net::Inv> messages;
    for (const std::size_t position : positions) {
        const auto& transaction = chain_.mempool().transactions()[position];
        const auto& entry = chain_.mempool().entries()[position];
        const net::Inventory inventory = inventory_of(entry);
        if (!pays_enough(transaction, entry.fee)) continue;
        if (!repeats_known && known_.contains(inventory.hash)) continue;
        if (filter.is_loaded() && !filter.match_and_update(transaction, entry.txid)) continue;
        known_.insert(inventory.hash);
        append(messages, inventory);
    }
    return messages;
}

std::size_t TransactionRelay::waiting_announcements() const {
    if (!keeps_state_ || !enabled_) return 0;
    const auto positions = new_mempool_positions();
    const auto is_waiting = [this](std::size_t position) {
        return !known_.contains(inventory_of(chain_.mempool().entries()[position]).hash);
    };
    return static_cast<std::size_t>(std::ranges::count_if(positions, is_waiting));
}

/// The mempool positions of unconfirmed transactions submitted since the last trickle.
std::vector<std::size_t> TransactionRelay::new_mempool_positions() const {
    std::vector<std::size_t> positions;
    const auto& submitted = chain_.history().submitted();
    for (std::size_t i = submissions_seen_; i < submitted.size(); ++i) {
        const auto position = chain_.mempool().find(submitted[i]);
        if (position) positions.push_back(*position);
    }
    return positions;
}

bool TransactionRelay::pays_enough(const chain::Transaction& transaction,
                                   chain::Satoshis fee) const {
    return fee >= chain::fee_at_rate(fee_filter_, transaction.virtual_size());
}

net::Inventory TransactionRelay::inventory_of(const MempoolEntry& entry) const {
    if (uses_wtxids_) return {net::InventoryType::wtx, {entry.wtxid.bytes}};
    return {net::InventoryType::tx, {entry.txid.bytes}};
}

bool TransactionRelay::has(const net::Inventory& entry) const {
    if (mempool_position(entry)) return true;
    if (entry.type == net::InventoryType::wtx)
        return latest_.contains(chain::Wtxid{entry.hash.bytes});
    return latest_.contains(chain::Txid{entry.hash.bytes});
}

std::optional<chain::Transaction> TransactionRelay::find(const net::Inventory& entry) const {
    const auto position = mempool_position(entry);
    if (position && chain_.mempool().entries()[*position].arrival.revision <= last_trickle_) {
        return chain_.mempool().transactions()[*position];
    }
    return find_in_latest_block(entry);
}

std::optional<chain::Transaction> TransactionRelay::find_in_latest_block(
    const net::Inventory& entry) const {
    if (entry.type == net::InventoryType::wtx) return latest_.find(chain::Wtxid{entry.hash.bytes});
    return latest_.find(chain::Txid{entry.hash.bytes});
}

std::optional<std::size_t> TransactionRelay::mempool_position(const net::Inventory& entry) const {
    const RegtestMempool& mempool = chain_.mempool();
    if (entry.type == net::InventoryType::wtx) return mempool.find(chain::Wtxid{entry.hash.bytes});
    return mempool.find(chain::Txid{entry.hash.bytes});
}

}  // namespace petal::regtest
