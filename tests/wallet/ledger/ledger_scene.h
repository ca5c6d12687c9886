/// A ledger that follows a chain, for short tests.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/support/wallet_scene.h"
#include "wallet/ledger/ledger.h"
#include "wallet/ledger/ledger_view.h"

namespace petal::test {

/// A payment of a foreign coin to own_script(0).
chain::Transaction receipt(chain::Satoshis value, std::uint32_t coin);

class LedgerScene {
public:
    /// Mines a block and passes the block's relevant transactions to the ledger.
    void mine(const std::vector<chain::Transaction>& transactions = {});
    void mine_empty(std::uint32_t count);
    /// Passes the block at `height` to the ledger again.
    void repeat(std::uint32_t height);
    /// Disconnects the blocks above `height` from the chain and the ledger.
    void reorganise_to(std::uint32_t height);
    /// Counts the blocks above `height` as not searched.
    void search_again_above(std::uint32_t height);
    /// Passes an unconfirmed transaction to the ledger if it is relevant. Returns whether anything
    /// changed.
    bool see(const chain::Transaction& transaction, std::int64_t time = 1'700'000'000);

    wallet::HistoryEntry entry(const chain::Transaction& transaction) const;
    bool is_conflicted(const chain::Transaction& transaction) const;
    /// The txids of the history, newest first.
    std::vector<chain::Txid> order(std::size_t limit = 0) const;
    bool watches(const chain::Outpoint& outpoint) const;
    wallet::LedgerView view() const { return wallet::LedgerView(ledger); }

    wallet::Ledger ledger;
    SceneChain chain;
    std::vector<chain::InvalidBlock> invalid_blocks;  ///< that the ledger has noticed

private:
    void take(const chain::ProvenBlock& block);
    std::optional<wallet::LedgerTransaction> recognise(const chain::Transaction& transaction) const;
};

}  // namespace petal::test
