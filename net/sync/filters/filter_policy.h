/// Which filter a server gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bloom/bloom_filter.h"
#include "bloom/transaction_match.h"
#include "chain/bytes.h"
#include "chain/transaction.h"
#include "chain/watcher.h"
#include "net/sync/filters/sync_checkpoint.h"

namespace petal::net {

/// Every filter is of this size, which so tells nothing: the largest of BIP37, in which outpoints
/// by the thousand raise the rate little.
inline constexpr std::size_t kFilterBytes = bloom::kMaxFilterBytes;
/// At the rates that are wanted, an outpoint more raises the rate least with about so many
/// functions, fewer than BIP37 computes: its number is for filters that nothing is added to.
inline constexpr std::uint32_t kFilterFunctions = 6;

/// Between these a base can be filled up to just the bits of its rate, and hides anything.
inline constexpr double kLowestRate = 1e-6;
inline constexpr double kHighestRate = 0.5;

/// What every filter of a watcher holds, whichever peer gets it and whenever: one element a watched
/// script, and decoys.
///
/// The decoys fill it up to the number of bits whose rate is the one that is wanted, so that the
/// bits tell nothing of the number of elements. Seed and decoys follow from the watcher's secret:
/// the same wallet has the same base, bit for bit, after a restart, a loss of its files or on
/// another device, and what several peers hold, or one over the years, has nothing in common but
/// that base. The base of a higher profile holds all bits of a lower one's; so does that of a
/// list that grew, which has its new elements on top. A peer that sees both learns nothing of the
/// old ones.
class FilterBase {
public:
    /// elements   the watch list's
    /// rate       from kLowestRate to kHighestRate; with more elements than fill it up to that, it
    /// is higher
    FilterBase(std::span<const chain::Bytes> elements, const chain::FilterPadding& padding,
               double rate);

    const bloom::BloomFilter& filter() const { return filter_; }
    /// How many decoys it holds.
    std::size_t decoys() const { return decoys_; }
    /// Whether a server that holds nothing more adds the output's outpoint.
    bool matches(const chain::TxOutput& output) const {
        return bloom::matches_output(filter_, output);
    }

private:
    void pad(const chain::FilterPadding& padding, double rate);

    bloom::BloomFilter filter_;
    std::size_t decoys_ = 0;
};

/// The filter for a server: the base, and the outpoints whose spending must be seen: all remembered
/// ones, and those of the watcher's that are not known to be settled. UPDATE_ALL, so that the
/// server itself adds what it finds.
bloom::BloomFilter make_filter(const FilterBase& base, std::span<const chain::Outpoint> watched,
                               const SyncCheckpoint& memory);

/// About how many elements more bring the filter's rate up from `from` to `to`; 0 where it is there
/// already.
double room_between(const bloom::BloomFilter& filter, double from, double to);

/// About how many outpoints may come to a new filter with so many in it before it is busy.
double room_of_new_filter(const FilterBase& base, std::size_t outpoints);

/// At which rate a server's filter has filled so far beyond what it was loaded with that a new one
/// is due: one and a half times that rate.
double worn_rate(double initial_rate);

/// The rate that blocks in flight may be expected to bring a server's filter to: one and a quarter
/// times the same.
double busy_rate(double initial_rate);

}  // namespace petal::net
