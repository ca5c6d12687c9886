/// A ledger with a chain to follow, for tests that name what happens and no more.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tests/wallet/wallet_scene.h"
#include "wallet/ledger/ledger.h"
#include "wallet/ledger/ledger_view.h"

namespace petal::test {

/// A script of the ledger's owner.
chain::Bytes own_script(std::uint32_t index, wallet::KeyChain chain = wallet::KeyChain::receive);

/// Whose own_script() it is; nothing for any other script.
std::optional<wallet::KeyPath> owner_of(chain::ByteView script);

std::vector<wallet::Credit> credits_in(const chain::Transaction& transaction);

class LedgerScene {
public:
    /// Mines a block and gives the ledger what concerns it.
    void mine(const std::vector<chain::Transaction>& transactions = {});
    void mine_empty(std::uint32_t count);
    /// Gives the ledger the block at `height` once more.
    void repeat(std::uint32_t height);
    /// Takes the blocks above `height` off chain and ledger.
    void reorganise_to(std::uint32_t height);
    /// Gives the ledger an unconfirmed transaction, if it concerns it. Returns whether it changed
    /// anything.
    bool see(const chain::Transaction& transaction, std::int64_t time = 1'700'000'000);

    wallet::HistoryEntry entry(const chain::Transaction& transaction) const;
    bool is_conflicted(const chain::Transaction& transaction) const;
    /// The txids of the history, newest first.
    std::vector<chain::Txid> order(std::size_t limit = 0) const;
    bool watches(const chain::Outpoint& outpoint) const;
    wallet::LedgerView view() const { return wallet::LedgerView(ledger); }

    wallet::Ledger ledger;
    SceneChain chain;

private:
    void take(const chain::ProvenBlock& block);
    std::optional<wallet::LedgerTransaction> recognise(const chain::Transaction& transaction) const;
};

}  // namespace petal::test
