/// A node's connections, as seen by its owner.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chain/transaction.h"
#include "net/wire/messages.h"
#include "regtest/connected_peer.h"
#include "regtest/node_behaviour.h"

namespace petal::regtest {

/// The messages of a connection. Sizes include message headers.
struct MessageTraffic {
    std::int64_t last_sent = 0;      ///< Unix seconds (0: never)
    std::int64_t last_received = 0;  ///< Unix seconds (0: never)
    /// Bytes by command. Unknown commands count together as `*other*`.
    std::map<std::string, std::uint64_t, std::less<>> sent;
    std::map<std::string, std::uint64_t, std::less<>> received;
    std::uint64_t bytes_sent = 0;
    std::uint64_t bytes_received = 0;
};

/// The bytes of several connections.
struct TotalTraffic {
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
};

/// The Bloom filter that a peer loaded (BIP37).
struct PeerFilterRecord {
    std::uint64_t loads = 0;  ///< accepted `filterload` messages
    std::size_t bytes = 0;    ///< size of the last filter
    std::uint32_t hash_functions = 0;
};

/// Transaction relay with a peer.
struct PeerRelay {
    bool is_on = false;                   ///< handshake complete, and the peer gets announcements
    chain::Satoshis fee_filter = 0;       ///< the lowest fee rate announced to the peer
    std::int64_t last_transaction = 0;    ///< Unix seconds of the last valid transaction (0: never)
    std::uint64_t last_inv_sequence = 0;  ///< the chain's revision at the last announcement
    std::size_t waiting_announcements = 0;
    PeerFilterRecord filter;
};

/// Blocks of a peer.
struct PeerBlocks {
    /// Whether the peer asked for compact blocks unasked (BIP152).
    bool wants_compact = false;
    std::int64_t last_block = 0;  ///< Unix seconds of the last valid block (0: never)
    /// The height of the highest block that the peer showed, among the blocks that the chain has.
    /// Empty if there is none.
    std::optional<std::uint32_t> known_height;
    /// The height of the last common block of that block's branch and the active chain.
    std::optional<std::uint32_t> common_height;
    std::vector<std::uint32_t> requested_heights;  ///< blocks in flight from the peer
};

struct PeerRecord {
    std::uint64_t id = 0;  ///< numbered from 1, in order of connection
    std::string address;   ///< HOST:PORT
    std::string bound;     ///< the node's endpoint
    /// Bitcoin Core's name: `ipv4`, `ipv6`, or `not_publicly_routable`.
    std::string_view network = "not_publicly_routable";
    bool is_inbound = true;
    std::int64_t connected_time = 0;  ///< Unix seconds
    MessageTraffic traffic;
    std::optional<net::Version> version;  ///< empty until it arrives
    std::int64_t time_offset = 0;         ///< seconds that the peer's clock was ahead
    PeerRelay relay;
    PeerBlocks blocks;
    PingTimes pings;
};

/// The connections of a node, for RPC methods.
class NodePeers {
public:
    virtual ~NodePeers() = default;

    /// The behaviour of connections accepted from now on.
    virtual const NodeBehaviour& behaviour() const = 0;
    virtual std::vector<PeerRecord> peers() const = 0;
    /// Sets the behaviour of all connections. On open connections, only the faults and the pace of
    /// blocks change.
    virtual void set_behaviour_of_all(const NodeBehaviour& behaviour) = 0;
    /// Changes the faults and the pace of blocks on the connection with this id, if there is one.
    virtual void set_faults(std::uint64_t id, const NodeBehaviour& behaviour) = 0;
    /// Closes a connection. Returns false if there is none with this id.
    virtual bool disconnect(std::uint64_t id) = 0;

    // The following functions take HOST or HOST:PORT, and throw std::invalid_argument for other
    // text.

    /// Keeps a connection to the node from now on, and reconnects when it ends. Returns false if
    /// the node was added before.
    virtual bool add_node(const std::string& place) = 0;
    /// Reverts add_node(). An open connection stays. Returns false if the node was not added.
    virtual bool remove_node(const std::string& place) = 0;
    /// Connects to the node once.
    virtual void try_node(const std::string& place) = 0;

    /// The nodes of add_node(), as HOST:PORT.
    virtual std::vector<std::string> added_nodes() const = 0;
    /// Ends all connections and accepts and opens no others until this is called with true. Throws
    /// std::runtime_error if the node can't listen again.
    virtual void set_network_active(bool active) = 0;
    virtual bool is_network_active() const = 0;
    /// Sends a ping on each connection, unless an answer is awaited.
    virtual void ping_all() = 0;
    /// The bytes of all connections since the start.
    virtual TotalTraffic total_traffic() const = 0;
};

}  // namespace petal::regtest
