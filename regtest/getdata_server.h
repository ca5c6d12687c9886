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

/// Serves one getdata at a time, as Bitcoin Core does (net_processing.cpp: ProcessGetData), with
/// the planned faults. Entries are served in order, one block at a time, and each block after the
/// time that a slow node needs. The chain must outlive the server.
class GetDataServer {
public:
    GetDataServer(const RegtestChain& chain, const NodeBehaviour& behaviour);

    /// Serves blocks with these faults and at this pace from now on.
    void set_faults(const NodeBehaviour& behaviour);

    /// A message arrived at this time, when work on its requests starts.
    void begin_work_at(std::chrono::milliseconds time);
    /// Begins a new getdata. The previous getdata must be finished.
    void begin(const net::GetData& request);
    /// When this block is requested, its request is followed by an announcement of the tip, so that
    /// the peer requests the next blocks (Bitcoin Core: m_continuation_block).
    void continue_behind(const chain::BlockHash& hash) { continued_behind_ = hash; }
    /// Drops the unfinished requests.
    void clear();

    bool has_requests() const { return next_request_ < requests_.size(); }
    /// Whether the next block to send is not ready yet. Starts work on the block if needed.
    bool is_at_work(std::chrono::milliseconds now);
    /// When the block in preparation is ready. Empty if there is none.
    std::optional<std::chrono::milliseconds> ready_at() const;
    /// Sends the answers to the next entries, while `outbox` holds less than `max_bytes`. Returns
    /// why the node disconnects. Empty if it does not.
    std::optional<std::string> serve(PeerFilter& filter, const TransactionRelay& relay,
                                     MessageQueue& outbox, std::size_t max_bytes);
    /// Whether a fault stopped all output of the node.
    bool is_stalled() const { return is_stalled_; }
    /// The total size of the blocks read for answers.
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
    /// When the next block is ready. Empty before work on the block starts.
    std::optional<std::chrono::microseconds> block_ready_;
    /// When work on the next block can start: its request has arrived, and the previous block is
    /// ready.
    std::chrono::microseconds work_since_{0};
    bool is_stalled_ = false;
    std::uint64_t block_bytes_read_ = 0;
    /// The last block of a full answer to getblocks.
    std::optional<chain::BlockHash> continued_behind_;
};

bool names_transaction(const net::Inventory& entry);

}  // namespace petal::regtest
