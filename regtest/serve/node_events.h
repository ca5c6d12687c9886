/// The events of a regtest node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <variant>

#include "chain/block_header.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/node_peers.h"

namespace petal::regtest {

/// A block of the best chain.
struct BlockEvent {
    chain::BlockRef block;
    std::uint32_t time = 0;        ///< of its header, Unix seconds
    std::size_t transactions = 0;  ///< the coinbase included
};

/// The best chain has left blocks. A BlockEvent for each new block follows.
struct ReorganisationEvent {
    chain::BlockRef from;  ///< the old tip
    chain::BlockRef to;    ///< the new tip
    chain::BlockRef fork;  ///< the last common block
};

/// A transaction was accepted into the mempool.
struct TransactionEvent {
    chain::Txid txid;
};

/// A handshake is complete.
struct ConnectionEvent {
    std::uint64_t id = 0;
    std::string address;  ///< HOST:PORT
    bool is_inbound = true;
    std::string user_agent;  ///< as the peer sent it: unbounded characters
};

/// A connection that had a ConnectionEvent has ended.
struct EndOfConnectionEvent {
    std::uint64_t id = 0;
    std::string address;
};

/// A peer has loaded a Bloom filter.
struct FilterEvent {
    std::uint64_t id = 0;
    PeerFilterRecord filter;
};

using NodeEvent = std::variant<BlockEvent, ReorganisationEvent, TransactionEvent, ConnectionEvent,
                               EndOfConnectionEvent, FilterEvent>;

/// Compares chain and connections with their former state, and reports the changes.
class NodeEvents {
public:
    using Report = std::function<void(const NodeEvent& event)>;

    explicit NodeEvents(Report report) : report_(std::move(report)) {}

    /// Sets the initial state without reporting it.
    void begin(const RegtestChain& chain);
    void on_change(const RegtestChain& chain, const NodePeers& peers);

private:
    void report_transactions(const RegtestChain& chain);
    void report_blocks(const RegtestChain& chain);
    void report_connections(const NodePeers& peers);
    void report_filters(const NodePeers& peers);

    Report report_;
    chain::BlockHash tip_;
    std::size_t transactions_ = 0;
    std::map<std::uint64_t, std::string> connections_;     // addresses by id, after the handshake
    std::map<std::uint64_t, std::uint64_t> filter_loads_;  // by connection
};

}  // namespace petal::regtest
