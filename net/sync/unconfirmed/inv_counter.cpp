#include "net/sync/unconfirmed/inv_counter.h"

#include <algorithm>

namespace petal::net {

void InvCounter::add(const chain::Txid& txid, const chain::Bytes& network_group) {
    const auto [latest, is_new] = groups_.try_emplace(network_group);
    latest->second.last_note = ++notes_;
    latest->second.txids.insert(txid);
    if (!is_new) return;
    evict_least_recent();
    for (auto& [each, its] : groups_) its.txids.limit_to(max_txids_per_peer(groups_.size()));
}

void InvCounter::evict_least_recent() {
    if (groups_.size() <= kMaxGroups) return;
    const auto last_note = [](const auto& group) { return group.second.last_note; };
    groups_.erase(std::ranges::min_element(groups_, {}, last_note));
}

std::size_t InvCounter::count(const chain::Txid& txid) const {
    return static_cast<std::size_t>(
        std::count_if(groups_.begin(), groups_.end(),
                      [&](const auto& group) { return group.second.txids.contains(txid); }));
}

}  // namespace petal::net
