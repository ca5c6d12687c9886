/// The ledger that a wallet must have, computed by reading every block.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "tests/integration/actors.h"
#include "tests/integration/full_node.h"
#include "wallet/wallet.h"

namespace petal::test {

/// One transaction of the owner.
struct TrueEntry {
    std::optional<std::uint32_t> height;
    chain::Satoshis received = 0;
    chain::Satoshis sent = 0;
    std::optional<chain::Satoshis> fee;
    bool coinbase = false;
    std::optional<chain::Txid> replaced_by;
};

/// A transaction that the owner has seen and that can no longer confirm.
struct Replaced {
    chain::Transaction transaction;
    chain::Txid by;
};

/// The owner's whole ledger, computed in the simplest way from every block of a node, and from the
/// transactions that are unconfirmed or replaced in the scenario.
class TrueLedger {
public:
    TrueLedger(const FullNode& node, const Owner& owner,
               const std::vector<chain::Transaction>& unconfirmed = {},
               const std::vector<Replaced>& replaced = {});

    /// Expects that the wallet has exactly these coins, history and balance, and is synced to the
    /// tip.
    void expect_equals(const wallet::Wallet& wallet) const;

    /// The unspent outputs of the owner.
    const std::map<chain::Outpoint, chain::TxOutput>& coins() const { return coins_; }
    const std::map<chain::Txid, TrueEntry>& history() const { return history_; }

private:
    std::optional<TrueEntry> describe(const chain::Transaction& transaction,
                                      const Owner& owner) const;
    void take(const chain::Transaction& transaction, const Owner& owner,
              std::optional<std::uint32_t> height);
    wallet::Balance balance() const;
    std::uint32_t confirmations(const TrueEntry& entry) const;
    void expect_coins(const wallet::Wallet& wallet) const;
    void expect_history(const wallet::Wallet& wallet) const;
    void expect_entry(const wallet::HistoryEntry& known) const;

    chain::BlockRef tip_;
    std::vector<chain::BlockHeader> headers_;
    std::map<chain::Outpoint, chain::TxOutput> coins_;
    std::map<chain::Outpoint, chain::TxOutput> all_outputs_;
    std::map<chain::Txid, TrueEntry> history_;
};

}  // namespace petal::test
