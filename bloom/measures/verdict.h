/// The verdict on a filter: the most effective attack by a peer, and a remedy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bloom/measures/inspection.h"

namespace petal::bloom {

/// From bad to good.
enum class Grade : std::uint8_t {
    exposed,  ///< a peer knows addresses of the wallet, more likely than not
    weak,     ///< a peer knows addresses after learning one more fact
    limited,  ///< every match still reveals a lot
    best,     ///< the best that BIP37 allows
    nothing,  ///< no bit is set: it finds no payment, and reveals nothing
    all,      ///< it matches everything: it finds all payments, and reveals nothing
};

/// The success of an attack, as the mean of P_h(1), from which the grade is `exposed`.
inline constexpr double kExposedFrom = 0.5;

std::string_view key_of(Grade grade);    ///< one stable word
std::string_view describe(Grade grade);  ///< for people

/// Whether a peer learns as much from a filter of this grade as from one of grade `limit`, or more.
/// Never true for `nothing` and `all`: such filters reveal nothing.
bool is_as_bad_as(Grade grade, Grade limit);

/// Findings of one grade are reported in this order.
enum class Attack : std::uint8_t {
    count,       ///< picking among all that matches
    pair,        ///< elements that can be computed from each other
    candidate,   ///< testing an address, or a known owner's
    under_fill,  ///< fewer elements than the filter was made for
    cut,         ///< elements that several filters have in common
    growth,      ///< elements of a later filter that an earlier one lacks
    none,        ///< no attack: the filter matches nothing, or everything
};

std::string_view key_of(Attack attack);    ///< one stable word
std::string_view describe(Attack attack);  ///< what the peer does, a sentence

/// The success of one attack.
struct Finding {
    Attack attack{};
    Grade grade{};
    double success = 0;  ///< probability that the peer's guess is the wallet's
    std::string number;  ///< the decisive figure, with its unit
    std::string reason;  ///< one sentence
    std::string fix;     ///< one sentence
    /// Not of this filter but of the client that its size suggests: true only if that client made
    /// it, and does not count for the verdict. The client's name.
    std::string if_made_by = {};
};

struct Verdict {
    Grade grade{};
    /// The worst first, at least one. Findings that hold only if a certain client made the filter
    /// come last.
    std::vector<Finding> findings;
    /// If several filters are judged, the index of the one with the worst verdict: findings about a
    /// single filter refer to it.
    std::size_t filter = 0;

    const Finding& worst() const { return findings.front(); }
};

/// The verdict on a filter that matches everything.
Verdict judge_match_all(const FilterOutline& filter);

/// The verdict on one filter.
Verdict judge(const Inspection& inspection);

/// The verdict on several filters of one wallet, in order of time: on each filter alone, on the
/// elements that they have in common, and on the elements that each adds to the one before. At
/// least one.
Verdict judge(std::span<const BloomFilter> filters, const InspectionContext& context);

/// The leak that remains even of the best filter; belongs under every verdict.
std::string_view standing_warning();

}  // namespace petal::bloom
