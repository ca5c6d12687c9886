#include "net/sync/announcements.h"

#include <algorithm>

namespace petal::net {

void Announcements::note(const chain::Txid& txid, const chain::Bytes& source) {
    Latest& latest = sources_[source];
    latest.last_note = ++notes_;
    forget_the_quietest();
    if (!latest.txids.insert(txid).second) return;
    latest.order.push_back(txid);
    if (latest.order.size() <= kMaxOfEach) return;
    latest.txids.erase(latest.order.front());
    latest.order.pop_front();
}

void Announcements::forget_the_quietest() {
    if (sources_.size() <= kMaxSources) return;
    const auto last_note = [](const auto& source) { return source.second.last_note; };
    sources_.erase(std::ranges::min_element(sources_, {}, last_note));
}

std::size_t Announcements::count(const chain::Txid& txid) const {
    return static_cast<std::size_t>(
        std::count_if(sources_.begin(), sources_.end(),
                      [&](const auto& source) { return source.second.txids.contains(txid); }));
}

}  // namespace petal::net
