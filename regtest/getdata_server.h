/// Serves `getdata` requests: transactions, blocks and filtered blocks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chain/hash.h"
#include "net/wire/messages.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/fault_plan.h"
#include "regtest/message_queue.h"
#include "regtest/node_behaviour.h"
#include "regtest/peer_filter.h"
#include "regtest/transaction_relay.h"

namespace petal::regtest {

/// Serves one getdata at a time, as Bitcoin Core does (net_processing.cpp: ProcessGetData): its
/// entries in order, at most one block at a time, each block after the time that a slow node needs
/// for it; with the planned faults. The chain must outlive it.
class GetDataServer {
public:
    GetDataServer(const RegtestChain& chain, const NodeBehaviour& behaviour);

    /// Serves blocks with the behaviour's faults, and at its pace, from now on.
    void set_faults(const NodeBehaviour& behaviour);

    /// A message arrived; work on its requests starts at this time.
    void note_request_at(std::chrono::milliseconds time);
    /// Begins with a new getdata; the previous one must be finished.
    void begin(const net::GetData& request);
    /// When this block is requested, the tip after it is announced to the peer, so that the peer
    /// requests the next blocks (Bitcoin Core: m_continuation_block).
    void continue_behind(const chain::BlockHash& hash) { continued_behind_ = hash; }
    /// Drops the unfinished requests.
    void clear();

    bool has_requests() const { return next_request_ < requests_.size(); }
    /// Whether the block that is to be sent next is not ready yet. Begins it, if that was not done.
    bool is_at_work(std::chrono::milliseconds now);
    /// When the block that is being prepared is ready; empty if none is.
    std::optional<std::chrono::milliseconds> ready_at() const;
    /// Sends the answers to the next entries, while `outbox` holds less than `max_bytes`. Returns
    /// why the node disconnects; empty if it doesn't.
    std::optional<std::string> serve(PeerFilter& filter, const TransactionRelay& relay,
                                     MessageQueue& outbox, std::size_t max_bytes);
    /// Whether a fault has stopped all output of the node.
    bool is_stalled() const { return is_stalled_; }
    /// The total size of the blocks that were read for answers so far.
    std::uint64_t block_bytes_read() const { return block_bytes_read_; }

private:
    std::optional<std::string> serve_block(const net::Inventory& entry, PeerFilter& filter,
                                           MessageQueue& outbox);
    void tell_of_tip_behind(const net::Inventory& entry, MessageQueue& outbox);
    bool fail_instead(std::string_view command, MessageQueue& outbox,
                      std::optional<std::string>& hang_up);

    const RegtestChain& chain_;
    std::chrono::microseconds block_time_;
    bool offers_bloom_;
    bool is_pruned_;
    FaultPlan faults_;
    std::vector<net::Inventory> requests_;
    std::size_t next_request_ = 0;
    /// When the block that is asked for next is ready, once it is being worked on.
    std::optional<std::chrono::microseconds> block_ready_;
    /// The time at which work on the next block can start: its request has arrived, and the
    /// previous block is ready.
    std::chrono::microseconds work_since_{0};
    bool is_stalled_ = false;
    std::uint64_t block_bytes_read_ = 0;
    /// The last block of a full answer to getblocks.
    std::optional<chain::BlockHash> continued_behind_;
};

/// Whether the entry names a transaction.
bool names_transaction(const net::Inventory& entry);

}  // namespace petal::regtest
