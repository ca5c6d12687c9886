#include "bloom/measures/verdict.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "bloom/measures/count_privacy.h"
#include "bloom/measures/filter_relations.h"
#include "bloom/measures/wording.h"

namespace petal::bloom {
namespace {

Grade grade_of(double success, const Thresholds& limits) {
    if (success >= limits.exposed) return Grade::exposed;
    return success >= limits.weak ? Grade::weak : Grade::best;
}

/// Any single match tells too much for a better grade.
Grade at_most_limited(Grade grade, const Inspection& seen, const Thresholds& limits) {
    return grade == Grade::best && seen.evidence > limits.evidence ? Grade::limited : grade;
}

/// A mean number of matches, which people need no powers of ten for.
std::string few_or_number(double mean) {
    return mean < 1e-3 ? "practically none" : short_number(mean);
}

/// The one rate that findings advise.
constexpr double kAdvisedRate = 0.001;

/// Among how many a filter of the advised rate would hide each address.
double advised_anonymity(const Inspection& seen) {
    const double used = std::min(seen.context.used, seen.context.world.addresses);
    const auto rate = LogProbability::of(kAdvisedRate);
    return anonymity_set(used, expected_false_addresses(seen.context.world.addresses, used, rate));
}

Finding count_finding(const Inspection& seen, const Thresholds& limits) {
    const CountMeasures& all = seen.counts.front();
    const double success = all.guess.value();
    Finding finding{Attack::count, grade_of(success, limits), success, {}, {}, {}};
    finding.number = percentage(success) + " of guesses are right";
    finding.reason = "Of all addresses ever used, " + few_or_number(all.false_addresses) +
                     " match by chance, so ";
    finding.reason += all.anonymity < 2
                          ? "most that match are the wallet's."
                          : "each of the wallet's hides among " + short_number(all.anonymity) + ".";
    finding.fix = finding.grade == Grade::best
                      ? "Nothing: counting alone does not find this wallet."
                      : "Make the filter for what is in it, at a rate of " +
                            short_number(kAdvisedRate) + ": that hides each address among " +
                            short_number(advised_anonymity(seen)) + ".";
    return finding;
}

std::string pair_fix(DerivablePair pair) {
    switch (pair) {
        case DerivablePair::key_and_hash:
            return "Insert the hash alone; hardly anything is paid to bare public keys.";
        case DerivablePair::hash_and_wrapped_hash:
            return "Never watch a key in two forms: use a key of its own for each kind of address.";
        case DerivablePair::script_and_hash:
            return "Insert the script's hash alone.";
        case DerivablePair::address_and_coin:
        case DerivablePair::address_and_any_outpoint:
            return "Leave outpoints out, or insert those of all that matched, true or false.";
    }
    return "";
}

/// For pairs that the recognised client inserts once it has coins: nothing tells whether it has.
Finding future_pair_finding(const PairMeasures& measured, const KnownClient& client,
                            const Thresholds& limits) {
    const double success = measured.guess.value();
    const Grade later = std::min(grade_of(success, limits), Grade::weak);
    Finding finding{Attack::pair, Grade::limited, 0, {}, {}, {}};
    finding.number = short_number(measured.false_pairs) + " pairs match by chance";
    finding.reason = std::string(client.name) + " inserts " + std::string(measured.pair.elements) +
                     ": this filter may hold none, but once it does, it is " +
                     std::string(key_of(later)) + ", as " + std::string(measured.pair.found_by) +
                     " can test both.";
    finding.fix = pair_fix(measured.pair.pair);
    return finding;
}

Finding pair_finding(const PairMeasures& measured, const Thresholds& limits) {
    const double success = measured.guess.value();
    Finding finding{Attack::pair, grade_of(success, limits), success, {}, {}, {}};
    const bool has_strangers = measured.strangers > 0;
    if (!has_strangers) finding.grade = std::min(finding.grade, Grade::weak);
    finding.number = short_number(measured.false_pairs) +
                     (has_strangers ? " pairs are strangers'" : " pairs match by chance");
    finding.reason = "It holds " + std::string(measured.pair.elements) +
                     (has_strangers ? ", and those of strangers" : "") + ". A test of both (" +
                     std::string(measured.pair.found_by) + ") finds " +
                     short_number(measured.false_pairs) +
                     (has_strangers ? " pairs of strangers among " : " pairs by chance among ") +
                     short_number(measured.pair.candidates) + ", ";
    finding.reason += success >= limits.exposed && !has_strangers
                          ? "so those that match are the wallet's."
                          : "so " + percentage(success) + " of guesses are right.";
    finding.fix = pair_fix(measured.pair.pair);
    if (has_strangers)
        finding.fix = "Time brings more strangers' coins, a higher rate more of them.";
    if (finding.grade == Grade::best) finding.fix = "Nothing: strangers' pairs hide the wallet's.";
    return finding;
}

void add_pair_findings(const Inspection& seen, const Thresholds& limits,
                       std::vector<Finding>& findings) {
    for (const PairMeasures& measured : seen.pairs) {
        if (measured.inserted.value_or(false)) {
            findings.push_back(pair_finding(measured, limits));
        } else if (measured.client_inserts && !measured.inserted) {
            const KnownClient& client = *seen.clients.front().client;
            findings.push_back(future_pair_finding(measured, client, limits));
        }
    }
}

Finding candidate_finding(const Inspection& seen, const Thresholds& limits) {
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
    finding.grade = *cluster <= limits.weak_cluster ? Grade::weak : Grade::best;
    finding.reason = counted(*cluster, "known address", "es") +
                     " of one owner single out the wallet among " +
                     short_number(seen.context.world.rival_clusters) + " others.";
    finding.fix = finding.grade == Grade::weak
                      ? "A higher rate; better, several filters that share no element, each for "
                        "peers of its own."
                      : "Several filters that share no element, each for peers of its own, give "
                        "each peer less.";
    finding.grade = at_most_limited(finding.grade, seen, limits);
    return finding;
}

void add_under_fill_finding(const Inspection& seen, const Thresholds& limits,
                            std::vector<Finding>& findings) {
    const double ln_factor = std::log(seen.design_rate) - seen.rate.ln();
    if (!(ln_factor > std::log(limits.under_fill))) return;
    Finding finding{Attack::under_fill, Grade::weak, 0, {}, {}, {}};
    const auto factor = LogProbability::from_ln(-ln_factor);
    finding.number = seen.rate.to_string() + " instead of " + short_number(seen.design_rate);
    finding.reason =
        "There is less in it than it was made for: a stranger matches " +
        (ln_factor > std::log(1e6) ? "more than a million" : short_number(1 / factor.value())) +
        " times more rarely than the rate it was designed for.";
    finding.fix = "Fill it with random elements up to the number it was made for.";
    findings.push_back(std::move(finding));
}

Verdict sorted(std::vector<Finding> findings) {
    std::ranges::stable_sort(findings, [](const Finding& a, const Finding& b) {
        return a.grade != b.grade ? a.grade < b.grade : a.attack < b.attack;
    });
    const Grade worst = findings.front().grade;
    return {worst, std::move(findings)};
}

Finding cut_finding(std::span<const BloomFilter> filters, const InspectionContext& context,
                    const Thresholds& limits) {
    const LogProbability rate = common_rate(filters);
    const double used = context.used;
    const double universe = context.world.addresses;
    const double false_addresses = expected_false_addresses(universe, used, rate);
    const double success =
        mean_guess_probability(used, false_addresses, std::min(1.0, used)).value();
    Finding finding{Attack::cut, std::min(grade_of(success, limits), Grade::weak), success, {}, {},
                    {}};
    finding.number = percentage(success) + " of guesses are right";
    finding.reason = "Only " + short_number(false_addresses) + " addresses match all " +
                     counted(filters.size(), "filter") +
                     " by chance, while the wallet's match every one.";
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
                       const InspectionContext& context, const Thresholds& limits) {
    const Growth grown = growth(earlier, later);
    const double added = std::max(1.0, std::round(grown.new_elements.value));
    const double false_addresses = context.world.addresses * grown.rate.value();
    const double success = mean_guess_probability(added, false_addresses, 1).value();
    Finding finding{
        Attack::growth, std::min(grade_of(success, limits), Grade::weak), success, {}, {}, {}};
    finding.number = short_number(grown.new_elements.value) + " ± " +
                     short_number(grown.new_elements.deviation) + " elements were added";
    finding.reason = "What was added is hidden only among the " + short_number(false_addresses) +
                     " addresses that match the later filter and not the earlier one; of the "
                     "outputs of one day, among " +
                     short_number(context.world.outputs_per_day() * grown.rate.value()) + ".";
    finding.fix =
        "Put all addresses in from the start, a thousand ahead; never send a filter that "
        "grew.";
    return finding;
}

}  // namespace

std::string_view key_of(Grade grade) {
    switch (grade) {
        case Grade::exposed:
            return "exposed";
        case Grade::weak:
            return "weak";
        case Grade::limited:
            return "limited";
        case Grade::best:
            return "best";
        case Grade::nothing:
            return "nothing";
        case Grade::all:
            return "all";
    }
    return "";
}

std::string_view describe(Grade grade) {
    switch (grade) {
        case Grade::exposed:
            return "exposed: a peer knows addresses of this wallet";
        case Grade::weak:
            return "weak: a peer needs to know little more to find this wallet";
        case Grade::limited:
            return "limited: not found by the filter alone, but every match tells much";
        case Grade::best:
            return "the best that BIP37 can do";
        case Grade::nothing:
            return "empty: nothing matches it";
        case Grade::all:
            return "match all: everything matches it";
    }
    return "";
}

std::string_view key_of(Attack attack) {
    switch (attack) {
        case Attack::count:
            return "count";
        case Attack::pair:
            return "pair";
        case Attack::candidate:
            return "candidate";
        case Attack::under_fill:
            return "under-fill";
        case Attack::cut:
            return "cut";
        case Attack::growth:
            return "growth";
        case Attack::none:
            return "none";
    }
    return "";
}

Verdict judge_match_all(const FilterOutline& filter) {
    const std::string_view why = filter.size.bytes == 0            ? "it has no bytes"
                                 : filter.size.hash_functions == 0 ? "it has no hash functions"
                                                                   : "every bit of it is set";
    return {Grade::all,
            {{Attack::none, Grade::all, 0, "everything matches",
              "Nodes send every transaction, since " + std::string(why) +
                  ": a peer learns nothing of the wallet.",
              "Nothing: full blocks cost as much traffic, and hide as much."}}};
}

Verdict judge(const Inspection& inspection, const Thresholds& thresholds) {
    if (inspection.bits_set == 0) {
        return {Grade::nothing,
                {{Attack::none, Grade::nothing, 0, "nothing matches",
                  "No bit of it is set: a peer finds no transaction by it, and learns nothing.",
                  "Put the wallet's addresses in: with this filter no payment is seen."}}};
    }
    std::vector<Finding> findings{count_finding(inspection, thresholds)};
    add_pair_findings(inspection, thresholds, findings);
    findings.push_back(candidate_finding(inspection, thresholds));
    add_under_fill_finding(inspection, thresholds, findings);
    return sorted(std::move(findings));
}

Verdict judge(std::span<const BloomFilter> filters, const InspectionContext& context,
              const Thresholds& thresholds) {
    assert(!filters.empty());
    std::vector<Finding> findings;
    bool changed = false;
    for (std::size_t i = 0; i < filters.size(); ++i) {
        const Verdict alone = judge(inspect(filters[i], context), thresholds);
        if (i == 0 || alone.grade < findings.front().grade) findings = alone.findings;
        changed = changed || relate(filters[0], filters[i]) != FilterRelation::identical;
    }
    if (changed) findings.push_back(cut_finding(filters, context, thresholds));
    for (std::size_t i = 1; i < filters.size(); ++i) {
        if (!same_hashing(filters[i - 1], filters[i])) continue;
        if (relate(filters[i - 1], filters[i]) == FilterRelation::identical) continue;
        findings.push_back(growth_finding(filters[i - 1], filters[i], context, thresholds));
    }
    return sorted(std::move(findings));
}

std::string_view standing_warning() {
    return "Any filter can be asked about any address for ever, spends that follow each other can "
           "be recognised, and so can the addresses of a known owner. Compact block filters "
           "(BIP157) or a node of your own are better.";
}

}  // namespace petal::bloom
