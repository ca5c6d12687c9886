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

    /// As Wallet::label().
    std::optional<std::string> label_at(const WalletState& current,
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
    /// Whether a payer may know an address: petal has handed it out, it has or had a label, the
    /// user watches it by itself, or its descriptor has no other.
    bool payer_may_know(const WalletState& current, KeyPath path) const;
    /// Whether an address has or had a label, or the user watches it by itself. A payer may know it
    /// though it was not handed out.
    bool is_named(const WalletState& current, KeyPath path) const;
    /// The descriptor that the user names by its number for a new address or, without a number, the
    /// wallet's own choice (WalletState::receive_descriptor()). Throws WalletError with
    /// no_new_address if there is no receive descriptor of that number, or none at all.
    DescriptorNumber receive_descriptor(const WalletState& current,
                                        std::optional<DescriptorNumber> named) const;
    /// The descriptor's first address after all used or handed-out ones that never had a label; if
    /// there is none, the last watched one. Throws WalletError if it has only one address.
    AddressEntry next_address(const WalletState& current, DescriptorNumber receive) const;
    /// The address of a descriptor that has only one; empty for others. Throws WalletError if its
    /// script has no address.
    std::optional<AddressEntry> fixed_address(const WalletState& current,
                                              DescriptorNumber receive) const;
    /// The descriptor's address that Wallet::current_address() has returned before; empty if it was
    /// paid or labelled since.
    std::optional<AddressEntry> shown_address(const WalletState& current,
                                              DescriptorNumber receive) const;
    /// A receive address that was never handed out, and is from now on.
    AddressEntry hand_out_next(WalletState& current, TransactionIntake& intake,
                               DescriptorNumber receive);

private:
    WalletStore& store_;
    const chain::NetworkParams& network_;
};

}  // namespace petal::wallet
