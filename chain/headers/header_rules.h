/// The context-dependent rules for headers, as far as headers alone show.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "chain/block_header.h"
#include "chain/headers/proof_of_work.h"
#include "chain/network_params.h"

namespace petal::chain {

/// The maximum number of seconds that a header may be ahead of the clock (Bitcoin Core:
/// MAX_FUTURE_BLOCK_TIME).
inline constexpr std::int64_t kMaxFutureTime = std::int64_t{2} * 60 * 60;
/// The latest time that a header can have, Unix seconds. Stored headers are checked with it in
/// place of the clock's time, since they were compared with a clock before they were stored.
inline constexpr std::int64_t kMaxBlockTime = std::numeric_limits<std::uint32_t>::max();
/// A last block is old after fifteen times the ten minutes between blocks: two and a half hours. An
/// honest chain is silent for so long with a probability of e^-15, once in 60 years, or once a year
/// if a third of the hash rate is gone. On testnet3 and testnet4, anyone can mine a block after 20
/// minutes of silence. The public signet's blocks are at most half an hour apart. A block's time
/// may be two hours ahead of the clock, and such a block counts as old two hours later.
inline constexpr std::int64_t kOldTipSpacings = 15;
/// How many blocks the median of times spans (Bitcoin Core: CBlockIndex::nMedianTimeSpan).
inline constexpr std::size_t kMedianTimeSpan = 11;

/// Sorts the times of blocks and returns their median: for an even number, the later of the two in
/// the middle (Bitcoin Core: GetMedianTimePast).
///
/// times   at least one
std::uint32_t median_time(std::span<std::uint32_t> times);

/// The age in seconds from which the last block of a network's chain is old; empty for regtest and
/// custom signets, whose blocks are mined on demand.
std::optional<std::int64_t> old_tip_age(const NetworkParams& network);
/// The seconds since a block's time; 0 for a time ahead of the clock.
///
/// now   Unix seconds of the local clock
std::int64_t block_age(const BlockHeader& header, std::int64_t now);
/// Whether a last block of this age is old.
bool is_old_tip(const NetworkParams& network, std::int64_t age);

/// Why a header was not taken into the chain.
enum class HeaderError : std::uint8_t {
    unknown_parent,     ///< not judged: its parent may arrive later
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

/// Whether the error proves that the sender of the header is faulty.
bool proves_fault(HeaderError error);

/// Why an accepted header does not count for the best chain.
enum class Exclusion : std::uint8_t {
    invalid,   ///< its block, or a block below, is proven to be invalid
    withheld,  ///< no peer sends its block, or a block below
};

/// Whether blocks of this height need a higher version (BIP34, BIP66, BIP65).
bool is_obsolete(const NetworkParams& network, std::uint32_t height, std::int32_t version);

/// A branch that a header is to extend.
class HeaderBranch : public HeaderAncestry {
public:
    /// The height of the branch's last block.
    virtual std::uint32_t height() const = 0;
    /// The latest time of the branch's blocks. No median of them is later.
    virtual std::uint32_t max_time() const = 0;
    /// The median of the times of the branch's last eleven blocks.
    virtual std::uint32_t median_time_past() const = 0;
};

/// Judges a header with proof of work as the next one on `branch`, in the order of Bitcoin Core's
/// ContextualCheckBlockHeader. Returns nothing if it breaks no rule.
///
/// now   Unix seconds of the local clock
std::optional<HeaderError> check_in_context(const NetworkParams& network,
                                            const HeaderBranch& branch, const BlockHeader& header,
                                            std::int64_t now);

}  // namespace petal::chain
