/// Banned hosts, each until a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "net/discovery/known_peer.h"

namespace petal::net {

struct PeerBan {
    std::int64_t until = 0;  ///< Unix seconds
    bool by_user = false;
    friend bool operator==(const PeerBan&, const PeerBan&) = default;
};

/// Bounded: if it is full, the ban that ends first is removed, the user's bans last.
class BanList {
public:
    static constexpr std::size_t kMaxBans = 1'000;
    /// The length of a ban that is not the user's.
    static constexpr std::int64_t kBanSeconds = std::int64_t{24} * 60 * 60;

    /// Bans all ports of the host.
    void ban(const PeerAddress& host, PeerBan ban);
    /// Adds a stored ban; drops an invalid one.
    void restore(const PeerAddress& host, PeerBan ban);
    /// Whether there was a ban.
    bool unban(const PeerAddress& host);
    /// A ban for longer than kBanSeconds that is not the user's is void: the clock was wrong.
    bool is_banned(const PeerAddress& address, std::int64_t now) const;
    /// By host; the ports in the keys are 0.
    const std::map<PeerAddress, PeerBan>& all() const { return bans_; }

private:
    std::map<PeerAddress, PeerBan> bans_;
};

}  // namespace petal::net
