/// The tree of known headers, and the branch with the most work in it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chain/block_header.h"
#include "chain/expected.h"
#include "chain/network_params.h"
#include "chain/uint256.h"

namespace petal::chain {

/// Why a header was not taken into the chain.
enum class HeaderError : std::uint8_t {
    unknown_parent,     ///< no verdict: its parent may come
    bad_target,         ///< negative, zero, overflowing or easier than the network allows
    insufficient_work,  ///< the hash is above the target
    wrong_bits,         ///< not the difficulty that the rules demand at this place
    time_too_old,       ///< not after the median of the eleven blocks before
    time_warp,          ///< BIP94: first block of a period too far before its parent
    time_too_new,       ///< no verdict: more than two hours ahead of the clock; may be retried
    obsolete_version,
    descends_from_invalid,
};

std::string_view describe(HeaderError error);

/// Whether the error proves that whoever sent the header is faulty.
bool proves_fault(HeaderError error);

/// A header and its hash, which nothing but hashing the header makes.
class HashedHeader {
public:
    explicit HashedHeader(const BlockHeader& header) : header_(header), hash_(header.hash()) {}

    const BlockHeader& header() const { return header_; }
    const BlockHash& hash() const { return hash_; }

private:
    BlockHeader header_;
    BlockHash hash_;
};

/// A block of the chain: where it is and what it is called.
struct BlockRef {
    std::uint32_t height = 0;
    BlockHash hash;

    friend bool operator==(const BlockRef&, const BlockRef&) = default;
};

/// How accepting headers moved the best chain: from `old_tip` down to `fork`, up to `new_tip`.
/// Where the best chain just grew, or did not move, `fork` equals `old_tip`.
struct ChainMove {
    BlockRef old_tip;
    BlockRef fork;
    BlockRef new_tip;

    bool is_reorganisation() const { return fork != old_tip; }
};

/// What became of a run of headers.
struct AcceptResult {
    std::size_t accepted = 0;  ///< how many of them are in the tree now, known ones included
    std::size_t added = 0;     ///< how many of those are new
    std::optional<HeaderError> error;  ///< why the one behind the accepted was refused
    ChainMove move;
};

/// Every header ever accepted, validated as a full node validates headers, with the most-work
/// branch as the best chain; ties go to the branch seen first.
///
/// Kept in memory, about 120 bytes a header; a HeaderFile makes it last. What it returns references
/// and pointers to stays where it is until the next accept(). Not thread-safe.
class HeaderChain {
public:
    /// A chain of the genesis block alone. `network` must outlive it.
    explicit HeaderChain(const NetworkParams& network);
    ~HeaderChain();
    HeaderChain(HeaderChain&&) noexcept;
    HeaderChain& operator=(HeaderChain&&) noexcept;

    /// Called for each header that is added, in order of acceptance (a parent before its children),
    /// so that it can be stored. Headers accepted before this is set are not reported. The callback
    /// must not change the chain.
    void on_added(std::function<void(const HashedHeader&)> callback);

    /// Takes headers, each after its parent, up to the first that breaks a rule. One that is known
    /// already is fine. A header with proof of work that breaks another rule is remembered for a
    /// while, so that what follows it is refused as `descends_from_invalid`.
    ///
    /// now   Unix seconds of the own clock, for the rule on times in the future
    AcceptResult accept(std::span<const BlockHeader> headers, std::int64_t now);
    /// The same for headers that were hashed already.
    AcceptResult accept_hashed(std::span<const HashedHeader> headers, std::int64_t now);

    const NetworkParams& network() const;

    BlockRef tip() const;
    const BlockHeader& tip_header() const;
    /// The work of the best chain from the genesis block on, its own included.
    const Uint256& chainwork() const;
    /// Whether the best chain carries the network's minimum work.
    bool has_minimum_chainwork() const;

    /// A block of the best chain; `height` is at most the tip's.
    BlockHash hash_at(std::uint32_t height) const;
    const BlockHeader& header_at(std::uint32_t height) const;
    /// Where a block is, on whatever branch; nothing where it is not known.
    std::optional<std::uint32_t> height_of(const BlockHash& hash) const;
    /// A known header on whatever branch; null where it is not known.
    const BlockHeader* find(const BlockHash& hash) const;
    bool is_on_best_chain(const BlockHash& hash) const;
    /// The last block of the best chain that `hash` is or descends from; nothing for an unknown
    /// one.
    std::optional<BlockRef> fork_point(const BlockHash& hash) const;
    /// The median of the times of up to eleven blocks that end at this height of the best chain.
    std::uint32_t median_time_past(std::uint32_t height) const;

    /// Hashes of the best chain, newest first and ever sparser, ending in the genesis block, by
    /// which a peer finds the last block that both know (Bitcoin Core: LocatorEntries); from the
    /// tip, or from a block of the best chain at `height`.
    std::vector<BlockHash> locator() const;
    std::vector<BlockHash> locator(std::uint32_t height) const;

    /// The first height of the best chain whose header's time is at least `time` (Unix seconds),
    /// less whatever disorder block times may have (two hours); the tip's height + 1 where none is.
    std::uint32_t first_height_since(std::int64_t time) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace petal::chain
