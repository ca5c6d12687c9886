/// The limits of unconfirmed transactions of version 3 (BIP431: topologically restricted until
/// confirmation), as Bitcoin Core demands them of a transaction by itself (policy/truc_policy.cpp).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "chain/transaction.h"
#include "net/regtest/mempool/regtest_mempool.h"

namespace petal::net {

/// Why the mempool may not take the transaction, in Bitcoin Core's words; nothing if it may.
/// Version 3 spends unconfirmed outputs of version 3 alone, and is spent by it alone; and a family
/// is one parent and one child, which are small.
/// size   in vB, as its fee is paid for
std::optional<std::string> truc_violation_of(const RegtestMempool& mempool,
                                             const chain::Transaction& transaction,
                                             std::size_t size);

/// The other child of the parent that a transaction of version 3 spends from: it gives way to this
/// one as if they spent the same output. Nothing where it conflicts anyway, where there is none or
/// more than one, as after a reorganisation, and for other versions.
std::optional<std::size_t> truc_sibling(const RegtestMempool& mempool,
                                        const chain::Transaction& transaction);

}  // namespace petal::net
