/// The owner's view of a node's connections.
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

/// The messages of one connection, counted with their headers.
struct MessageTraffic {
    std::int64_t last_sent = 0;      ///< Unix seconds; 0 for never
    std::int64_t last_received = 0;  ///< Unix seconds; 0 for never
    /// Bytes by command; unknown commands count together as `*other*`.
    std::map<std::string, std::uint64_t, std::less<>> sent;
    std::map<std::string, std::uint64_t, std::less<>> received;
    std::uint64_t bytes_sent = 0;
    std::uint64_t bytes_received = 0;
};

/// The Bloom filter that a peer has loaded (BIP37).
struct PeerFilterRecord {
    std::uint64_t loads = 0;  ///< accepted `filterload` messages
    std::size_t bytes = 0;    ///< of the last filter
    std::uint32_t hash_functions = 0;
};

/// A peer's part in the relay of transactions.
struct PeerRelay {
    bool is_on = false;                   ///< the peer has handshaken, and gets announcements
    chain::Satoshis fee_filter = 0;       ///< the lowest fee rate of transactions to announce to it
    std::int64_t last_transaction = 0;    ///< time of its last valid one, Unix seconds; 0 for never
    std::uint64_t last_inv_sequence = 0;  ///< the chain's revision at the last announcement
    std::size_t waiting_announcements = 0;
    PeerFilterRecord filter;
};

/// A peer's blocks.
struct PeerBlocks {
    /// Whether it asked for compact blocks without being asked first (BIP152).
    bool wants_compact = false;
    std::int64_t last_block = 0;  ///< time of its last valid one, Unix seconds; 0 for never
    /// The highest block that it has shown to have, and that the chain knows; empty for none.
    std::optional<std::uint32_t> known_height;
    /// The height at which the branch of that block leaves the active chain, or ends.
    std::optional<std::uint32_t> common_height;
    std::vector<std::uint32_t> requested_heights;  ///< of the blocks requested from it
};

/// One connection.
struct PeerRecord {
    std::uint64_t id = 0;  ///< counts from 1, in order of connection
    std::string address;   ///< HOST:PORT
    std::string bound;     ///< the node's own endpoint
    /// In Bitcoin Core's words: `ipv4`, `ipv6`, or `not_publicly_routable`.
    std::string_view network = "not_publicly_routable";
    bool is_inbound = true;
    std::int64_t connected_time = 0;  ///< Unix seconds
    MessageTraffic traffic;
    std::optional<net::Version> version;  ///< empty until received
    std::int64_t time_offset = 0;         ///< of the peer's clock then, seconds
    PeerRelay relay;
    PeerBlocks blocks;
    PingTimes pings;
};

/// The connections of a node, for its commands.
class NodePeers {
public:
    virtual ~NodePeers() = default;

    /// The behaviour for connections that are accepted from now on.
    virtual const NodeBehaviour& behaviour() const = 0;
    virtual std::vector<PeerRecord> peers() const = 0;
    /// Sets the behaviour for all connections. On open connections, only the faults and the pace of
    /// blocks change.
    virtual void set_behaviour_of_all(const NodeBehaviour& behaviour) = 0;
    /// Changes the faults and the pace of blocks of one connection, if there is one with this id.
    virtual void set_faults(std::uint64_t id, const NodeBehaviour& behaviour) = 0;
    /// Closes a connection; false if there is none with this id.
    virtual bool disconnect(std::uint64_t id) = 0;

    // The following take a place as HOST or HOST:PORT; they throw std::invalid_argument for other
    // text.

    /// Connects there from now on, again whenever the connection has ended. False if it does so
    /// already.
    virtual bool add_node(const std::string& place) = 0;
    /// Reverts add_node(); the connection stays. False if there is nothing to revert.
    virtual bool remove_node(const std::string& place) = 0;
    /// Connects to the place once.
    virtual void try_node(const std::string& place) = 0;
};

}  // namespace petal::regtest
