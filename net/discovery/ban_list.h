/// Banned hosts, with the end of each ban.
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

/// A bounded list. If the list is full, the ban that ends first is removed. Bans by the user are
/// removed last.
class BanList {
public:
    static constexpr std::size_t kMaxBans = 1'000;
    /// The duration of an automatic ban.
    static constexpr std::int64_t kBanSeconds = std::int64_t{24} * 60 * 60;

    /// Bans all ports of the host.
    void ban(const PeerAddress& host, PeerBan ban);
    /// Adds a stored ban. Ignores an invalid ban.
    void restore(const PeerAddress& host, PeerBan ban);
    /// Returns whether the host was banned.
    bool unban(const PeerAddress& host);
    /// An automatic ban that ends later than kBanSeconds from now was set by a wrong clock, and is
    /// ignored.
    bool is_banned(const PeerAddress& address, std::int64_t now) const;
    /// All bans, by host. The port of each key is 0.
    const std::map<PeerAddress, PeerBan>& all() const { return bans_; }

private:
    std::map<PeerAddress, PeerBan> bans_;
};

}  // namespace petal::net
