#include "net/discovery/addrman.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "chain/byte_writer.h"
#include "chain/hash.h"
#include "net/discovery/foreign_ports.h"
#include "net/discovery/peer_draw.h"

namespace petal::net {

namespace {

using chain::Byte;
using chain::Bytes;

// Less than what a silent peer is given, so that peers which fall silent together with the network
// are not blamed.
constexpr std::int64_t kContactLasts = 10;
constexpr std::int64_t kContactCounts = kMinute;
constexpr std::int64_t kStaleAfter = 30 * kDay;
constexpr std::int64_t kMaxAhead = 10 * kMinute;
constexpr std::uint32_t kFailuresOfNewcomer = 3;
// Bitcoin Core: ADDRMAN_REPLACEMENT, ADDRMAN_TEST_WINDOW.
constexpr std::int64_t kReplacement = 4 * kHour;
constexpr std::int64_t kTestWindow = 40 * kMinute;

PeerAddress host_of(PeerAddress address) {
    address.port = 0;
    return address;
}

Bytes bytes_of(const PeerAddress& address) {
    chain::ByteWriter out;
    out.u8(static_cast<Byte>(address.kind)).bytes(address.host).u16_big_endian(address.port);
    return out.take();
}

/// Whether any newcomer may take its place (Bitcoin Core: AddrInfo::IsTerrible).
bool is_worthless(const KnownPeer& peer, std::int64_t now) {
    if (peer.by_user) return false;
    if (peer.last_success == 0 && peer.failures >= kFailuresOfNewcomer) return true;
    return std::max(peer.last_seen, peer.last_success) < now - kStaleAfter;
}

/// Whether it has answered within the last hours: no other node gets its tried place.
bool has_answered_lately(const KnownPeer& peer, std::int64_t now) {
    return peer.last_success >= now - kReplacement && peer.last_success <= now;
}

/// Whether it was dialled within the last hours, in vain (Bitcoin Core waits a minute, too: the
/// last attempt may still go on).
bool has_failed_lately(const KnownPeer& peer, std::int64_t now) {
    return peer.failures > 0 && peer.last_attempt > peer.last_success &&
           peer.last_attempt >= now - kReplacement && peer.last_attempt <= now - kMinute;
}

}  // namespace

AddrMan::AddrMan(AddrManOptions options) : options_(options), random_(options.random_seed) {}

std::uint64_t AddrMan::keyed_hash(std::initializer_list<chain::ByteView> parts) const {
    chain::ByteWriter text;
    text.bytes(options_.key);
    for (const auto part : parts) text.var_bytes(part);
    const auto digest = chain::sha256(text.view());
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < 8; ++i) number = number << 8U | digest[i];
    return number;
}

AddrMan::Slot AddrMan::new_slot(const PeerAddress& address, const Bytes& source) const {
    const Bytes group = network_group(address);
    const Bytes one{static_cast<Byte>(keyed_hash({source, group}) % kNewBucketsPerSource)};
    const auto bucket = keyed_hash({source, one}) % kNewBuckets;
    const Bytes place{'N', static_cast<Byte>(bucket)};
    return bucket * kBucketSize + keyed_hash({place, bytes_of(address)}) % kBucketSize;
}

AddrMan::Slot AddrMan::tried_slot(const PeerAddress& address) const {
    const Bytes whole = bytes_of(address);
    const Bytes one{static_cast<Byte>(keyed_hash({whole}) % kTriedBucketsPerGroup)};
    const auto bucket = keyed_hash({network_group(address), one}) % kTriedBuckets;
    const Bytes place{'T', static_cast<Byte>(bucket)};
    return bucket * kBucketSize + keyed_hash({place, whole}) % kBucketSize;
}

bool AddrMan::add(const PeerAddress& address, std::uint64_t services, std::int64_t last_seen,
                  const Bytes& source, std::int64_t now) {
    const bool sound = address.port != 0 && address.host.size() == address_bytes(address.kind) &&
                       !is_foreign_port(address);
    if (!sound || (!options_.accept_private && !is_public(address))) return false;
    if (is_banned(address, now)) return false;
    // What claims to come from the future is no fresher than the rest (Bitcoin Core:
    // ProcessMessage).
    const bool unlikely = last_seen > now + kMaxAhead || last_seen < 0;
    const auto seen = std::max<std::int64_t>(unlikely ? now - 5 * kDay : last_seen, 0);
    if (const auto known = peers_.find(address); known != peers_.end()) {
        known->second.last_seen = std::max(known->second.last_seen, seen);
        if (known->second.last_success == 0) known->second.services |= services;
        return false;
    }
    KnownPeer peer;
    peer.address = address;
    peer.source = source;
    peer.services = services;
    peer.last_seen = seen;
    return place(std::move(peer), now);
}

