/// The state of an open wallet in memory and file, which change together.
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

/// The WalletState in memory, the store of the file, and functions that change both.
struct Wallet::State {
    /// Throws WalletError if the file is of another network or inconsistent.
    State(WalletStore opened, const chain::NetworkParams& its_network);

    /// The wallet in memory. Read again after a failed change.
    WalletState& wallet_state();

    /// Calls `work`, which changes both the state and the store, or neither if it throws. `write`
    /// is WalletStore::write() or write_durably(). Changes of other processes are read first, so
    /// `work` must look up all data that it depends on.
    template <typename Work>
    void change(void (WalletStore::*write)(const std::function<void()>&), Work work) {
        static_cast<void>(wallet_state());
        try {
            (store.*write)([&] {
                read_changes();
                // Adds scripts that a file of an earlier version lacks.
                has_grown = intake.store_new_scripts(*loaded) || has_grown;
                work(*loaded);
            });
        } catch (...) {
            loaded.reset();
            intake.forget_orphans();
            throw;
        }
    }

    /// Calls `work` with the current content of the file.
    template <typename Work>
    void read(Work work) {
        static_cast<void>(wallet_state());
        store.read([&] {
            read_changes();
            work(*loaded);
        });
    }

    /// Stores the sync engine's state. `synced` is not raised while there are blocks to search
    /// again that the engine does not know yet.
    void store_sync_state(const chain::SyncState& state);

    /// The outpoints that are frozen by labels, as texts.
    std::set<std::string> frozen_outputs();

    /// For PaymentRequest::relatives. Reads changes of other processes first.
    /// spent, replaced   see unconfirmed_relatives()
    std::vector<UnconfirmedRelative> relatives_of(const std::set<chain::Txid>& spent,
                                                  const std::optional<chain::Txid>& replaced);

    /// Stores a payment of the wallet and its change output. Returns false, and stores nothing, if
    /// an input is not `usable` or a signature is wrong. To be used within change().
    bool take_payment(WalletState& current, const chain::Transaction& payment,
                      std::optional<std::size_t> change_index,
                      const std::set<chain::Outpoint>& usable, std::int64_t time);

    WalletError watch_only() const;
    /// Reads the wallet again if another process has changed the file. If the watch list grew, sets
    /// `has_grown`, and records in `intake` the height from which blocks must be searched again.
    /// Called within change() or read().
    void read_changes();

    WalletStore store;
    const chain::NetworkParams& network;
    StoredIdentity identity;
    std::optional<WalletState> loaded;
    /// The store's data_version() at which `loaded` was read.
    std::int64_t loaded_version = 0;
    /// Another process has made the watch list grow, and the engine was not informed yet.
    bool has_grown = false;
    AddressBook addresses;
    /// To be used within change().
    TransactionIntake intake;
};

/// For Wallet::State::take_payment().
std::set<chain::Outpoint> outpoints_of(std::span<const Coin> coins);

}  // namespace petal::wallet
