/// Recognises the client that made a filter: each client sizes filters by a formula of its own.
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
    unrounded,      ///< functions from the bits before the bits are cut to whole bytes (bcoin)
    constant,       ///< 36,000 bytes and 6 functions for any number of elements (petal)
};

/// The size of a filter that the client makes. elements at least 1, rate inside (0, 1). If a
/// client's formula gives 0 functions (Bitcoin Core, bitcoin-kit), one function is assumed.
FilterSize client_filter_size(Sizer sizer, std::size_t elements, double rate);

/// A client that sends filters, as its published source has it.
struct KnownClient {
    std::string_view key;   ///< a stable word
    std::string_view name;  ///< for people, with the version of the source that was read
    Sizer sizer{};
    double rate = 0;           ///< the false positive rate that the client designs for
    std::size_t capacity = 0;  ///< elements that the client always sizes for. 0: the actual number
    std::size_t spare = 0;     ///< elements that the client leaves room for
    std::size_t fewest = 0;    ///< elements that are in the client's filters at least
    UpdateMode flags{};
    std::span<const DerivablePair> pairs;  ///< that the client inserts
};

std::span<const KnownClient> known_clients();

/// A client that may have made a filter, and the number of elements that the client then sized the
/// filter for.
struct ClientGuess {
    const KnownClient* client = nullptr;
    std::size_t fewest = 0;
    std::size_t most = 0;

    /// The rates at which the filter was to match: the client's, or as close as the limit of 36,000
    /// bytes allows.
    RateRange design_rates(const FilterSize& size) const;
};

/// All clients that make filters of this size with these flags and insert about this number of
/// elements. Empty if no known client does.
std::vector<ClientGuess> recognise(const FilterSize& size, UpdateMode flags,
                                   const Estimate& elements);

/// The numbers of elements for which a sizer gives this size at `rate`. {0, 0} if there is no such
/// number.
struct SizedFor {
    std::size_t fewest = 0;
    std::size_t most = 0;
};
SizedFor sized_for(Sizer sizer, double rate, const FilterSize& size);

}  // namespace petal::bloom
