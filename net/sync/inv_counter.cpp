#include "net/sync/inv_counter.h"

#include <algorithm>

namespace petal::net {

void InvCounter::note(const chain::Txid& txid, const chain::Bytes& source) {
    const auto [latest, is_new] = sources_.try_emplace(source);
    latest->second.last_note = ++notes_;
    latest->second.txids.insert(txid);
    if (!is_new) return;
    forget_the_quietest();
    for (auto& [each, its] : sources_) its.txids.limit_to(txids_of_each_of(sources_.size()));
}

void InvCounter::forget_the_quietest() {
    if (sources_.size() <= kMaxSources) return;
    const auto last_note = [](const auto& source) { return source.second.last_note; };
    sources_.erase(std::ranges::min_element(sources_, {}, last_note));
}

std::size_t InvCounter::count(const chain::Txid& txid) const {
    return static_cast<std::size_t>(
        std::count_if(sources_.begin(), sources_.end(),
                      [&](const auto& source) { return source.second.txids.contains(txid); }));
}

}  // namespace petal::net
