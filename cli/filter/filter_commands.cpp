#include "cli/filter/filter_commands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <istream>
#include <optional>
#include <ostream>

#include "bloom/bloom_filter.h"
#include "bloom/measures/filter_comparison.h"
#include "bloom/measures/filter_solver.h"
#include "bloom/measures/inspection.h"
#include "bloom/measures/verdict.h"
#include "bloom/sizing.h"
#include "chain/enum_table.h"
#include "cli/filter/filter_options.h"
#include "cli/filter/filter_text.h"
#include "cli/filter/input/element.h"
#include "cli/filter/input/element_lines.h"
#include "cli/filter/input/filter_input.h"
#include "cli/filter/input/wallet_filter.h"
#include "cli/filter/measures/filter_figures.h"
#include "cli/filter/measures/filter_json.h"
#include "cli/filter/measures/wording.h"
#include "cli/terminal/table.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "cli/text/text.h"
#include "net/sync/filters/privacy.h"
#include "net/sync/state/unconfirmed_mode.h"

namespace petal::cli {
namespace {

/// The maximum number of elements of a filter. With more elements, nearly everything matches.
constexpr std::size_t kMostElements = 10'000'000;

/// The number of elements that the largest filter, with the best number of functions, holds at the
/// rate.
std::size_t most_elements_at(double rate) {
    const bloom::FilterSize largest{bloom::kMaxFilterBytes,
                                    bloom::best_hash_functions_at_rate(rate), false};
    return bloom::elements_at_rate(largest, rate);
}

/// How many elements a filter holds at the requested rate within the limits of BIP37.
std::string capped_text(double rate) {
    const std::string text =
        "\nThe limits of BIP37 (36,000 bytes, 50 functions) do not allow the rate that was asked "
        "for:\n";
    const std::size_t most = most_elements_at(rate);
    if (most == 0) return text + "no filter matches so rarely, whatever is in it.\n";
    return text + "at " + format_rate(rate) + " a filter holds at most about " +
           count_of(most, "element") + ".\n";
}

/// A design: a size that is computed for elements and a rate, or a given size and the elements that
/// fit.
struct Design {
    bloom::FilterSize size;
    std::size_t elements = 0;
    double rate = 0;  ///< with `elements`
    /// The smallest filter that keeps the requested rate. Empty if the size was given.
    std::optional<bloom::SizedFilter> smallest;
};

/// The design of a given size. Without elements or a rate, for the number of elements that the
/// number of functions is best for: these elements set half of the bits.
Design design_of_size(const FilterDesignOptions& options) {
    Design design;
    design.size.bytes = static_cast<std::size_t>(options.bytes);
    design.size.hash_functions = options.hash_functions;
    design.elements = static_cast<std::size_t>(options.elements);
    if (design.size.hash_functions == 0) {
        design.size.hash_functions =
            options.elements != 0 ? bloom::best_hash_functions(design.size.bytes, design.elements)
                                  : bloom::best_hash_functions_at_rate(options.false_positive_rate);
    }
    if (options.elements == 0) {
        const double half_full = std::exp2(-static_cast<double>(design.size.hash_functions));
        design.elements = bloom::elements_at_rate(design.size, options.false_positive_rate != 0
                                                                   ? options.false_positive_rate
                                                                   : half_full);
    }
    design.rate = bloom::expected_false_positive_rate(design.size, design.elements);
    return design;
}

Design design_of(const FilterDesignOptions& options) {
    if (options.bytes != 0) return design_of_size(options);
    const auto elements = static_cast<std::size_t>(options.elements);
    const auto sized = bloom::filter_size(elements, options.false_positive_rate);
    return {sized, elements, sized.expected_rate,
            bloom::smallest_filter(elements, options.false_positive_rate)};
}

std::string design_title(const FilterDesignOptions& options, const Design& design) {
    if (options.bytes != 0) return "A filter of " + count_of(design.size.bytes, "byte");
    return "A filter for " + count_of(design.elements, "element") + " at " +
           format_rate(options.false_positive_rate);
}

std::string design_text(const FilterDesignOptions& options, const Design& design,
                        const Console& console) {
    const bloom::FilterSize& size = design.size;
    std::string text = console.bold(design_title(options, design)) + "\n\n";
    text += field("size", count_of(size.bytes, "byte") + ", " + count_of(size.bytes * 8, "bit"));
    text += field("hash functions", std::to_string(size.hash_functions));
    if (options.bytes != 0) text += field("elements", format_count(design.elements));
    text += field("rate then",
                  format_rate(design.rate) + ", " + one_in(bloom::LogProbability::of(design.rate)));
    if (design.smallest && design.rate > 1.5 * options.false_positive_rate) {
        const bloom::SizedFilter& smallest = *design.smallest;
        text += field("keeps the rate", count_of(smallest.bytes, "byte") + " and " +
                                            count_of(smallest.hash_functions, "hash function") +
                                            ": " + format_rate(smallest.expected_rate));
    }
    text += field("tweak", std::to_string(options.tweak));
    text += field("flags", flags_name(options.flags));
    return size.capped ? text + capped_text(options.false_positive_rate) : text;
}

/// The keys that `filter design` and `filter make` share.
/// rate   the requested rate. 0: none
Json size_json(const bloom::FilterSize& size, std::size_t elements, double rate,
               bloom::UpdateMode flags, std::uint32_t tweak) {
    return {{"elements", elements},
            {"fpr", rate != 0 ? Json(rate) : Json(nullptr)},
            {"bytes", size.bytes},
            {"bits", size.bytes * 8},
            {"hash_functions", size.hash_functions},
            {"fpr_at_elements", bloom::expected_false_positive_rate(size, elements)},
            {"tweak", tweak},
            {"flags", flags_name(flags)},
            {"capped", size.capped}};
}

Json smallest_json(const std::optional<bloom::SizedFilter>& smallest) {
    if (!smallest) return nullptr;
    return {{"bytes", smallest->bytes},
            {"hash_functions", smallest->hash_functions},
            {"fpr_at_elements", smallest->expected_rate}};
}

chain::Bytes element_of(const std::string& text, const chain::NetworkParams& network,
                        const std::string& where) {
    auto element = parse_element(text, network);
    if (element) return *std::move(element);
    throw CommandError(ExitStatus::failed, "bad-element", where + describe(text, element.error()));
}

std::vector<chain::Bytes> elements_of(const FilterMakeOptions& options,
                                      const chain::NetworkParams& network, std::istream& in) {
    std::vector<chain::Bytes> elements;
    for (const std::string& text : options.content) {
        elements.push_back(element_of(text, network, ""));
    }
    ElementLines lines([&](std::uint64_t number, std::string_view text) {
        if (text.empty()) return;
        elements.push_back(
            element_of(std::string(text), network, "line " + std::to_string(number) + ": "));
        if (elements.size() > kMostElements) {
            throw CommandError(ExitStatus::failed, "too-many-elements",
                               "a filter is made of at most 10,000,000 elements");
        }
    });
    if (options.from_stdin) {
        read_pieces(in, [&lines](std::string_view piece) { lines.take(piece); });
        lines.finish();
    }
    std::ranges::sort(elements);
    elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
    return elements;
}

bloom::FilterSize size_of(const FilterMakeOptions& options, std::size_t elements) {
    if (options.bytes != 0) {
        return {static_cast<std::size_t>(options.bytes), options.hash_functions, false};
    }
    const std::size_t sized_for = options.elements != 0 ? options.elements : elements;
    return bloom::filter_size(std::max<std::size_t>(1, sized_for), options.false_positive_rate);
}

std::string relations_text(const std::vector<NamedFilter>& filters,
                           const bloom::InspectionContext& context) {
    std::string text;
    for (std::size_t a = 0; a < filters.size(); ++a) {
        for (std::size_t b = a + 1; b < filters.size(); ++b) {
            const auto compared = bloom::compare(filters[a].filter, filters[b].filter, context);
            text += "  " + filters[a].name + " and " + filters[b].name + ": " +
                    std::string(describe(compared.relation)) + "\n";
            text += "      " + common_text(compared.common) + "\n";
            const std::string grown = growth_text(compared);
            if (!grown.empty()) text += "      " + grown + "\n";
        }
    }
    return text;
}

/// The rates of a plan, from a rate that reveals the wallet to a rate that costs as much as full
/// blocks.
constexpr std::array kPlanRates{1e-6, 1e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2e-3, 5e-3, 1e-2, 0.1};

constexpr double kDaysPerYear = 365;

bloom::Inspection planned(const FilterPlanOptions& options, double rate) {
    const auto elements = static_cast<std::size_t>(options.elements + options.utxos);
    const bloom::FilterSize size = bloom::filter_size(elements, rate);
    const auto mode = options.utxos > 0 ? bloom::UpdateMode::all : bloom::UpdateMode::none;
    return bloom::inspect(bloom::average_filter(size, static_cast<double>(elements), mode),
                          context_of(options.assumptions));
}

template <typename Number>
FigureTable::Cell count_cell(const std::optional<Number>& count) {
    if (!count) return {nullptr, "-"};
    return {*count, std::to_string(*count)};
}

FigureTable plan_table(const FilterPlanOptions& options) {
    using Align = Table::Align;
    constexpr auto kOmit = Table::Narrow::omit;
    FigureTable table{"rows",
                      {{"fpr", {"rate", Align::right}},
                       {"bytes", {"bytes", Align::right}},
                       {"hash_functions", {"k", Align::right, kOmit}},
                       {"fpr_at_elements"},
                       {"false_addresses"},
                       {"guess", {"guess right", Align::right}},
                       {"bits_per_match"},
                       {"bits_per_address_to_one_peer", {"bits", Align::right}},
                       {"conclusive_cluster", {"owner", Align::right, kOmit}},
                       {"conclusive_chain", {"chain", Align::right, kOmit}},
                       {"payment_anonymity_set"},
                       {"", {"false tx/block", Align::right}},
                       {"bytes_per_day", {"MB/day", Align::right}},
                       {"bytes_per_year_of_history", {"MB/year back", Align::right, kOmit}}},
                      {}};
    for (const double rate : kPlanRates) {
        const bloom::Inspection seen = planned(options, rate);
        const bloom::CountMeasures& all = seen.counts.front();
        const double a_day = seen.traffic.total_bytes();
        const double a_year = kDaysPerYear * seen.traffic.block_bytes();
        table.rows.push_back({{rate, format_rate(rate)},
                              {seen.size.bytes, format_count(seen.size.bytes)},
                              {seen.size.hash_functions, std::to_string(seen.size.hash_functions)},
                              {probability_json(seen.rate)},
                              {all.false_addresses},
                              {probability_json(all.guess), percentage(all.guess.value())},
                              {seen.match_bits},
                              {seen.evidence, short_number(seen.evidence)},
                              count_cell(seen.conclusive_cluster),
                              count_cell(seen.conclusive_chain),
                              {seen.payment_anonymity},
                              {{}, short_number(seen.payment_anonymity - 1)},
                              {a_day, short_number(a_day / 1e6)},
                              {a_year, short_number(a_year / 1e6)}});
    }
    return table;
}

double used_addresses(const FilterPlanOptions& options) {
    return options.assumptions.used.value_or(kUsedAddresses);
}

/// What each `sync --source` costs and reveals. The rows are
/// - Bloom filters of the least private and of the most private profile,
/// - compact filters, with the full blocks from one node or from eight nodes,
/// - full blocks, and
/// - compact filters and full blocks with `--unconfirmed bloom`.
///
/// Assumes two blocks for each used address, one with a payment and one with the spend.
FigureTable sources_table(const FilterPlanOptions& options) {
    using Align = Table::Align;
    FigureTable table{"sources",
                      {{"source", {"source"}},
                       {"nodes", {"nodes", Align::right}},
                       {"fpr", {"rate", Align::right}},
                       {"bits_per_address_to_one_peer", {"bits", Align::right}},
                       {"bytes_per_day", {"MB/day", Align::right}},
                       {"bytes_per_year_of_history", {"MB/year back", Align::right}},
                       {"unconfirmed", {"unconfirmed"}},
                       {"unconfirmed_bytes_per_day", {"MB/day", Align::right}}},
                      {}};
    struct Cost {
        double evidence = 0;
        double a_year = 0;       // bytes of blocks or filters
        double unconfirmed = 0;  // bytes a day
    };
    const auto add = [&table](const char* source, unsigned nodes, std::optional<double> rate,
                              const Cost& cost) {
        const auto unconfirmed =
            code_of(rate ? net::UnconfirmedMode::bloom : net::UnconfirmedMode::all);
        const double a_day = cost.a_year / kDaysPerYear;
        table.rows.push_back(
            {{source, source},
             {nodes, std::to_string(nodes)},
             rate ? FigureTable::Cell{*rate, format_rate(*rate)} : FigureTable::Cell{nullptr, "-"},
             {cost.evidence, short_number(cost.evidence)},
             {a_day, short_number(a_day / 1e6)},
             {cost.a_year, short_number(cost.a_year / 1e6)},
             {unconfirmed, std::string(unconfirmed)},
             {cost.unconfirmed, short_number(cost.unconfirmed / 1e6)}});
    };
    for (const net::Privacy profile : {net::Privacy::fast, net::Privacy::private_}) {
        const double rate = net::rate_of(profile);
        const bloom::Inspection seen = planned(options, rate);
        add("bloom", 1, rate,
            {seen.evidence, kDaysPerYear * seen.traffic.block_bytes(), seen.traffic.relay_bytes});
    }
    const bloom::World& world = options.assumptions.world;
    const bloom::CompactFilterUse use{static_cast<double>(options.elements),
                                      2 * used_addresses(options)};
    const double blocks = kDaysPerYear * world.blocks_per_day;
    const double relay = bloom::daily_relay_bytes(world);
    const double compact = bloom::compact_filter_bytes_per_year(world, use);
    for (const unsigned nodes : {1U, 8U}) {
        const double evidence =
            bloom::block_fetch_evidence(bloom::fetched_blocks_per_year(world, use), blocks, nodes);
        add("compact", nodes, {}, {evidence, compact, relay});
    }
    add("blocks", 1, {}, {0, blocks * world.block_bytes(), relay});
    const double rate = net::rate_of(net::Privacy::fast);
    const bloom::Inspection awaited = planned(options, rate);
    const double matching = awaited.traffic.relay_bytes;
    add("compact", 1, rate, {awaited.evidence, compact, matching});
    add("blocks", 1, rate, {awaited.evidence, blocks * world.block_bytes(), matching});
    return table;
}

chain::Expected<bloom::SolvedFilter, bloom::SolveError> solved(const FilterPlanOptions& options) {
    bloom::FilterUse use;
    use.elements = static_cast<std::size_t>(options.elements + options.utxos);
    use.used = used_addresses(options);
    use.universe = options.assumptions.world.addresses;
    return bloom::solve_filter(options.target, use, options.assumptions.world);
}

/// The name of the option that sets a goal, without the dashes.
std::string_view key_of(bloom::Goal goal) {
    using enum bloom::Goal;
    static constexpr auto kKeys = chain::enum_table<bloom::Goal, std::string_view>({
        {guess, "guess"},
        {anonymity, "anonymity"},
        {evidence, "evidence"},
        {chain, "chain"},
        {daily_bytes, "budget"},
    });
    return kKeys[goal];
}

/// The goal that a recommendation follows: "for the goal --guess 0.001: …".
std::string goal_text(bloom::Goal goal, const bloom::FilterTarget& target) {
    const std::string for_goal = "for the goal --" + std::string(key_of(goal)) + " ";
    const std::string within =
        target.daily_bytes ? ", and within " + short_number(*target.daily_bytes / 1e6) + " MB a day"
                           : "";
    switch (goal) {
        case bloom::Goal::guess:
            return for_goal + short_number(*target.guess) +
                   ": a peer's guess is right with at "
                   "most this probability" +
                   within;
        case bloom::Goal::anonymity:
            return for_goal + short_number(*target.anonymity) +
                   ": this number of addresses hides each of the wallet's" + within;
        case bloom::Goal::evidence:
            return for_goal + short_number(*target.evidence) +
                   ": one match tells at most this number of bits" + within;
        case bloom::Goal::chain:
            return for_goal + std::to_string(target.chain->length) +
                   ": rows of this number of spends also match by chance" + within;
        case bloom::Goal::daily_bytes:
            return for_goal + short_number(*target.daily_bytes / 1e6) +
                   ": the filter that hides most within this number of MB a day";
    }
    return "";
}

std::string plan_text(const FilterPlanOptions& options, const Console& console) {
    std::string text = console.bold("Privacy against traffic, " +
                                    count_of(options.elements + options.utxos, "element")) +
                       "\n" + table_text(plan_table(options), console);
    text +=
        "  guess right: that an address which matches is the wallet's; bits: what one match tells; "
        "owner: known addresses of one owner that single out the wallet; chain: spends in a row "
        "that do.\n";
    text += "\n" +
            console.bold("The ways of sync --source, for " + short_number(used_addresses(options)) +
                         " used addresses") +
            "\n" + table_text(sources_table(options), console);
    text +=
        "  bits: what one node learns about an address, if all are used in one year; unconfirmed: "
        "as of sync --unconfirmed, and its MB/day while petal listens (sync --follow). With a "
        "Bloom filter a node can test any address, in the future, too; beside compact filters and "
        "blocks, one node has it, of the addresses that await payments.\n\n";
    const auto best = solved(options);
    text += console.bold("Recommended") + "\n";
    if (!best) {
        return text + "  nothing: " + std::string(bloom::describe(best.error())) + "\n";
    }
    text += "  " + goal_text(best->goal, options.target) + "\n";
    text += "  " + count_of(best->size.bytes, "byte") + ", " +
            count_of(best->size.hash_functions, "function") + ", rate " +
            format_rate(best->rate_at_elements) + ", " + short_number(best->daily_bytes / 1e6) +
            " MB a day\n";
    if (options.utxos == 0) return text;
    return text +
           "  Outpoints beside the addresses they pay are found in pairs: leave them out, or "
           "insert "
           "those of all that matched, true or false.\n";
}

/// Throws FailedTest if the verdict is as bad as the user's limit.
void check_grade(const bloom::Verdict& verdict, std::optional<bloom::Grade> fail_at) {
    if (!fail_at || !bloom::is_as_bad_as(verdict.grade, *fail_at)) return;
    throw FailedTest("the verdict is " + std::string(bloom::key_of(verdict.grade)) +
                     ", and --fail-at is " + std::string(bloom::key_of(*fail_at)));
}

}  // namespace

void run_filter_design(const FilterDesignOptions& options, const GlobalOptions& global,
                       Console& console) {
    const Design design = design_of(options);
    if (!global.json) {
        console.prose() << design_text(options, design, console);
        return;
    }
    Json json = size_json(design.size, design.elements, options.false_positive_rate, options.flags,
                          options.tweak);
    json["fpr_at_elements"] = design.rate;
    json["smallest"] = smallest_json(design.smallest);
    console.print_json(json);
}

void run_filter_make(const FilterMakeOptions& options, const GlobalOptions& global,
                     Console& console) {
    const auto elements = elements_of(options, *global.network, console.in());
    const bloom::FilterSize size = size_of(options, elements.size());
    bloom::BloomFilter filter(size, options.tweak, options.flags);
    filter.insert_all(elements);
    if (filter.bits_set() == filter.bit_count()) {
        throw CommandError(ExitStatus::failed, "bad-filter",
                           "every bit of it would be set, so it would match everything: give it "
                           "more bytes");
    }
    const double wanted = options.false_positive_rate;
    if (wanted > 0 && filter.false_positive_rate() > 2 * wanted) {
        console.warn("this filter matches at a rate of " +
                     format_rate(filter.false_positive_rate()) + ", not " + format_rate(wanted) +
                     (size.capped ? ": more is in it than BIP37's limits allow for"
                                  : ": small filters differ much; --elements N makes it larger"));
    }
    if (!global.json) {
        console.out() << chain::to_hex(filter.encode()) << '\n';
        return;
    }
    Json json = size_json(size, elements.size(), wanted, options.flags, options.tweak);
    json["fpr_actual"] = filter.false_positive_rate();
    json["filterload"] = chain::to_hex(filter.encode());
    console.print_json(json);
}

void run_filter_inspect(const FilterInspectOptions& options, const GlobalOptions& global,
                        Console& console) {
    bloom::InspectionContext context = context_of(options.assumptions);
    Json filterload = nullptr;
    bloom::FilterOutline outline;
    if (options.parameters_only()) {
        outline = bloom::average_filter(options.size, static_cast<double>(options.elements),
                                        options.flags);
    } else if (options.filter.wallet) {
        WalletFilter own = wallet_filter(global, options.filter.privacy, options.filter.awaited);
        if (!options.assumptions.used) context.used = own.used;
        context.truth = std::move(own.truth);
        outline = bloom::outline_of(own.filter);
        filterload = chain::to_hex(own.filter.encode());
    } else {
        const InspectedFilter filter = inspected_filter_from(options.filter, console.in());
        outline = filter.outline;
        filterload = chain::to_hex(filter.payload);
    }
    bloom::Verdict verdict;
    std::vector<FigureSection> figures;
    if (outline.matches_all()) {
        verdict = bloom::judge_match_all(outline);
        figures = figures_of(outline);
    } else {
        const bloom::Inspection seen = bloom::inspect(outline, context);
        verdict = bloom::judge(seen);
        figures = figures_of(seen);
    }
    if (global.json) {
        Json json = figures_json(figures);
        json["filterload"] = filterload;
        json["verdict"] = verdict_json(verdict);
        console.print_json(json);
    } else {
        console.prose() << verdict_text(verdict, console) << '\n' << figures_text(figures, console);
    }
    check_grade(verdict, options.fail_at);
}

void run_filter_compare(const FilterCompareOptions& options, const GlobalOptions& global,
                        Console& console) {
    const std::vector<NamedFilter> named = named_filters_from(options.filters);
    const std::vector<bloom::BloomFilter> filters = without_names(named);
    const bloom::InspectionContext context = context_of(options.assumptions);
    const bloom::CommonMatches common = bloom::common_matches(filters, context);
    const bloom::Verdict verdict = bloom::judge(filters, context);
    if (global.json) {
        Json pairs = Json::array();
        for (std::size_t a = 0; a < filters.size(); ++a) {
            for (std::size_t b = a + 1; b < filters.size(); ++b) {
                Json pair = {{"first", a}, {"second", b}};
                pair.update(comparison_json(bloom::compare(filters[a], filters[b], context)));
                pairs.push_back(pair);
            }
        }
        const Json json = {{"filters", filters.size()},
                           {"names", names_json(named)},
                           {"common_fpr", probability_json(common.rate)},
                           {"false_addresses", common.false_addresses},
                           {"pairs", pairs},
                           {"worst_filter", verdict.filter},
                           {"verdict", verdict_json(verdict)}};
        return console.print_json(json);
    }
    console.prose() << verdict_text(verdict, console)
                    << "  The filters are taken to be of one wallet.\n"
                    << "  Findings about a single filter are about " << named[verdict.filter].name
                    << ", the worst by itself.\n\n"
                    << console.bold("All together") << "\n  " << common_text(common) << "\n\n"
                    << console.bold("Two by two") << "\n"
                    << relations_text(named, context);
}

void run_filter_plan(const FilterPlanOptions& options, const GlobalOptions& global,
                     Console& console) {
    if (!global.json) {
        console.prose() << plan_text(options, console);
        return;
    }
    Json json = {{"elements", options.elements + options.utxos},
                 {"used", used_addresses(options)},
                 {"rows", records_json(plan_table(options))},
                 {"sources", records_json(sources_table(options))},
                 {"recommended", nullptr},
                 {"reason", nullptr}};
    const auto best = solved(options);
    if (best) {
        json["recommended"] = {{"goal", key_of(best->goal)},
                               {"fpr", best->rate},
                               {"bytes", best->size.bytes},
                               {"hash_functions", best->size.hash_functions},
                               {"fpr_at_elements", best->rate_at_elements},
                               {"bytes_per_day", best->daily_bytes}};
    } else {
        json["reason"] = bloom::describe(best.error());
    }
    console.print_json(json);
}

}  // namespace petal::cli
