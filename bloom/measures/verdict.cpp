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
#include "bloom/measures/wording.h"
#include "chain/enum_table.h"

namespace petal::bloom {
namespace {

struct Words {
    std::string_view key;
    std::string_view text;
};

constexpr auto kGrades = chain::enum_table<Grade, Words>({
    {Grade::exposed, {"exposed", "exposed: a peer knows addresses of this wallet"}},
    {Grade::weak, {"weak", "weak: a peer needs to know little more to find this wallet"}},
    {Grade::limited,
     {"limited", "limited: not found by the filter alone, but every match tells much"}},
    {Grade::best, {"best", "the best that BIP37 can do"}},
    {Grade::nothing, {"nothing", "empty: nothing matches it"}},
    {Grade::all, {"all", "match all: everything, or nearly everything, matches it"}},
});

constexpr auto kAttacks = chain::enum_table<Attack, Words>({
    {Attack::count,
     {"count", "A peer tests all addresses there are, and guesses among those that match."}},
    {Attack::pair,
     {"pair",
      "A peer tests two things of which it can compute one from the other, such as an address "
      "and its coin: both match by chance far more rarely than one."}},
    {Attack::candidate,
     {"candidate",
      "A peer tests an address that it suspects, or all addresses that it knows of one owner."}},
    {Attack::under_fill,
     {"under-fill",
      "A filter with less in it than it was made for has few bits set, so that hardly any "
      "other address matches."}},
    {Attack::cut,
     {"cut",
      "A peer that has seen several filters of one wallet keeps the addresses that match all."}},
    {Attack::growth,
     {"growth",
      "A peer that has seen two filters of one wallet tests what matches the later one alone."}},
    {Attack::none, {"none", "There is nothing to guess."}},
});

// The limits between the grades.
constexpr double kWeakFrom = 0.05;       // mean P_h(1)
constexpr double kMaxUnderFill = 10;     // design rate over actual rate
constexpr double kMaxEvidence = 3;       // bits per address to one peer; more is `limited`
constexpr unsigned kMaxWeakCluster = 2;  // known addresses that are conclusive

Grade grade_of(double success) {
    if (success >= kExposedFrom) return Grade::exposed;
    return success >= kWeakFrom ? Grade::weak : Grade::best;
}

/// Limits the grade if a single match reveals too much.
Grade at_most_limited(Grade grade, const Inspection& seen) {
    return grade == Grade::best && seen.evidence > kMaxEvidence ? Grade::limited : grade;
}

/// The one rate that findings advise.
constexpr double kAdvisedRate = 0.001;

/// Among how many a filter of the advised rate would hide each address.
double advised_anonymity(const Inspection& seen) {
    const double used = std::min(seen.context.used, seen.context.world.addresses);
    const auto rate = LogProbability::of(kAdvisedRate);
    return anonymity_set(used, expected_false_addresses(seen.context.world.addresses, used, rate));
}

Finding count_finding(const Inspection& seen) {
    const CountMeasures& all = seen.counts.front();
    const double success = all.guess.value();
    Finding finding{Attack::count, grade_of(success), success, {}, {}, {}};
    finding.number = percentage(success) + " of guesses are right";
    finding.reason = "Of all addresses ever used, " + mean_count(all.false_addresses, "other") +
                     " match by chance, so ";
    finding.reason += all.anonymity < 2
                          ? "most that match are the wallet's."
                          : "each of the wallet's hides among " + short_number(all.anonymity) + ".";
    finding.fix = finding.grade == Grade::best
                      ? "None needed: counting alone does not find this wallet."
                      : "Make the filter for what is in it, at a rate of " +
                            short_number(kAdvisedRate) + ": that hides each address among " +
                            short_number(advised_anonymity(seen)) + ".";
    return finding;
}

std::string pair_fix(DerivablePair pair) {
    using enum DerivablePair;
    static constexpr auto kTexts = chain::enum_table<DerivablePair, std::string_view>({
        {key_and_hash, "Insert the hash alone; hardly anything is paid to bare public keys."},
        {hash_and_wrapped_hash,
         "Never watch a key in two forms: use a key of its own for each kind of address."},
        {script_and_hash, "Insert the script's hash alone."},
        {address_and_coin,
         "Leave outpoints out, or insert those of all that matched, true or false."},
    });
    return std::string(kTexts[pair]);
}

/// For pairs that recognised clients insert: the bits do not show whether this filter has any.
Finding habitual_pair_finding(const PairMeasures& measured) {
    const Grade with_pairs = std::min(grade_of(measured.guess.value()), Grade::weak);
    // A wallet has keys from the start, but coins only once it was paid.
    const bool is_likely = measured.pair.pair != DerivablePair::address_and_coin;
    Finding finding{Attack::pair, with_pairs, 0, {}, {}, {}};
    for (const KnownClient* client : measured.inserted_by) {
        finding.if_made_by +=
            (finding.if_made_by.empty() ? "" : " or ") + std::string(client->name);
    }
    finding.number = mean_count(measured.chance_pairs, "pair") + " match by chance";
    finding.reason = finding.if_made_by + " inserts " + std::string(measured.pair.elements) +
                     (is_likely ? " for every key" : " once it has coins") +
                     ". The bits do not tell whether this filter has any; if it has, both can be "
                     "tested by " +
                     std::string(measured.pair.found_by) + ".";
    finding.fix = pair_fix(measured.pair.pair);
    return finding;
}

Finding pair_finding(const PairMeasures& measured) {
    const double success = measured.guess.value();
    Finding finding{Attack::pair, grade_of(success), success, {}, {}, {}};
    const bool has_strangers = measured.strangers > 0;
    if (!has_strangers) finding.grade = std::min(finding.grade, Grade::weak);
    const std::string pairs = mean_count(measured.false_pairs(), "pair");
    finding.number = pairs + (has_strangers ? " are strangers'" : " match by chance");
    finding.reason = "It holds " + std::string(measured.pair.elements) +
                     (has_strangers ? ", and those of strangers" : "") + ". A test of both (" +
                     std::string(measured.pair.found_by) + ") finds " + pairs +
                     (has_strangers ? " of strangers among " : " by chance among ") +
                     short_number(measured.pair.candidates) + ", ";
    finding.reason += success >= kExposedFrom && !has_strangers
                          ? "so those that match are the wallet's."
                          : "so " + percentage(success) + " of guesses are right.";
    finding.fix = pair_fix(measured.pair.pair);
    if (measured.pair.pair == DerivablePair::address_and_coin) {
        finding.fix =
            "Time brings strangers' coins that hide the wallet's; a higher rate brings more.";
    }
    if (finding.grade == Grade::best)
        finding.fix = "None needed: strangers' pairs hide the wallet's.";
    return finding;
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
    Finding finding{Attack::candidate, Grade::best, 0, {}, {}, {}};
    finding.number = short_number(seen.evidence) + " bits per address";
    const auto& cluster = seen.conclusive_cluster;
    if (!cluster) {
        finding.reason = "A match says nothing: everything matches.";
        finding.fix = "Use a filter.";
        return finding;
    }
    if (*cluster == 1) {
        finding.grade = Grade::exposed;
        finding.success = 1;
        finding.reason = "Any single address that matches is the wallet's: by chance " +
                         (seen.match_bits > std::log2(1e9)
                              ? "fewer than one in a billion does."
                              : "one in " + short_number(std::exp2(seen.match_bits)) + " does.");
        finding.fix =
            "Make the filter for what is in it, at a rate of " + short_number(kAdvisedRate) + ".";
        return finding;
    }
    finding.grade = *cluster <= kMaxWeakCluster ? Grade::weak : Grade::best;
    finding.reason = counted(*cluster, "known address", "es") +
                     " of one owner single out the wallet among " +
                     short_number(seen.context.world.rival_clusters) + " others.";
    finding.fix = finding.grade == Grade::weak
                      ? "A higher rate; better, several filters that share no element, each for "
                        "peers of its own."
                      : "Several filters that share no element, each for peers of its own, give "
                        "each peer less.";
    finding.grade = at_most_limited(finding.grade, seen);
    return finding;
}

void add_under_fill_finding(const Inspection& seen, std::vector<Finding>& findings) {
    if (!seen.design) return;
    const double ln_factor = std::log(seen.design->lowest) - seen.rate.ln();
    if (!(ln_factor > std::log(kMaxUnderFill))) return;
    const bool is_range = seen.design->lowest != seen.design->highest;
    Finding finding{Attack::under_fill, Grade::weak, 0, {}, {}, {}};
    finding.number = one_in(seen.rate) + " instead of " + range_text(*seen.design);
    finding.reason =
        "There is less in it than it was made for: a stranger matches " +
        std::string(ln_factor > std::log(1e6)
                        ? "more than a million"
                        : (is_range ? "at least " : "") + short_number(std::exp(ln_factor))) +
        " times more rarely than at the rate it was designed for.";
    finding.fix = "Fill it with random elements up to the number it was made for.";
    findings.push_back(std::move(finding));
}

/// The verdict on a saturated filter: most data matches.
Verdict judge_saturated(const Inspection& seen) {
    const std::string matches = percentage(seen.rate.value());
    return {Grade::all,
            {{Attack::none, Grade::all, 0, matches + " of everything matches",
              percentage(seen.fill) + " of its bits are set, so nodes send " + matches +
                  " of all transactions: a peer learns hardly anything of the wallet, at nearly "
                  "the traffic of full blocks.",
              "Load a filter that is made for what is in it; full blocks hide more."}},
            0};
}

Verdict sorted(std::vector<Finding> findings, std::size_t filter = 0) {
    std::ranges::stable_sort(findings, [](const Finding& a, const Finding& b) {
        const auto rank = [](const Finding& finding) {
            return std::tuple(!finding.if_made_by.empty(), finding.grade, finding.attack);
        };
        return rank(a) < rank(b);
    });
    const Grade worst = findings.front().grade;
    return {worst, std::move(findings), filter};
}

/// Whether fewer addresses match all of the filters than match one of them. If one filter grew out
/// of another, the smaller filter already reveals all that both have in common.
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
    Finding finding{Attack::cut, std::min(grade_of(success), Grade::weak), success, {}, {}, {}};
    finding.number = percentage(success) + " of guesses are right";
    const std::string all = "all " + counted(filters.size(), "filter") + " by chance, ";
    finding.reason = common.false_addresses < 1
                         ? "Fewer than one address matches " + all +
                               "so those that do are the "
                               "wallet's."
                         : "Only " + short_number(common.false_addresses) + " addresses match " +
                               all + "while the wallet's match every one.";
    const bool keeps_hashing = std::ranges::all_of(
        filters, [&](const BloomFilter& filter) { return same_hashing(filters.front(), filter); });
    finding.fix =
        keeps_hashing
            ? "Put all addresses in from the start, a thousand ahead, so that the filter "
              "never changes; give new addresses a new filter and new peers."
            : "Keep one tweak and one size for ever, over restarts and restores; give new "
              "addresses a new filter and new peers.";
    return finding;
}

Finding growth_finding(const BloomFilter& earlier, const BloomFilter& later,
                       const InspectionContext& context) {
    const Growth grown = growth(earlier, later);
    const double added = std::max(1.0, std::round(grown.new_elements.value));
    const double false_addresses = context.world.addresses * grown.rate.value();
    const double success = mean_guess_probability(added, false_addresses, 1).value();
    Finding finding{Attack::growth, std::min(grade_of(success), Grade::weak), success, {}, {}, {}};
    finding.number = short_number(grown.new_elements.value) + " ± " +
                     short_number(grown.new_elements.deviation) + " elements were added";
    finding.reason = "What was added is hidden only among " +
                     mean_count(false_addresses, "address", "es") +
                     " that match the later filter and not the earlier one; of the "
                     "outputs of one day, among " +
                     at_least_one(context.world.outputs_per_day() * grown.rate.value()) + ".";
    finding.fix =
        "Put all addresses in from the start, a thousand ahead; never send a filter that "
        "grew.";
    return finding;
}

}  // namespace

