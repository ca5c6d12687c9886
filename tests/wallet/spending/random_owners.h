/// Checks properties of payments from random wallets with descriptors of several owners.
#pragma once

#include <cstdint>

namespace petal::wallet {

/// Makes watch-only wallets of single keys, addresses, accounts and multisig of several owners. An
/// owner may claim the key origins of another owner. Checks that a payment spends coins of one
/// owner only, and that the change goes back to the same keys. Returns the number of checked
/// payments.
std::uint32_t check_watched_owners(std::uint64_t seed, std::uint32_t wallets);

/// Makes wallets with private keys of all kinds and imported foreign descriptors. Checks that
/// payments, payments of everything, replacements and children pay only the recipients and the
/// wallet's own keys, and that a replacement pays each recipient the same amount as the replaced
/// payment. Returns the number of checked transactions.
std::uint32_t check_own_payments(std::uint64_t seed, std::uint32_t wallets);

}  // namespace petal::wallet
