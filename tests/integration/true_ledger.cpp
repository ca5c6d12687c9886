#include "tests/integration/true_ledger.h"

#include <gtest/gtest.h>

namespace petal::test {

namespace {

constexpr std::uint32_t kMaturity = 100;  // Bitcoin Core: COINBASE_MATURITY

}  // namespace

TrueLedger::TrueLedger(const FullNode& node, const Owner& owner,
                       const std::vector<chain::Transaction>& unconfirmed,
                       const std::vector<Replaced>& replaced)
    : tip_(node.tip()) {
    for (std::uint32_t height = 0; height <= tip_.height; ++height) {
        headers_.push_back(node.blocks()[height].header);
        for (const auto& transaction : node.blocks()[height].transactions) {
            take(transaction, owner, height);
        }
    }
    for (const auto& transaction : unconfirmed) take(transaction, owner, std::nullopt);
    for (const auto& [transaction, by] : replaced) {
        auto entry = describe(transaction, owner).value();
        entry.replaced_by = by;
        history_[transaction.txid()] = entry;
    }
}

/// Returns nothing for a transaction that does not concern the owner.
std::optional<TrueEntry> TrueLedger::describe(const chain::Transaction& transaction,
                                              const Owner& owner) const {
    TrueEntry entry;
    entry.coinbase = transaction.is_coinbase();
    chain::Satoshis all_out = 0;
    bool ours = false;
    bool all_inputs_ours = true;
    for (const auto& input : transaction.inputs) {
        const auto output = all_outputs_.find(input.prevout);
        all_inputs_ours = all_inputs_ours && output != all_outputs_.end();
        if (output == all_outputs_.end()) continue;
        ours = true;
        entry.sent += output->second.value;
    }
    for (const auto& output : transaction.outputs) {
        all_out += output.value;
        if (!owner.find(output.script_pubkey)) continue;
        ours = true;
        entry.received += output.value;
    }
    if (!ours) return std::nullopt;
    if (all_inputs_ours) entry.fee = entry.sent - all_out;
    return entry;
}

void TrueLedger::take(const chain::Transaction& transaction, const Owner& owner,
                      std::optional<std::uint32_t> height) {
    auto entry = describe(transaction, owner);
    if (!entry) return;
    const chain::Txid txid = transaction.txid();
    for (const auto& input : transaction.inputs) coins_.erase(input.prevout);
    for (std::uint32_t i = 0; i < transaction.outputs.size(); ++i) {
        const auto& output = transaction.outputs[i];
        if (!owner.find(output.script_pubkey)) continue;
        coins_[{txid, i}] = output;
        all_outputs_[{txid, i}] = output;
    }
    entry->height = height;
    history_[txid] = *entry;
}

std::uint32_t TrueLedger::confirmations(const TrueEntry& entry) const {
    return entry.height ? tip_.height - *entry.height + 1 : 0;
}

wallet::Balance TrueLedger::balance() const {
    wallet::Balance balance;
    for (const auto& [outpoint, output] : coins_) {
        const TrueEntry& entry = history_.at(outpoint.txid);
        if (!entry.height) {
            balance.pending += output.value;
        } else if (entry.coinbase && confirmations(entry) < kMaturity) {
            balance.immature += output.value;
        } else {
            balance.confirmed += output.value;
        }
    }
    return balance;
}

void TrueLedger::expect_equals(const wallet::Wallet& wallet) const {
    EXPECT_EQ(wallet.sync_state().synced, tip_);
    expect_coins(wallet);
    expect_history(wallet);
    EXPECT_EQ(wallet.balance().confirmed, balance().confirmed);
    EXPECT_EQ(wallet.balance().pending, balance().pending);
    EXPECT_EQ(wallet.balance().immature, balance().immature);
}

void TrueLedger::expect_coins(const wallet::Wallet& wallet) const {
    std::map<chain::Outpoint, chain::TxOutput> known;
    for (const auto& coin : wallet.coins()) {
        known[coin.outpoint] = {coin.value, coin.script_pubkey};
        const auto found = history_.find(coin.outpoint.txid);
        if (found == history_.end()) continue;
        const TrueEntry& entry = found->second;
        const bool mature = !entry.coinbase || confirmations(entry) >= kMaturity;
        EXPECT_EQ(coin.height, entry.height);
        EXPECT_EQ(coin.confirmations, confirmations(entry));
        EXPECT_EQ(coin.coinbase, entry.coinbase);
        EXPECT_EQ(coin.spendable, entry.height.has_value() && mature);
    }
    EXPECT_TRUE(known == coins_) << known.size() << " coins instead of " << coins_.size();
}

void TrueLedger::expect_history(const wallet::Wallet& wallet) const {
    const auto history = wallet.history(0);
    EXPECT_EQ(history.size(), history_.size());
    // Newest first, but replaced transactions are placed by their own time.
    std::uint32_t above = UINT32_MAX;
    for (const auto& known : history) {
        SCOPED_TRACE(known.txid.to_hex());
        expect_entry(known);
        if (known.replaced_by) continue;
        EXPECT_LE(known.height.value_or(UINT32_MAX), above);
        above = known.height.value_or(UINT32_MAX);
    }
}

void TrueLedger::expect_entry(const wallet::HistoryEntry& known) const {
    const auto found = history_.find(known.txid);
    ASSERT_NE(found, history_.end()) << "it does not concern the owner";
    const TrueEntry& entry = found->second;
    EXPECT_EQ(known.height, entry.height);
    EXPECT_EQ(known.received, entry.received);
    EXPECT_EQ(known.sent, entry.sent);
    EXPECT_EQ(known.fee, entry.fee);
    EXPECT_EQ(known.confirmations, confirmations(entry));
    EXPECT_EQ(known.coinbase, entry.coinbase);
    EXPECT_EQ(known.replaced_by, entry.replaced_by);
    if (!entry.height) return;
    EXPECT_EQ(known.block_hash, headers_[*entry.height].hash());
    EXPECT_EQ(known.time, headers_[*entry.height].time);
}

}  // namespace petal::test