bool AddrMan::add_by_user(const PeerAddress& address, std::int64_t now) {
    const auto by_user = [&](const auto& entry) {
        return entry.second.by_user && entry.first != address;
    };
    if (std::ranges::count_if(peers_, by_user) >= static_cast<std::ptrdiff_t>(kMaxByUser)) {
        return false;
    }
    unban(address);
    KnownPeer peer = find(address).value_or(KnownPeer{});
    remove(address);
    peer.address = address;
    peer.last_seen = now;
    peer.not_before = 0;
    peer.by_user = true;
    return place(std::move(peer), now);
}

bool AddrMan::restore(KnownPeer peer) {
    const bool sound = peer.address.host.size() == address_bytes(peer.address.kind) &&
                       peer.address.port != 0 && peer.source.size() <= 255;
    if (!sound || peers_.contains(peer.address)) return false;
    return place(std::move(peer), std::numeric_limits<std::int64_t>::min() / 2);
}

/// Puts a node where it belongs, unless another one is there that is worth more.
bool AddrMan::place(KnownPeer peer, std::int64_t now) {
    const PeerAddress address = peer.address;
    if (!peer.by_user && peer.tried) {
        if (holder_of_tried_place(address)) return false;
        tried_slots_.emplace(tried_slot(address), address);
    } else if (!peer.by_user) {
        if (!make_room_for_new(peer, now)) return false;
        new_slots_.emplace(new_slot(address, peer.source), address);
    }
    peers_.emplace(address, std::move(peer));
    return true;
}

/// Whether there is a place for it in the slot, after another one that is worth less has gone.
bool AddrMan::make_room_for_new(const KnownPeer& peer, std::int64_t now) {
    // An attacker may tell of ports that honest hosts don't have: they must not keep out the one
    // that such a host has, which mostly is the network's.
    const bool is_usual = peer.address.port == options_.default_port;
    const KnownPeer* least = nullptr;
    std::size_t ports = 0;
    for (const KnownPeer* other : ports_of(peer.address)) {
        if (other->tried || other->by_user) continue;
        ++ports;
        if (other->last_success > 0 || (other->failures == 0 && !is_usual)) continue;
        if (least == nullptr || least->failures < other->failures) least = other;
    }
    const bool is_full = ports >= kNewPortsPerHost;
    if (is_full && least == nullptr) return false;
    const PeerAddress leaving = is_full ? least->address : PeerAddress{};

    const auto holder = new_slots_.find(new_slot(peer.address, peer.source));
    if (holder != new_slots_.end()) {
        if (!is_worthless(peers_.at(holder->second), now)) return false;
        remove(PeerAddress{holder->second});
    }
    if (is_full) remove(leaving);
    return true;
}

/// All that is known of the host.
std::vector<const KnownPeer*> AddrMan::ports_of(const PeerAddress& host) const {
    std::vector<const KnownPeer*> ports;
    const PeerAddress name = host_of(host);
    for (auto peer = peers_.lower_bound(name); peer != peers_.end(); ++peer) {
        if (host_of(peer->first) != name) break;
        ports.push_back(&peer->second);
    }
    return ports;
}

/// Frees the node's place, to give it another one.
KnownPeer AddrMan::take_out(const PeerAddress& address) {
    const auto found = peers_.find(address);
    KnownPeer peer = std::move(found->second);
    peers_.erase(found);
    if (!peer.by_user) {
        auto& slots = peer.tried ? tried_slots_ : new_slots_;
        slots.erase(peer.tried ? tried_slot(peer.address) : new_slot(peer.address, peer.source));
    }
    return peer;
}

void AddrMan::remove(const PeerAddress& address) {
    if (!peers_.contains(address)) return;
    const KnownPeer removed = take_out(address);
    silences_.erase(removed.address);
    attempted_.erase(removed.address);
    collisions_.erase(removed.address);
    anchors_.erase(removed.address);
}