bool is_as_bad_as(Grade grade, Grade limit) {
    return grade <= limit && grade <= Grade::best;
}

std::string_view key_of(Grade grade) {
    return kGrades[grade].key;
}

std::string_view describe(Grade grade) {
    return kGrades[grade].text;
}

std::string_view key_of(Attack attack) {
    return kAttacks[attack].key;
}

std::string_view describe(Attack attack) {
    return kAttacks[attack].text;
}

Verdict judge_match_all(const FilterOutline& filter) {
    const std::string_view why = filter.size.bytes == 0            ? "it has no bytes"
                                 : filter.size.hash_functions == 0 ? "it has no hash functions"
                                                                   : "every bit of it is set";
    return {Grade::all,
            {{Attack::none, Grade::all, 0, "everything matches",
              "Nodes send every transaction, since " + std::string(why) +
                  ": a peer learns nothing of the wallet.",
              "None needed: full blocks cost as much traffic, and hide as much."}},
            0};
}

Verdict judge(const Inspection& inspection) {
    if (inspection.rate.value() > kSaturated) return judge_saturated(inspection);
    if (inspection.bits_set == 0) {
        return {Grade::nothing,
                {{Attack::none, Grade::nothing, 0, "nothing matches",
                  "No bit of it is set: a peer finds no transaction by it, and learns nothing.",
                  "Put the wallet's addresses in: with this filter no payment is seen."}},
                0};
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
        return filter.bits_set() > 0;  // the wallet's addresses do not match an empty one either
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

std::string_view standing_warning() {
    return "Any filter can be asked about any address for ever, spends that follow each other can "
           "be recognised, and so can the addresses of a known owner. Compact block filters "
           "(BIP157) or a node of your own are better.";
}

}  // namespace petal::bloom
