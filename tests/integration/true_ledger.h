/// What a wallet must know, found by reading everything.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "tests/integration/actors.h"
#include "tests/integration/full_node.h"
#include "wallet/wallet.h"

namespace petal::test {

/// One transaction of the owner's.
struct TrueEntry {
    std::optional<std::uint32_t> height;
    chain::Satoshis received = 0;
    chain::Satoshis sent = 0;
    std::optional<chain::Satoshis> fee;
    bool coinbase = false;
    std::optional<chain::Txid> replaced_by;
};

/// A transaction that the owner has seen and that can't confirm any more.
struct Replaced {
    chain::Transaction transaction;
    chain::Txid by;
};

/// The owner's whole ledger, computed from every block of a node in the plainest way, and from
/// transactions that the scenario knows to be unconfirmed or replaced.
class TrueLedger {
public:
    TrueLedger(const FullNode& node, const Owner& owner,
               const std::vector<chain::Transaction>& unconfirmed = {},
               const std::vector<Replaced>& replaced = {});

    /// Expects the wallet to know just this: coins, history and balance, and to be synced to the
    /// tip.
    void expect_equals(const wallet::Wallet& wallet) const;

    /// Unspent outputs of the owner's.
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
