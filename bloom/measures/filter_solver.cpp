#include "bloom/measures/filter_solver.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "bloom/measures/count_privacy.h"
#include "bloom/measures/filter_cost.h"
#include "bloom/measures/filter_estimate.h"
#include "bloom/measures/verdict.h"
#include "chain/enum_table.h"

namespace petal::bloom {
namespace {

bool asks_for_nothing(const FilterTarget& target) {
    return !target.guess && !target.anonymity && !target.evidence && !target.chain &&
           !target.daily_bytes;
}

/// The lowest rate that reaches all privacy goals, and the goal that needs it. Rate 0 and the
/// budget if there is no privacy goal.
struct LowestRate {
    double rate = 0;
    Goal goal = Goal::daily_bytes;
};
LowestRate lowest_rate(const FilterTarget& target, const FilterUse& use, const World& world) {
    LowestRate lowest;
    const auto need = [&lowest](Goal goal, double rate) {
        if (rate > lowest.rate) lowest = {rate, goal};
    };
    if (target.guess) need(Goal::guess, rate_for_guess(*target.guess, use));
    if (target.anonymity) need(Goal::anonymity, rate_for_anonymity(*target.anonymity, use));
    if (target.evidence) need(Goal::evidence, rate_for_evidence(*target.evidence));
    if (target.chain) need(Goal::chain, rate_for_chain(*target.chain, world));
    return lowest;
}

double daily_block_bytes(const World& world) {
    return world.blocks_per_day * world.block_bytes();
}

/// Why a filter that reaches the goals is useless anyway. Empty for a useful filter.
std::optional<SolveError> objection_to(const SolvedFilter& solved, const FilterTarget& target,
                                       const FilterUse& use, const World& world) {
    const double spent =
        solved.goal == Goal::daily_bytes ? *target.daily_bytes : solved.daily_bytes;
    if (spent >= daily_block_bytes(world)) return SolveError::blocks_cost_less;
    if (target.guess || target.anonymity) return std::nullopt;
    const double false_addresses = expected_false_addresses(
        use.universe, use.used, LogProbability::of(solved.rate_at_elements));
    const LogProbability guess =
        mean_guess_probability(use.used, false_addresses, std::min(1.0, use.used));
    if (guess.value() >= kExposedFrom) return SolveError::exposes_wallet;
    return std::nullopt;
}

/// Whether 36,000 bytes are too small for the elements, so that most data matches although a lower
/// rate was asked for.
bool is_saturated(const SolvedFilter& solved) {
    return solved.rate_at_elements > kSaturated && solved.rate <= kSaturated;
}

/// The filter for this rate. The filter's own rate is a little higher, because bytes and functions
/// are whole numbers.
SolvedFilter filter_for(double rate, const FilterUse& use, const World& world) {
    SolvedFilter solved;
    solved.rate = rate;
    solved.size = filter_size(use.elements, rate);
    const LogProbability then = classical_rate(solved.size, static_cast<double>(use.elements));
    solved.rate_at_elements = then.value();
    solved.daily_bytes = daily_traffic(world, then).total_bytes();
    return solved;
}

}  // namespace

std::string_view describe(SolveError error) {
    using enum SolveError;
    static constexpr auto kTexts = chain::enum_table<SolveError, std::string_view>({
        {nothing_asked, "no target was given"},
        {above_one, "only a filter that matches everything would do"},
        {over_budget, "what hides so much costs more traffic than is allowed"},
        {budget_too_small,
         "even a filter without false positives costs more traffic than is allowed"},
        {beyond_size_limit,
         "a filter of 36,000 bytes, the limit of BIP37, would match more than is allowed"},
        {exposes_wallet,
         "it would match so rarely that a peer finds the wallet by guessing among the matches"},
        {blocks_cost_less, "for this traffic full blocks can be downloaded, which reveal nothing"},
    });
    return kTexts[error];
}

double rate_for_guess(double guess, const FilterUse& use) {
    assert(guess > 0 && guess < 1 && use.used < use.universe);
    return use.used * (1 / guess - 1) / (use.universe - use.used);
}

double rate_for_anonymity(double anonymity, const FilterUse& use) {
    assert(anonymity >= 1 && use.used < use.universe);
    return (anonymity - 1) * use.used / (use.universe - use.used);
}

double rate_for_evidence(double bits) {
    assert(bits >= 0);
    return std::exp2(-bits);
}

double rate_for_chain(const FilterTarget::Chain& chain, const World& world) {
    assert(chain.length >= 1 && chain.false_chains > 0);
    const double all = std::log(world.outputs()) + (chain.length - 1) * std::log(world.branching());
    return std::exp((std::log(chain.false_chains) - all) / chain.length);
}

std::optional<double> rate_for_traffic(double bytes, const World& world) {
    const auto traffic = [&world](double ln) {
        return daily_traffic(world, LogProbability::from_ln(ln)).total_bytes();
    };
    double low = std::log(1e-15);
    double high = 0;
    if (traffic(low) >= bytes) return std::nullopt;
    if (traffic(high) <= bytes) return 1.0;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (traffic(middle) < bytes ? low : high) = middle;
    }
    return std::exp(low);
}

namespace {

/// The filter that reaches the goals, useful or not.
chain::Expected<SolvedFilter, SolveError> reach(const FilterTarget& target, const FilterUse& use,
                                                const World& world) {
    const LowestRate lowest = lowest_rate(target, use, world);
    double rate = lowest.rate;
    if (rate >= 1) return chain::Unexpected(SolveError::above_one);
    if (target.daily_bytes) {
        const auto affordable = rate_for_traffic(*target.daily_bytes, world);
        if (!affordable) return chain::Unexpected(SolveError::budget_too_small);
        if (rate > *affordable) return chain::Unexpected(SolveError::over_budget);
        if (rate == 0) rate = std::min(*affordable, 0.5);
    }

    SolvedFilter solved = filter_for(rate, use, world);
    if (is_saturated(solved)) return chain::Unexpected(SolveError::beyond_size_limit);
    if (target.daily_bytes) {
        // Rounding to whole functions may triple the rate, so the search lowers the rate that far.
        constexpr double kStep = 0.99;
        constexpr int kSteps = 150;
        for (int i = 0; i < kSteps && solved.daily_bytes > *target.daily_bytes; ++i) {
            solved = filter_for(solved.rate * kStep, use, world);
        }
        if (solved.daily_bytes > *target.daily_bytes) {
            return chain::Unexpected(SolveError::beyond_size_limit);
        }
        if (solved.rate_at_elements < lowest.rate)
            return chain::Unexpected(SolveError::over_budget);
    }
    solved.goal = lowest.goal;
    return solved;
}

}  // namespace

chain::Expected<SolvedFilter, SolveError> solve_filter(const FilterTarget& target,
                                                       const FilterUse& use, const World& world) {
    if (asks_for_nothing(target)) return chain::Unexpected(SolveError::nothing_asked);
    auto solved = reach(target, use, world);
    if (!solved) return solved;
    if (const auto objection = objection_to(*solved, target, use, world)) {
        return chain::Unexpected(*objection);
    }
    return solved;
}

}  // namespace petal::bloom
