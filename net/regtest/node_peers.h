/// A node's connections, as its owner sees them.
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
#include "net/regtest/node_behaviour.h"
#include "net/wire/messages.h"

namespace petal::net {

/// What went over a connection, messages with their headers.
struct MessageTraffic {
    std::int64_t last_sent = 0;      ///< Unix seconds; 0 for never
    std::int64_t last_received = 0;  ///< the same
    /// Bytes by command; those that the node does not know together as `*other*`.
    std::map<std::string, std::uint64_t, std::less<>> sent;
    std::map<std::string, std::uint64_t, std::less<>> received;
};

/// One connection.
struct PeerRecord {
    std::uint64_t id = 0;  ///< counts from 1, in the order in which they came
    std::string address;   ///< HOST:PORT
    std::string bound;     ///< the node's own end of it
    bool is_ipv6 = false;
    bool is_inbound = true;
    std::int64_t connected_time = 0;  ///< Unix seconds
    std::uint64_t bytes_sent = 0;
    std::uint64_t bytes_received = 0;
    MessageTraffic traffic;
    std::optional<Version> version;  ///< what the peer said of itself; empty until it did
    std::int64_t time_offset = 0;    ///< of its clock then, seconds
    chain::Satoshis fee_filter = 0;  ///< the least fee rate that it wants to hear of
    bool relays_transactions = false;
    /// Whether it asked for compact blocks without being asked first (BIP152).
    bool wants_compact_blocks = false;
    std::int64_t last_transaction = 0;  ///< when the last good one came, Unix seconds; 0 for never
    std::int64_t last_block = 0;        ///< the same of blocks
    std::uint64_t last_inv_sequence = 0;    ///< the chain's revision when it was last told
    std::size_t waiting_announcements = 0;  ///< of transactions
    /// How long pings were under way, the last one and the fastest; empty without any.
    std::optional<std::chrono::milliseconds> ping_time;
    std::optional<std::chrono::milliseconds> least_ping_time;
    /// How long the ping is that is not answered; empty if none is.
    std::optional<std::chrono::milliseconds> ping_wait;
    /// The highest block that it has shown to have, and that the chain knows; empty for none.
    std::optional<std::uint32_t> known_height;
    /// Where the branch of that block leaves the active chain, or ends.
    std::optional<std::uint32_t> common_height;
    std::vector<std::uint32_t> requested_heights;  ///< of the blocks that it was asked for
};

/// What the commands of a node may do with its connections.
class NodePeers {
public:
    virtual ~NodePeers() = default;

    /// How connections that come from now on are served.
    virtual const NodeBehaviour& behaviour() const = 0;
    virtual std::vector<PeerRecord> peers() const = 0;
    /// How all connections are served from now on. On those that stand already, only the faults
    /// and the pace of blocks change.
    virtual void set_behaviour_of_all(const NodeBehaviour& behaviour) = 0;
    /// Changes the faults and the pace of blocks of one connection, if there is one of this id.
    virtual void set_faults(std::uint64_t id, const NodeBehaviour& behaviour) = 0;
    /// Closes a connection; false if there is none of this id.
    virtual bool disconnect(std::uint64_t id) = 0;

    // Of a place as HOST or HOST:PORT; throws std::invalid_argument for what is none.

    /// Connects there from now on, again whenever the connection has ended. False if it does so
    /// already.
    virtual bool add_node(const std::string& place) = 0;
    /// Takes that back; the connection stays. False if there is nothing to take back.
    virtual bool remove_node(const std::string& place) = 0;
    /// Connects there once.
    virtual void try_node(const std::string& place) = 0;
};

}  // namespace petal::net
