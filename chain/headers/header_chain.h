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

/// How accepting headers moved the best chain: from `old_tip` down to `fork`, up to `new_tip`.
/// Where the best chain just grew, or did not move, `fork` equals `old_tip`.
struct ChainMove {
    BlockRef old_tip;
    BlockRef fork;
    BlockRef new_tip;

    bool is_reorganisation() const { return fork != old_tip; }
};

/// The result of accepting a run of headers.
struct AcceptResult {
    std::size_t accepted = 0;  ///< how many of them are in the tree now, known ones included
    std::size_t added = 0;     ///< how many of those are new
    std::optional<HeaderError> error;  ///< why the one behind the accepted was refused
    ChainMove move;
};

class HeaderTable;

/// Every header ever accepted, validated as a full node validates headers, with the most-work
/// branch as the best chain; ties go to the branch seen first.
///
/// A chain that starts at an anchor instead of the genesis block knows nothing of what is below:
/// heights are those of the network, and none below the root's may be asked for. Of the ten blocks
/// after an anchor the rule on the median of times is checked as far as the known times go.
///
/// Kept in memory, about 150 bytes a header; a HeaderFile makes it last, and has most of it read
/// from disk: anything may then throw HeaderFileDamaged. Not thread-safe.
class HeaderChain {
public:
    /// A chain of the genesis block alone. `network` must outlive it.
    explicit HeaderChain(const NetworkParams& network);
    /// A chain of one block that is taken on trust. Where it is no period's first block
    /// (`retarget_interval`), the first retarget can't be checked: the anchors of anchors.h are.
    HeaderChain(const NetworkParams& network, const Anchor& root);
    ~HeaderChain();
    HeaderChain(HeaderChain&&) noexcept;
    HeaderChain& operator=(HeaderChain&&) noexcept;

    /// Takes headers, each after its parent, up to the first that breaks a rule. One that is known
    /// already is fine. A header with proof of work that breaks another rule is remembered for a
    /// while, so that what follows it is refused as `descends_from_invalid`.
    ///
    /// now   Unix seconds of the own clock, for the rule on times in the future
    AcceptResult accept(std::span<const BlockHeader> headers, std::int64_t now);
    /// accept() for headers that were hashed already.
    AcceptResult accept_hashed(std::span<const HashedHeader> headers, std::int64_t now);

    const NetworkParams& network() const;

    /// The first block: the genesis block or an anchor.
    BlockRef root() const;
    BlockRef tip() const;
    BlockHeader tip_header() const;
    /// The work of the best chain from the genesis block on, its own included.
    const Uint256& chainwork() const;
    /// The work of the branch that ends in this block; empty if it is not known.
    std::optional<Uint256> chainwork_at(const BlockHash& hash) const;
    /// Whether the best chain carries the network's minimum work.
    bool has_minimum_chainwork() const;
    /// Whether a chain with the network's minimum work is known that has this block: the best one,
    /// or a branch that carries it up to this very block. False for a block that is not known,
    /// unless the minimum is 0.
    bool has_minimum_chainwork(const BlockHash& hash) const;

    /// A block of the best chain; `height` is at least the root's and at most the tip's.
    BlockHash hash_at(std::uint32_t height) const;
    BlockHeader header_at(std::uint32_t height) const;
    /// Where a block is, on whatever branch; empty if it is not known.
    std::optional<std::uint32_t> height_of(const BlockHash& hash) const;
    /// A known header on whatever branch; empty if it is not known.
    std::optional<BlockHeader> find(const BlockHash& hash) const;
    bool is_on_best_chain(const BlockHash& hash) const;
    /// The last block of the best chain that `hash` is or descends from; empty for an unknown one.
    std::optional<BlockRef> fork_point(const BlockHash& hash) const;
    /// The median of the times of up to eleven blocks that end at this height of the best chain.
    /// Just above an anchor, where fewer are known: the earliest that it can be.
    std::uint32_t median_time_past(std::uint32_t height) const;

    /// Hashes of the best chain, newest first and ever sparser, ending in the root, by
    /// which a peer finds the last block that both know (Bitcoin Core: LocatorEntries); from the
    /// tip, or from a block of the best chain at `height`.
    std::vector<BlockHash> locator() const;
    std::vector<BlockHash> locator(std::uint32_t height) const;

    /// The first height of the best chain whose header's time is at least `time` (Unix seconds),
    /// less whatever disorder block times may have (two hours); the tip's height + 1 where none is.
    std::uint32_t first_height_since(std::int64_t time) const;

    /// The number of headers, on all branches, the root included. They are numbered in order of
    /// acceptance, a parent before its children.
    std::uint32_t size() const;
    BlockHeader header_by_number(std::uint32_t number) const;
    /// Checks a known header again, by all rules, against what stands before it.
    std::optional<HeaderError> recheck(std::uint32_t number, std::int64_t now) const;

private:
    friend class HeaderFile;
    struct State;

    HeaderTable& table();

    std::unique_ptr<State> state_;
};

}  // namespace petal::chain
