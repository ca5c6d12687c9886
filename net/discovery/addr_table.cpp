#include "net/discovery/addr_table.h"

#include <algorithm>
#include <utility>

#include "chain/byte_writer.h"
#include "chain/hash.h"

namespace petal::net {

namespace {

using chain::Byte;
using chain::Bytes;

constexpr std::int64_t kStaleAfter = 30 * kDay;
constexpr std::uint32_t kFailuresOfNewcomer = 3;

Bytes bytes_of(const PeerAddress& address) {
    chain::ByteWriter out;
    out.u8(static_cast<Byte>(address.kind)).bytes(address.host).u16_big_endian(address.port);
    return out.take();
}

/// Whether any new node may take this node's slot (Bitcoin Core: AddrInfo::IsTerrible).
bool is_worthless(const KnownPeer& peer, std::int64_t now) {
    if (peer.by_user) return false;
    if (peer.last_success == 0 && peer.failures >= kFailuresOfNewcomer) return true;
    return std::max(peer.last_seen, peer.last_success) < now - kStaleAfter;
}

}  // namespace

std::uint64_t AddrTable::keyed_hash(std::initializer_list<chain::ByteView> parts) const {
    chain::ByteWriter text;
    text.bytes(key_);
    for (const auto part : parts) text.var_bytes(part);
    const auto digest = chain::sha256(text.view());
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < 8; ++i) number = number << 8U | digest[i];
    return number;
}

AddrTable::Slot AddrTable::new_slot(const PeerAddress& address, const Bytes& source) const {
    const Bytes group = network_group(address);
    const Bytes one{static_cast<Byte>(keyed_hash({source, group}) % kNewBucketsPerSource)};
    const auto bucket = keyed_hash({source, one}) % kNewBuckets;
    const Bytes place{'N', static_cast<Byte>(bucket)};
    return bucket * kBucketSize + keyed_hash({place, bytes_of(address)}) % kBucketSize;
}

AddrTable::Slot AddrTable::tried_slot(const PeerAddress& address) const {
    const Bytes whole = bytes_of(address);
    const Bytes one{static_cast<Byte>(keyed_hash({whole}) % kTriedBucketsPerGroup)};
    const auto bucket = keyed_hash({network_group(address), one}) % kTriedBuckets;
    const Bytes place{'T', static_cast<Byte>(bucket)};
    return bucket * kBucketSize + keyed_hash({place, whole}) % kBucketSize;
}

AddrTable::Placement AddrTable::place(KnownPeer peer, std::int64_t now) {
    const PeerAddress address = peer.address;
    Placement placement;
    if (!peer.by_user && peer.tried) {
        if (holder_of_tried_place(address)) return placement;
        tried_slots_.emplace(tried_slot(address), address);
    } else if (!peer.by_user) {
        placement = make_room_for_new(peer, now);
        if (!placement.placed) return placement;
        new_slots_.emplace(new_slot(address, peer.source), address);
    }
    peers_.emplace(address, std::move(peer));
    placement.placed = true;
    return placement;
}

/// Evicts nodes of lower precedence for a new node. Returns whether the new node's slot is then
/// free.
AddrTable::Placement AddrTable::make_room_for_new(const KnownPeer& peer, std::int64_t now) {
    // An attacker may gossip ports that are closed on honest hosts. These ports must not keep out
    // the real port of the host, which usually is the network's default port.
    const bool is_usual = peer.address.port == default_port_;
    const KnownPeer* least = nullptr;
    std::size_t ports = 0;
    for (const KnownPeer* other : ports_of(peer.address)) {
        if (other->tried || other->by_user) continue;
        ++ports;
        if (other->last_success > 0 || (other->failures == 0 && !is_usual)) continue;
        if (least == nullptr || least->failures < other->failures) least = other;
    }
    const bool is_full = ports >= kNewPortsPerHost;
    if (is_full && least == nullptr) return {};
    Placement placement{true};
    if (is_full) placement.removed.push_back(least->address);

    const auto holder = new_slots_.find(new_slot(peer.address, peer.source));
    if (holder != new_slots_.end()) {
        if (!is_worthless(peers_.at(holder->second), now)) return {};
        if (!is_full || holder->second != least->address) {
            placement.removed.push_back(holder->second);
        }
    }
    for (const PeerAddress& removed : placement.removed) take_out(removed);
    return placement;
}

std::vector<const KnownPeer*> AddrTable::ports_of(const PeerAddress& host) const {
    std::vector<const KnownPeer*> ports;
    const PeerAddress name = host_of(host);
    for (auto peer = peers_.lower_bound(name); peer != peers_.end(); ++peer) {
        if (host_of(peer->first) != name) break;
        ports.push_back(&peer->second);
    }
    return ports;
}

KnownPeer AddrTable::take_out(const PeerAddress& address) {
    const auto found = peers_.find(address);
    KnownPeer peer = std::move(found->second);
    peers_.erase(found);
    if (!peer.by_user) {
        auto& slots = peer.tried ? tried_slots_ : new_slots_;
        slots.erase(peer.tried ? tried_slot(peer.address) : new_slot(peer.address, peer.source));
    }
    return peer;
}

void AddrTable::make_tried(const PeerAddress& address) {
    KnownPeer peer = take_out(address);
    peer.tried = true;
    const PeerAddress& moved = peer.address;
    tried_slots_.emplace(tried_slot(moved), moved);
    peers_.emplace(moved, peer);
}

std::optional<PeerAddress> AddrTable::holder_of_tried_place(const PeerAddress& address) const {
    for (const KnownPeer* port : ports_of(address)) {
        if (port->tried && !port->by_user) return port->address;
    }
    const auto holder = tried_slots_.find(tried_slot(address));
    return holder == tried_slots_.end() ? std::nullopt : std::optional{holder->second};
}

const KnownPeer* AddrTable::find(const PeerAddress& address) const {
    const auto peer = peers_.find(address);
    return peer == peers_.end() ? nullptr : &peer->second;
}

KnownPeer* AddrTable::find(const PeerAddress& address) {
    const auto peer = peers_.find(address);
    return peer == peers_.end() ? nullptr : &peer->second;
}

}  // namespace petal::net
