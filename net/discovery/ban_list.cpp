#include "net/discovery/ban_list.h"

#include <algorithm>
#include <utility>

namespace petal::net {

void BanList::ban(const PeerAddress& host, PeerBan ban) {
    const PeerAddress name = host_of(host);
    if (!bans_.contains(name) && bans_.size() >= kMaxBans) {
        const auto sooner = [](const auto& a, const auto& b) {
            return std::pair{a.second.by_user, a.second.until} <
                   std::pair{b.second.by_user, b.second.until};
        };
        bans_.erase(std::ranges::min_element(bans_, sooner));
    }
    bans_[name] = ban;
}

void BanList::restore(const PeerAddress& host, PeerBan ban) {
    if (host.host.size() == address_bytes(host.kind)) this->ban(host, ban);
}

bool BanList::unban(const PeerAddress& host) {
    return bans_.erase(host_of(host)) != 0;
}

bool BanList::is_banned(const PeerAddress& address, std::int64_t now) const {
    const auto ban = bans_.find(host_of(address));
    if (ban == bans_.end() || now >= ban->second.until) return false;
    return ban->second.by_user || ban->second.until <= now + kBanSeconds;
}

}  // namespace petal::net
