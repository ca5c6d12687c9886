/// Payments from random wallets with descriptors of several owners, whose properties are checked.
#pragma once

#include <cstdint>

namespace petal::wallet {

/// Watch-only wallets of single keys, addresses, accounts and multisig of several owners, who may
/// claim each other's key origins: a payment spends coins of one owner, and its change goes back to
/// the same keys. Returns how many payments were checked.
std::uint32_t check_watched_owners(std::uint64_t seed, std::uint32_t wallets);

/// Wallets with private keys of all kinds, with others' descriptors imported: payments, payments of
/// everything, replacements and children pay their recipients and the wallet's own keys, and a
/// replacement pays each recipient what the replaced payment pays. Returns how many transactions
/// were checked.
std::uint32_t check_own_payments(std::uint64_t seed, std::uint32_t wallets);

}  // namespace petal::wallet
