/// When an unconfirmed transaction gives way to another that spends the same output.
#pragma once

#include <cstddef>
#include <optional>

#include "chain/transaction.h"
#include "net/regtest/mempool/reject_reason.h"

namespace petal::net {

/// A fee and the size that it is paid for, in vB.
struct PaidSize {
    chain::Satoshis fee = 0;
    std::size_t size = 0;

    /// Whether so much is paid for each vB that it is more than `other` pays.
    bool pays_more_than(const PaidSize& other) const;
};

/// A transaction, and what it would replace.
struct Replacement {
    PaidSize paid;
    std::size_t conflicts = 0;         ///< the transactions that spend one of its inputs
    chain::Satoshis evicted_fees = 0;  ///< of these and all that descend from them
    bool pays_more_than_each = true;   ///< than each conflict, by the vB
    bool spends_evicted = false;
};

/// Why it may not replace them; nothing if it may. Follows Bitcoin Core since 28.0, for which every
/// transaction is replaceable (policy/rbf.cpp, BIP125's rules 3 to 5). Instead of the fee rate
/// diagrams of both mempools, compares the fee rates of what conflicts directly.
std::optional<RejectReason> find_replacement_fault(const Replacement& replacement);

}  // namespace petal::net
