/// Coins as inputs of a payment.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "chain/transaction.h"
#include "wallet/keys/key_path.h"
#include "wallet/spending/mini_miner.h"
#include "wallet/spending/spend_form.h"

namespace petal::wallet {

/// An output of the wallet's, with the data needed to spend it.
struct InputCoin {
    chain::Outpoint outpoint;
    chain::TxOutput output;
    SpendForm form = ScriptKind::wpkh;
    KeyPath path;
    /// False for change of the wallet's own unconfirmed payments, which is spent only if confirmed
    /// coins do not suffice.
    bool confirmed = true;

    friend bool operator==(const InputCoin&, const InputCoin&) = default;
};

/// The coins that a wallet can spend, and the amounts that it can't spend yet.
struct SpendableCoins {
    std::vector<InputCoin> coins;
    chain::Satoshis unconfirmed = 0;  ///< that others may replace, or with too many ancestors
    /// Change of the wallet's own unconfirmed payments, if no node is known to have taken these:
    /// what spends it may be lost with them.
    chain::Satoshis unshown = 0;
    /// These payments, and those of their unconfirmed ancestors that no node is known to have.
    std::vector<chain::Txid> unshown_payments;
    /// Confirmed coins that the user's unconfirmed payments spend together with outputs of undone
    /// transactions. Such a payment confirms only if the undone transaction does.
    chain::Satoshis held_by_undone = 0;
    std::vector<chain::Txid> undone_payments;  ///< the payments that hold them
    chain::Satoshis immature = 0;  ///< coinbase outputs with fewer than 100 confirmations
    chain::Satoshis frozen = 0;    ///< frozen by a label (BIP329), immature or not
    /// In a watch-only wallet: all coins of accounts from which this payment does not spend.
    chain::Satoshis other_accounts = 0;
    /// In a wallet with keys: all coins of imported descriptors, for which it has no keys.
    chain::Satoshis watched = 0;
    /// Of the unconfirmed ones among `coins`, for PaymentRequest::relatives.
    std::vector<UnconfirmedRelative> relatives;
};

/// Returns 64 random bits. They need not be secret, but must not be predictable from the wallet's
/// transactions.
using RandomBits = std::function<std::uint64_t()>;

}  // namespace petal::wallet
