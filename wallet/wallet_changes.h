/// The state of an open wallet: memory and file, which change together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "wallet/address_book.h"
#include "wallet/store/wallet_store.h"
#include "wallet/transaction_intake.h"
#include "wallet/wallet.h"
#include "wallet/wallet_state.h"

namespace petal::wallet {

/// The WalletState in memory, the store in the file, and the functions that change both.
struct Wallet::State {
    /// Throws WalletError if the file is of another network, or contradicts itself.
    State(WalletStore opened, const chain::NetworkParams& its_network);

    /// The wallet in memory, read again if a failed change has left it undefined.
    WalletState& wallet_state();

    /// Does `work`, which changes both the state and the store, or neither. `write` is one of the
    /// store's functions. Changes of other processes are read first; so `work` must look up all
    /// data on which its decisions depend.
    template <typename Work>
    void change(void (WalletStore::*write)(const std::function<void()>&), Work work) {
        static_cast<void>(wallet_state());
        try {
            (store.*write)([&] {
                read_changes();
                // For data that is missing in a file of an earlier version.
                has_grown = intake.store_new_scripts(*loaded) || has_grown;
                work(*loaded);
            });
        } catch (...) {
            loaded.reset();
            intake.forget_orphans();
            throw;
        }
    }

    /// Does `work` on the wallet as its file is at that moment.
    template <typename Work>
    void read(Work work) {
        static_cast<void>(wallet_state());
        store.read([&] {
            read_changes();
            work(*loaded);
        });
    }

    /// Stores the sync engine's state; but of blocks that are to be searched again, which the
    /// engine does not know yet, none counts as synced.
    void store_sync_state(const chain::SyncState& state);

    /// The outpoints that labels freeze, as texts.
    std::set<std::string> frozen_outputs();

    /// For PaymentRequest::relatives. Reads changes by other processes first.
    /// spent, replaced   as for unconfirmed_relatives()
    std::vector<UnconfirmedRelative> relatives_of(const std::set<chain::Txid>& spent,
                                                  const std::optional<chain::Txid>& replaced);

    /// Stores a payment of the wallet's own, and which of its outputs is the change. Returns false,
    /// and stores nothing, if an input is not `usable`, or a signature is wrong. Within change().
    bool take_payment(WalletState& current, const chain::Transaction& payment,
                      std::optional<std::size_t> change_index,
                      const std::set<chain::Outpoint>& usable, std::int64_t time);

    WalletError watch_only() const;
    /// Reads the wallet again if another process has changed it. Notes in `has_grown` whether the
    /// watch list grew, and in `intake` the height from which blocks must be searched again for
    /// that. Called within change() or read().
    void read_changes();

    WalletStore store;
    const chain::NetworkParams& network;
    StoredIdentity identity;
    std::optional<WalletState> loaded;
    /// The store's data_version() that `loaded` is of.
    std::int64_t loaded_version = 0;
    /// Another process had the watch list grow, which the engine does not know yet.
    bool has_grown = false;
    AddressBook addresses;
    /// To be used within change().
    TransactionIntake intake;
};

/// For Wallet::State::take_payment().
std::set<chain::Outpoint> outpoints_of(std::span<const Coin> coins);

}  // namespace petal::wallet
