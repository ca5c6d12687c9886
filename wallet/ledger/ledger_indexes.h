/// Indexes of a ledger's transactions by their state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "wallet/ledger/ledger_transaction.h"
#include "wallet/ledger/spend_index.h"

namespace petal::wallet {

/// Points to transactions that the ledger owns. A caller that changes a transaction must call
/// remove() before and add() after the change. Both take logarithmic time plus time proportional to
/// the number of inputs.
class LedgerIndexes {
public:
    using BySeenOrder = std::map<std::uint64_t, const LedgerTransaction*>;
    /// The number and total bytes of the unconfirmed transactions that the user did not broadcast.
    struct Load {
        std::size_t count = 0;
        std::size_t bytes = 0;
    };

    void reserve(std::size_t transactions) { spends_.reserve(transactions); }
    void add(const LedgerTransaction& transaction);
    void remove(const LedgerTransaction& transaction);

    /// Without undone transactions.
    const SpendIndex& spends() const { return spends_; }
    const BySeenOrder& unconfirmed() const { return unconfirmed_; }
    const BySeenOrder& undone() const { return undone_; }
    const Load& load() const { return load_; }
    /// The lowest transaction that awaits_search. Null if there is none.
    const LedgerTransaction* first_awaiting_search() const;

private:
    SpendIndex spends_;
    BySeenOrder unconfirmed_;
    BySeenOrder undone_;
    std::set<std::pair<std::uint32_t, const LedgerTransaction*>> awaiting_search_;  // by height
    Load load_;
};

}  // namespace petal::wallet
