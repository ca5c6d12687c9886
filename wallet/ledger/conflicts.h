/// Finds the unconfirmed transactions that conflict with others.
#pragma once

#include <functional>
#include <span>
#include <unordered_map>

#include "chain/transaction.h"
#include "wallet/ledger/ledger.h"

namespace petal::wallet {

/// Finds the conflicted ones of some unconfirmed transactions, each with the winner that
/// HistoryEntry::replaced_by names.
///
/// The transactions are played through as a node's memory pool would take them: the later one
/// evicts the earlier with the same input, and all that descends from it. Spends of the wallet's
/// coins, which its keys have signed, and what they descend from come before all others. So only
/// another spend of the wallet's evicts them: whatever else conflicts with them may be made up, and
/// has to be confirmed first. In the end one is conflicted exactly where a confirmed or a remaining
/// transaction spends one of its inputs, where its parent is conflicted, or where it is a coinbase.
/// A coinbase that may yet be found in a block must not be among them.
///
/// unconfirmed        the last seen last; descendants may stand before what they spend
/// is_own_spend       whether a transaction spends a coin of the wallet's
/// confirmed_spender  the confirmed transaction that spends an output, or null
std::unordered_map<chain::Txid, chain::Txid> find_conflicts(
    std::span<const LedgerTransaction* const> unconfirmed,
    const std::function<bool(const LedgerTransaction&)>& is_own_spend,
    const std::function<const LedgerTransaction*(const chain::Outpoint&)>& confirmed_spender);

}  // namespace petal::wallet