/// Moves a node to those that were tried, where no other one is in its place; else that one is
/// tested first.
void AddrMan::promote(const PeerAddress& address, std::int64_t now) {
    KnownPeer& peer = peers_.at(address);
    if (peer.tried) return;
    if (peer.by_user) {
        peer.tried = true;
    } else if (!holder_of_tried_place(address)) {
        make_tried(address);
    } else {
        if (collisions_.size() < kMaxCollisions) collisions_.insert(address);
        resolve_collisions(now);
    }
}

void AddrMan::make_tried(const PeerAddress& address) {
    KnownPeer peer = take_out(address);
    peer.tried = true;
    const PeerAddress& moved = peer.address;
    tried_slots_.emplace(tried_slot(moved), moved);
    peers_.emplace(moved, peer);
}

/// Puts a node that was taken out of the tried ones among the new ones, where there is room.
void AddrMan::put_back_to_new(KnownPeer peer, std::int64_t now) {
    peer.tried = false;
    const PeerAddress evicted = peer.address;
    if (place(std::move(peer), now)) return;
    silences_.erase(evicted);
    attempted_.erase(evicted);
    anchors_.erase(evicted);
}

/// The node that keeps this one from being among the tried: another port of its host, or the node
/// in its slot.
std::optional<PeerAddress> AddrMan::holder_of_tried_place(const PeerAddress& address) const {
    for (const KnownPeer* port : ports_of(address)) {
        if (port->tried && !port->by_user) return port->address;
    }
    const auto holder = tried_slots_.find(tried_slot(address));
    return holder == tried_slots_.end() ? std::nullopt : std::optional{holder->second};
}

void AddrMan::resolve_collisions(std::int64_t now) {
    const std::vector<PeerAddress> newcomers(collisions_.begin(), collisions_.end());
    for (const PeerAddress& newcomer : newcomers) {
        if (collisions_.contains(newcomer)) resolve_collision(newcomer, now);
    }
}

void AddrMan::resolve_collision(const PeerAddress& newcomer, std::int64_t now) {
    std::optional<KnownPeer> evicted;
    if (const auto holder = holder_of_tried_place(newcomer)) {
        const KnownPeer& tested = peers_.at(*holder);
        if (has_answered_lately(tested, now)) {
            collisions_.erase(newcomer);
            return;
        }
        const bool waits_too_long = peers_.at(newcomer).last_success < now - kTestWindow;
        if (!has_failed_lately(tested, now) && !waits_too_long) return;
        evicted = take_out(*holder);
    }
    // Before the evicted node is put back among the new ones, where it may take the newcomer's
    // slot. If yet another node holds the tried place, that one is to be tested too.
    if (!holder_of_tried_place(newcomer)) {
        collisions_.erase(newcomer);
        make_tried(newcomer);
    }
    if (evicted) put_back_to_new(*std::move(evicted), now);
}

bool AddrMan::may_dial(const KnownPeer& peer, Reach reach, std::int64_t now) const {
    if (!reach.allows(peer.address.kind)) return false;
    // Where this machine is offline, failures don't count, and nothing else would hold it back.
    const bool just_tried = attempted_.contains(peer.address) &&
                            peer.last_attempt > now - kMinute && peer.last_attempt <= now;
    if (just_tried && peer.last_success < peer.last_attempt) return false;
    return !is_left_alone(peer, now) && !is_banned(peer.address, now);
}

