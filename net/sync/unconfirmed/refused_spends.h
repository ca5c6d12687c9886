/// Remembers refused unconfirmed transactions, so that their signatures are not verified again.
#pragma once

#include <cstddef>
#include <deque>
#include <unordered_map>

#include "chain/expected.h"
#include "chain/hash.h"
#include "chain/transaction.h"
#include "net/sync/unconfirmed/spend_check.h"

namespace petal::net {

/// Caches the latest refusals of check_spends(). A transaction with hundreds of valid signatures
/// before an invalid one takes a tenth of a second to verify, and a peer may send it over and over.
class RefusedSpends {
public:
    /// About 300 bytes each. To evict one refusal, peers must send this many new refused
    /// transactions.
    static constexpr std::size_t kMaxRefused = 1'000;

    /// Like check_spends(), but refuses a refused transaction without verification. The key of the
    /// cache includes:
    ///
    /// - the witnesses, because a peer may replace the signatures of a valid transaction, which
    ///   must still be accepted from another peer
    /// - which inputs can be verified, because the result may change when more inputs can be
    ///   verified
    chain::Expected<bool, SpendFault> check(const chain::Transaction& transaction,
                                            const FindOutput& find_output);

private:
    void insert(const chain::Hash256& key, const SpendFault& fault);

    std::unordered_map<chain::Hash256, SpendFault> faults_;
    std::deque<chain::Hash256> order_;  // oldest first
};

}  // namespace petal::net
