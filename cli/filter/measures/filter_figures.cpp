#include "cli/filter/measures/filter_figures.h"

#include <cmath>

#include "chain/enum_table.h"
#include "cli/filter/measures/filter_json.h"
#include "cli/filter/measures/wording.h"
#include "cli/text/text.h"

namespace petal::cli {
namespace {

/// The place of keys that even a filter that matches everything has.
constexpr const char* kWholeFilter = "";

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

/// Facts that a peer does not know. Null if petal does not know the facts.
Json truth_json(const std::optional<bloom::FilterTruth>& truth) {
    if (!truth) return nullptr;
    return {{"elements", truth->elements}, {"others", truth->decoys}};
}

FigureSection content_of(const bloom::Inspection& seen) {
    FigureSection section{"/measures", "Content"};
    const auto& truth = seen.context.truth;
    const auto& design = seen.design;
    const bool is_one_rate = design && design->lowest == design->highest;
    section.figures = {
        {"elements_estimate", seen.elements.value, "elements", estimate_text(seen.elements),
         "What anyone can tell from the bits; this is one standard deviation.", kWholeFilter},
        {"elements_sigma", seen.elements.deviation, "", "", "", kWholeFilter},
        {"truth", truth_json(truth), truth ? "in truth" : "",
         truth ? count_of(truth->elements, "element") + " of the wallet, " +
                     count_of(truth->decoys, "other")
               : "",
         "What a peer does not know."},
        {"fpr_actual", probability_json(seen.rate), "matches by chance", one_in(seen.rate),
         "Of addresses that are not in it; " + designed_for_text(seen) + ".", kWholeFilter},
        {"fpr_relative_deviation", seen.rate_deviation},
        {"fpr_design", is_one_rate ? Json(design->lowest) : Json(nullptr)},
        {"fpr_design_at_least", design ? Json(design->lowest) : Json(nullptr)},
        {"fpr_design_at_most", design ? Json(design->highest) : Json(nullptr)}};
    return section;
}

FigureTable counts_of(const bloom::Inspection& seen) {
    using Align = Table::Align;
    constexpr auto kOmit = Table::Narrow::omit;
    FigureTable table{
        "count",
        {{"universe", {"Addresses that a peer tests", Align::left, Table::Narrow::wrap}},
         {"addresses", {"How many", Align::right}},
         {"false_addresses", {"Match by chance", Align::right}},
         {"guess_plug_in"},
         {"guess", {"A guess is right", Align::right}},
         {"guess_all", {"All right", Align::right, kOmit}},
         {"anonymity_set"},
         {"bits_leaked", {"Bits leaked each", Align::right, kOmit}},
         {"bits_left"}},
        {}};
    for (const bloom::CountMeasures& count : seen.counts) {
        const double by_chance = count.false_addresses;
        table.rows.push_back(
            {{bloom::key_of(count.universe.set), std::string(describe(count.universe.set))},
             {count.universe.addresses, short_number(count.universe.addresses)},
             {by_chance, by_chance < 0.01 ? "practically none" : short_number(by_chance)},
             {probability_json(count.guess_plug_in)},
             {probability_json(count.guess), percentage(count.guess.value())},
             {probability_json(count.guess_all), percentage(count.guess_all.value())},
             {count.anonymity},
             {count.leaked_bits, short_number(count.leaked_bits)},
             {count.left_bits}});
    }
    return table;
}

FigureSection counting_of(const bloom::Inspection& seen) {
    const std::string used =
        count_of(static_cast<std::uint64_t>(seen.context.used), "address", "es");
    FigureSection section{"/measures", "Counting",
                          "A peer that knows more about the wallet tests fewer addresses. Taken to "
                          "be in use: " +
                              used + " of the wallet.",
                          counts_of(seen)};
    section.figures = {
        {"used", seen.context.used},
        {"shards", seen.context.shards},
        {"deniability", seen.deniability, "deniability", percentage(seen.deniability),
         "The share of elements whose every bit is also set by an address that matches by chance. "
         "It says little."},
        {"deniability_cover_3", seen.deniability_cover_3}};
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

/// The result of testing all pairs of this kind.
std::string pair_test_text(const bloom::PairMeasures& pair) {
    const std::string right = percentage(pair.guess.value());
    std::string text = "Of " + short_number(pair.pair.candidates) + " that there are, " +
                       mean_count(pair.chance_pairs, "pair") + " would match by chance";
    if (!pair.inserted)
        return text + "; if it held them, " + right + " of matches were the wallet's.";
    if (*pair.inserted) text += "; of those that match, " + right + " are the wallet's";
    return text + ".";
}

Json pair_json(const bloom::PairMeasures& pair) {
    const bool is_known = pair.inserted.has_value();
    return {{"pair", bloom::key_of(pair.pair.pair)},
            {"candidates", pair.pair.candidates},
            {"false_pairs", pair.false_pairs()},
            {"guess", probability_json(pair.guess)},
            {"inserted", pair.inserted},
            {"own", is_known ? Json(*pair.inserted ? pair.own : 0) : Json(nullptr)},
            {"strangers", pair.strangers},
            {"client_inserts", !pair.inserted_by.empty()}};
}

FigureSection pairs_of(const bloom::Inspection& seen) {
    FigureSection section{"/measures/evidence", "Pairs",
                          "Two elements of which anyone can compute one from the other. Where a "
                          "filter holds both, the pair stands out: a pair matches by chance far "
                          "more rarely than an address."};
    Json pairs = Json::array();
    for (const bloom::PairMeasures& pair : seen.pairs) {
        pairs.push_back(pair_json(pair));
        section.figures.push_back(
            {"", {}, elements_text(pair.pair.pair), inserted_text(pair), pair_test_text(pair)});
    }
    section.figures.push_back({"pairs", std::move(pairs)});
    return section;
}

void add_chains(const bloom::Inspection& seen, std::vector<Figure>& figures) {
    Json chains = Json::array();
    for (const bloom::ChainMeasures& chain : seen.chains) {
        chains.push_back({{"length", chain.length}, {"false_chains", chain.false_chains}});
        figures.push_back({"",
                           {},
                           std::to_string(chain.length) + " spends in a row",
                           mean_count(chain.false_chains, "row") + " by chance",
                           chain.length == 2 ? "Outputs, each spent by the next one's transaction, "
                                               "that all match."
                                             : ""});
    }
    figures.push_back({"chains", std::move(chains)});
    const auto& shortest = seen.conclusive_chain;
    figures.push_back({"conclusive_chain", shortest, "conclusive row",
                       shortest ? count_of(*shortest, "spend") : "none",
                       shortest ? "A row of this length whose spends all match is the wallet's: "
                                  "there are fewer than 0.01 by chance."
                                : "No row of spends is so rare that it must be the wallet's."});
}

FigureSection evidence_of(const bloom::Inspection& seen) {
    const auto& cluster = seen.conclusive_cluster;
    const unsigned shards = seen.context.shards;
    FigureSection section{"/measures/evidence", "What a match proves"};
    section.figures = {
        {"bits_per_match", seen.match_bits, "one match", short_number(seen.match_bits) + " bits",
         "What a peer learns when an address that it suspects matches: n bits make the suspicion "
         "2^n times as likely."},
        {"bits_per_address_to_one_peer", seen.evidence, shards > 1 ? "to one peer" : "",
         short_number(seen.evidence) + " bits",
         "For each address, as a peer holds one of " + std::to_string(shards) + " filters only."},
        {"conclusive_cluster", cluster, "known owner",
         cluster ? count_of(*cluster, "address", "es") : "never conclusive",
         "So many addresses of one owner, known from elsewhere, must all match before the wallet "
         "is that owner's beyond doubt."}};
    add_chains(seen, section.figures);
    return section;
}

Json drift_json(const std::optional<bloom::Drift>& drift) {
    if (!drift) return nullptr;
    return {{"outpoints", drift->outpoints}, {"days", drift->days}, {"blocks", drift->blocks}};
}

FigureSection cost_of(const bloom::Inspection& seen) {
    const bloom::DailyTraffic& traffic = seen.traffic;
    const double a_block = traffic.false_transactions / seen.context.world.blocks_per_day;
    const double a_year = traffic.block_bytes() * 365;
    FigureSection section{"/measures/cost", "Cost"};
    section.figures = {
        {"bytes_per_day", traffic.total_bytes(), "traffic",
         rounded_bytes(traffic.total_bytes()) + " a day",
         rounded_bytes(a_year) + " for a year of history at this rate."},
        {"merkle_bytes_per_day", traffic.merkle_bytes},
        {"transaction_bytes_per_day", traffic.transaction_bytes},
        {"relay_bytes_per_day", traffic.relay_bytes},
        {"bytes_per_year_of_history", a_year},
        {"false_transactions_per_block", a_block, "cover",
         mean_count(a_block, "transaction") + " a block",
         "Transactions of others that match: among them a payment hides whose time is known."},
        {"payment_anonymity_set", seen.payment_anonymity},
        {"rate_doubles", drift_json(seen.doubles), seen.doubles ? "fills up" : "",
         seen.doubles ? "in " + short_number(seen.doubles->blocks) + " blocks" : "",
         "Then nodes have added enough outpoints to double the matches."},
        {"rate_tenfold", drift_json(seen.tenfold)}};
    return section;
}

FigureSection structure_of(const bloom::FilterOutline& filter) {
    const std::size_t bits = filter.size.bytes * 8;
    const auto mode = bloom::update_mode_of(filter.flags);
    std::string set = count_of(filter.bits_set, "bit") + " of " + count_of(bits, "bit");
    Json fill = nullptr;
    if (bits > 0) {
        const double share = static_cast<double>(filter.bits_set) / static_cast<double>(bits);
        fill = share;
        set += ", " + percentage(share);
    }
    FigureSection section{kWholeFilter, "Structure"};
    section.figures = {{"bytes", filter.size.bytes, "size",
                        count_of(filter.size.bytes, "byte") + ", " + count_of(bits, "bit")},
                       {"bits", bits},
                       {"hash_functions", filter.size.hash_functions, "hash functions",
                        std::to_string(filter.size.hash_functions)},
                       {"tweak", filter.tweak, "tweak", std::to_string(filter.tweak)},
                       {"flags", flags_name(mode), "flags", flags_name(mode), meaning_of(mode)},
                       {"bits_set", filter.bits_set, "bits set", std::move(set)},
                       {"fill", std::move(fill)}};
    return section;
}

Json clients_json(const bloom::Inspection& seen) {
    Json clients = Json::array();
    for (const bloom::ClientGuess& guess : seen.clients) {
        clients.push_back({{"client", guess.client->key},
                           {"fpr", guess.client->rate},
                           {"sized_for_at_least", guess.fewest},
                           {"sized_for_at_most", guess.most}});
    }
    return clients;
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

std::vector<std::string> shown_cells(const FigureTable& table,
                                     const std::vector<FigureTable::Cell>& row) {
    std::vector<std::string> cells;
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (!table.columns[i].shown.title.empty()) cells.push_back(row[i].text);
    }
    return cells;
}

std::vector<FigureSection> figures_of(const bloom::Inspection& seen) {
    FigureSection structure = structure_of({seen.size, seen.tweak, seen.flags, seen.bits_set});
    structure.figures.push_back(
        {"clients", clients_json(seen), "made by", clients_text(seen), "", "/measures"});
    return {std::move(structure), content_of(seen),  counting_of(seen),
            pairs_of(seen),       evidence_of(seen), cost_of(seen)};
}

std::vector<FigureSection> figures_of(const bloom::FilterOutline& filter) {
    FigureSection structure = structure_of(filter);
    structure.figures.insert(structure.figures.end(), {{"elements_estimate", nullptr},
                                                       {"elements_sigma", nullptr},
                                                       {"fpr_actual", 1},
                                                       {"measures", nullptr}});
    return {std::move(structure)};
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
