#include "net/sync/filters/filter_policy.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <string_view>

#include "chain/byte_reader.h"
#include "chain/hash.h"
#include "chain/keystream.h"

namespace petal::net {

namespace {

std::uint32_t tweak_of(const chain::FilterPadding& padding, std::string_view purpose) {
    return chain::get_u32(chain::sha256({padding.secret, chain::as_bytes(purpose)}).data());
}

/// How many blocks of the keystream are made at once.
constexpr std::uint32_t kBlocksAtOnce = 64;

double fill_at(const bloom::BloomFilter& filter, double rate) {
    return std::pow(rate, 1.0 / filter.hash_functions());
}

/// Each insertion leaves a bit unset with probability (1 - 1/m)^k, where m is the number of bits
/// and k that of the hash functions (Bloom 1970); m/k insertions multiply the unset bits by 1/e.
double insertions_per_e_fold(const bloom::BloomFilter& filter) {
    return static_cast<double>(filter.bit_count()) / filter.hash_functions();
}

/// Adds decoys up to the rate. Returns their number.
///
/// An element's hashes look random, so random numbers can replace the hashes of decoys. The decoys'
/// bits then reveal nothing: every set of this number of bits is equally likely.
std::size_t pad(bloom::BloomFilter& filter, const std::array<chain::Byte, 32>& key, double rate) {
    assert(rate >= kLowestRate && rate <= kHighestRate);
    const double bits = std::ceil(fill_at(filter, rate) * static_cast<double>(filter.bit_count()));
    const auto wanted = static_cast<std::size_t>(bits);
    std::array<std::uint32_t, kBlocksAtOnce * chain::kKeystreamBlockWords> hashes{};
    std::size_t used = 0;
    for (std::uint32_t block = 0; filter.bits_set() < wanted; block += kBlocksAtOnce) {
        chain::write_keystream(key, block, hashes);
        used += filter.fill(hashes, wanted);
    }
    return (used + kFilterFunctions - 1) / kFilterFunctions;
}

/// The rate of the filter after `more` insertions.
double rate_with(const bloom::BloomFilter& filter, std::size_t more) {
    const double unset = 1 - fill_at(filter, filter.false_positive_rate());
    const double left =
        unset * std::exp(-static_cast<double>(more) / insertions_per_e_fold(filter));
    return std::pow(1 - left, filter.hash_functions());
}

}  // namespace

FilterBase::FilterBase(std::span<const chain::Bytes> elements, const chain::FilterPadding& padding,
                       double rate, std::size_t bytes)
    : filter_({bytes, kFilterFunctions, false}, tweak_of(padding, "tweak"),
              bloom::UpdateMode::all) {
    const std::size_t first = std::min(padding.first_elements, elements.size());
    filter_.insert_all(elements.first(first));
    decoys_ = pad(filter_, chain::sha256({padding.secret, chain::as_bytes("decoys")}), rate);
    filter_.insert_all(elements.subspan(first));
}

bloom::BloomFilter make_filter(const FilterBase& base, std::span<const chain::Outpoint> watched,
                               const SyncCheckpoint& checkpoint) {
    bloom::BloomFilter filter = base.filter();
    for (const chain::Outpoint& outpoint : watched) {
        const bool is_held = checkpoint.outpoints.contains(outpoint);  // and inserted below
        if (!is_held && !checkpoint.outpoints.is_settled(outpoint)) {
            filter.insert(outpoint.serialize());
        }
    }
    for (const chain::Outpoint& outpoint : checkpoint.matched())
        filter.insert(outpoint.serialize());
    return filter;
}

bloom::BloomFilter make_awaited_filter(std::span<const std::vector<chain::Bytes>> groups,
                                       const chain::FilterPadding& padding, double rate,
                                       std::size_t bytes) {
    const bloom::BloomFilter empty({bytes, kFilterFunctions, false},
                                   tweak_of(padding, "awaited tweak"), bloom::UpdateMode::none);
    bloom::BloomFilter filter = empty;
    for (const std::vector<chain::Bytes>& group : groups) {
        bloom::BloomFilter padded = empty;
        padded.insert_all(group);
        // The first element names the group, also in a wallet that was restored.
        pad(padded,
            chain::sha256({padding.secret, chain::as_bytes("awaited decoys"), group.front()}),
            rate);
        filter.unite(padded);
    }
    return filter;
}

double room_between(const bloom::BloomFilter& filter, double from, double to) {
    if (to >= 1) return std::numeric_limits<double>::infinity();
    if (from >= to) return 0;
    return insertions_per_e_fold(filter) *
           std::log((1 - fill_at(filter, from)) / (1 - fill_at(filter, to)));
}

double rate_of_new_filter(const FilterBase& base, std::size_t outpoints) {
    return rate_with(base.filter(), outpoints);
}

double room_of_new_filter(const FilterBase& base, std::size_t outpoints) {
    const double rate = rate_of_new_filter(base, outpoints);
    return room_between(base.filter(), rate, in_flight_rate(rate));
}

double reload_rate(double initial_rate) {
    return 1.5 * initial_rate;
}

double in_flight_rate(double initial_rate) {
    return 1.25 * initial_rate;
}

}  // namespace petal::net
