/// The table of known nodes: new ones placed by source, tried ones by network group.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <vector>

#include "net/discovery/known_peer.h"
#include "net/wire/peer_address.h"

namespace petal::net {

/// A bounded set of nodes in buckets, in the spirit of Bitcoin Core's addrman: nodes that were only
/// gossiped (new), and nodes that have served (tried). Addresses of one source can only be in a few
/// of the new buckets, those of one network group only in a few of the tried ones, so that neither
/// can fill the table. Of one host, kNewPortsPerHost ports can be new and one tried. Nodes that the
/// user added are in no bucket.
class AddrTable {
public:
    static constexpr std::size_t kNewBuckets = 256;
    static constexpr std::size_t kNewBucketsPerSource = 16;
    static constexpr std::size_t kTriedBuckets = 64;
    static constexpr std::size_t kTriedBucketsPerGroup = 4;
    static constexpr std::size_t kBucketSize = 16;
    static constexpr std::size_t kNewPortsPerHost = 4;

    /// key            of the hashes that choose buckets; no peer may know it
    /// default_port   of the network; 0 if it has none
    AddrTable(std::array<chain::Byte, 32> key, std::uint16_t default_port)
        : key_(key), default_port_(default_port) {}

    struct Placement {
        bool placed = false;
        /// The nodes that were evicted for it.
        std::vector<PeerAddress> removed{};
    };
    /// Puts a node into its slot, unless the slot holds a node with precedence.
    Placement place(KnownPeer peer, std::int64_t now);
    /// Removes a node of the table.
    KnownPeer take_out(const PeerAddress& address);
    /// Moves a new node to its tried slot, which must be free.
    void make_tried(const PeerAddress& address);
    /// The node that this one would have to evict to become tried: another port of its host, or the
    /// node in its slot.
    std::optional<PeerAddress> holder_of_tried_place(const PeerAddress& address) const;

    /// Null for an unknown node. The fields that determine a node's slot (address, source, `tried`,
    /// `by_user`) must not be changed, except by setting both `tried` and `by_user`.
    KnownPeer* find(const PeerAddress& address);
    const KnownPeer* find(const PeerAddress& address) const;
    const std::map<PeerAddress, KnownPeer>& peers() const { return peers_; }

private:
    using Slot = std::size_t;

    Slot new_slot(const PeerAddress& address, const chain::Bytes& source) const;
    Slot tried_slot(const PeerAddress& address) const;
    std::uint64_t keyed_hash(std::initializer_list<chain::ByteView> parts) const;
    Placement make_room_for_new(const KnownPeer& peer, std::int64_t now);
    std::vector<const KnownPeer*> ports_of(const PeerAddress& host) const;

    std::array<chain::Byte, 32> key_;
    std::uint16_t default_port_;
    std::map<PeerAddress, KnownPeer> peers_;
    std::map<Slot, PeerAddress> new_slots_;
    std::map<Slot, PeerAddress> tried_slots_;
};

}  // namespace petal::net
