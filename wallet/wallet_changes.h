/// The state of an open wallet, and all changes to it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "wallet/store/wallet_store.h"
#include "wallet/transaction_intake.h"
#include "wallet/wallet.h"
#include "wallet/wallet_state.h"

namespace petal::wallet {

/// All labels, by their BIP329 type and what they name.
using Labels = std::map<std::pair<std::string, std::string>, std::string>;

/// The WalletState in memory and the store in the file, which only change together.
struct Wallet::State {
    /// Throws WalletError where the file is another network's, or contradicts itself.
    State(WalletStore opened, const chain::NetworkParams& its_network);

    /// The wallet in memory, read again where a failed change has left nothing to rely on.
    WalletState& wallet_state();

    /// Does `work`, which changes state and store alike: both, or neither. `write` is one of
    /// the store's functions. What another process has changed is read first; so what `work`
    /// decides by is to be looked up within it.
    template <typename Work>
    void change(void (WalletStore::*write)(const std::function<void()>&), Work work) {
        static_cast<void>(wallet_state());
        try {
            (store.*write)([&] {
                read_changes();
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

    Labels labels();
    std::string label_of(const Coin& coin, const Labels& labels);
    std::string label_of(const HistoryEntry& entry, const Labels& labels);
    /// How BIP329 names a target; empty if it is not the wallet's.
    std::optional<std::string> label_ref(const WalletState& current,
                                         const LabelTarget& target) const;
    /// Whether a target is an address behind all that were used or handed out.
    bool is_ahead(const WalletState& current, const LabelTarget& target) const;
    std::string path_text(KeyPath path);
    AddressEntry describe_address(KeyPath path, const std::map<KeyPath, chain::Satoshis>& received);
    /// As Wallet::addresses(), of one descriptor.
    std::vector<AddressEntry> addresses_of(DescriptorNumber number, std::uint32_t unused_ahead);
    WalletError no_new_addresses() const;
    WalletError watch_only() const;
    /// Throws WalletError unless the descriptors of the wallet's own accounts follow from the seed.
    void check_own_descriptors(const Seed& seed, const Account& account);
    /// Fills in what the descriptors tell.
    void describe_descriptors(WalletInfo& info);

    // The following are called within change() or read().

    /// Reads the wallet again if another process has changed it. Notes in `has_grown` whether the
    /// watch list grew.
    void read_changes();
    /// Whether an address has a label, or had one before it was handed out.
    bool was_labelled(const AddressEntry& entry);
    /// The first address of WalletState::receive_descriptor() behind all that were used or handed
    /// out, and that never had a label; the last that is watched where there is none. Throws
    /// no_new_addresses().
    AddressEntry next_address(WalletState& current);
    /// The first address of a wallet that can derive no new ones; empty for other wallets. Throws
    /// no_new_addresses() if it has none at all.
    std::optional<AddressEntry> fixed_address(WalletState& current);
    /// The address that Wallet::current_address() has returned before; empty if it was paid or
    /// labelled since, or others are preferred to its descriptor.
    std::optional<AddressEntry> shown_address(WalletState& current);

    /// Why these can't be added to the wallet's descriptors; empty if they can.
    std::optional<ImportError> find_conflict(const WalletState& current,
                                             std::span<const NewDescriptor> descriptors) const;

    // The following are called within change().

    void add_descriptors(WalletState& current, std::span<const NewDescriptor> descriptors,
                         const chain::Birthday& birthday);
    /// A receive address that was never handed out, and is from now on.
    AddressEntry hand_out_next(WalletState& current);

    WalletStore store;
    const chain::NetworkParams& network;
    StoredIdentity identity;
    std::optional<WalletState> loaded;
    /// The store's data_version() that `loaded` is of.
    std::int64_t loaded_version = 0;
    /// Another process had the watch list grow, which the engine does not know yet.
    bool has_grown = false;
    /// To be used within change().
    TransactionIntake intake;
};

}  // namespace petal::wallet
