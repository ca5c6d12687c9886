/// Handles each message of a peer, and sends unrequested messages.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "net/wire/messages.h"
#include "regtest/block_announcer.h"
#include "regtest/block_collector.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/compact_filter_server.h"
#include "regtest/connected_peer.h"
#include "regtest/getdata_server.h"
#include "regtest/message_queue.h"
#include "regtest/node_behaviour.h"
#include "regtest/node_peers.h"
#include "regtest/peer_filter.h"
#include "regtest/transaction_intake.h"
#include "regtest/transaction_relay.h"

namespace petal::regtest {

/// The parts of one connection. Dispatches each message to its part (Bitcoin Core: ProcessMessage,
/// SendMessages). All messages to send are then in outbox(). The chain must outlive the processor.
class MessageProcessor {
public:
    using Milliseconds = std::chrono::milliseconds;
    /// Why the node disconnects. Empty if it does not.
    using Complaint = std::optional<std::string>;

    /// nonce   the nonce of the node's version messages
    MessageProcessor(const RegtestChain& chain, NodeBehaviour behaviour, std::uint64_t nonce,
                     OrphansOfPeer orphans = {});

    /// Sends the version message first.
    void greet() { peer_.greet(own_version(), outbox_); }
    Complaint process(const net::Message& message, Milliseconds now);
    /// Answers the unfinished getdata, while the outbox holds less than `max_bytes`.
    Complaint serve_requests(std::size_t max_bytes) {
        return requests_.serve(filter_, relay_, outbox_, max_bytes);
    }
    /// Sends pings, requests and announcements.
    /// is_all_processed   whether no message waits to be processed
    Complaint send_pass(bool is_all_processed, Milliseconds now);

    /// Sends a ping, unless a pong is awaited.
    void ping(Milliseconds now) { peer_.ping(now, outbox_); }
    /// Requests the missing parents of an orphan that the peer sent.
    void request_parents(std::span<const chain::Txid> txids, Milliseconds now);
    /// Fills in what the messages have shown about the peer.
    void describe_peer(PeerRecord& record, Milliseconds now) const;

    const NodeBehaviour& behaviour() const { return behaviour_; }
    const ConnectedPeer& peer() const { return peer_; }
    ConnectedPeer& peer() { return peer_; }
    const PeerFilter& filter() const { return filter_; }
    const TransactionIntake& intake() const { return intake_; }
    TransactionIntake& intake() { return intake_; }
    const BlockCollector& collector() const { return collector_; }
    BlockCollector& collector() { return collector_; }
    const GetDataServer& requests() const { return requests_; }
    GetDataServer& requests() { return requests_; }
    CompactFilterServer& compact_filters() { return compact_filters_; }
    const MessageQueue& outbox() const { return outbox_; }
    MessageQueue& outbox() { return outbox_; }

private:
    void send(net::Message message) { outbox_.push(std::move(message)); }
    net::Version own_version() const;

    // Handlers of messages that may be answered (see process()).
    Complaint on(const net::Version& message);
    void on_verack(Milliseconds now);
    Complaint on(const net::WtxidRelay& message);
    void on(const net::Inv& message, Milliseconds now);
    void on(const net::GetBlocks& request);
    void on(const net::Tx& message);
    Complaint on(const net::FilterLoad& message);

    const RegtestChain& chain_;
    const NodeBehaviour behaviour_;
    MessageQueue outbox_;
    ConnectedPeer peer_;
    PeerFilter filter_;
    BlockAnnouncer blocks_;
    TransactionRelay relay_;
    TransactionIntake intake_;
    BlockCollector collector_;
    bool wants_compact_blocks_ = false;
    GetDataServer requests_;
    CompactFilterServer compact_filters_;
};

}  // namespace petal::regtest
