/// The indexes of a ledger's transactions, by how they count.
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

/// Points to transactions that the ledger owns. remove() a transaction before it changes, and add()
/// it again. Both take logarithmic time, and time proportional to the transaction's inputs.
class LedgerIndexes {
public:
    using BySeenOrder = std::map<std::uint64_t, const LedgerTransaction*>;
    /// The number and bytes of the unconfirmed transactions that the user did not broadcast.
    struct Load {
        std::size_t count = 0;
        std::size_t bytes = 0;
    };

    void reserve(std::size_t transactions) { spends_.reserve(transactions); }
    void add(const LedgerTransaction& transaction);
    void remove(const LedgerTransaction& transaction);

    /// Without the transactions that are undone.
    const SpendIndex& spends() const { return spends_; }
    const BySeenOrder& unconfirmed() const { return unconfirmed_; }
    const BySeenOrder& undone() const { return undone_; }
    const Load& load() const { return load_; }
    /// The transaction with the lowest or the highest unsearched_height; null if there is none.
    const LedgerTransaction* first_unsearched() const;
    const LedgerTransaction* last_unsearched() const;

private:
    SpendIndex spends_;
    BySeenOrder unconfirmed_;
    BySeenOrder undone_;
    std::set<std::pair<std::uint32_t, const LedgerTransaction*>>
        unsearched_;  // by unsearched_height
    Load load_;
};

}  // namespace petal::wallet
