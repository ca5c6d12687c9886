/// Unconfirmed transactions that were refused, so that their signatures are not verified again.
#pragma once

#include <cstddef>
#include <deque>
#include <unordered_map>

#include "chain/expected.h"
#include "chain/hash.h"
#include "chain/transaction.h"
#include "net/sync/unconfirmed/spend_check.h"

namespace petal::net {

/// Remembers the latest refusals by check_spends(). Verifying hundreds of valid signatures before a
/// wrong one takes a tenth of a second, and a peer may send the same transaction again and again.
class RefusedSpends {
public:
    /// The maximum number, of some 300 bytes each. To evict one, peers must send the same number of
    /// others.
    static constexpr std::size_t kMaxRefused = 1'000;

    /// Like check_spends(), but a transaction that was refused is refused again without
    /// verification. It is identified also by its witnesses, because a peer may have broken the
    /// signatures of a valid transaction, which must be accepted from another peer; and by the
    /// inputs that can be verified, because the result may change when more of them can be.
    chain::Expected<bool, SpendFault> check(const chain::Transaction& transaction,
                                            const FindOutput& find_output);

private:
    void insert(const chain::Hash256& key, const SpendFault& fault);

    std::unordered_map<chain::Hash256, SpendFault> faults_;
    std::deque<chain::Hash256> order_;  // in the order of insertion
};

}  // namespace petal::net
