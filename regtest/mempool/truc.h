/// The limits on unconfirmed transactions of version 3 (BIP431: topologically restricted until
/// confirmation), as Bitcoin Core applies them to a single transaction (policy/truc_policy.cpp).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "chain/transaction.h"
#include "regtest/mempool/regtest_mempool.h"

namespace petal::regtest {

/// Why the mempool may not accept the transaction, in Bitcoin Core's words. Empty if it may.
/// Unconfirmed outputs of version 3 are spent only by version 3, and version 3 spends no other
/// unconfirmed outputs. At most one parent and one child, both small, may be connected.
/// size   in vB, for which the fee is paid
std::optional<std::string> truc_violation_of(const RegtestMempool& mempool,
                                             const chain::Transaction& transaction,
                                             std::size_t size);

/// The other child of the version 3 transaction's parent, which the transaction replaces as if both
/// spent the same output. Empty for other versions, if the two conflict anyway, and if the parent
/// has no other child or several (as after a reorganisation).
std::optional<std::size_t> truc_sibling(const RegtestMempool& mempool,
                                        const chain::Transaction& transaction);

}  // namespace petal::regtest
