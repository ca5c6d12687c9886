#include "net/discovery/addrman.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include "net/discovery/dns_seed_list.h"
#include "net/discovery/peer_draw.h"

namespace petal::net {

namespace {

using chain::Bytes;

// Shorter than the timeout of a silent peer, so that peers are not blamed for a failure of this
// machine's network.
constexpr std::int64_t kContactLasts = 10;
constexpr std::int64_t kContactCounts = kMinute;
constexpr std::int64_t kMaxAhead = 10 * kMinute;
// Bitcoin Core: ADDRMAN_REPLACEMENT, ADDRMAN_TEST_WINDOW.
constexpr std::int64_t kReplacement = 4 * kHour;
constexpr std::int64_t kTestWindow = 40 * kMinute;
// DNS answers have no time. Nodes count as seen three days ago (Bitcoin Core:
// ThreadDNSAddressSeed).
constexpr std::int64_t kSeenBySeed = 3 * kDay;

/// Ports of other services, which may take a connection for an attack (Bitcoin Core: IsBadPort(),
/// doc/p2p-bad-ports.md). Ascending.
constexpr std::array<std::uint16_t, 85> kBadPorts{
    1,    7,    9,    11,   13,   15,   17,   19,   20,    21,   22,   23,   25,   37,   42,
    43,   53,   69,   77,   79,   87,   95,   101,  102,   103,  104,  109,  110,  111,  113,
    115,  117,  119,  123,  135,  137,  139,  143,  161,   179,  389,  427,  465,  512,  513,
    514,  515,  526,  530,  531,  532,  540,  548,  554,   556,  563,  587,  601,  636,  989,
    990,  993,  995,  1719, 1720, 1723, 2049, 3306, 3389,  3659, 4045, 5060, 5061, 5432, 5900,
    6000, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 10080, 27017};
static_assert(std::ranges::is_sorted(kBadPorts));

/// Whether a peer may have gossiped this address to flood another service with connections. False
/// for an onion service, which chose its own port.
bool is_bad_port(const PeerAddress& address) {
    return address.kind != AddressKind::onion &&
           std::ranges::binary_search(kBadPorts, address.port);
}

/// Whether the node answered within kReplacement, and so keeps its tried slot.
bool has_answered_lately(const KnownPeer& peer, std::int64_t now) {
    return peer.last_success >= now - kReplacement && peer.last_success <= now;
}

/// Whether a dial within kReplacement failed. A dial in the last minute may be in progress, and
/// does not count (as in Bitcoin Core).
bool has_failed_lately(const KnownPeer& peer, std::int64_t now) {
    return peer.failures > 0 && peer.last_attempt > peer.last_success &&
           peer.last_attempt >= now - kReplacement && peer.last_attempt <= now - kMinute;
}

bool states_other_headers(const KnownPeer& peer) {
    return (peer.services & kNodeOtherHeaders) != 0;
}

/// Adds services from gossip. kNodeOtherHeaders is set only if all sources agree: otherwise any
/// peer could make honest nodes be dialled last.
void add_gossiped_services(KnownPeer& peer, std::uint64_t services) {
    const std::uint64_t agreed = peer.services & services & kNodeOtherHeaders;
    const std::uint64_t stated = peer.last_outcome ? peer.services & kNodeOtherHeaders : agreed;
    peer.services = ((peer.services | services) & ~kNodeOtherHeaders) | stated;
}

}  // namespace

AddrMan::AddrMan(AddrManOptions options)
    : accept_private_(options.accept_private),
      services_(options.services),
      random_(options.random_seed),
      table_(options.key, options.default_port) {}

bool AddrMan::add(const PeerAddress& address, std::uint64_t services, std::int64_t last_seen,
                  const Bytes& source, std::int64_t now) {
    const bool sound = address.port != 0 && address.host.size() == address_bytes(address.kind) &&
                       !is_bad_port(address);
    if (!sound || (!accept_private_ && !is_public(address))) return false;
    if (bans_.is_banned(address, now)) return false;
    // A time in the future does not make an address fresher (Bitcoin Core: ProcessMessage).
    const bool unlikely = last_seen > now + kMaxAhead || last_seen < 0;
    const auto seen = std::max<std::int64_t>(unlikely ? now - 5 * kDay : last_seen, 0);
    if (KnownPeer* const known = table_.find(address)) {
        known->last_seen = std::max(known->last_seen, seen);
        if (known->services_time == 0) add_gossiped_services(*known, services);
        return false;
    }
    KnownPeer peer;
    peer.address = address;
    peer.source = source;
    peer.services = services;
    peer.last_seen = seen;
    return place(std::move(peer), now);
}

void AddrMan::add_listed(const std::string& seed, const std::vector<PeerAddress>& nodes,
                         std::int64_t now) {
    const Bytes source(seed.begin(), seed.end());
    for (const PeerAddress& node : std::span{nodes}.first(std::min(nodes.size(), kMostOfSeed))) {
        add(node, services_asked_of(seed), now - kSeenBySeed, source, now);
    }
}

bool AddrMan::add_by_user(const PeerAddress& address, std::int64_t now) {
    const auto by_user = [&](const auto& entry) {
        return entry.second.by_user && entry.first != address;
    };
    if (std::ranges::count_if(table_.peers(), by_user) >= static_cast<std::ptrdiff_t>(kMaxByUser)) {
        return false;
    }
    bans_.unban(address);
    KnownPeer peer = find(address).value_or(KnownPeer{});
    forget(address);
    peer.address = address;
    peer.last_seen = now;
    peer.not_before = 0;
    peer.services_time = 0;  // the user may have changed the node
    peer.by_user = true;
    return place(std::move(peer), now);
}

bool AddrMan::restore(KnownPeer peer) {
    const bool sound = peer.address.host.size() == address_bytes(peer.address.kind) &&
                       peer.address.port != 0 && peer.source.size() <= 255;
    if (!sound || table_.find(peer.address) != nullptr) return false;
    return place(std::move(peer), std::numeric_limits<std::int64_t>::min() / 2);
}

bool AddrMan::place(KnownPeer peer, std::int64_t now) {
    const auto placement = table_.place(std::move(peer), now);
    for (const PeerAddress& removed : placement.removed) forget_events_of(removed);
    return placement.placed;
}

void AddrMan::forget(const PeerAddress& address) {
    if (table_.find(address) == nullptr) return;
    table_.take_out(address);
    forget_events_of(address);
}

void AddrMan::forget_events_of(const PeerAddress& address) {
    silences_.erase(address);
    attempted_.erase(address);
    collisions_.erase(address);
    anchors_.erase(address);
}

/// Makes a node tried if the tried slot is free. Otherwise the node in that slot is tested first.
void AddrMan::promote(const PeerAddress& address, std::int64_t now) {
    KnownPeer& peer = *table_.find(address);
    if (peer.tried) return;
    if (peer.by_user) {
        peer.tried = true;
    } else if (!table_.holder_of_tried_place(address)) {
        collisions_.erase(address);
        table_.make_tried(address);
    } else {
        if (collisions_.size() < kMaxCollisions) collisions_.insert(address);
        resolve_collisions(now);
    }
}

void AddrMan::resolve_collisions(std::int64_t now) {
    const std::vector<PeerAddress> newcomers(collisions_.begin(), collisions_.end());
    for (const PeerAddress& newcomer : newcomers) {
        if (collisions_.contains(newcomer)) resolve_collision(newcomer, now);
    }
}

void AddrMan::resolve_collision(const PeerAddress& newcomer, std::int64_t now) {
    std::optional<KnownPeer> evicted;
    if (const auto holder = table_.holder_of_tried_place(newcomer)) {
        const KnownPeer& tested = *table_.find(*holder);
        if (has_answered_lately(tested, now)) {
            collisions_.erase(newcomer);
            return;
        }
        const bool waits_too_long = table_.find(newcomer)->last_success < now - kTestWindow;
        if (!has_failed_lately(tested, now) && !waits_too_long) return;
        evicted = table_.take_out(*holder);
    }
    // The newcomer is moved before the evicted node becomes new again, because the evicted node
    // might take the newcomer's slot. If a second node blocks the tried slot, that node is tested,
    // too.
    if (!table_.holder_of_tried_place(newcomer)) {
        collisions_.erase(newcomer);
        table_.make_tried(newcomer);
    }
    if (!evicted) return;
    evicted->tried = false;
    const PeerAddress address = evicted->address;
    if (!place(*std::move(evicted), now)) forget_events_of(address);
}

void AddrMan::set_services(std::uint64_t services) {
    services_ = services;
    std::erase_if(attempted_, [this](const PeerAddress& address) {
        const KnownPeer* const peer = table_.find(address);
        return peer != nullptr && peer->last_outcome == PeerOutcome::lacks_services;
    });
}

bool AddrMan::may_greet(const KnownPeer& peer, Reach reach, std::int64_t now) const {
    if (!reach.allows(peer.address.kind)) return false;
    // While this machine is offline, failures do not count. Then only this check prevents dialling
    // the node again at once.
    const bool just_tried = attempted_.contains(peer.address) &&
                            peer.last_attempt > now - kMinute && peer.last_attempt <= now;
    if (just_tried && peer.last_success < peer.last_attempt) return false;
    return !is_left_alone(peer, now) && !bans_.is_banned(peer.address, now);
}

bool AddrMan::may_dial(const KnownPeer& peer, Reach reach, std::int64_t now) const {
    return may_greet(peer, reach, now) && !lacks_services(peer, services_, now);
}

std::vector<PeerAddress> AddrMan::choose(std::size_t count, const std::set<Bytes>& taken,
                                         Reach reach, std::int64_t now, bool with_anchors,
                                         const std::function<bool(const PeerAddress&)>& may_use,
                                         std::optional<std::uint64_t> services) {
    resolve_collisions(now);
    const std::uint64_t needed = services.value_or(services_);
    std::vector<const KnownPeer*> users;
    std::vector<const KnownPeer*> anchors;
    std::vector<const KnownPeer*> tried;
    std::vector<const KnownPeer*> newcomers;
    std::vector<const KnownPeer*> others;
    std::vector<const KnownPeer*> other_newcomers;
    std::vector<const KnownPeer*> on_forks;
    for (const auto& [address, peer] : table_.peers()) {
        if (!may_greet(peer, reach, now) || lacks_services(peer, needed, now)) continue;
        if (may_use && !may_use(address)) continue;
        if (!peer.by_user && states_other_headers(peer)) {
            on_forks.push_back(&peer);
            continue;
        }
        const bool is_said_to_serve = has_services(peer, needed);
        auto& of_tried = is_said_to_serve ? tried : others;
        auto& of_new = is_said_to_serve ? newcomers : other_newcomers;
        (peer.by_user ? users : peer.tried ? of_tried : of_new).push_back(&peer);
        const bool is_anchor = anchors_.contains(address) && !attempted_.contains(address);
        if (with_anchors && is_anchor) anchors.push_back(&peer);
    }
    std::vector<PeerAddress> chosen;
    std::set<Bytes> groups = taken;
    const auto take = [&](const std::vector<const KnownPeer*>& from, std::size_t upto) {
        if (chosen.size() >= upto) return;
        const auto drawn = draw_peers(from, upto - chosen.size(), groups, random_);
        chosen.insert(chosen.end(), drawn.begin(), drawn.end());
    };
    const std::size_t places_for_newcomers = count >= 2 ? std::max<std::size_t>(count / 4, 1) : 0;
    take(users, count - places_for_newcomers);
    take(anchors, count - places_for_newcomers);
    take(tried, count - places_for_newcomers);
    take(newcomers, count);
    take(users, count);
    take(tried, count);
    take(others, count);
    take(other_newcomers, count);
    take(on_forks, count);
    return chosen;
}

std::optional<PeerAddress> AddrMan::choose_newcomer(const std::set<PeerAddress>& in_use,
                                                    Reach reach, std::int64_t now) {
    std::vector<const KnownPeer*> newcomers;
    std::vector<const KnownPeer*> others;
    for (const auto& [address, peer] : table_.peers()) {
        if (peer.tried || in_use.contains(address) || !may_dial(peer, reach, now)) continue;
        if (states_other_headers(peer)) continue;
        (has_services(peer, services_) ? newcomers : others).push_back(&peer);
    }
    std::set<Bytes> groups;
    const auto drawn = draw_peers(newcomers.empty() ? others : newcomers, 1, groups, random_);
    return drawn.empty() ? std::nullopt : std::optional{drawn[0]};
}

std::optional<PeerAddress> AddrMan::choose_contested(Reach reach, std::int64_t now) {
    resolve_collisions(now);
    std::vector<PeerAddress> contested;
    for (const PeerAddress& newcomer : collisions_) {
        const auto holder = table_.holder_of_tried_place(newcomer);
        if (holder && may_dial(*table_.find(*holder), reach, now)) contested.push_back(*holder);
    }
    if (contested.empty()) return std::nullopt;
    return contested[static_cast<std::size_t>(random_.next() % contested.size())];
}

std::vector<PeerAddress> AddrMan::draw_for_census(Reach reach, std::int64_t now,
                                                  const std::set<PeerAddress>& listed) {
    std::vector<PeerAddress> nodes;
    for (const auto& [address, peer] : table_.peers()) {
        const std::string source(peer.source.begin(), peer.source.end());
        const bool is_selected = services_asked_of(source) != 0 && !listed.contains(address);
        if (!is_selected && may_greet(peer, reach, now)) nodes.push_back(address);
    }
    for (std::size_t left = nodes.size(); left > 1; --left) {
        std::swap(nodes[left - 1], nodes[static_cast<std::size_t>(random_.next() % left)]);
    }
    std::set<PeerAddress> hosts;
    std::erase_if(
        nodes, [&hosts](const PeerAddress& node) { return !hosts.insert(host_of(node)).second; });
    return nodes;
}

void AddrMan::draw_anchors(const std::set<PeerAddress>& serving) {
    std::vector<const KnownPeer*> candidates;
    for (const PeerAddress& address : serving) {
        const KnownPeer* const peer = table_.find(address);
        if (peer != nullptr && !states_other_headers(*peer)) candidates.push_back(peer);
    }
    std::set<Bytes> groups;
    const auto drawn = draw_peers(candidates, kMaxAnchors, groups, random_);
    if (!drawn.empty()) anchors_ = {drawn.begin(), drawn.end()};
}

bool AddrMan::restore_anchor(const PeerAddress& address) {
    if (table_.find(address) == nullptr || anchors_.size() >= kMaxAnchors) return false;
    return anchors_.insert(address).second;
}

void AddrMan::on_contact(std::int64_t since, std::int64_t now) {
    last_contact_ = now;
    std::erase_if(silences_, [&](const auto& entry) {
        const auto& [address, silence] = entry;
        if (silence.time < now - kContactCounts) return true;
        if (silence.time <= since) return false;
        record_failure(*table_.find(address), silence.outcome, silence.time);
        anchors_.erase(address);
        return true;
    });
}

void AddrMan::on_attempt(const PeerAddress& address, std::int64_t now) {
    KnownPeer* const peer = table_.find(address);
    if (peer == nullptr) return;
    peer->last_attempt = now;
    attempted_.insert(address);
}

void AddrMan::on_version(const PeerAddress& address, std::uint64_t services, std::int64_t now) {
    KnownPeer* const peer = table_.find(address);
    if (peer == nullptr) return;
    peer->services = services;
    peer->last_seen = peer->services_time = now;
}

void AddrMan::on_feeler_answered(const PeerAddress& address, std::uint64_t services,
                                 std::int64_t now) {
    on_version(address, services, now);
    const bool is_of_use = (services & services_) == services_;
    on_outcome(address, is_of_use ? PeerOutcome::answered : PeerOutcome::lacks_services, now);
}

void AddrMan::on_outcome(const PeerAddress& address, PeerOutcome outcome, std::int64_t now) {
    KnownPeer* const peer = table_.find(address);
    if (peer == nullptr) return;
    silences_.erase(address);
    // A contact in the future was recorded by a wrong clock.
    const bool online = last_contact_ <= now && last_contact_ >= now - kContactLasts;
    if (is_silence(outcome) && !online) {
        silences_.emplace(address, Silence{outcome, now});
        return;
    }
    if (is_success(outcome)) {
        record_success(*peer, outcome, now);
        promote(address, now);
    } else {
        record_failure(*peer, outcome, now);
        anchors_.erase(address);
    }
}

std::optional<KnownPeer> AddrMan::find(const PeerAddress& address) const {
    const KnownPeer* const peer = table_.find(address);
    return peer == nullptr ? std::nullopt : std::optional{*peer};
}

std::vector<KnownPeer> AddrMan::peers() const {
    std::vector<KnownPeer> all;
    for (const auto& [address, peer] : table_.peers()) all.push_back(peer);
    return all;
}

}  // namespace petal::net
