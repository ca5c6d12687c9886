/// Which filter a server gets.
#pragma once

#include <cstdint>
#include <span>

#include "bloom/bloom_filter.h"
#include "chain/watcher.h"

namespace petal::net {

/// The filter for a server: one element a watched script, and the outpoints whose spending must be
/// seen (the watcher's, and all that servers' filters held before; those found twice count once).
/// UPDATE_ALL, so that the server itself adds what it finds. There is room for more outpoints than
/// it starts with, and the size grows in coarse steps only, so that it says little about the number
/// of elements.
///
/// false_positive_rate   wanted once the room is used up, inside (0, 1); the limits of BIP37 may
/// raise it
bloom::BloomFilter make_filter(const chain::WatchList& watched,
                               std::span<const chain::Outpoint> remembered,
                               double false_positive_rate, std::uint32_t tweak);

/// How many outpoints a new filter has room for, at the least.
inline constexpr std::size_t kLeastRoom = 512;

/// At which rate a server's filter has filled so far beyond what it was loaded for that a new one
/// is due: one and a half times the rate that was wanted, or that it started with.
double worn_rate(double initial_rate, double wanted_rate);

/// The rate that blocks in flight may be expected to bring a server's filter to: one and a quarter
/// times the same.
double busy_rate(double initial_rate, double wanted_rate);

}  // namespace petal::net
