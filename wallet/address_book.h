/// Labels of a wallet's addresses, and the choice of the next address to hand out.
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

/// All labels, by BIP329 type and reference.
using Labels = std::map<std::pair<std::string, std::string>, std::string>;

/// Combines the wallet in memory, which is passed to each function, with the labels in its file.
/// Not thread-safe.
class AddressBook {
public:
    /// `store` and `network` must outlive this object.
    AddressBook(WalletStore& store, const chain::NetworkParams& network)
        : store_(store), network_(network) {}

    Labels labels() const;
    std::string label_of(const WalletState& current, const Coin& coin, const Labels& labels) const;
    std::string label_of(const WalletState& current, const HistoryEntry& entry,
                         const Labels& labels) const;
    /// The BIP329 reference of a target. Empty if the target is not the wallet's.
    std::optional<std::string> label_ref(const WalletState& current,
                                         const LabelTarget& target) const;

    /// Implements Wallet::label().
    std::optional<std::string> label_at(const WalletState& current,
                                        const LabelTarget& target) const;

    AddressEntry describe(const WalletState& current, KeyPath path,
                          const std::map<KeyPath, chain::Satoshis>& received) const;
    /// Wallet::addresses() for one descriptor.
    std::vector<AddressEntry> addresses_of(const WalletState& current, DescriptorNumber number,
                                           std::uint32_t unused_ahead) const;

    // The following must be called within one database transaction of the store.

    /// Implements Wallet::set_label().
    std::optional<std::string> set_label(const WalletState& current, const LabelTarget& target,
                                         const std::string& label);
    /// Whether a payer may know an address. True if
    /// - petal has handed out the address,
    /// - is_named() is true, or
    /// - the descriptor has only one address.
    bool payer_may_know(const WalletState& current, KeyPath path) const;
    /// Whether an address has or had a label, or is also watched as a descriptor of its own. A
    /// payer may then know the address although petal has not handed it out.
    bool is_named(const WalletState& current, KeyPath path) const;
    /// The receive descriptor for a new address: `named` or, without `named`,
    /// WalletState::receive_descriptor(). Throws WalletError with no_new_address if there is no
    /// receive descriptor, or none with this number.
    DescriptorNumber receive_descriptor(const WalletState& current,
                                        std::optional<DescriptorNumber> named) const;
    /// The descriptor's first address after all used or handed-out addresses for which is_named()
    /// is false. If there is none, the last watched address. Throws WalletError if the descriptor
    /// has only one address.
    AddressEntry next_address(const WalletState& current, DescriptorNumber receive) const;
    /// The address of a descriptor with only one address. Empty for any other descriptor. Throws
    /// WalletError if the script has no address.
    std::optional<AddressEntry> fixed_address(const WalletState& current,
                                              DescriptorNumber receive) const;
    /// The address that Wallet::current_address() has returned before. Empty if the address was
    /// paid or labelled since.
    std::optional<AddressEntry> shown_address(const WalletState& current,
                                              DescriptorNumber receive) const;
    /// Returns a new receive address, and marks the address as handed out.
    AddressEntry hand_out_next(WalletState& current, TransactionIntake& intake,
                               DescriptorNumber receive);

private:
    WalletStore& store_;
    const chain::NetworkParams& network_;
};

}  // namespace petal::wallet
