/// The serving side of BIP37 over a regtest chain: one connection's state and its answers.
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

/// One peer connection as the node sees it. Pure: it is given messages and the time, and returns
/// messages to send. The chain must outlive it, and may change between calls. Not thread-safe.
///
/// Follows Bitcoin Core in all that a light client can notice:
/// - While a getdata is unfinished, no further message is processed. Its blocks are served one at a
///   time and in order, each as a merkleblock followed by its transactions without witness; the
///   filter is updated as its flags say. Full blocks are served with or without witnesses.
/// - Unknown blocks, and filtered blocks without a filter, get no answer; unknown transactions get
///   notfound.
/// - New blocks are announced by headers after sendheaders (else by inv). If version said so,
///   transactions are announced only after a filter was loaded.
/// - It disconnects for the same reasons as Core.
/// - It sends only the addresses that it is given. It requests transactions that the peer
///   announces, and blocks of a better branch if the peer says that it serves blocks; its owner
///   decides whether they go to the chain.
///
/// Works in turns, so that no message of a peer keeps the owner busy for long: a turn ends once 256
/// kB of messages and blocks were read; take_output() and on_time() begin the next one.
class RegtestNode {
public:
    /// nonce     of the node's version messages
    /// orphans   the owner's orphan pool
    RegtestNode(const RegtestChain& chain, NodeBehaviour behaviour, std::uint64_t nonce,
                OrphansOfPeer orphans = {});

    /// Sends the first version message, as the side that opened the connection does.
    void greet(std::chrono::milliseconds now);
    /// Handles one message. The node's answers are then in take_output().
    /// now   of a monotonic clock, the same for all calls
    void on_message(const net::Message& message, std::chrono::milliseconds now);
    /// Takes note of a message that could not be decoded: beyond the protocol's limits it ends the
    /// connection, otherwise it is dropped.
    void on_undecodable(std::string_view command, chain::DecodeError error,
                        std::chrono::milliseconds now);
    /// Handles changes of the chain since the last call, and announcements delayed by the trickle.
    void on_time(std::chrono::milliseconds now);

    /// Serves blocks with the behaviour's faults, and at its pace, from now on; a stalled
    /// connection continues.
    void set_faults(const NodeBehaviour& behaviour);

    /// The messages to send, in order; empties the outbox. A getdata's answers are produced in
    /// portions of at most `max_bytes` a call (and one message), so that the node's memory stays
    /// bounded if the peer reads slowly.
    std::vector<net::Message> take_output(std::size_t max_bytes = 1'000'000);
    /// Whether take_output() has more messages, or must be called to begin the next turn; it may
    /// then return none.
    bool has_output() const { return !processor_.outbox().empty() || work_left_ == 0; }
    /// The time of the next on_time() for a block that a slow node works on, or for a message
    /// delayed by its lag; empty if there is neither. Excludes the limits of seconds and minutes:
    /// handshake, pings, and answers with blocks. For these the owner calls on_time() about every
    /// second, and for the trickle as often as its precision requires.
    std::optional<std::chrono::milliseconds> next_deadline() const;
    /// Whether the node accepts further messages: not while many wait for an unfinished getdata,
    /// nor while the owner has many transactions and blocks to take.
    bool accepts_input() const;
    /// The transactions that the peer has sent, one a call, to be offered to the chain. They are
    /// not announced to the peer.
    std::optional<chain::Transaction> take_transaction() { return processor_.intake().take_one(); }
    /// The blocks that the peer has sent, requested or as the next ones, one a call, to be offered
    /// to the chain.
    std::optional<chain::Block> take_block() { return processor_.collector().take_one(); }
    /// Asks the peer for the missing parents of an orphan that it sent.
    void request_parents(std::span<const chain::Txid> txids) {
        if (!is_deaf()) processor_.request_parents(txids, now_);
    }
    /// The owner hangs up, for this reason.
    void refuse(std::string reason) { disconnect(std::move(reason)); }
    /// Why the node hangs up; empty while it doesn't.
    const std::optional<std::string>& disconnect_reason() const { return disconnect_reason_; }

    /// The node's copy of this peer's filter, for tests that compare it with the client's mirror;
    /// empty if none is loaded, or if it matches everything.
    const std::optional<bloom::BloomFilter>& filter() const { return processor_.filter().filter(); }
    /// The peer's version message; empty before it arrived.
    const std::optional<net::Version>& peer_version() const { return processor_.peer().version(); }
    /// Fills in the facts that the messages have shown about the peer.
    void describe_peer(PeerRecord& record, std::chrono::milliseconds now) const {
        processor_.describe_peer(record, now);
    }

private:
    void advance(std::chrono::milliseconds now);
    bool is_deaf() const {
        return disconnect_reason_ || processor_.requests().is_stalled() ||
               message_faults_.is_silent();
    }
    void work();
    std::optional<std::chrono::milliseconds> arrival_of_next() const;
    /// Does nothing without a reason.
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
