#include "cli/filter/measures/finding_text.h"

#include <cmath>
#include <variant>

#include "chain/enum_table.h"
#include "cli/filter/measures/wording.h"
#include "cli/text/text.h"

namespace petal::cli {
namespace {

using bloom::Finding;
using bloom::Grade;

FindingText text_with(const Finding& finding, const bloom::CountFigures& count) {
    FindingText text;
    text.number = percentage(finding.success) + " of guesses are right";
    text.reason = "Of all addresses ever used, " + mean_count(count.false_addresses, "other") +
                  " match by chance, so ";
    text.reason += count.anonymity < 2
                       ? "most that match are the wallet's."
                       : "each of the wallet's hides among " + short_number(count.anonymity) + ".";
    text.fix = finding.grade == Grade::best
                   ? "None needed: counting alone does not find this wallet."
                   : "Make the filter for what is in it, at a rate of " +
                         short_number(bloom::kAdvisedRate) + ": that hides each address among " +
                         short_number(count.advised_anonymity) + ".";
    return text;
}

std::string pair_fix(bloom::DerivablePair pair) {
    using enum bloom::DerivablePair;
    static constexpr auto kTexts = chain::enum_table<bloom::DerivablePair, std::string_view>({
        {key_and_hash, "Insert the hash alone; hardly anything is paid to bare public keys."},
        {hash_and_wrapped_hash,
         "Never watch a key in two forms: use a key of its own for each kind of address."},
        {script_and_hash, "Insert the script's hash alone."},
        {address_and_coin,
         "Leave outpoints out, or insert those of all that matched, true or false."},
    });
    return std::string(kTexts[pair]);
}

FindingText habitual_pair_text(const bloom::PairMeasures& measured, const std::string& clients) {
    const bloom::DerivablePair pair = measured.pair.pair;
    // A wallet has keys from the start, but coins only after a payment.
    const bool is_likely = pair != bloom::DerivablePair::address_and_coin;
    return {mean_count(measured.chance_pairs, "pair") + " match by chance",
            clients + " inserts " + elements_text(pair) +
                (is_likely ? " for every key" : " once it has coins") +
                ". The bits do not tell whether this filter has any; if it has, both can be "
                "tested by " +
                finder_text(pair) + ".",
            pair_fix(pair),
            {}};
}

std::string inserted_pair_fix(const Finding& finding, bloom::DerivablePair pair) {
    if (finding.grade == Grade::best) return "None needed: strangers' pairs hide the wallet's.";
    if (pair != bloom::DerivablePair::address_and_coin) return pair_fix(pair);
    return "Time brings strangers' coins that hide the wallet's; a higher rate brings more.";
}

FindingText inserted_pair_text(const Finding& finding, const bloom::PairMeasures& measured) {
    const bloom::DerivablePair pair = measured.pair.pair;
    const bool has_strangers = measured.strangers > 0;
    const std::string pairs = mean_count(measured.false_pairs(), "pair");
    FindingText text;
    text.number = pairs + (has_strangers ? " are strangers'" : " match by chance");
    text.reason = "It holds " + elements_text(pair) +
                  (has_strangers ? ", and those of strangers" : "") + ". A test of both (" +
                  finder_text(pair) + ") finds " + pairs +
                  (has_strangers ? " of strangers among " : " by chance among ") +
                  short_number(measured.pair.candidates) + ", ";
    text.reason += finding.success >= bloom::kExposedFrom && !has_strangers
                       ? "so those that match are the wallet's."
                       : "so " + percentage(finding.success) + " of guesses are right.";
    text.fix = inserted_pair_fix(finding, pair);
    return text;
}

std::string names_of(const std::vector<const bloom::KnownClient*>& clients) {
    std::string names;
    for (const bloom::KnownClient* client : clients) {
        names += (names.empty() ? "" : " or ") + std::string(client->name);
    }
    return names;
}

FindingText text_with(const Finding& finding, const bloom::PairMeasures& measured) {
    return finding.if_made_by.empty() ? inserted_pair_text(finding, measured)
                                      : habitual_pair_text(measured, names_of(finding.if_made_by));
}

FindingText text_with(const Finding& finding, const bloom::CandidateFigures& candidate) {
    FindingText text;
    text.number = short_number(candidate.evidence) + " bits per address";
    if (!candidate.conclusive_cluster) {
        text.reason = "A match says nothing: everything matches.";
        text.fix = "Use a filter.";
        return text;
    }
    if (*candidate.conclusive_cluster == 1) {
        text.reason = "Any single address that matches is the wallet's: by chance " +
                      (candidate.match_bits > std::log2(1e9)
                           ? "fewer than one in a billion does."
                           : "one in " + short_number(std::exp2(candidate.match_bits)) + " does.");
        text.fix = "Make the filter for what is in it, at a rate of " +
                   short_number(bloom::kAdvisedRate) + ".";
        return text;
    }
    text.reason = count_of(*candidate.conclusive_cluster, "known address", "es") +
                  " of one owner single out the wallet among " +
                  short_number(candidate.rival_clusters) + " others.";
    text.fix = finding.grade == Grade::weak
                   ? "A higher rate; better, several filters that share no element, each for "
                     "peers of its own."
                   : "Several filters that share no element, each for peers of its own, give "
                     "each peer less.";
    return text;
}

FindingText text_with(const Finding&, const bloom::UnderFillFigures& filled) {
    const bool is_range = filled.design.lowest != filled.design.highest;
    const std::string factor =
        filled.ln_factor > std::log(1e6)
            ? "more than a million"
            : (is_range ? "at least " : "") + short_number(std::exp(filled.ln_factor));
    return {one_in(filled.rate) + " instead of " + range_text(filled.design),
            "There is less in it than it was made for: a stranger matches " + factor +
                " times more rarely than at the rate it was designed for.",
            "Fill it with random elements up to the number it was made for.",
            {}};
}

FindingText text_with(const Finding& finding, const bloom::CutFigures& cut) {
    FindingText text;
    text.number = percentage(finding.success) + " of guesses are right";
    const std::string all = "all " + count_of(cut.filters, "filter") + " by chance, ";
    text.reason =
        cut.false_addresses < 1
            ? "Fewer than one address matches " + all + "so those that do are the wallet's."
            : "Only " + short_number(cut.false_addresses) + " addresses match " + all +
                  "while the wallet's match every one.";
    text.fix = cut.same_hashing
                   ? "Put all addresses in from the start, a thousand ahead, so that the filter "
                     "never changes; give new addresses a new filter and new peers."
                   : "Keep one tweak and one size for ever, over restarts and restores; give new "
                     "addresses a new filter and new peers.";
    return text;
}

FindingText text_with(const Finding&, const bloom::GrowthFigures& growth) {
    return {short_number(growth.new_elements.value) + " ± " +
                short_number(growth.new_elements.deviation) + " elements were added",
            "What was added is hidden only among " +
                mean_count(growth.false_addresses, "address", "es") +
                " that match the later filter and not the earlier one; of the outputs of one day, "
                "among " +
                at_least_one(growth.false_in_a_day) + ".",
            "Put all addresses in from the start, a thousand ahead; never send a filter that grew.",
            {}};
}

FindingText match_all_text(std::string_view why) {
    return {"everything matches",
            "Nodes send every transaction, since " + std::string(why) +
                ": a peer learns nothing of the wallet.",
            "None needed: full blocks cost as much traffic, and hide as much.",
            {}};
}

FindingText text_with(const Finding&, const bloom::NoAttackFigures& figures) {
    const std::string matches = percentage(figures.rate);
    switch (figures.why) {
        case bloom::NothingToGuess::no_bytes:
            return match_all_text("it has no bytes");
        case bloom::NothingToGuess::no_hash_functions:
            return match_all_text("it has no hash functions");
        case bloom::NothingToGuess::all_ones:
            return match_all_text("every bit of it is set");
        case bloom::NothingToGuess::no_bit_set:
            return {"nothing matches",
                    "No bit of it is set: a peer finds no transaction by it, and learns nothing.",
                    "Put the wallet's addresses in: with this filter no payment is seen.",
                    {}};
        case bloom::NothingToGuess::saturated:
            break;
    }
    return {matches + " of everything matches",
            percentage(figures.fill) + " of its bits are set, so nodes send " + matches +
                " of all transactions: a peer learns hardly anything of the wallet, at nearly the "
                "traffic of full blocks.",
            "Load a filter that is made for what is in it; full blocks hide more.",
            {}};
}

}  // namespace

FindingText text_of(const bloom::Finding& finding) {
    FindingText text = std::visit(
        [&finding](const auto& figures) { return text_with(finding, figures); }, finding.figures);
    text.if_made_by = names_of(finding.if_made_by);
    return text;
}

std::string_view standing_warning() {
    return "Any filter can be asked about any address for ever, spends that follow each other can "
           "be recognised, and so can the addresses of a known owner. Compact block filters "
           "(BIP157) or a node of your own are better.";
}

}  // namespace petal::cli
