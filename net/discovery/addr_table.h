/// The table of known nodes: "new" nodes placed by source, "tried" nodes by network group.
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

/// A bounded set of nodes in buckets, similar to Bitcoin Core's addrman. New nodes were only
/// gossiped. Tried nodes have served. To keep an attacker from filling the table:
///
/// - New nodes of one source are placed in kNewBucketsPerSource of the new buckets.
/// - Tried nodes of one network group are placed in kTriedBucketsPerGroup of the tried buckets.
/// - A host has at most kNewPortsPerHost new ports and one tried port.
///
/// Nodes that the user added are in no bucket.
class AddrTable {
public:
    static constexpr std::size_t kNewBuckets = 256;
    static constexpr std::size_t kNewBucketsPerSource = 16;
    static constexpr std::size_t kTriedBuckets = 64;
    static constexpr std::size_t kTriedBucketsPerGroup = 4;
    static constexpr std::size_t kBucketSize = 16;
    static constexpr std::size_t kNewPortsPerHost = 4;

    /// key            secret key of the hashes that choose buckets
    /// default_port   the network's default port, or 0
    AddrTable(std::array<chain::Byte, 32> key, std::uint16_t default_port)
        : key_(key), default_port_(default_port) {}

    struct Placement {
        bool placed = false;
        /// The nodes that were evicted to make room.
        std::vector<PeerAddress> removed{};
    };
    /// Puts a node into its slot, unless the slot holds a node with precedence.
    Placement place(KnownPeer peer, std::int64_t now);
    KnownPeer take_out(const PeerAddress& address);
    /// Moves a new node to its tried slot, which must be free.
    void make_tried(const PeerAddress& address);
    /// The node that would be evicted if this node became tried: another port of the host, or the
    /// node in the slot.
    std::optional<PeerAddress> holder_of_tried_place(const PeerAddress& address) const;

    /// Null for an unknown node. The caller must not change the fields that determine the slot
    /// (address, source, `tried`, `by_user`), except to set both `tried` and `by_user`.
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
