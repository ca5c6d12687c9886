#include "tests/integration/true_ledger.h"

#include <gtest/gtest.h>

namespace petal::test {

TrueLedger::TrueLedger(const FullNode& node, const Owner& owner,
                       const std::vector<chain::Transaction>& unconfirmed)
    : tip_(node.height()), tip_hash_(node.blocks().back().header.hash()) {
    for (std::uint32_t height = 0; height <= tip_; ++height) {
        for (const auto& transaction : node.blocks()[height].transactions) {
            take(transaction, owner, height);
        }
    }
    for (const auto& transaction : unconfirmed) take(transaction, owner, std::nullopt);
}

void TrueLedger::take(const chain::Transaction& transaction, const Owner& owner,
                      std::optional<std::uint32_t> height) {
    const chain::Txid txid = transaction.txid();
    TrueEntry entry;
    entry.height = height;
    chain::Satoshis all_out = 0;
    bool ours = false;
    bool all_inputs_ours = true;
    for (const auto& input : transaction.inputs) {
        const auto output = all_outputs_.find(input.prevout);
        all_inputs_ours = all_inputs_ours && output != all_outputs_.end();
        if (output == all_outputs_.end()) continue;
        ours = true;
        entry.sent += output->second.value;
        coins_.erase(input.prevout);
    }
    for (std::uint32_t i = 0; i < transaction.outputs.size(); ++i) {
        const auto& output = transaction.outputs[i];
        all_out += output.value;
        if (!owner.find(output.script_pubkey)) continue;
        ours = true;
        entry.received += output.value;
        coins_[{txid, i}] = output;
        all_outputs_[{txid, i}] = output;
    }
    if (!ours) return;
    if (all_inputs_ours) entry.fee = entry.sent - all_out;
    history_[txid] = entry;
    is_coinbase_[txid] = transaction.is_coinbase();
}

wallet::Balance TrueLedger::balance() const {
    wallet::Balance balance;
    for (const auto& [outpoint, output] : coins_) {
        const auto& height = history_.at(outpoint.txid).height;
        if (!height) {
            balance.pending += output.value;
        } else if (is_coinbase_.at(outpoint.txid) && tip_ - *height + 1 < 100) {
            balance.immature += output.value;
        } else {
            balance.confirmed += output.value;
        }
    }
    return balance;
}

void TrueLedger::expect_equals(const wallet::Wallet& wallet) const {
    const auto synced = wallet.sync_state().synced;
    ASSERT_TRUE(synced.has_value());
    EXPECT_EQ(synced->height, tip_);
    EXPECT_EQ(synced->hash, tip_hash_);
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
        const auto entry = history_.find(coin.outpoint.txid);
        if (entry == history_.end()) continue;
        EXPECT_EQ(coin.height, entry->second.height);
    }
    EXPECT_TRUE(known == coins_) << known.size() << " coins instead of " << coins_.size();
}

void TrueLedger::expect_history(const wallet::Wallet& wallet) const {
    std::size_t live = 0;
    for (const auto& known : wallet.history(0)) {
        if (known.replaced_by) continue;
        ++live;
        SCOPED_TRACE(known.txid.to_hex());
        const auto entry = history_.find(known.txid);
        if (entry == history_.end()) {
            ADD_FAILURE() << "none of the owner's";
            continue;
        }
        EXPECT_EQ(known.height, entry->second.height);
        EXPECT_EQ(known.received, entry->second.received);
        EXPECT_EQ(known.sent, entry->second.sent);
        EXPECT_EQ(known.fee, entry->second.fee);
    }
    EXPECT_EQ(live, history_.size());
}

}  // namespace petal::test
