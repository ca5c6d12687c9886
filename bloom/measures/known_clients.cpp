#include "bloom/measures/known_clients.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>

namespace petal::bloom {
namespace {

/// More elements than any filter is sized for: in 36,000 bytes with one function, 3 elements have 5
/// bits.
constexpr std::size_t kMostElements = 1'000'000;

constexpr std::array kKeyAndHash{DerivablePair::key_and_hash};
constexpr std::array kKeyAndHashAndCoins{DerivablePair::key_and_hash,
                                         DerivablePair::address_and_coin};
constexpr std::array kCoins{DerivablePair::address_and_coin};
constexpr std::array kThreeForms{DerivablePair::key_and_hash, DerivablePair::hash_and_wrapped_hash,
                                 DerivablePair::address_and_coin};

/// The minimum number of keys that breadwallet derives: 110 receiving addresses and 105 change
/// addresses.
constexpr std::size_t kBreadwalletKeys = 215;
/// petal's functions, the rates of petal's profiles, and the elements that give the lowest rate.
constexpr std::uint32_t kPetalFunctions = 6;
constexpr double kPetalLowestRate = 1e-5;
constexpr double kPetalHighestRate = 2.5e-4;
constexpr std::size_t kPetalElements = 7'620;

// Read in the clients' sources: bitcoinj 13e137e, breadwallet-core 73566cb and the first
// breadwallet for iOS (which sized for 5e-4 within 500 blocks of the tip), bcoin 0c18028,
// bitcoin-kit-android 182a454, Flowee thehub 01e8bcf, and petal's net/sync/filters.
const std::array kClients{
    KnownClient{"bitcoinj", "bitcoinj (since 2016)", Sizer::real_division, 1e-5, 0, 100, 0,
                UpdateMode::all, kKeyAndHashAndCoins},
    KnownClient{"bitcoinj-2015", "bitcoinj (until 2015)", Sizer::real_division, 5e-4, 0, 100, 0,
                UpdateMode::all, kKeyAndHash},
    KnownClient{"breadwallet", "breadwallet", Sizer::real_division, 5e-5, 0, 100, kBreadwalletKeys,
                UpdateMode::all, kCoins},
    KnownClient{"breadwallet-early", "breadwallet (early versions)", Sizer::real_division, 5e-4, 0,
                100, kBreadwalletKeys, UpdateMode::all, kCoins},
    KnownClient{"bitcoin-kit", "bitcoin-kit", Sizer::real_division, 5e-5, 0, 0, 0, UpdateMode::none,
                kThreeForms},
    KnownClient{"bcoin", "bcoin", Sizer::unrounded, 1e-3, 20'000, 0, 0, UpdateMode::all, kCoins},
    KnownClient{"flowee", "Flowee", Sizer::bitcoin_core, 1e-3, 10'000, 0, 0, UpdateMode::all, {}},
    KnownClient{"petal", "petal", Sizer::constant, kPetalLowestRate, kPetalElements, 0,
                kPetalElements, UpdateMode::all, kCoins},
};

FilterSize unrounded_size(std::size_t elements, double rate) {
    using std::numbers::ln2;
    const double n = static_cast<double>(elements);
    const double most = static_cast<double>(kMaxFilterBytes * 8);
    const double bits = std::clamp(std::floor(-n * std::log(rate) / (ln2 * ln2)), 8.0, most);
    const double functions = std::clamp(std::floor(bits / n * ln2), 1.0, double{kMaxHashFunctions});
    return {static_cast<std::size_t>(bits) / 8, static_cast<std::uint32_t>(functions),
            bits == most};
}

/// Sizes grow with the number of elements: first by bytes, then, at equal bytes, by ever fewer
/// functions.
bool is_before(const FilterSize& a, const FilterSize& b) {
    return a.bytes != b.bytes ? a.bytes < b.bytes : a.hash_functions > b.hash_functions;
}

/// The lowest number from 1 on that `holds` accepts, or kMostElements if `holds` accepts no number.
/// `holds` must accept all numbers above the lowest.
template <typename Holds>
std::size_t first_number(Holds holds) {
    std::size_t low = 1;
    std::size_t high = kMostElements;
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (holds(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/// Whether the client would insert about this number of elements into a filter of this size.
/// Servers may have added elements since (UPDATE_ALL), and some elements may be inserted twice.
bool fits_content(const KnownClient& client, const SizedFor& sized, const Estimate& elements) {
    double put_in = static_cast<double>(client.fewest);
    if (client.capacity == 0) {
        if (sized.most < client.fewest + client.spare) return false;
        put_in =
            std::max(put_in, static_cast<double>(sized.fewest) - static_cast<double>(client.spare));
    }
    const double slack = 5 * elements.deviation + 1 + 0.02 * put_in;
    return elements.value + slack >= put_in;
}

}  // namespace

FilterSize client_filter_size(Sizer sizer, std::size_t elements, double rate) {
    assert(elements >= 1 && rate > 0 && rate < 1);
    switch (sizer) {
        case Sizer::bitcoin_core:
            return filter_size(elements, rate, Rounding::integer_division);
        case Sizer::real_division:
            return filter_size(elements, rate, Rounding::real_division);
        case Sizer::unrounded:
            return unrounded_size(elements, rate);
        case Sizer::constant:
            return {kMaxFilterBytes, kPetalFunctions, false};
    }
    return {};
}

RateRange ClientGuess::design_rates(const FilterSize& size) const {
    if (client->sizer == Sizer::constant) return {client->rate, kPetalHighestRate};
    if (size.bytes < kMaxFilterBytes || client->capacity > 0) return {client->rate, client->rate};
    return {classical_rate(size, static_cast<double>(fewest)).value(),
            classical_rate(size, static_cast<double>(most)).value()};
}

std::span<const KnownClient> known_clients() {
    return kClients;
}

SizedFor sized_for(Sizer sizer, double rate, const FilterSize& size) {
    const auto size_of = [=](std::size_t n) { return client_filter_size(sizer, n, rate); };
    const std::size_t first =
        first_number([&](std::size_t n) { return !is_before(size_of(n), size); });
    const std::size_t behind =
        first_number([&](std::size_t n) { return is_before(size, size_of(n)); });
    if (first == behind) return {};
    return {first, behind - 1};
}

std::vector<ClientGuess> recognise(const FilterSize& size, UpdateMode flags,
                                   const Estimate& elements) {
    std::vector<ClientGuess> guesses;
    for (const KnownClient& client : kClients) {
        if (client.flags != flags) continue;
        const SizedFor sized = sized_for(client.sizer, client.rate, size);
        if (sized.most == 0) continue;
        if (client.capacity > 0 &&
            (client.capacity < sized.fewest || client.capacity > sized.most)) {
            continue;
        }
        if (!fits_content(client, sized, elements)) continue;
        const bool always_same = client.capacity > 0;
        guesses.push_back({&client, always_same ? client.capacity : sized.fewest,
                           always_same ? client.capacity : sized.most});
    }
    return guesses;
}

}  // namespace petal::bloom
