#include "bloom/measures/verdict.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

#include "bloom/measures/count_privacy.h"
#include "bloom/measures/filter_comparison.h"
#include "bloom/measures/filter_cost.h"
#include "bloom/measures/filter_relations.h"
#include "chain/enum_table.h"

namespace petal::bloom {
namespace {

// The limits between the grades.
constexpr double kWeakFrom = 0.05;       // mean P_h(1)
constexpr double kMaxUnderFill = 10;     // design rate over actual rate
constexpr double kMaxEvidence = 3;       // bits per address to one peer. More is `limited`
constexpr unsigned kMaxWeakCluster = 2;  // known addresses that are conclusive

Grade grade_of(double success) {
    if (success >= kExposedFrom) return Grade::exposed;
    return success >= kWeakFrom ? Grade::weak : Grade::best;
}

/// The number of addresses that would hide each of the wallet's in a filter of the advised rate.
double advised_anonymity(const Inspection& seen) {
    const double used = std::min(seen.context.used, seen.context.world.addresses);
    const auto rate = LogProbability::of(kAdvisedRate);
    return anonymity_set(used, expected_false_addresses(seen.context.world.addresses, used, rate));
}

Finding count_finding(const Inspection& seen) {
    const CountMeasures& all = seen.counts.front();
    const double success = all.guess.value();
    return {grade_of(success), success,
            CountFigures{all.false_addresses, all.anonymity, advised_anonymity(seen)}};
}

/// For pairs that recognised clients insert: the bits do not show whether this filter has pairs.
Finding habitual_pair_finding(const PairMeasures& measured) {
    const Grade with_pairs = std::min(grade_of(measured.guess.value()), Grade::weak);
    return {with_pairs, 0, measured, measured.inserted_by};
}

Finding pair_finding(const PairMeasures& measured) {
    const double success = measured.guess.value();
    const Grade grade = grade_of(success);
    return {measured.strangers > 0 ? grade : std::min(grade, Grade::weak), success, measured};
}

void add_pair_findings(const Inspection& seen, std::vector<Finding>& findings) {
    for (const PairMeasures& measured : seen.pairs) {
        if (measured.inserted.value_or(false)) {
            findings.push_back(pair_finding(measured));
        } else if (!measured.inserted_by.empty() && !measured.inserted) {
            findings.push_back(habitual_pair_finding(measured));
        }
    }
}

Finding candidate_finding(const Inspection& seen) {
    const auto& cluster = seen.conclusive_cluster;
    Finding finding{Grade::best, 0,
                    CandidateFigures{seen.match_bits, seen.evidence, cluster,
                                     seen.context.world.rival_clusters}};
    if (!cluster) return finding;
    if (*cluster == 1) {
        finding.grade = Grade::exposed;
        finding.success = 1;
    } else if (*cluster <= kMaxWeakCluster) {
        finding.grade = Grade::weak;
    } else if (seen.evidence > kMaxEvidence) {
        finding.grade = Grade::limited;
    }
    return finding;
}

void add_under_fill_finding(const Inspection& seen, std::vector<Finding>& findings) {
    if (!seen.design) return;
    const double ln_factor = std::log(seen.design->lowest) - seen.rate.ln();
    if (!(ln_factor > std::log(kMaxUnderFill))) return;
    findings.push_back({Grade::weak, 0, UnderFillFigures{seen.rate, *seen.design, ln_factor}});
}

/// The verdict on a filter that gives a peer nothing to guess.
Verdict without_attack(Grade grade, const NoAttackFigures& figures) {
    return {grade, {{grade, 0, figures}}, 0};
}

Verdict sorted(std::vector<Finding> findings, std::size_t filter = 0) {
    std::ranges::stable_sort(findings, [](const Finding& a, const Finding& b) {
        const auto rank = [](const Finding& finding) {
            return std::tuple(!finding.if_made_by.empty(), finding.grade, finding.attack());
        };
        return rank(a) < rank(b);
    });
    const Grade worst = findings.front().grade;
    return {worst, std::move(findings), filter};
}

/// Whether fewer addresses match all filters than match the filter with the fewest matches. If one
/// filter grew out of another, the smaller filter already reveals everything that the two filters
/// have in common.
bool tell_more_together(std::span<const BloomFilter> filters) {
    constexpr double kRounding = 1e-6;
    double rarest = 0;
    for (const BloomFilter& filter : filters) {
        rarest = std::min(rarest, common_rate(std::span(&filter, 1)).ln());
    }
    return common_rate(filters).ln() < rarest - kRounding;
}

Finding cut_finding(std::span<const BloomFilter> filters, const InspectionContext& context) {
    const CommonMatches common = common_matches(filters, context);
    const double success = common.guess.value();
    const bool keeps_hashing = std::ranges::all_of(
        filters, [&](const BloomFilter& filter) { return same_hashing(filters.front(), filter); });
    return {std::min(grade_of(success), Grade::weak), success,
            CutFigures{filters.size(), common.false_addresses, keeps_hashing}};
}

Finding growth_finding(const BloomFilter& earlier, const BloomFilter& later,
                       const InspectionContext& context) {
    const Growth grown = growth(earlier, later);
    const double added = std::max(1.0, std::round(grown.new_elements.value));
    const double false_addresses = context.world.addresses * grown.rate.value();
    const double success = mean_guess_probability(added, false_addresses, 1).value();
    return {std::min(grade_of(success), Grade::weak), success,
            GrowthFigures{grown.new_elements, false_addresses,
                          context.world.outputs_per_day() * grown.rate.value()}};
}

}  // namespace

bool is_as_bad_as(Grade grade, Grade limit) {
    return grade <= limit && grade <= Grade::best;
}

std::string_view key_of(Grade grade) {
    using enum Grade;
    static constexpr auto kKeys = chain::enum_table<Grade, std::string_view>({
        {exposed, "exposed"},
        {weak, "weak"},
        {limited, "limited"},
        {best, "best"},
        {nothing, "nothing"},
        {all, "all"},
    });
    return kKeys[grade];
}

std::string_view key_of(Attack attack) {
    using enum Attack;
    static constexpr auto kKeys = chain::enum_table<Attack, std::string_view>({
        {count, "count"},
        {pair, "pair"},
        {candidate, "candidate"},
        {under_fill, "under-fill"},
        {cut, "cut"},
        {growth, "growth"},
        {none, "none"},
    });
    return kKeys[attack];
}

Verdict judge_match_all(const FilterOutline& filter) {
    const NothingToGuess why = filter.size.bytes == 0            ? NothingToGuess::no_bytes
                               : filter.size.hash_functions == 0 ? NothingToGuess::no_hash_functions
                                                                 : NothingToGuess::all_ones;
    return without_attack(Grade::all, {why});
}

Verdict judge(const Inspection& inspection) {
    if (inspection.rate.value() > kSaturated) {
        return without_attack(
            Grade::all, {NothingToGuess::saturated, inspection.fill, inspection.rate.value()});
    }
    if (inspection.bits_set == 0) {
        return without_attack(Grade::nothing, {NothingToGuess::no_bit_set, 0, 0});
    }
    std::vector<Finding> findings{count_finding(inspection)};
    add_pair_findings(inspection, findings);
    findings.push_back(candidate_finding(inspection));
    add_under_fill_finding(inspection, findings);
    return sorted(std::move(findings));
}

Verdict judge(std::span<const BloomFilter> filters, const InspectionContext& context) {
    assert(!filters.empty());
    Verdict verdict = judge(inspect(filters[0], context));
    for (std::size_t i = 1; i < filters.size(); ++i) {
        Verdict alone = judge(inspect(filters[i], context));
        if (alone.grade >= verdict.grade) continue;
        verdict = std::move(alone);
        verdict.filter = i;
    }
    std::vector<BloomFilter> filled;
    std::ranges::copy_if(filters, std::back_inserter(filled), [](const BloomFilter& filter) {
        return filter.bits_set() > 0;  // no address matches an empty filter, not even the wallet's
    });
    if (filled.empty()) return verdict;
    if (tell_more_together(filled)) {
        verdict.findings.push_back(cut_finding(filled, context));
    }
    for (std::size_t i = 1; i < filled.size(); ++i) {
        if (!same_hashing(filled[i - 1], filled[i])) continue;
        if (relate(filled[i - 1], filled[i]) == FilterRelation::identical) continue;
        verdict.findings.push_back(growth_finding(filled[i - 1], filled[i], context));
    }
    return sorted(std::move(verdict.findings), verdict.filter);
}

}  // namespace petal::bloom
