/// The filtered blocks that one peer was asked for, and their arrival.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "bloom/bloom_filter.h"
#include "chain/expected.h"
#include "chain/watcher.h"
#include "net/peer/commands.h"
#include "net/sync/coverage.h"
#include "net/sync/filtered_block.h"
#include "net/sync/height_ranges.h"
#include "net/sync/mirror.h"
#include "net/sync/watch_index.h"
#include "net/wire/messages.h"

namespace petal::net {

/// What a block is asked for.
enum class BlockPurpose : std::uint8_t {
    scan,
    second_opinion,  ///< another peer has delivered it; see CrossCheck
};

/// A filtered block that arrived whole.
struct Delivery {
    chain::ProvenBlock block;
    std::vector<chain::Outpoint> inserted;  ///< what its transactions added to the server's filter
    bool wanted = true;  ///< false for one that was given up after it was asked for
    BlockPurpose purpose = BlockPurpose::scan;
    Coverage::Mark asked_at = 0;
    std::shared_ptr<const bloom::BloomFilter>
        filter;  ///< the server's, before it searched the block
};

/// One peer's pipeline. A server answers requests strictly in their order, each with a merkleblock
/// and then its transactions (Bitcoin Core: ProcessGetData), so the next answer is always known. A
/// ping behind each request is a fence: its pong proves that all answers before it were sent.
///
/// Full blocks, asked for in place of filtered ones, are searched here, and tell the server
/// nothing.
///
/// Changes of the filter lie in the same stream: what was requested before one is still served
/// without it.
class BlockDownload {
public:
    /// Asks for full blocks from now on.
    /// witnesses_from   the height from which they are asked for with witnesses; nothing for never
    void ask_for_full_blocks(std::optional<std::uint32_t> witnesses_from);

    /// Gives the peer a filter in place of any before.
    Message load_filter(bloom::BloomFilter filter);
    /// Adds what another server's filter got by itself; there must be a filter.
    Message add_to_filter(const chain::Outpoint& outpoint);

    /// Asks for blocks, in this order.
    /// asked_at   what the filter holds by now
    /// nonce      of the fence; never the same twice on one connection
    std::vector<Message> request(std::span<const chain::BlockRef> blocks, BlockPurpose purpose,
                                 Coverage::Mark asked_at, std::uint64_t nonce);

    /// Each returns a block that is complete now, nothing where none is, or what the peer did
    /// wrong. A transaction is one that expects() knows.
    chain::Expected<std::optional<Delivery>, Violation> on_merkle_block(const MerkleBlock& message);
    chain::Expected<std::optional<Delivery>, Violation> on_full_block(FullBlock message,
                                                                      WatchIndex& watched);
    chain::Expected<std::optional<Delivery>, Violation> on_transaction(
        chain::Transaction transaction, const chain::Txid& txid);

    /// Whether this transaction belongs to the block that is arriving; otherwise it is none of
    /// ours.
    bool expects(const chain::Txid& txid) const { return arriving_ && arriving_->expects(txid); }
    /// How many transactions the block that is arriving still lacks.
    std::size_t missing_transactions() const { return arriving_ ? arriving_->missing() : 0; }
    /// Whether this full block was asked for, and has not come.
    bool expects_whole_block(const chain::BlockHash& hash) const;

    /// Returns the wanted blocks that the peer has now passed over: it does not have them, or not
    /// any more.
    std::vector<chain::BlockRef> on_pong(const Pong& pong);
    std::vector<chain::BlockRef> on_not_found(const NotFound& message);
    /// The peer announced an unconfirmed transaction, and may have updated its filter by it.
    /// max   how many are remembered that were not seen (Mirror::on_announced)
    void on_announced(const chain::Txid& txid, std::size_t max);

    /// What was asked for above this height is no longer wanted; it still arrives.
    void discard_above(std::uint32_t height);
    /// The same for one block.
    void discard(std::uint32_t height);

    /// Requests without a complete answer, wanted or not.
    std::size_t in_flight() const { return requests_.size(); }
    /// The heights of those that are wanted for the scan.
    std::vector<std::uint32_t> wanted() const;
    /// Of those, the ones that this peer serves by the same filter as the block that arrived last,
    /// which put its outpoints into it: its answers cover them, another peer's don't.
    HeightRanges covered_by_last() const;

    /// How many outpoints a block brings into the peer's filter, those that we had it add meanwhile
    /// included: as many as of late, or over some thousand blocks where that is more; before so
    /// many came, rather too many.
    double insertions_per_block() const { return std::max(insertions_lately_, insertions_before_); }

    /// Whether the next block is served by the last filter that was loaded.
    bool is_filter_in_use() const { return loads_ == load_in_use_; }
    /// Whether the block that arrived last was served by it.
    bool was_filter_in_use() const { return loads_ == served_by_load_; }
    /// The filter that was loaded last, as the peer has it now; null before one was loaded.
    const Mirror* mirror() const;
    /// Takes an unconfirmed transaction, by which the peer has updated its filter.
    void on_unconfirmed(const chain::Transaction& transaction, const chain::Txid& txid);

private:
    /// Outpoints a block, before any came: rather many, or the first answers could fill the filter
    /// before any count; but a request must be long enough to keep the peer at work.
    static constexpr double kFirstGuess = 0.25;

    struct Request {
        bool is_for_scan() const { return wanted && purpose == BlockPurpose::scan; }

        chain::BlockRef block;
        InventoryType type = InventoryType::filtered_block;
        BlockPurpose purpose = BlockPurpose::scan;
        Coverage::Mark asked_at = 0;
        std::uint64_t filter_changes = 0;  // that were sent before it
        std::uint64_t filter_loads = 0;
        bool wanted = true;
    };
    struct FilterChange {
        std::uint64_t number = 0;
        std::variant<Mirror, chain::Outpoint> what;
    };
    struct Fence {
        std::uint64_t nonce = 0;
        std::uint64_t last_request = 0;  // number of the last request before the ping
    };

    InventoryType type_for(const chain::BlockRef& block) const;
    chain::Expected<void, Violation> expect_next(const chain::BlockHash& hash, bool filtered);
    chain::Expected<std::optional<Delivery>, Violation> complete_if_whole();
    Delivery answer_front(chain::ProvenBlock block, std::vector<chain::Outpoint> inserted);
    void drop_front();
    void change_filter(std::variant<Mirror, chain::Outpoint> what);
    void follow_filter_changes();

    bool asks_for_whole_ = false;
    std::optional<std::uint32_t> witnesses_from_;
    std::deque<Request> requests_;
    std::uint64_t requested_ = 0;  // ever
    std::deque<Fence> fences_;
    std::optional<FilteredBlock> arriving_;  // the front of requests_, once its merkleblock came
    std::vector<chain::Outpoint> inserted_;  // by the arriving block
    std::shared_ptr<const bloom::BloomFilter> filter_before_;
    std::optional<Mirror> mirror_;  // of the filter that the front request is served with
    std::deque<FilterChange> coming_changes_;  // sent behind open requests
    std::uint64_t changes_ = 0;                // ever sent
    std::uint64_t loads_ = 0;
    std::uint64_t load_in_use_ = 0;
    std::uint64_t served_by_load_ = 0;        // the block that was completed last
    std::size_t added_ = 0;                   // to the filter, since then
    double insertions_lately_ = kFirstGuess;  // a block
    double insertions_before_ = kFirstGuess;
};

}  // namespace petal::net
