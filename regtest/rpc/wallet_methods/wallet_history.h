/// The transactions of a wallet in the format of Bitcoin Core's RPC.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chain/transaction.h"
#include "regtest/rpc/rpc_json.h"
#include "regtest/rpc/wallet_methods/own_coins.h"
#include "regtest/rpc/wallet_methods/own_scripts.h"
#include "regtest/wallets/named_wallet.h"
#include "wallet/ledger/records.h"

namespace petal::regtest::rpc {

/// A transaction of the wallet, with its witnesses.
struct WalletTransaction {
    wallet::HistoryEntry entry;
    wallet::KnownTransaction known;
};

/// Describes transactions of a wallet with keys. Valid until the chain or the wallet changes.
class WalletHistory {
public:
    explicit WalletHistory(const wallets::NamedWallet& wallet);

    /// Empty if the transaction is not in the wallet.
    std::optional<WalletTransaction> find(const chain::Txid& txid) const;
    /// In the order of the chain, unconfirmed ones last.
    std::vector<wallet::HistoryEntry> oldest_first() const;
    WalletTransaction complete(wallet::HistoryEntry entry) const;

    /// The number of confirmations. Negative for a transaction that conflicts with a confirmed one:
    /// how many that one has.
    std::int64_t confirmations(const wallet::HistoryEntry& entry) const;

    /// Which entries list() makes.
    struct Choice {
        bool has_details = true;           ///< with the members of add_details()
        std::optional<std::string> label;  ///< only what addresses with this label received
        bool has_change = false;
    };
    /// Appends an object for each output that the transaction pays from the wallet, and for each
    /// output that it pays to the wallet (Bitcoin Core: ListTransactions).
    void list(const WalletTransaction& transaction, const Choice& choice, Json& entries);
    /// Adds the members that describe the transaction as a whole (Bitcoin Core: WalletTxToJSON).
    void add_details(const WalletTransaction& transaction, Json& json);

private:
    std::vector<chain::Txid> conflicts_of(const wallet::HistoryEntry& entry);
    Json sent_entry(const WalletTransaction& transaction, std::size_t output, const Choice& choice);
    Json received_entry(const WalletTransaction& transaction, std::size_t output,
                        wallet::KeyPath path, const Choice& choice);
    std::optional<std::string> label_of(const chain::Bytes& script_pubkey) const;

    const wallets::NamedWallet& wallet_;
    const wallet::Wallet& keys_;
    OwnScripts scripts_;
    Trust trust_;
};

/// The fee as Bitcoin Core computes it: what the wallet's inputs exceed the outputs by, negative. 0
/// for a transaction that spends nothing of the wallet.
chain::Satoshis negative_fee(const WalletTransaction& transaction);

}  // namespace petal::regtest::rpc
