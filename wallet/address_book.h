/// A wallet's addresses: their labels, and which address is handed out next.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chain/network_params.h"
#include "wallet/ledger/records.h"
#include "wallet/store/wallet_store.h"
#include "wallet/transaction_intake.h"
#include "wallet/wallet_state.h"

namespace petal::wallet {

/// All labels, by their BIP329 type and reference.
using Labels = std::map<std::pair<std::string, std::string>, std::string>;

/// Joins the wallet in memory, which is given to each function, with the labels in its file. Not
/// thread-safe.
class AddressBook {
public:
    /// Both must outlive it.
    AddressBook(WalletStore& store, const chain::NetworkParams& network)
        : store_(store), network_(network) {}

    Labels labels() const;
    std::string label_of(const WalletState& current, const Coin& coin, const Labels& labels) const;
    std::string label_of(const WalletState& current, const HistoryEntry& entry,
                         const Labels& labels) const;
    /// How BIP329 names a target; empty if it is not the wallet's.
    std::optional<std::string> label_ref(const WalletState& current,
                                         const LabelTarget& target) const;

    AddressEntry describe(const WalletState& current, KeyPath path,
                          const std::map<KeyPath, chain::Satoshis>& received) const;
    /// Wallet::addresses() for one descriptor.
    std::vector<AddressEntry> addresses_of(const WalletState& current, DescriptorNumber number,
                                           std::uint32_t unused_ahead) const;

    // The following are called within one database transaction of the store.

    /// As Wallet::set_label().
    std::optional<std::string> set_label(const WalletState& current, const LabelTarget& target,
                                         const std::string& label);
    /// The first address of WalletState::receive_descriptor() after all used or handed-out ones
    /// that never had a label; if there is none, the last watched one. Throws WalletError if there
    /// is no such descriptor.
    AddressEntry next_address(const WalletState& current) const;
    /// The first address of a wallet that can't derive new ones; empty for other wallets. Throws
    /// WalletError if it has no address.
    std::optional<AddressEntry> fixed_address(const WalletState& current) const;
    /// The address that Wallet::current_address() has returned before; empty if it was paid or
    /// labelled since, or another descriptor is preferred.
    std::optional<AddressEntry> shown_address(const WalletState& current) const;
    /// A receive address that was never handed out, and is from now on.
    AddressEntry hand_out_next(WalletState& current, TransactionIntake& intake);

private:
    /// Whether a payer may know an address that was not handed out: it has or had a label, or the
    /// user has it watched by itself, too.
    bool payer_may_know(const WalletState& current, const AddressEntry& entry) const;

    WalletStore& store_;
    const chain::NetworkParams& network_;
};

}  // namespace petal::wallet
