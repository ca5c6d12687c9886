/// The tree of known headers, and the branch with the most work in it.
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

/// How accepting headers moved the best chain: from `old_tip` down to `fork`, up to `new_tip`. If
/// the best chain only grew, or did not move, `fork` equals `old_tip`.
struct ChainMove {
    BlockRef old_tip;
    BlockRef fork;
    BlockRef new_tip;

    bool is_reorganisation() const { return fork != old_tip; }
};

/// The result of accepting a run of headers.
struct AcceptResult {
    std::size_t accepted = 0;  ///< headers of the message in the tree now, known ones included
    std::size_t added = 0;     ///< accepted headers that are new
    std::optional<HeaderError> error;  ///< why the header after the accepted ones was refused
    ChainMove move;
};

/// The heights of a locator, newest first: twelve without a gap, then ever sparser, ending in the
/// lowest block (Bitcoin Core: LocatorEntries).
///
/// lowest   the height of the chain's first block; at most `tip`
std::vector<std::uint32_t> locator_heights(std::uint32_t tip, std::uint32_t lowest);

class HeaderTable;

/// Every header ever accepted, validated as a full node validates headers. The branch with the most
/// work is the best chain; of equal branches, the one seen first. Excluded headers do not count.
///
/// A chain that starts at an anchor instead of the genesis block does not know the blocks below.
/// Heights are those of the network; none below the root's may be asked for. For the ten blocks
/// after an anchor, the rule on the median of times is checked with the known times only.
///
/// Kept in memory, about 150 bytes a header. With a HeaderFile, the chain is stored and most of it
/// read from disk; any function may then throw HeaderFileDamaged. Not thread-safe.
class HeaderChain {
public:
    /// A chain of only the genesis block. `network` must outlive it.
    explicit HeaderChain(const NetworkParams& network);
    /// A chain of one trusted block: the first of a period (`retarget_interval`), which the first
    /// retarget needs, as the anchors of anchors.h are.
    HeaderChain(const NetworkParams& network, const Anchor& root);
    ~HeaderChain();
    HeaderChain(HeaderChain&&) noexcept;
    HeaderChain& operator=(HeaderChain&&) noexcept;

    /// Adds headers, each after its parent, up to the first that breaks a rule. Known headers are
    /// allowed. A header that has proof of work but breaks another rule is remembered for a while;
    /// its descendants are refused as `descends_from_invalid`.
    ///
    /// now   Unix seconds of the local clock, for the rule on times in the future
    AcceptResult accept(std::span<const BlockHeader> headers, std::int64_t now);
    /// accept() for headers that were hashed already.
    AcceptResult accept_hashed(std::span<const HashedHeader> headers, std::int64_t now);

    /// Excludes a block and its descendants from the best chain, which becomes the heaviest
    /// remaining branch; of equal branches, the one seen first. HeaderFile stores the
    /// exclusion, for other processes and after a restart always as `withheld`.
    ///
    /// withheld   The known descendants are excluded. A header that is accepted on top of one of
    ///            them later makes its branch count again, by all of its work; so does readmit().
    /// invalid    Headers on top of these blocks are refused as `descends_from_invalid`.
    ///
    /// hash   a known block, not the root
    ChainMove exclude(const BlockHash& hash, Exclusion why);
    /// A block that is excluded as withheld, and those before it, count again.
    void readmit(const BlockHash& hash);
    /// Why a block is excluded; empty if it is not, or is not known.
    std::optional<Exclusion> exclusion_of(const BlockHash& hash) const;

    const NetworkParams& network() const;

    /// The first block: the genesis block or an anchor.
    BlockRef root() const;
    BlockRef tip() const;
    BlockHeader tip_header() const;
    /// The work of the best chain, from the genesis block to the tip, both included.
    const Uint256& chainwork() const;
    /// The work of the branch that ends in this block; empty if it is not known.
    std::optional<Uint256> chainwork_at(const BlockHash& hash) const;
    /// Whether the best chain carries the network's minimum work.
    bool has_minimum_chainwork() const;
    /// Whether a known chain with the network's minimum work contains this block: the best chain,
    /// or a branch with that much work up to this block. False for an unknown block, unless the
    /// minimum is 0.
    bool has_minimum_chainwork(const BlockHash& hash) const;

    /// A block of the best chain; `height` is at least the root's and at most the tip's.
    BlockHash hash_at(std::uint32_t height) const;
    BlockHeader header_at(std::uint32_t height) const;
    /// The height of a block on any branch; empty if it is not known.
    std::optional<std::uint32_t> height_of(const BlockHash& hash) const;
    /// A known header on any branch; empty if it is not known.
    std::optional<BlockHeader> find(const BlockHash& hash) const;
    bool is_on_best_chain(const BlockHash& hash) const;
    /// The last block of the best chain that is `hash` or an ancestor of it; empty for an unknown
    /// one.
    std::optional<BlockRef> fork_point(const BlockHash& hash) const;

    /// Hashes of the best chain at locator_heights(), by which a peer finds the last block that
    /// both know; from the tip, or from a block of the best chain at `height`, down to the root.
    std::vector<BlockHash> locator() const;
    std::vector<BlockHash> locator(std::uint32_t height) const;

    /// The first height of the best chain whose header's time is at least `time` (Unix seconds),
    /// less two hours, as block times are not sorted; the tip's height + 1 if there is none.
    std::uint32_t first_height_since(std::int64_t time) const;

    /// The number of headers, on all branches, the root included. They are numbered in order of
    /// acceptance, a parent before its children.
    std::uint32_t size() const;
    BlockHeader header_by_number(std::uint32_t number) const;
    /// Checks a known header again, by all rules, against the headers before it.
    std::optional<HeaderError> recheck(std::uint32_t number, std::int64_t now) const;

private:
    friend class HeaderFile;
    struct State;

    HeaderTable& table();

    std::unique_ptr<State> state_;
};

}  // namespace petal::chain
