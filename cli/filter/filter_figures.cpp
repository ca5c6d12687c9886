#include "cli/filter/filter_figures.h"

#include <cmath>

#include "chain/enum_table.h"
#include "cli/filter/filter_options.h"
#include "cli/filter/wording.h"
#include "cli/text.h"

namespace petal::cli {
namespace {

std::string rounded_bytes(double bytes) {
    return format_bytes(static_cast<std::uint64_t>(std::llround(bytes)));
}

std::string estimate_text(const bloom::Estimate& estimate) {
    return short_number(estimate.value) + " ± " + short_number(estimate.deviation);
}

std::string meaning_of(bloom::UpdateMode mode) {
    using enum bloom::UpdateMode;
    static constexpr auto kTexts = chain::enum_table<bloom::UpdateMode, std::string_view>({
        {none, "Nodes add nothing."},
        {all, "Nodes add the outpoint of every output that matches."},
        {pubkey_only, "Nodes add the outpoints of outputs to bare keys."},
    });
    return std::string(kTexts[mode]);
}

FigureSection content_of(const bloom::Inspection& seen) {
    FigureSection section{"Content", "", std::nullopt, {}};
    auto& figures = section.figures;
    figures.push_back({"elements", estimate_text(seen.elements),
                       "What anyone can tell from the bits; this is one standard deviation."});
    if (seen.context.truth) {
        const bloom::FilterTruth& truth = *seen.context.truth;
        figures.push_back({"in truth",
                           count_of(truth.elements, "element") + " of the wallet, " +
                               count_of(truth.decoys, "other"),
                           "What a peer does not know."});
    }
    figures.push_back({"matches by chance", one_in(seen.rate),
                       "Of addresses that are not in it; " + designed_for_text(seen) + "."});
    return section;
}

FigureSection counting_of(const bloom::Inspection& seen) {
    FigureSection section{"Counting", "", FigureTable{}, {}};
    section.intro =
        "A peer that knows more about the wallet tests fewer addresses. Taken to be in use: " +
        count_of(static_cast<std::uint64_t>(seen.context.used), "address", "es") +
        " of the wallet.";
    section.table->heads = {"Addresses that a peer tests",
                            "How many",
                            "Match by chance",
                            "A guess is right",
                            "All right",
                            "Bits leaked each"};
    section.table->numbers = 1;
    for (const bloom::CountMeasures& count : seen.counts) {
        section.table->rows.push_back(
            {std::string(describe(count.universe.set)), short_number(count.universe.addresses),
             count.false_addresses < 0.01 ? "practically none"
                                          : short_number(count.false_addresses),
             percentage(count.guess.value()), percentage(count.guess_all.value()),
             short_number(count.leaked_bits)});
    }
    section.figures.push_back(
        {"deniability", percentage(seen.deniability),
         "The share of elements whose every bit is also set by an address that matches by chance. "
         "It says little."});
    return section;
}

std::string inserted_text(const bloom::PairMeasures& pair) {
    if (pair.inserted && !*pair.inserted) return "none in it";
    if (!pair.inserted) {
        std::string text = "the bits do not tell";
        const char* between = "; inserted by ";
        for (const bloom::KnownClient* client : pair.inserted_by) {
            text += between + std::string(client->name);
            between = " and ";
        }
        return text;
    }
    return "in it, " + short_number(pair.own) + " of the wallet's" +
           (pair.strangers == 0 ? ""
                                : " and " + count_of(pair.strangers, "pair") + " of strangers");
}

/// The result of testing all such pairs.
std::string pair_test_text(const bloom::PairMeasures& pair) {
    const std::string right = percentage(pair.guess.value());
    std::string text = "Of " + short_number(pair.pair.candidates) + " that there are, " +
                       mean_count(pair.chance_pairs, "pair") + " would match by chance";
    if (!pair.inserted)
        return text + "; if it held them, " + right + " of matches were the wallet's.";
    if (*pair.inserted) text += "; of those that match, " + right + " are the wallet's";
    return text + ".";
}

FigureSection pairs_of(const bloom::Inspection& seen) {
    FigureSection section{"Pairs",
                          "Two elements of which anyone can compute one from the other. Where a "
                          "filter holds both, the pair stands out: a pair matches by chance far "
                          "more rarely than an address.",
                          std::nullopt,
                          {}};
    for (const bloom::PairMeasures& pair : seen.pairs) {
        section.figures.push_back(
            {elements_text(pair.pair.pair), inserted_text(pair), pair_test_text(pair)});
    }
    return section;
}

FigureSection evidence_of(const bloom::Inspection& seen) {
    FigureSection section{"What a match proves", "", std::nullopt, {}};
    auto& figures = section.figures;
    figures.push_back({"one match", short_number(seen.match_bits) + " bits",
                       "What a peer learns when an address that it suspects matches: n bits make "
                       "the suspicion 2^n times as likely."});
    if (seen.context.shards > 1) {
        figures.push_back({"to one peer", short_number(seen.evidence) + " bits",
                           "For each address, as a peer holds one of " +
                               std::to_string(seen.context.shards) + " filters only."});
    }
    figures.push_back({"known owner",
                       seen.conclusive_cluster ? count_of(*seen.conclusive_cluster, "address", "es")
                                               : "never conclusive",
                       "So many addresses of one owner, known from elsewhere, must all match "
                       "before the wallet is that owner's beyond doubt."});
    for (const bloom::ChainMeasures& chain : seen.chains) {
        figures.push_back({std::to_string(chain.length) + " spends in a row",
                           mean_count(chain.false_chains, "row") + " by chance",
                           chain.length == 2 ? "Outputs, each spent by the next one's transaction, "
                                               "that all match."
                                             : ""});
    }
    figures.push_back({"conclusive row",
                       seen.conclusive_chain ? count_of(*seen.conclusive_chain, "spend") : "none",
                       seen.conclusive_chain
                           ? "A row of this length whose spends all match is the wallet's: there "
                             "are fewer than 0.01 by chance."
                           : "No row of spends is so rare that it must be the wallet's."});
    return section;
}

FigureSection cost_of(const bloom::Inspection& seen) {
    FigureSection section{"Cost", "", std::nullopt, {}};
    auto& figures = section.figures;
    const double blocks = seen.context.world.blocks_per_day;
    figures.push_back(
        {"traffic", rounded_bytes(seen.traffic.total_bytes()) + " a day",
         rounded_bytes(365 * seen.traffic.block_bytes()) + " for a year of history at this rate."});
    figures.push_back(
        {"cover", mean_count(seen.traffic.false_transactions / blocks, "transaction") + " a block",
         "Transactions of others that match: among them a payment hides whose time "
         "is known."});
    if (seen.doubles) {
        figures.push_back({"fills up", "in " + short_number(seen.doubles->blocks) + " blocks",
                           "Then nodes have added enough outpoints to double the matches."});
    }
    return section;
}

FigureSection structure_of(const bloom::FilterSize& size, std::uint32_t tweak, std::uint8_t flags,
                           std::size_t bits_set) {
    const auto mode = bloom::update_mode_of(flags);
    const std::size_t bits = size.bytes * 8;
    std::string set = count_of(bits_set, "bit") + " of " + count_of(bits, "bit");
    if (bits > 0) {
        set += ", " + percentage(static_cast<double>(bits_set) / static_cast<double>(bits));
    }
    return {"Structure",
            "",
            std::nullopt,
            {{"size", count_of(size.bytes, "byte") + ", " + count_of(bits, "bit"), ""},
             {"hash functions", std::to_string(size.hash_functions), ""},
             {"tweak", std::to_string(tweak), ""},
             {"flags", flags_name(mode), meaning_of(mode)},
             {"bits set", std::move(set), ""}}};
}

/// The clients that may have made a filter: "bitcoinj (since 2016), sized for 642 elements at
/// 1 in 100,000; or …".
std::string clients_text(const bloom::Inspection& seen) {
    if (seen.context.truth) return "petal";
    if (seen.clients.empty()) return "no known client sizes a filter so";
    std::string text;
    for (const bloom::ClientGuess& guess : seen.clients) {
        if (!text.empty()) text += "; or ";
        text += std::string(guess.client->name) + ", sized for ";
        text += guess.fewest == guess.most
                    ? count_of(guess.fewest, "element")
                    : format_count(guess.fewest) + " to " + count_of(guess.most, "element");
        text += " at " + range_text(guess.design_rates(seen.size));
    }
    return text;
}

}  // namespace

std::vector<FigureSection> figures_of(const bloom::Inspection& seen) {
    FigureSection structure = structure_of(seen.size, seen.tweak, seen.flags, seen.bits_set);
    structure.figures.push_back({"made by", clients_text(seen), ""});
    return {std::move(structure), content_of(seen),  counting_of(seen),
            pairs_of(seen),       evidence_of(seen), cost_of(seen)};
}

FigureSection structure_of(const bloom::FilterOutline& filter) {
    return structure_of(filter.size, filter.tweak, filter.flags, filter.bits_set);
}

std::string designed_for_text(const bloom::Inspection& seen) {
    if (seen.design) return "designed for " + range_text(*seen.design);
    return "the rate it was designed for can't be told from its size";
}

std::string growth_text(const bloom::FilterComparison& compared) {
    if (!compared.growth) return "";
    const bloom::Growth& growth = *compared.growth;
    return count_of(growth.new_bits, "bit") + " new, " + format_count(growth.lost_bits) +
           " gone: " + estimate_text(growth.new_elements) + " elements more";
}

std::string common_text(const bloom::CommonMatches& common) {
    const std::string by_chance =
        mean_count(common.false_addresses, "address", "es") + " match by chance";
    if (common.guess.is_zero()) return by_chance + ", and none of the wallet's";
    return by_chance + "; " + percentage(common.guess.value()) +
           " of those that match are the wallet's";
}

}  // namespace petal::cli
