/// The changes of a wallet during a sync.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "chain/hash.h"
#include "chain/headers/header_chain.h"
#include "net/sync/sync_engine.h"
#include "wallet/wallet.h"

namespace petal::client {

struct HistoryChanges {
    struct Forgotten {
        chain::Txid txid;
        bool undone = false;  ///< only a block that left the chain had it
    };
    struct Changed {
        wallet::HistoryEntry entry;
        std::size_t seen_from = 0;  ///< the peers that have announced it, while it is unconfirmed
    };

    std::vector<Forgotten> forgotten;
    std::vector<Changed> transactions;  ///< new or changed, oldest first
};

/// Compares the wallet's present state with the state that it returned last. The state at the start
/// is no change.
class WalletChanges {
public:
    /// All must outlive it.
    WalletChanges(const wallet::Wallet& wallet, const chain::HeaderChain& chain,
                  const net::SyncEngine& engine);

    /// The changes of the history since the last call. Call this after every possible change: the
    /// history is read only if a counter of the sync or of the wallet shows one.
    HistoryChanges take_history();

    /// As WalletSyncEvents::on_reorganisation.
    void on_reorganisation(const chain::ChainMove& move) { moves_.push_back(move); }
    /// The reorganisations whose replaced blocks the wallet has undone, each once.
    std::vector<chain::ChainMove> take_reorganisations();

private:
    /// What is compared of a transaction.
    struct Known {
        std::optional<chain::BlockHash> block_hash;
        bool undone = false;
        /// Not by which: a peer could have hundreds of fabricated payments replaced by yet another.
        bool is_replaced = false;
        bool is_certain = false;
        bool has_conflict = false;
        std::size_t seen_from = 0;

        friend bool operator==(const Known&, const Known&) = default;
    };
    /// The counters that change with the history.
    struct Counters {
        std::uint64_t transactions = 0;
        std::uint32_t synced_height = 0;
        std::uint64_t reorgs = 0;
        std::size_t unconfirmed_from = 0;  ///< peers, of all unconfirmed ones together
        std::int64_t of_others = 0;        ///< Wallet::changes_of_others()

        friend bool operator==(const Counters&, const Counters&) = default;
    };

    Known known_of(const wallet::HistoryEntry& entry) const;
    Counters counters() const;
    std::vector<HistoryChanges::Forgotten> take_forgotten(
        const std::vector<wallet::HistoryEntry>& history);

    const wallet::Wallet& wallet_;
    const chain::HeaderChain& chain_;
    const net::SyncEngine& engine_;
    std::unordered_map<chain::Txid, Known> known_;
    std::vector<chain::Txid> unconfirmed_;
    Counters counters_;
    std::vector<chain::ChainMove> moves_;  // that the wallet has not undone yet
};

}  // namespace petal::client
