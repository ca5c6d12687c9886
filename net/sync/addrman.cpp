#include "net/sync/addrman.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "chain/byte_writer.h"
#include "chain/hash.h"
#include "net/sync/foreign_ports.h"

namespace petal::net {

namespace {

using chain::Byte;
using chain::Bytes;

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;
// Less than what a silent peer is given, so that those who fall silent together with the network
// are not blamed.
constexpr std::int64_t kContactLasts = 10;
constexpr std::int64_t kContactCounts = kMinute;
constexpr std::int64_t kStaleAfter = 30 * kDay;
constexpr std::int64_t kMaxAhead = 10 * kMinute;
constexpr std::uint32_t kFailuresOfNewcomer = 3;

constexpr std::int64_t kLongestPause = 60 * kDay;

struct Backoff {
    std::int64_t first;
    std::int64_t last;
};

/// How long a node is left alone after the first failure in a row, and at most.
Backoff backoff_of(PeerOutcome outcome) {
    switch (outcome) {
        case PeerOutcome::served:
            return {0, 0};
        case PeerOutcome::unreachable:
            return {10 * kMinute, kDay};
        case PeerOutcome::no_bloom:
            return {kDay, 30 * kDay};
        case PeerOutcome::wrong_network:
            return {7 * kDay, kLongestPause};
        case PeerOutcome::too_slow:
            return {10 * kMinute, kDay};
        case PeerOutcome::bad_data:
            return {kDay, 30 * kDay};
        case PeerOutcome::refused:
            return {5 * kMinute, 6 * kHour};
        case PeerOutcome::low_work:
            return {kDay, 30 * kDay};
    }
    return {0, 0};
}

bool is_silence(PeerOutcome outcome) {
    return outcome == PeerOutcome::unreachable || outcome == PeerOutcome::too_slow;
}

/// What may be over in a minute: who runs a node restarts it now and then.
bool is_passing(PeerOutcome outcome) {
    return is_silence(outcome) || outcome == PeerOutcome::refused;
}

PeerAddress host_of(PeerAddress address) {
    address.port = 0;
    return address;
}

Bytes bytes_of(const PeerAddress& address) {
    chain::ByteWriter out;
    out.u8(static_cast<Byte>(address.kind)).bytes(address.host).u16_big_endian(address.port);
    return out.take();
}

/// Whether whoever comes may take its place (Bitcoin Core: AddrInfo::IsTerrible).
bool is_worthless(const KnownPeer& peer, std::int64_t now) {
    if (peer.by_user) return false;
    if (peer.last_success == 0 && peer.failures >= kFailuresOfNewcomer) return true;
    return std::max(peer.last_seen, peer.last_success) < now - kStaleAfter;
}

/// Whether a node that has served may stay, when another one that has wants its place.
bool holds_its_place(const KnownPeer& peer, std::int64_t now) {
    return peer.by_user || (peer.failures == 0 && peer.last_success >= now - kStaleAfter);
}

}  // namespace

std::string_view code_of(PeerOutcome outcome) {
    switch (outcome) {
        case PeerOutcome::served:
            return "served";
        case PeerOutcome::unreachable:
            return "unreachable";
        case PeerOutcome::no_bloom:
            return "no-bloom";
        case PeerOutcome::wrong_network:
            return "wrong-network";
        case PeerOutcome::too_slow:
            return "too-slow";
        case PeerOutcome::bad_data:
            return "bad-data";
        case PeerOutcome::refused:
            return "refused";
        case PeerOutcome::low_work:
            return "low-work";
    }
    return "unknown";
}

std::optional<PeerOutcome> parse_peer_outcome(std::string_view code) {
    using enum PeerOutcome;
    for (const auto outcome :
         {served, unreachable, no_bloom, wrong_network, too_slow, bad_data, refused, low_work}) {
        if (code_of(outcome) == code) return outcome;
    }
    return std::nullopt;
}

std::optional<PeerOutcome> outcome_of(DisconnectReason reason, PeerService service) {
    if (is_misbehaviour(reason)) return PeerOutcome::bad_data;
    switch (reason) {
        case DisconnectReason::finished:
            return service == PeerService::none ? std::nullopt : std::optional{PeerOutcome::served};
        case DisconnectReason::unreachable:
            return PeerOutcome::unreachable;
        case DisconnectReason::gone:
            return service == PeerService::advanced ? PeerOutcome::served : PeerOutcome::refused;
        case DisconnectReason::wrong_network:
        case DisconnectReason::not_bitcoin:
            return PeerOutcome::wrong_network;
        case DisconnectReason::no_bloom:
        case DisconnectReason::no_network:
        case DisconnectReason::too_old:
            return PeerOutcome::no_bloom;
        case DisconnectReason::timed_out:
            return PeerOutcome::too_slow;
        case DisconnectReason::low_work:
            return PeerOutcome::low_work;
        default:  // ourselves
            return std::nullopt;
    }
}

bool is_left_alone(const KnownPeer& peer, std::int64_t now) {
    return peer.not_before > now && peer.not_before <= now + kLongestPause;
}

bool is_proof_of_bad_data(DisconnectReason reason) {
    return reason == DisconnectReason::invalid_header ||
           reason == DisconnectReason::invalid_proof ||
           reason == DisconnectReason::contradicts_filter || reason == DisconnectReason::left_out;
}

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

/// Puts a node where it belongs, unless whoever is there is worth more.
bool AddrMan::place(KnownPeer peer, std::int64_t now) {
    const PeerAddress address = peer.address;
    if (!peer.by_user) {
        auto& slots = peer.tried ? tried_slots_ : new_slots_;
        const Slot slot = peer.tried ? tried_slot(address) : new_slot(address, peer.source);
        if (const auto taken = slots.find(slot); taken != slots.end()) {
            const KnownPeer& holder = peers_.at(taken->second);
            const bool stays =
                peer.tried ? holds_its_place(holder, now) : !is_worthless(holder, now);
            if (stays) return false;
            remove(PeerAddress{taken->second});
        }
        slots.emplace(slot, address);
    }
    peers_.emplace(address, std::move(peer));
    return true;
}

void AddrMan::remove(const PeerAddress& address) {
    const auto found = peers_.find(address);
    if (found == peers_.end()) return;
    const PeerAddress removed = found->first;
    if (!found->second.by_user) {
        auto& slots = found->second.tried ? tried_slots_ : new_slots_;
        slots.erase(found->second.tried ? tried_slot(removed)
                                        : new_slot(removed, found->second.source));
    }
    silences_.erase(removed);
    attempted_.erase(removed);
    peers_.erase(found);
}

/// Moves a node to those that have served, unless one that has too is in its place.
void AddrMan::promote(const PeerAddress& address, std::int64_t now) {
    KnownPeer peer = peers_.at(address);
    if (peer.tried) return;
    const KnownPeer before = peer;
    remove(before.address);
    peer.tried = true;
    if (!place(std::move(peer), now)) place(before, now);
}

bool AddrMan::may_dial(const KnownPeer& peer, Reach reach, std::int64_t now) const {
    if (!reach.allows(peer.address.kind)) return false;
    // Where this machine is offline, failures don't count, and nothing else would hold it back.
    const bool just_tried = attempted_.contains(peer.address) &&
                            peer.last_attempt > now - kMinute && peer.last_attempt <= now;
    if (just_tried && peer.last_success < peer.last_attempt) return false;
    return !is_left_alone(peer, now) && !is_banned(peer.address, now);
}

/// In the order in which they are worth trying.
std::vector<const KnownPeer*> AddrMan::candidates(bool tried, Reach reach, std::int64_t now) {
    struct Ranked {
        int rank;
        std::uint64_t lot;
        const KnownPeer* peer;
        auto operator<=>(const Ranked&) const = default;
    };
    std::vector<Ranked> ranked;
    for (const auto& [address, peer] : peers_) {
        const std::uint64_t lot = random_.next();
        if ((peer.tried || peer.by_user) != tried || !may_dial(peer, reach, now)) continue;
        // What is said to serve filters first (BIP111), then what has not failed.
        const bool bloom = (peer.services & kNodeBloom) != 0;
        const int rank = (peer.by_user ? 0 : 8) + (bloom ? 0 : 4) + (peer.failures == 0 ? 0 : 2);
        ranked.push_back({rank, lot, &peer});
    }
    std::ranges::sort(ranked);
    std::vector<const KnownPeer*> peers;
    for (const auto& one : ranked) peers.push_back(one.peer);
    return peers;
}

std::vector<PeerAddress> AddrMan::choose(std::size_t count, const std::set<Bytes>& taken,
                                         Reach reach, std::int64_t now) {
    std::vector<PeerAddress> chosen;
    std::set<Bytes> groups = taken;
    const auto take = [&](const std::vector<const KnownPeer*>& from, std::size_t upto) {
        for (const KnownPeer* peer : from) {
            if (chosen.size() >= upto) return;
            if (groups.insert(network_group(peer->address)).second) chosen.push_back(peer->address);
        }
    };
    const auto remembered = candidates(/*tried=*/true, reach, now);
    const auto newcomers = candidates(/*tried=*/false, reach, now);
    const std::size_t places_for_newcomers = count >= 2 ? std::max<std::size_t>(count / 4, 1) : 0;
    take(remembered, count - places_for_newcomers);
    take(newcomers, count);
    take(remembered, count);
    return chosen;
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
    if (outcome != PeerOutcome::served) return set_back(peer->second, outcome, now);
    peer->second.last_outcome = outcome;
    peer->second.last_success = peer->second.last_seen = now;
    peer->second.failures = 0;
    peer->second.not_before = 0;
    promote(address, now);
}

void AddrMan::set_back(KnownPeer& peer, PeerOutcome outcome, std::int64_t now) const {
    constexpr std::uint32_t kMaxDoublings = 20;
    const auto [first, last] = backoff_of(outcome);
    const auto doubled = first << std::min(peer.failures, kMaxDoublings);
    peer.last_outcome = outcome;
    const auto pause = std::min(doubled, last);
    peer.not_before =
        now + (peer.by_user && is_passing(outcome) ? std::min(pause, kMinute) : pause);
    ++peer.failures;
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
