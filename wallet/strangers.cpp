// A queue with bounds on its length and its bytes.
#include "wallet/strangers.h"

#include <algorithm>
#include <utility>

namespace petal::wallet {

void Strangers::add(Stranger stranger) {
    const std::size_t bytes = stranger.transaction.serialize().size();
    if (bytes > kMaxBytes) return;
    if (std::any_of(entries_.begin(), entries_.end(),
                    [&](const Entry& entry) { return entry.stranger.txid == stranger.txid; })) {
        return;
    }
    while (entries_.size() >= kMaxCount || bytes_ + bytes > kMaxBytes) {
        bytes_ -= entries_.front().bytes;
        entries_.pop_front();
    }
    bytes_ += bytes;
    entries_.push_back({std::move(stranger), bytes});
}

std::optional<Strangers::Stranger> Strangers::take_first(
    const std::function<bool(const Stranger&)>& wanted) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const Entry& entry) { return wanted(entry.stranger); });
    if (found == entries_.end()) return std::nullopt;
    std::optional<Stranger> result = std::move(found->stranger);
    bytes_ -= found->bytes;
    entries_.erase(found);
    return result;
}

}  // namespace petal::wallet
