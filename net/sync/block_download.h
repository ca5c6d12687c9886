/// The filtered blocks that one peer was asked for, and their arrival.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "bloom/bloom_filter.h"
#include "chain/expected.h"
#include "chain/watcher.h"
#include "net/sync/commands.h"
#include "net/sync/filtered_block.h"
#include "net/sync/mirror.h"
#include "net/wire/messages.h"

namespace petal::net {

/// A filtered block that arrived whole.
struct Delivery {
    chain::ProvenBlock block;
    std::vector<chain::Outpoint> inserted;  ///< what its transactions added to the server's filter
    bool wanted = true;  ///< false for one that was given up after it was asked for
};

/// One peer's pipeline. A server answers requests strictly in their order, each with a merkleblock and then its
/// transactions (Bitcoin Core: ProcessGetData), so the next answer is always known. A ping behind each
/// request is a fence: its pong proves that all answers before it were sent.
class BlockDownload {
public:
    /// Takes a filter that is sent to the peer at this point of the stream. It serves what is requested from
    /// now on; what was requested before is still served with the one before.
    Message load_filter(bloom::BloomFilter filter);

    /// Asks for blocks, in this order.
    /// nonce   of the fence; never the same twice on one connection
    std::vector<Message> request(std::span<const chain::BlockRef> blocks, std::uint64_t nonce);

    /// Each returns a block that is complete now, nothing where none is, or what the peer did wrong.
    /// A transaction is one that expects() knows.
    chain::Expected<std::optional<Delivery>, Violation> on_merkle_block(const MerkleBlock& message);
    chain::Expected<std::optional<Delivery>, Violation> on_transaction(chain::Transaction transaction,
                                                                       const chain::Txid& txid);

    /// Whether this transaction belongs to the block that is arriving; otherwise it is none of ours.
    bool expects(const chain::Txid& txid) const { return arriving_ && arriving_->expects(txid); }

    chain::Expected<void, Violation> on_pong(const Pong& pong);
    chain::Expected<void, Violation> on_not_found(const NotFound& message);
    /// The peer announced an unconfirmed transaction, and may have updated its filter by it.
    void on_announced(const chain::Txid& txid);

    /// What was asked for above this height is no longer wanted; it still arrives.
    void discard_above(std::uint32_t height);

    /// Requests without a complete answer, wanted or not.
    std::size_t in_flight() const { return requests_.size(); }
    /// Those of them that are wanted.
    std::size_t wanted_in_flight() const { return wanted_; }

    /// The filter that was loaded last, as the peer has it now; null before one was loaded.
    Mirror* mirror();

private:
    struct Request {
        chain::BlockRef block;
        std::uint32_t filter_number = 0;
        bool wanted = true;
    };
    struct Fence {
        std::uint64_t nonce = 0;
        std::uint64_t last_request = 0;  // number of the last request before the ping
    };

    chain::Expected<std::optional<Delivery>, Violation> complete_if_whole();
    void drop_front();
    void switch_filter();

    std::deque<Request> requests_;
    std::size_t wanted_ = 0;
    std::uint64_t requested_ = 0;  // ever
    std::deque<Fence> fences_;
    std::optional<FilteredBlock> arriving_;          // the front of requests_, once its merkleblock came
    std::vector<chain::Outpoint> inserted_;          // by the arriving block
    std::optional<Mirror> mirror_;                   // of the filter that the front request is served with
    std::deque<std::pair<std::uint32_t, Mirror>> coming_filters_;  // loaded behind open requests
    std::uint32_t filter_number_ = 0;                // of the last one loaded
};

}  // namespace petal::net
