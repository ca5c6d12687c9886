// A queue with limits on count and bytes.
#include "wallet/ledger/orphan_pool.h"

#include <algorithm>
#include <utility>

namespace petal::wallet {

void OrphanPool::add(Orphan orphan) {
    const std::size_t bytes = orphan.transaction.total_size();
    if (bytes > kMaxBytes) return;
    if (std::any_of(entries_.begin(), entries_.end(),
                    [&](const Entry& entry) { return entry.orphan.txid == orphan.txid; })) {
        return;
    }
    while (entries_.size() >= kMaxCount || bytes_ + bytes > kMaxBytes) {
        bytes_ -= entries_.front().bytes;
        entries_.pop_front();
    }
    bytes_ += bytes;
    entries_.push_back({std::move(orphan), bytes});
}

std::optional<OrphanPool::Orphan> OrphanPool::take_first(
    const std::function<bool(const Orphan&)>& wanted) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return wanted(entry.orphan); });
    if (found == entries_.end()) return std::nullopt;
    std::optional<Orphan> result = std::move(found->orphan);
    bytes_ -= found->bytes;
    entries_.erase(found);
    return result;
}

}  // namespace petal::wallet