std::vector<PeerAddress> AddrMan::choose(std::size_t count, const std::set<Bytes>& taken,
                                         Reach reach, std::int64_t now, bool with_anchors) {
    resolve_collisions(now);
    std::vector<const KnownPeer*> users;
    std::vector<const KnownPeer*> anchors;
    std::vector<const KnownPeer*> tried;
    std::vector<const KnownPeer*> newcomers;
    for (const auto& [address, peer] : peers_) {
        if (!may_dial(peer, reach, now)) continue;
        (peer.by_user ? users : peer.tried ? tried : newcomers).push_back(&peer);
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
    return chosen;
}

std::optional<PeerAddress> AddrMan::choose_newcomer(const std::set<PeerAddress>& in_use,
                                                    Reach reach, std::int64_t now) {
    std::vector<const KnownPeer*> newcomers;
    for (const auto& [address, peer] : peers_) {
        if (peer.tried || in_use.contains(address) || !may_dial(peer, reach, now)) continue;
        newcomers.push_back(&peer);
    }
    std::set<Bytes> groups;
    const auto drawn = draw_peers(newcomers, 1, groups, random_);
    return drawn.empty() ? std::nullopt : std::optional{drawn[0]};
}

std::optional<PeerAddress> AddrMan::choose_contested(Reach reach, std::int64_t now) {
    resolve_collisions(now);
    std::vector<PeerAddress> contested;
    for (const PeerAddress& newcomer : collisions_) {
        const auto holder = holder_of_tried_place(newcomer);
        if (holder && may_dial(peers_.at(*holder), reach, now)) contested.push_back(*holder);
    }
    if (contested.empty()) return std::nullopt;
    return contested[static_cast<std::size_t>(random_.next() % contested.size())];
}

void AddrMan::draw_anchors(const std::set<PeerAddress>& serving) {
    std::vector<const KnownPeer*> candidates;
    for (const PeerAddress& address : serving) {
        if (const auto peer = peers_.find(address); peer != peers_.end()) {
            candidates.push_back(&peer->second);
        }
    }
    std::set<Bytes> groups;
    const auto drawn = draw_peers(candidates, kMaxAnchors, groups, random_);
    if (!drawn.empty()) anchors_ = {drawn.begin(), drawn.end()};
}

bool AddrMan::restore_anchor(const PeerAddress& address) {
    if (!peers_.contains(address) || anchors_.size() >= kMaxAnchors) return false;
    return anchors_.insert(address).second;
}

void AddrMan::on_contact(std::int64_t since, std::int64_t now) {
    last_contact_ = now;
    std::erase_if(silences_, [&](const auto& entry) {
        const auto& [address, silence] = entry;
        if (silence.time < now - kContactCounts) return true;
        if (silence.time <= since) return false;
        set_back(peers_.at(address), silence.outcome, silence.time);
        return true;
    });
}

void AddrMan::on_attempt(const PeerAddress& address, std::int64_t now) {
    const auto peer = peers_.find(address);
    if (peer == peers_.end()) return;
    peer->second.last_attempt = now;
    attempted_.insert(address);
}

void AddrMan::on_version(const PeerAddress& address, std::uint64_t services, std::int64_t now) {
    const auto peer = peers_.find(address);
    if (peer == peers_.end()) return;
    peer->second.services = services;
    peer->second.last_seen = now;
}

void AddrMan::on_outcome(const PeerAddress& address, PeerOutcome outcome, std::int64_t now) {
    const auto peer = peers_.find(address);
    if (peer == peers_.end()) return;
    silences_.erase(address);
    // A contact in the future is one by a clock that was wrong.
    const bool online = last_contact_ <= now && last_contact_ >= now - kContactLasts;
    if (is_silence(outcome) && !online) {
        silences_.emplace(address, Silence{outcome, now});
        return;
    }
    if (!is_success(outcome)) return set_back(peer->second, outcome, now);
    peer->second.last_outcome = outcome;
    peer->second.last_success = peer->second.last_seen = now;
    peer->second.failures = 0;
    peer->second.not_before = 0;
    promote(address, now);
}

void AddrMan::set_back(KnownPeer& peer, PeerOutcome outcome, std::int64_t now) {
    peer.last_outcome = outcome;
    peer.not_before = now + pause_after(outcome, peer.failures, peer.by_user);
    ++peer.failures;
    anchors_.erase(peer.address);
}

void AddrMan::ban(const PeerAddress& host, PeerBan ban) {
    if (!bans_.contains(host_of(host)) && bans_.size() >= kMaxBans) {
        const auto sooner = [](const auto& a, const auto& b) {
            return std::pair{a.second.by_user, a.second.until} <
                   std::pair{b.second.by_user, b.second.until};
        };
        bans_.erase(std::ranges::min_element(bans_, sooner));
    }
    bans_[host_of(host)] = ban;
}

void AddrMan::restore_ban(const PeerAddress& host, PeerBan ban) {
    if (host.host.size() == address_bytes(host.kind)) this->ban(host, ban);
}

bool AddrMan::unban(const PeerAddress& host) {
    return bans_.erase(host_of(host)) != 0;
}

bool AddrMan::is_banned(const PeerAddress& address, std::int64_t now) const {
    const auto ban = bans_.find(host_of(address));
    return ban != bans_.end() && now < ban->second.until;
}

std::optional<KnownPeer> AddrMan::find(const PeerAddress& address) const {
    const auto peer = peers_.find(address);
    return peer == peers_.end() ? std::nullopt : std::optional{peer->second};
}

std::vector<KnownPeer> AddrMan::peers() const {
    std::vector<KnownPeer> all;
    for (const auto& [address, peer] : peers_) all.push_back(peer);
    return all;
}

}  // namespace petal::net
