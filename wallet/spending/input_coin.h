/// Coins as a payment spends them.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "chain/transaction.h"
#include "wallet/keys/key_path.h"
#include "wallet/spending/spend_form.h"

namespace petal::wallet {

/// An output of the wallet's, with what it takes to spend it.
struct InputCoin {
    chain::Outpoint outpoint;
    chain::TxOutput output;
    SpendForm form = ScriptKind::wpkh;
    KeyPath path;
    /// False for change of the wallet's own unconfirmed payments, which is spent only where
    /// confirmed coins do not suffice.
    bool confirmed = true;

    friend bool operator==(const InputCoin&, const InputCoin&) = default;
};

/// The coins that a wallet can spend, and the amounts that it can't spend yet.
struct SpendableCoins {
    std::vector<InputCoin> coins;
    chain::Satoshis unconfirmed = 0;  ///< of transactions that others may replace
    chain::Satoshis immature = 0;     ///< coinbase outputs with fewer than 100 confirmations
    chain::Satoshis frozen = 0;       ///< that a label says not to spend (BIP329), immature or not
    /// Of a watch-only wallet, all coins of accounts that this payment does not spend from.
    chain::Satoshis other_accounts = 0;
    /// Of a wallet with keys, all coins that it has no keys of: of imported descriptors.
    chain::Satoshis watched = 0;
};

/// Returns 64 random bits. What is chosen by it need not be secret, but must not be predictable
/// from the wallet's transactions.
using RandomBits = std::function<std::uint64_t()>;

}  // namespace petal::wallet
