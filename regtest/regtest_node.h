/// The serving side of BIP37 over a regtest chain: the state and the answers of one connection.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloom/bloom_filter.h"
#include "chain/byte_reader.h"
#include "net/wire/messages.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/fault_plan.h"
#include "regtest/message_processor.h"
#include "regtest/message_queue.h"
#include "regtest/node_behaviour.h"
#include "regtest/node_peers.h"

namespace petal::regtest {

/// The node's side of one connection. Pure: messages and the time are parameters, and the messages
/// to send are returned. The chain must outlive the node, and may change between calls. Not
/// thread-safe.
///
/// Follows Bitcoin Core in everything that a light client can observe:
///
/// - While a getdata is unfinished, no other message is processed. Blocks are served one at a time
///   and in order: each merkleblock is followed by its transactions without witnesses. The filter
///   is updated according to its flags. Full blocks are served with or without witnesses.
/// - Unknown blocks, and filtered blocks without a filter, get no answer. Unknown transactions get
///   notfound.
/// - Block filters are served (BIP157), also those of blocks that were once on the active chain.
/// - New blocks are announced by headers after sendheaders, otherwise by inv. With relay=0 in
///   version, transactions are announced only after a filter was loaded.
/// - Peers are disconnected for the same reasons.
/// - Only the given addresses are sent.
/// - Announced transactions are requested, and so are blocks of a better branch if the peer serves
///   blocks. The owner offers them to the chain.
///
/// The node works in turns, so that no peer's message keeps the owner busy for long. A turn ends
/// once 256 kB of messages and blocks were read. take_output() and on_time() begin the next turn.
class RegtestNode {
public:
    /// nonce     the nonce of the node's version messages
    /// orphans   the owner's orphan pool
    RegtestNode(const RegtestChain& chain, NodeBehaviour behaviour, std::uint64_t nonce,
                OrphansOfPeer orphans = {});

    /// Sends the version message first, as the side that opened the connection.
    void greet(std::chrono::milliseconds now);
    /// Handles one message. take_output() then returns the answers.
    /// now   monotonic clock, the same for all calls
    void on_message(const net::Message& message, std::chrono::milliseconds now);
    /// Handles a message that could not be decoded. A message beyond the limits of the protocol
    /// ends the connection. Other messages are dropped.
    void on_undecodable(std::string_view command, chain::DecodeError error,
                        std::chrono::milliseconds now);
    /// Handles changes of the chain since the last call, and announcements delayed by the trickle.
    void on_time(std::chrono::milliseconds now);

    /// Serves blocks with these faults and at this pace from now on. A stalled connection
    /// continues.
    void set_faults(const NodeBehaviour& behaviour);

    /// Returns the messages to send, in order, and empties the outbox. Answers to a getdata are
    /// produced in portions of `max_bytes` and one message at most, which bounds the memory if the
    /// peer reads slowly.
    std::vector<net::Message> take_output(std::size_t max_bytes = 1'000'000);
    /// Whether take_output() has more messages, or must be called to begin the next turn. In the
    /// latter case it may return none.
    bool has_output() const { return !processor_.outbox().empty() || work_left_ == 0; }
    /// When on_time() is due for a block that a slow node prepares, or for a message delayed by
    /// lag. Empty if there is neither. The owner must also call on_time()
    ///
    /// - about every second, for the limits on handshake, pings, and answers with blocks
    /// - as often as precision requires, for the trickle
    std::optional<std::chrono::milliseconds> next_deadline() const;
    /// Whether the node accepts more messages. False while many messages wait for an unfinished
    /// getdata, and while the owner has many transactions and blocks to take.
    bool accepts_input() const;
    /// Returns the peer's transactions, one per call, to be offered to the chain. They are not
    /// announced back to the peer.
    std::optional<chain::Transaction> take_transaction() { return processor_.intake().take_one(); }
    /// Returns the peer's requested or next blocks, one per call, to be offered to the chain.
    std::optional<chain::Block> take_block() { return processor_.collector().take_one(); }
    /// Requests the missing parents of an orphan that the peer sent.
    void request_parents(std::span<const chain::Txid> txids) {
        if (!reads_nothing()) processor_.request_parents(txids, now_);
    }
    /// Sends a ping, unless a pong is awaited.
    void ping(std::chrono::milliseconds now) {
        if (!reads_nothing()) processor_.ping(now);
    }
    /// The owner disconnects the peer for this reason.
    void refuse(std::string reason) { disconnect(std::move(reason)); }
    /// Why the node disconnects. Empty while it does not.
    const std::optional<std::string>& disconnect_reason() const { return disconnect_reason_; }

    /// The node's copy of the peer's filter, to be compared with the client's mirror in tests.
    /// Empty if no filter is loaded, or if the filter matches everything.
    const std::optional<bloom::BloomFilter>& filter() const { return processor_.filter().filter(); }
    /// The peer's version message. Empty until it arrives.
    const std::optional<net::Version>& peer_version() const { return processor_.peer().version(); }
    /// Fills in what the messages have shown about the peer.
    void describe_peer(PeerRecord& record, std::chrono::milliseconds now) const {
        processor_.describe_peer(record, now);
    }

private:
    const NodeLimits& limits() const { return processor_.behaviour().limits; }
    void advance(std::chrono::milliseconds now);
    bool reads_nothing() const {
        return disconnect_reason_ || processor_.requests().is_stalled() ||
               message_faults_.is_silent();
    }
    void work();
    std::optional<std::chrono::milliseconds> arrival_of_next() const;
    /// Ignored without a reason.
    void disconnect(std::optional<std::string> reason);
    void send_pass();

    std::chrono::milliseconds now_{0};
    std::optional<std::string> disconnect_reason_;
    MessageQueue inbox_;  // messages that wait for a getdata or a full outbox
    MessageFaults message_faults_;
    MessageProcessor processor_;
    std::size_t work_left_;  // bytes that may still be read in this turn
};

}  // namespace petal::regtest
