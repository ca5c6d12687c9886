/// Computes the filter that reaches given goals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "bloom/measures/log_probability.h"
#include "bloom/measures/world.h"
#include "bloom/sizing.h"
#include "chain/expected.h"

namespace petal::bloom {

/// The goals for a wallet's filter. A goal that is not set is ignored. The last goal needs a rate
/// that is low enough, each other goal a rate that is high enough.
struct FilterTarget {
    std::optional<double> guess;      ///< P_h(1) at most, inside (0, 1)
    std::optional<double> anonymity;  ///< addresses that hide each of the wallet's, more than 1
    std::optional<double> evidence;   ///< bits that a match gives at most, more than 0
    /// A chain of spends of this length is hidden among this number of chance chains.
    struct Chain {
        unsigned length = 2;      ///< at least 1
        double false_chains = 1;  ///< more than 0
    };
    std::optional<Chain> chain;
    std::optional<double> daily_bytes;  ///< traffic at most
};

/// The wallet that the filter is for.
struct FilterUse {
    std::size_t elements = 2'048;  ///< to be inserted, at least 1
    double used = 20;              ///< addresses of the wallet on the chain, more than 0
    double universe = 1.5e9;       ///< addresses that a peer tests, more than `used`
};

/// The goal that decides the rate.
enum class Goal : std::uint8_t { guess, anonymity, evidence, chain, daily_bytes };

enum class SolveError : std::uint8_t {
    nothing_asked,      ///< no target is set
    above_one,          ///< only a filter that matches everything would do
    over_budget,        ///< a filter that hides the wallet exceeds the traffic budget
    budget_too_small,   ///< even a filter without false positives costs more
    beyond_size_limit,  ///< 36,000 bytes, BIP37's limit, can't have so low a rate
    exposes_wallet,     ///< at least half of the guesses among the matches are right
    blocks_cost_less,   ///< full blocks cost less traffic, or the budget affords full blocks
};

std::string_view describe(SolveError error);

struct SolvedFilter {
    Goal goal = Goal::daily_bytes;  ///< the strictest goal, or the budget if only it is set
    /// The rate to ask for: the lowest, and so cheapest, rate that reaches all goals. If only a
    /// budget is given, about the highest rate within the budget, at most 0.5.
    double rate = 0;
    FilterSize size;
    /// The rate of `size`: a little more than `rate`, or much more if `size.capped`.
    double rate_at_elements = 0;
    double daily_bytes = 0;  ///< traffic at `rate_at_elements`, at most the budget
};

/// Computes the rate and the filter for these goals. All numbers must be within the ranges that
/// FilterTarget and FilterUse state, also for the functions below. Fails also if only senseless
/// filters reach the goals:
/// - A filter exposes the wallet, unless a goal allows as many right guesses.
/// - A filter costs as much traffic as full blocks, which reveal nothing.
chain::Expected<SolvedFilter, SolveError> solve_filter(const FilterTarget& target,
                                                       const FilterUse& use, const World& world);

/// f >= N (1/eps - 1) / (U - N).
double rate_for_guess(double guess, const FilterUse& use);
/// f >= (a - 1) N / (U - N).
double rate_for_anonymity(double anonymity, const FilterUse& use);
/// f >= 2^-bits.
double rate_for_evidence(double bits);
/// f >= (c / (O b^(C-1)))^(1/C).
double rate_for_chain(const FilterTarget::Chain& chain, const World& world);
/// The rate with a daily_traffic() of `bytes`. Nothing if even a rate of 0 costs as much. 1 if no
/// rate costs as much.
std::optional<double> rate_for_traffic(double bytes, const World& world);

}  // namespace petal::bloom
