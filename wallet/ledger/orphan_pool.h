/// Unconfirmed transactions that did not concern the wallet when they arrived.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

#include "chain/transaction.h"

namespace petal::wallet {

/// Remembers the latest orphans for a while. A spend may arrive before the payment that it spends;
/// without the pool, a spend that leaves the wallet nothing would go unnoticed until it is
/// confirmed.
class OrphanPool {
public:
    struct Orphan {
        chain::Txid txid;
        chain::Transaction transaction;
        std::int64_t seen_time = 0;
    };

    static constexpr std::size_t kMaxCount = 100;
    static constexpr std::size_t kMaxBytes = std::size_t{256} * 1024;  ///< of their wire forms

    /// Adds an orphan, unless it is known or larger than kMaxBytes; evicts the oldest to make room.
    void add(Orphan orphan);

    /// Removes and returns the first for which `wanted` is true; empty if there is none.
    std::optional<Orphan> take_first(const std::function<bool(const Orphan&)>& wanted);

private:
    struct Entry {
        Orphan orphan;
        std::size_t bytes = 0;
    };

    std::deque<Entry> entries_;
    std::size_t bytes_ = 0;
};

}  // namespace petal::wallet
