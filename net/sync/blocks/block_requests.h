/// The blocks that one peer was asked for and has not answered, in order.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "chain/block_ref.h"
#include "net/sync/filters/coverage.h"
#include "net/sync/filters/height_ranges.h"
#include "net/sync/filters/served_filter.h"
#include "net/wire/messages.h"

namespace petal::net {

/// What a block is asked for.
enum class BlockPurpose : std::uint8_t {
    scan,
    second_opinion,  ///< another peer has delivered it; see SecondOpinions
};

struct BlockRequest {
    bool is_for_scan() const { return wanted && purpose == BlockPurpose::scan; }

    chain::BlockRef block;
    InventoryType type = InventoryType::filtered_block;
    BlockPurpose purpose = BlockPurpose::scan;
    Coverage::Mark asked_at = 0;
    ServedFilter::Mark filter;
    bool wanted = true;  ///< false once it was given up; the answer still comes
};

/// A server answers requests strictly in their order (Bitcoin Core: ProcessGetData). A ping behind
/// them is a fence: its pong proves that all answers before it were sent.
class BlockRequests {
public:
    void add(BlockRequest request);
    /// A ping was sent behind what was added.
    void add_fence(std::uint64_t nonce) { fences_.push_back({nonce, requested_}); }

    bool empty() const { return requests_.empty(); }
    std::size_t size() const { return requests_.size(); }
    /// The request that is answered next.
    const BlockRequest& front() const { return requests_.front(); }
    void pop_front() { requests_.pop_front(); }
    /// Drops what is no longer wanted in front of the request for this block: a block that is off
    /// the best chain by now may stay unanswered.
    void skip_unwanted_before(const chain::BlockHash& hash);

    /// The peer answered a ping. Drops what was asked for before it, and returns those of the
    /// blocks that are wanted: the peer does not have them, or not any more.
    std::vector<chain::BlockRef> pass_fence(std::uint64_t nonce);
    /// The same for what the message names; these requests stay, unwanted.
    std::vector<chain::BlockRef> on_not_found(const NotFound& message);

    /// What was asked for above this height is no longer wanted.
    void discard_above(std::uint32_t height);
    /// The same for one block.
    void discard(std::uint32_t height);

    bool contains(const chain::BlockHash& hash) const;
    /// Whether this full block was asked for.
    bool expects_full_block(const chain::BlockHash& hash) const;
    /// The heights of those that are wanted for the scan.
    std::vector<std::uint32_t> wanted() const;
    /// Of those, the ones that are served by the filter that was loaded as the `loads`th.
    HeightRanges wanted_of_load(std::uint64_t loads) const;

private:
    struct Fence {
        std::uint64_t nonce = 0;
        std::uint64_t last_request = 0;  // number of the last request before the ping
    };

    std::deque<BlockRequest> requests_;
    std::uint64_t requested_ = 0;  // ever
    std::deque<Fence> fences_;
};

}  // namespace petal::net
