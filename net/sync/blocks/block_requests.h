/// The block requests that one peer has not answered yet, in order.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "chain/block_header.h"
#include "net/sync/filters/coverage.h"
#include "net/sync/filters/height_ranges.h"
#include "net/sync/filters/served_filter.h"
#include "net/wire/messages.h"

namespace petal::net {

/// Why a block is requested.
enum class BlockPurpose : std::uint8_t {
    scan,
    second_opinion,  ///< another peer has delivered it; see SecondOpinions
    testimony,       ///< peers disagree about its compact filter; see FilterDisputes
};

/// What is requested of a block.
enum class BlockForm : std::uint8_t {
    filtered,             ///< the matches, and their proofs (`merkleblock`, BIP37)
    full,                 ///< without witnesses
    full_with_witnesses,  ///< BIP144
    compact_filter,       ///< the basic filter (`cfilter`, BIP157)
};

inline bool is_full(BlockForm form) {
    return form == BlockForm::full || form == BlockForm::full_with_witnesses;
}
/// Whether both are answered by the same message.
inline bool have_same_answer(BlockForm a, BlockForm b) {
    return a == b || (is_full(a) && is_full(b));
}
/// The type of the block in `getdata`. Empty for a compact filter, which is requested by
/// `getcfilters`.
std::optional<InventoryType> inventory_type(BlockForm form);

/// How long a peer may take for a full block: 4 MB in 120 s need 35 kB/s.
inline constexpr std::chrono::milliseconds kFullBlockTimeout{120'000};

struct BlockRequest {
    bool is_for_scan() const { return wanted && purpose == BlockPurpose::scan; }

    chain::BlockRef block;
    BlockForm form = BlockForm::filtered;
    BlockPurpose purpose = BlockPurpose::scan;
    Coverage::Mark asked_at = 0;
    ServedFilter::Mark filter;
    bool wanted = true;  ///< false after it was given up; the answer still arrives
};

/// A server answers requests strictly in their order (Bitcoin Core: ProcessGetData). A ping after
/// them is a fence: its pong proves that all answers before it were sent.
class BlockRequests {
public:
    void add(const BlockRequest& request);
    /// A ping was sent after the requests that were added.
    void add_fence(std::uint64_t nonce) { fences_.push_back({nonce, requested_}); }

    bool empty() const { return requests_.empty(); }
    std::size_t size() const { return requests_.size(); }
    /// The request that is answered next.
    const BlockRequest& front() const { return requests_.front(); }
    void pop_front();
    /// Drops unwanted requests before the request for this block in this form: a peer may leave a
    /// request unanswered whose block has left the best chain.
    void skip_unwanted_before(const chain::BlockHash& hash, BlockForm form);

    /// The peer answered a ping. Drops the requests sent before that ping, and returns the wanted
    /// ones among them: the peer does not have these blocks, or no longer has them.
    std::vector<BlockRequest> pass_fence(std::uint64_t nonce);
    /// Returns the wanted blocks that the message names; their requests stay, marked unwanted.
    std::vector<BlockRequest> on_not_found(const NotFound& message);

    /// Requests above this height are no longer wanted.
    void discard_above(std::uint32_t height);
    /// The request for this block is no longer wanted.
    void discard(std::uint32_t height);

    bool contains(const chain::BlockHash& hash) const;
    /// Whether this full block was requested.
    bool expects_full_block(const chain::BlockHash& hash) const;
    /// The number of requests for full blocks.
    std::size_t full_blocks() const { return full_blocks_; }
    /// Whether a compact filter was requested.
    bool expects_compact_filter() const;
    /// The heights of the requests that are wanted for the scan.
    std::vector<std::uint32_t> wanted() const;
    /// The heights of wanted() that are served by the filter of the `loads`th `filterload`.
    HeightRanges wanted_of_load(std::uint64_t loads) const;

private:
    struct Fence {
        std::uint64_t nonce = 0;
        std::uint64_t last_request = 0;  // number of the last request before the ping
    };

    std::deque<BlockRequest> requests_;
    std::size_t full_blocks_ = 0;
    std::uint64_t requested_ = 0;  // ever
    std::deque<Fence> fences_;
};

}  // namespace petal::net
