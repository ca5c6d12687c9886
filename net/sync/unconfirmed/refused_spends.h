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

/// Remembers the latest refusals by check_spends(). Hundreds of valid signatures before a wrong one
/// take a tenth of a second to verify, and a peer may show the same transaction again and again.
class RefusedSpends {
public:
    /// Of some 300 bytes each. To have one forgotten, peers must show as many others.
    static constexpr std::size_t kMaxRefused = 1'000;

    /// As check_spends(), but a transaction that was refused is refused again unseen. It is known
    /// by its witnesses, too: a peer may have broken the signatures of a valid transaction, which
    /// must be accepted from another peer. And by the inputs that can be judged, as the result may
    /// be another when more of them can be.
    chain::Expected<bool, SpendFault> check(const chain::Transaction& transaction,
                                            const FindOutput& find_output);

    std::size_t size() const { return faults_.size(); }

private:
    void insert(const chain::Hash256& key, const SpendFault& fault);

    std::unordered_map<chain::Hash256, SpendFault> faults_;
    std::deque<chain::Hash256> order_;  // in which they came
};

}  // namespace petal::net
