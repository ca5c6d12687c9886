/// Unconfirmed transactions that did not concern the wallet on arrival.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

#include "chain/transaction.h"

namespace petal::wallet {

/// Keeps the latest orphans. A spend may arrive before the payment that it spends. Without the
/// pool, a spend without change would not be noticed until it confirms.
class OrphanPool {
public:
    struct Orphan {
        chain::Txid txid;
        chain::Transaction transaction;
        std::int64_t seen_time = 0;
    };

    static constexpr std::size_t kMaxCount = 100;
    static constexpr std::size_t kMaxBytes = std::size_t{256} * 1024;  ///< of the wire forms

    /// Adds an orphan, unless it is known or larger than kMaxBytes. Evicts the oldest orphans to
    /// make room.
    void add(Orphan orphan);

    /// Removes and returns the first orphan for which `wanted` is true. Empty if there is none.
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
