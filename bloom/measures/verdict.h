/// The verdict on a filter: the most effective attack by a peer, in numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "bloom/measures/inspection.h"

namespace petal::bloom {

/// From bad to good.
enum class Grade : std::uint8_t {
    exposed,  ///< a peer's best guess at an address of the wallet is right at least half the time
    weak,     ///< a peer knows addresses after learning one more fact
    limited,  ///< every match still reveals a lot
    best,     ///< the best that BIP37 allows
    nothing,  ///< no bit is set: the filter finds no payment and reveals nothing
    all,      ///< every element matches: the filter finds all payments and reveals nothing
};

/// The success of an attack, as the mean of P_h(1), from which the grade is `exposed`.
inline constexpr double kExposedFrom = 0.5;

std::string_view key_of(Grade grade);  ///< one stable word

/// Whether a peer learns as much from a filter of this grade as from a filter of grade `limit`, or
/// more. Never true for `nothing` and `all`, which reveal nothing.
bool is_as_bad_as(Grade grade, Grade limit);

/// In the order of the alternatives of Figures. Findings of one grade are reported in this order.
enum class Attack : std::uint8_t {
    count,       ///< picking among all matches
    pair,        ///< elements with a relation that anyone can compute
    candidate,   ///< testing one address, or the known addresses of one owner
    under_fill,  ///< fewer elements than the filter was made for
    cut,         ///< elements that several filters have in common
    growth,      ///< elements of a later filter that an earlier filter lacks
    none,        ///< no attack: the filter matches nothing, or everything
};

std::string_view key_of(Attack attack);  ///< one stable word

/// The false positive rate that is advised to a filter that is exposed.
inline constexpr double kAdvisedRate = 0.001;

struct CountFigures {
    double false_addresses = 0;
    double anonymity = 1;          ///< addresses that hide each of the wallet's
    double advised_anonymity = 1;  ///< the same for a filter of kAdvisedRate
};

struct CandidateFigures {
    double match_bits = 0;
    double evidence = 0;  ///< bits per address to one peer
    std::optional<std::uint64_t> conclusive_cluster;
    double rival_clusters = 0;  ///< owners that the cluster could belong to
};

struct UnderFillFigures {
    LogProbability rate;
    RateRange design;
    double ln_factor = 0;  ///< logarithm of the lowest design rate over the rate
};

struct CutFigures {
    std::size_t filters = 0;
    double false_addresses = 0;
    bool same_hashing = true;
};

struct GrowthFigures {
    Estimate new_elements;
    double false_addresses = 0;  ///< that match the later filter alone
    double false_in_a_day = 0;   ///< the same among the outputs of one day
};

/// Why there is nothing to guess.
enum class NothingToGuess : std::uint8_t {
    no_bit_set,
    saturated,  ///< nearly everything matches
    no_bytes,
    no_hash_functions,
    all_ones,
};

struct NoAttackFigures {
    NothingToGuess why{};
    double fill = 1;
    double rate = 1;
};

using Figures = std::variant<CountFigures, PairMeasures, CandidateFigures, UnderFillFigures,
                             CutFigures, GrowthFigures, NoAttackFigures>;

/// The success of one attack.
struct Finding {
    Grade grade{};
    double success = 0;  ///< probability that the peer's guess is the wallet's
    Figures figures;
    /// The clients that the filter's size suggests, if the finding holds only for a filter that one
    /// of these clients made. The finding then does not count for the verdict.
    std::vector<const KnownClient*> if_made_by = {};

    Attack attack() const { return static_cast<Attack>(figures.index()); }
};

struct Verdict {
    Grade grade{};
    /// The worst first, at least one. Findings that hold only if a certain client made the filter
    /// come last.
    std::vector<Finding> findings;
    /// If several filters are judged, the index of the filter with the worst verdict. Findings
    /// about a single filter are about the filter with this index.
    std::size_t filter = 0;

    const Finding& worst() const { return findings.front(); }
};

/// The verdict on a filter that matches everything.
Verdict judge_match_all(const FilterOutline& filter);

/// The verdict on one filter.
Verdict judge(const Inspection& inspection);

/// The verdict on several filters of one wallet: on each filter alone, on the elements that all
/// filters have in common, and on the elements that a filter adds to the filter before.
/// filters   in order of time, at least one
Verdict judge(std::span<const BloomFilter> filters, const InspectionContext& context);

}  // namespace petal::bloom
