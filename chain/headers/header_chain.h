/// The tree of known headers and the best chain.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "chain/block_header.h"
#include "chain/headers/anchors.h"
#include "chain/headers/header_rules.h"
#include "chain/network_params.h"
#include "chain/uint256.h"

namespace petal::chain {

/// A change of the best chain: from `old_tip` down to `fork`, then up to `new_tip`. `fork` equals
/// `old_tip` if the best chain only grew or did not change.
struct ChainMove {
    BlockRef old_tip;
    BlockRef fork;
    BlockRef new_tip;

    bool is_reorganisation() const { return fork != old_tip; }
};

/// The result of accepting a run of headers.
struct AcceptResult {
    std::size_t accepted = 0;  ///< headers that are in the tree now, including known headers
    std::size_t added = 0;     ///< accepted headers that are new
    std::optional<HeaderError> error;  ///< why the next header was refused
    ChainMove move;
};

/// The heights of a locator, newest first: twelve consecutive heights, then exponentially larger
/// gaps, then the lowest block (Bitcoin Core: LocatorEntries).
///
/// lowest   the height of the chain's first block, at most `tip`
std::vector<std::uint32_t> locator_heights(std::uint32_t tip, std::uint32_t lowest);

class HeaderTable;

/// All accepted headers, validated by the rules of a full node. The best chain is the branch with
/// the most work, and of branches with equal work the branch seen first. Excluded headers do not
/// count.
///
/// A chain may start at an anchor instead of the genesis block (the root). Heights are still the
/// network's heights, and a height below the root must not be requested. For the ten blocks after
/// an anchor, unknown times count as zero in the median time past.
///
/// Kept in memory, about 150 bytes per header. With a HeaderFile, most headers are read from disk,
/// and any function may throw HeaderFileDamaged. Not thread-safe.
class HeaderChain {
public:
    /// A chain of only the genesis block. `network` must outlive the chain.
    explicit HeaderChain(const NetworkParams& network);
    /// A chain of one trusted block. The root must be the first block of a retarget period, like
    /// the anchors of anchors.h, because the next retarget uses this block.
    HeaderChain(const NetworkParams& network, const Anchor& root);
    ~HeaderChain();
    HeaderChain(HeaderChain&&) noexcept;
    HeaderChain& operator=(HeaderChain&&) noexcept;

    /// Adds headers, each after its parent, up to the first invalid header. Known headers are
    /// allowed. An invalid header with proof of work is remembered for a while, and its descendants
    /// are refused as `descends_from_invalid`.
    ///
    /// now   Unix seconds of the local clock, for the rule on times in the future
    AcceptResult accept(std::span<const BlockHeader> headers, std::int64_t now);
    /// accept() for headers with known hashes.
    AcceptResult accept_hashed(std::span<const HashedHeader> headers, std::int64_t now);

    /// Excludes a block and its descendants from the best chain. The best chain becomes the
    /// remaining branch with the most work, and of branches with equal work the branch seen first.
    /// HeaderFile stores the exclusion, always as `withheld`, for other processes and for the next
    /// start.
    ///
    /// withheld   The known descendants are excluded. A later header on top of an excluded header
    ///            readmits its whole branch, like readmit().
    /// invalid    Later headers on top of excluded headers are refused as `descends_from_invalid`.
    ///
    /// hash   a known block other than the root
    ChainMove exclude(const BlockHash& hash, Exclusion why);
    /// Lets a block that is excluded as withheld, and its ancestors, count again.
    void readmit(const BlockHash& hash);
    /// Why a block is excluded. Empty if the block is not excluded or not known.
    std::optional<Exclusion> exclusion_of(const BlockHash& hash) const;

    const NetworkParams& network() const;

    /// The first block: the genesis block or an anchor.
    BlockRef root() const;
    BlockRef tip() const;
    BlockHeader tip_header() const;
    /// The work of the best chain, from the genesis block up to and including the tip.
    const Uint256& chainwork() const;
    /// The work of the branch that ends in this block. Empty for an unknown block.
    std::optional<Uint256> chainwork_at(const BlockHash& hash) const;
    /// Whether the best chain has the network's minimum work.
    bool has_minimum_chainwork() const;
    /// Whether this block is on the best chain and the best chain has the network's minimum work,
    /// or the branch up to this block has the minimum work. False for an unknown block, unless the
    /// minimum is 0.
    bool has_minimum_chainwork(const BlockHash& hash) const;

    /// A block of the best chain, from the root's height to the tip's height.
    BlockHash hash_at(std::uint32_t height) const;
    BlockHeader header_at(std::uint32_t height) const;
    /// The height of a block on any branch. Empty for an unknown block.
    std::optional<std::uint32_t> height_of(const BlockHash& hash) const;
    /// The header of a block on any branch. Empty for an unknown block.
    std::optional<BlockHeader> find(const BlockHash& hash) const;
    bool is_on_best_chain(const BlockHash& hash) const;
    /// The last block of the best chain that is `hash` or an ancestor of `hash`. Empty for an
    /// unknown block.
    std::optional<BlockRef> fork_point(const BlockHash& hash) const;

    /// Hashes of the best chain at locator_heights(), from the tip or from `height` down to the
    /// root. A peer uses the locator to find the last common block.
    std::vector<BlockHash> locator() const;
    std::vector<BlockHash> locator(std::uint32_t height) const;

    /// The first height of the best chain from which on a block may have a time of `time` (Unix
    /// seconds) or later. Allows for two hours, because block times are not sorted. The tip's
    /// height + 1 if there is none.
    std::uint32_t first_height_since(std::int64_t time) const;

    /// The number of headers on all branches, including the root. Headers are numbered in order of
    /// acceptance, parents before children.
    std::uint32_t size() const;
    BlockHeader header_by_number(std::uint32_t number) const;
    /// Checks a known header again by all rules.
    std::optional<HeaderError> recheck(std::uint32_t number, std::int64_t now) const;

private:
    friend class HeaderFile;
    struct State;

    HeaderTable& table();

    std::unique_ptr<State> state_;
};

}  // namespace petal::chain
