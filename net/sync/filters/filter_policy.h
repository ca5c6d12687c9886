/// The filters that servers are sent.
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

/// The size of every filter, so that the size reveals nothing: the maximum of BIP37, in which
/// thousands of outpoints raise the false positive rate only a little.
inline constexpr std::size_t kFilterBytes = bloom::kMaxFilterBytes;
/// The number of hash functions with which an added outpoint raises the false positive rate least,
/// at the rates in use. BIP37's formula gives more, for filters to which nothing is added.
inline constexpr std::uint32_t kFilterFunctions = 6;

/// The range of rates for which a base can be filled up to the corresponding number of bits.
inline constexpr double kLowestRate = 1e-6;
inline constexpr double kHighestRate = 0.5;

/// The part that all filters of a watcher have in common: one element for each watched script, and
/// decoys.
///
/// The decoys fill it up to the number of bits of the wanted rate, so that the bits do not reveal
/// the number of elements. A decoy has as many random hashes as an element, but the last one may
/// have fewer. The base is deterministic: it is derived from the watcher's secret, so the same
/// wallet has the same base after a restart or a restore. Peers that see several filters of one
/// wallet can intersect them and learn only the base. The base of a higher profile, and that of a
/// watch list that grew, is a superset of the former base.
class FilterBase {
public:
    /// elements   the watch list
    /// rate       from kLowestRate to kHighestRate; the base has a higher rate if the elements
    ///            alone exceed it
    /// bytes      the size of the filter
    FilterBase(std::span<const chain::Bytes> elements, const chain::FilterPadding& padding,
               double rate, std::size_t bytes = kFilterBytes);

    /// Adds new elements of the watch list. The base is then that of the whole list.
    void insert(std::span<const chain::Bytes> added) { filter_.insert_all(added); }

    const bloom::BloomFilter& filter() const { return filter_; }
    /// The number of decoys.
    std::size_t decoys() const { return decoys_; }
    /// Whether a server whose filter is this base inserts the output's outpoint.
    bool matches(const chain::TxOutput& output) const {
        return bloom::matches_output(filter_, output);
    }

private:
    bloom::BloomFilter filter_;
    std::size_t decoys_ = 0;
};

/// The filter for a server: the base, all outpoints of the checkpoint, and those of the watcher's
/// outpoints that are not settled (MatchedOutpoints). Its flag is UPDATE_ALL, so that the server
/// inserts the outpoints of matching outputs itself.
bloom::BloomFilter make_filter(const FilterBase& base, std::span<const chain::Outpoint> watched,
                               const SyncCheckpoint& checkpoint);

/// A filter for the awaited elements alone (chain::Watcher::awaited_elements()), by which a peer
/// relays unconfirmed transactions. Its flag is UPDATE_NONE. See "The filter of awaited addresses"
/// in the README.
///
/// Each group is padded by decoys of its own up to the rate, and the filter is the union of the
/// groups. So a peer that sees several filters, with some groups in common, learns no more of a
/// group than from a filter that has this group alone. The tweak and the decoys differ from those
/// of FilterBase.
/// groups   at least one, each with an element
/// rate     of a single group, from kLowestRate to kHighestRate
bloom::BloomFilter make_awaited_filter(std::span<const std::vector<chain::Bytes>> groups,
                                       const chain::FilterPadding& padding, double rate,
                                       std::size_t bytes = kFilterBytes);

/// About how many more elements raise the filter's rate from `from` to `to`; 0 if it is at least
/// `to`.
double room_between(const bloom::BloomFilter& filter, double from, double to);

/// The false positive rate, about, of a new filter that holds `outpoints`.
double rate_of_new_filter(const FilterBase& base, std::size_t outpoints);

/// About how many outpoints can be added to a new filter that holds `outpoints` before it reaches
/// in_flight_rate().
double room_of_new_filter(const FilterBase& base, std::size_t outpoints);

/// The false positive rate at which a peer's filter is replaced: 1.5 times the rate at which it was
/// loaded.
double reload_rate(double initial_rate);

/// The highest false positive rate that blocks in flight may bring a filter to: 1.25 times the
/// initial rate. The rest up to reload_rate() is reserve.
double in_flight_rate(double initial_rate);

}  // namespace petal::net
