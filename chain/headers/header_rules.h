/// The contextual rules for headers.
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

/// The maximum number of seconds by which a header may be ahead of the clock (Bitcoin Core:
/// MAX_FUTURE_BLOCK_TIME).
inline constexpr std::int64_t kMaxFutureTime = std::int64_t{2} * 60 * 60;
/// The latest time that a header can have, in Unix seconds. Stored headers are checked with this
/// time instead of the clock, because they were compared with a clock before they were stored.
inline constexpr std::int64_t kMaxBlockTime = std::numeric_limits<std::uint32_t>::max();
/// The tip is old after fifteen times the block spacing of ten minutes: two and a half hours. A gap
/// of this length has a probability of e^-15. Expected gaps of this length:
/// - mainnet: once in 60 years, or once a year if the hash rate drops by a third
/// - testnet3 and testnet4: none, since anyone can mine a block after 20 minutes
/// - the public signet: none, since blocks are at most half an hour apart
///
/// A block's time may be two hours ahead of the clock. A tip with this time counts as old two hours
/// later.
inline constexpr std::int64_t kOldTipSpacings = 15;
/// The number of blocks of the median time past (Bitcoin Core: CBlockIndex::nMedianTimeSpan).
inline constexpr std::size_t kMedianTimeSpan = 11;

/// Sorts block times and returns the median: for an even number, the later of the two middle times
/// (Bitcoin Core: GetMedianTimePast).
///
/// times   at least one
std::uint32_t median_time(std::span<std::uint32_t> times);

/// The age in seconds from which a network's tip is old. Empty for regtest and custom signets,
/// where blocks are mined on demand.
std::optional<std::int64_t> old_tip_age(const NetworkParams& network);
/// The seconds since a block's time, or 0 if the time is ahead of the clock.
///
/// now   Unix seconds of the local clock
std::int64_t block_age(const BlockHeader& header, std::int64_t now);
/// Whether a tip of this age is old.
bool is_old_tip(const NetworkParams& network, std::int64_t age);

/// Why a header was not accepted.
enum class HeaderError : std::uint8_t {
    unknown_parent,     ///< not checked, as the parent may arrive later
    bad_target,         ///< negative, zero, overflowing or easier than the network allows
    insufficient_work,  ///< the hash is above the target
    wrong_bits,         ///< not the difficulty that the rules require here
    time_too_old,       ///< not after the median time past
    time_warp,          ///< BIP94: a period's first block is too far before its parent
    time_too_new,       ///< more than two hours ahead of the clock, may become valid later
    obsolete_version,
    descends_from_invalid,
};

std::string_view describe(HeaderError error);

/// Whether the error proves that the header's sender misbehaves.
bool proves_fault(HeaderError error);

/// Why an accepted header does not count for the best chain.
enum class Exclusion : std::uint8_t {
    invalid,   ///< the block or an ancestor is proven to be invalid
    withheld,  ///< no peer sends the block or an ancestor
};

/// Whether blocks at this height require a higher version (BIP34, BIP66, BIP65).
bool is_obsolete(const NetworkParams& network, std::uint32_t height, std::int32_t version);

/// The branch that a header extends.
class HeaderBranch : public HeaderAncestry {
public:
    /// The height of the branch's last block.
    virtual std::uint32_t height() const = 0;
    /// The latest time of the branch's blocks, an upper bound of any median of times.
    virtual std::uint32_t max_time() const = 0;
    /// The median of the times of the branch's last eleven blocks.
    virtual std::uint32_t median_time_past() const = 0;
};

/// Checks a header with valid proof of work as the next header of `branch`, in the order of Bitcoin
/// Core's ContextualCheckBlockHeader. Empty if the header is valid.
///
/// now   Unix seconds of the local clock
std::optional<HeaderError> check_in_context(const NetworkParams& network,
                                            const HeaderBranch& branch, const BlockHeader& header,
                                            std::int64_t now);

}  // namespace petal::chain
