/// The units of lock times and sequence numbers.
#pragma once

#include <cstdint>

namespace petal::chain {

/// The sequence number that disables the transaction's lock time for its input.
inline constexpr std::uint32_t kFinalSequence = 0xffffffff;

/// Lock times from this value on are Unix times. Lower lock times are block heights (Bitcoin Core:
/// script.h, LOCKTIME_THRESHOLD).
inline constexpr std::uint32_t kLockTimeThreshold = 500'000'000;

/// The parts of a sequence number (BIP68): the bit that disables its relative lock time, the bit
/// for a time in units of 512 seconds instead of a number of blocks, and the bits of the number.
inline constexpr std::uint32_t kSequenceDisabled = 1U << 31U;
inline constexpr std::uint32_t kSequenceIsTime = 1U << 22U;
inline constexpr std::uint32_t kSequenceMask = 0xffff;

}  // namespace petal::chain
