/// Which known client made a filter: each sizes its filters in its own way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "bloom/bloom_filter.h"
#include "bloom/measures/evidence.h"
#include "bloom/measures/filter_estimate.h"
#include "bloom/sizing.h"

namespace petal::bloom {

/// How a client computes bytes and functions from a number of elements and a rate.
enum class Sizer : std::uint8_t {
    bitcoin_core,   ///< functions from whole bits per element (CBloomFilter)
    real_division,  ///< as BIP37 writes it (bitcoinj, breadwallet, bitcoin-kit)
    unrounded,      ///< functions from the bits before they are cut to whole bytes (bcoin)
    constant,       ///< 36,000 bytes and 6 functions whatever the number (petal)
};

/// The size that a client makes. elements at least 1, rate inside (0, 1). A client that could come
/// to no functions at all (Bitcoin Core, bitcoin-kit) is taken to have one.
FilterSize client_filter_size(Sizer sizer, std::size_t elements, double rate);

/// A client that sends filters, as its published source has it.
struct KnownClient {
    std::string_view key;   ///< a stable word
    std::string_view name;  ///< for people, with what of its source was read
    Sizer sizer{};
    double rate = 0;           ///< that it designs for
    std::size_t capacity = 0;  ///< elements that it always sizes for; 0: for what is in it
    std::size_t spare = 0;     ///< elements that it leaves room for
    std::size_t fewest = 0;    ///< elements that are in it at least
    UpdateMode flags{};
    std::span<const DerivablePair> pairs;  ///< that it inserts
};

std::span<const KnownClient> known_clients();

/// A client that may have made a filter, and for how many elements it then sized it.
struct ClientGuess {
    const KnownClient* client = nullptr;
    std::size_t fewest = 0;
    std::size_t most = 0;

    /// The rates at which it then was to match: the client's, or what the limit of 36,000 bytes
    /// left of it.
    RateRange design_rates(const FilterSize& size) const;
};

/// All clients whose sizing gives this size with these flags and that put about so many elements
/// in. None: no known client sizes filters so.
std::vector<ClientGuess> recognise(const FilterSize& size, UpdateMode flags,
                                   const Estimate& elements);

/// The numbers of elements for which a sizer gives this size at `rate`; {0, 0} for none.
struct SizedFor {
    std::size_t fewest = 0;
    std::size_t most = 0;
};
SizedFor sized_for(Sizer sizer, double rate, const FilterSize& size);

}  // namespace petal::bloom
