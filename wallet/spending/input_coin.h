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

/// An output of the wallet, with the data to spend it.
struct InputCoin {
    chain::Outpoint outpoint;
    chain::TxOutput output;
    SpendForm form = ScriptKind::wpkh;
    KeyPath path;
    /// False for change of the wallet's own unconfirmed payments, which is spent only if the
    /// confirmed coins do not suffice.
    bool confirmed = true;

    friend bool operator==(const InputCoin&, const InputCoin&) = default;
};

/// The coins that a wallet can spend, and the amounts that cannot be spent yet.
struct SpendableCoins {
    std::vector<InputCoin> coins;
    chain::Satoshis unconfirmed = 0;  ///< replaceable by another wallet, or too many ancestors
    /// Change of own unconfirmed payments that no node is known to have. A transaction that spends
    /// this change could be lost together with the payment.
    chain::Satoshis unshown = 0;
    /// The payments of `unshown`, and their unconfirmed ancestors that no node is known to have.
    std::vector<chain::Txid> unshown_payments;
    /// Confirmed coins that the user's unconfirmed payments spend together with outputs of undone
    /// transactions. These payments confirm only if the undone transactions confirm.
    chain::Satoshis held_by_undone = 0;
    std::vector<chain::Txid> undone_payments;  ///< the payments of `held_by_undone`
    chain::Satoshis immature = 0;  ///< coinbase outputs with fewer than 100 confirmations
    chain::Satoshis frozen = 0;    ///< frozen by a label (BIP329), immature or not
    /// In a watch-only wallet: all coins of accounts that this payment does not spend from.
    chain::Satoshis other_accounts = 0;
    /// In a wallet with private keys: all coins of imported descriptors, which have no private
    /// keys.
    chain::Satoshis watched = 0;
    /// The relatives of the unconfirmed `coins`, for PaymentRequest::relatives.
    std::vector<UnconfirmedRelative> relatives;
};

/// Returns 64 random bits, which need not be secret but must not be predictable from the wallet's
/// transactions.
using RandomBits = std::function<std::uint64_t()>;

}  // namespace petal::wallet
