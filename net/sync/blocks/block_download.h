/// The blocks requested from one peer, and their arrival.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bloom/bloom_filter.h"
#include "chain/block_filters/block_filter.h"
#include "chain/expected.h"
#include "chain/watcher.h"
#include "net/peer/commands.h"
#include "net/sync/blocks/block_requests.h"
#include "net/sync/blocks/filtered_block.h"
#include "net/sync/filters/height_ranges.h"
#include "net/sync/filters/served_filter.h"
#include "net/sync/filters/watch_index.h"
#include "net/wire/messages.h"

namespace petal::net {

/// A block that has arrived completely.
struct Delivery {
    chain::ProvenBlock block;
    std::vector<chain::Outpoint> inserted;  ///< by the server, for this block
    BlockForm form = BlockForm::filtered;   ///< as requested
    bool wanted = true;                     ///< false if it was given up after the request
    BlockPurpose purpose = BlockPurpose::scan;
    /// The block was searched for the outpoints that were found before this mark.
    Coverage::Mark searched_for = 0;
    /// The server's, before it searched the block. Null for a full block, which is searched here:
    /// no match can be missing.
    std::shared_ptr<const bloom::BloomFilter> filter = {};
    /// Of a compact filter. Zero for other forms.
    chain::FilterHash filter_hash{};
    chain::Bytes compact_filter = {};   ///< of a testimony only
    std::size_t sent_transactions = 0;  ///< matching ones, or all of a full block
    /// The full block must be searched: see FilteredBlock, or a compact filter has matched.
    bool needs_full_block = false;
    /// Whether the server's latest filter holds the inserted outpoints. Not if a new filter is on
    /// its way to the server.
    bool is_in_latest_filter = false;
    /// Higher blocks that need no second search for the inserted outpoints. For a filtered block:
    /// the blocks in flight that the server searches by the same filter. For a block with a compact
    /// filter: the blocks that were searched by their compact filters.
    HeightRanges covered = {};
};

/// A block, and how a peer is asked for it.
struct WantedBlock {
    chain::BlockRef block;
    BlockForm form = BlockForm::filtered;
};

/// One peer's pipeline: its open requests, the block that is arriving, and the filter by which the
/// peer serves them. Each answer is a merkleblock and then its transactions, in the order of the
/// requests (BlockRequests), so it is always known which answer is next.
///
/// Full blocks are searched here, so that the server learns nothing.
///
/// Filter messages are part of the same stream: a request sent before a filter change is still
/// served by the old filter.
class BlockDownload {
public:
    /// The messages that replace the peer's filter: a `filterload`, and a ping, whose pong shows
    /// that the new filter is in use.
    /// nonce   of the ping; never the same twice on one connection
    std::vector<Message> load_filter(bloom::BloomFilter filter, std::uint64_t nonce);
    /// The `filteradd` message for an outpoint that another peer's filter inserted (UPDATE_ALL); a
    /// filter must be loaded.
    Message add_to_filter(const chain::Outpoint& outpoint);

    /// The messages that request these blocks, in this order.
    /// asked_at   the mark of the outpoints that the filter holds now
    /// nonce      of the fence; never the same twice on one connection
    std::vector<Message> request(std::span<const WantedBlock> blocks, BlockPurpose purpose,
                                 Coverage::Mark asked_at, std::uint64_t nonce);

    /// Each returns the block that this message completed, empty if none, or the peer's violation.
    /// Only a transaction for which expects() is true may be passed.
    chain::Expected<std::optional<Delivery>, Violation> on_merkle_block(const MerkleBlock& message);
    /// known   the mark of the outpoints in `watched`
    chain::Expected<std::optional<Delivery>, Violation> on_full_block(const FullBlock& message,
                                                                      WatchIndex& watched,
                                                                      Coverage::Mark known);
    /// matches   whether the compact filter of this block has an element of the watch list. Fails
    ///           if the filter is malformed
    using FilterMatcher =
        std::function<chain::Expected<bool, Violation>(const chain::BlockRef& block)>;
    chain::Expected<std::optional<Delivery>, Violation> on_compact_filter(
        const CFilter& message, const FilterMatcher& matches, Coverage::Mark known);
    chain::Expected<std::optional<Delivery>, Violation> on_transaction(
        chain::Transaction transaction, const chain::Txid& txid);

    /// Whether this transaction is the next one of the arriving block.
    bool expects(const chain::Txid& txid) const { return arriving_ && arriving_->expects(txid); }
    /// The number of transactions that the arriving block still lacks.
    std::size_t missing_transactions() const { return arriving_ ? arriving_->missing() : 0; }
    /// Returns the wanted requests that the peer skipped: it does not have the blocks, or no
    /// longer.
    std::vector<BlockRequest> on_pong(const Pong& pong);
    std::vector<BlockRequest> on_not_found(const NotFound& message) {
        return requests_.on_not_found(message);
    }

    /// The open requests, wanted or given up.
    BlockRequests& requests() { return requests_; }
    const BlockRequests& requests() const { return requests_; }
    /// Requests without a complete answer, wanted or not.
    std::size_t in_flight() const { return requests_.size(); }
    /// See InsertionRate; outpoints that were added by `filteradd` count too.
    double insertions_per_block() const { return insertion_rate_.per_block(); }

    ServedFilter& filter() { return filter_; }
    const ServedFilter& filter() const { return filter_; }

private:
    chain::Expected<void, Violation> expect_next(const chain::BlockHash& hash, BlockForm form);
    chain::Expected<std::optional<Delivery>, Violation> take_if_complete();
    Delivery answer_front(chain::ProvenBlock block, std::vector<chain::Outpoint> inserted);
    void follow_requests();
    void follow_filter_changes();

    BlockRequests requests_;
    std::optional<FilteredBlock> arriving_;  // front of requests_, after its merkleblock
    std::vector<chain::Outpoint> inserted_;  // by the arriving block
    std::shared_ptr<const bloom::BloomFilter> filter_before_;
    ServedFilter filter_;
    std::uint64_t ping_behind_load_ = 0;  // the last
    InsertionRate insertion_rate_;
};

}  // namespace petal::net
