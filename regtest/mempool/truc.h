/// The limits of unconfirmed transactions of version 3 (BIP431: topologically restricted until
/// confirmation), as Bitcoin Core applies them to a single transaction (policy/truc_policy.cpp).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "chain/transaction.h"
#include "regtest/mempool/regtest_mempool.h"

namespace petal::regtest {

/// Why the mempool may not accept the transaction, in Bitcoin Core's words; empty if it may.
/// Version 3 spends unconfirmed outputs of version 3 only, and is spent by version 3 only; and at
/// most one parent and one child, both small, may be connected.
/// size   in vB, for which its fee is paid
std::optional<std::string> truc_violation_of(const RegtestMempool& mempool,
                                             const chain::Transaction& transaction,
                                             std::size_t size);

/// The other child of the parent that a transaction of version 3 spends from: this transaction
/// replaces it as if both spent the same output. Nothing if the two conflict anyway, if there is
/// none or more than one (as after a reorganisation), and for other versions.
std::optional<std::size_t> truc_sibling(const RegtestMempool& mempool,
                                        const chain::Transaction& transaction);

}  // namespace petal::regtest
