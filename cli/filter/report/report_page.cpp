#include "cli/filter/report/report_page.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "bloom/measures/filter_comparison.h"
#include "cli/filter/measures/filter_figures.h"
#include "cli/filter/measures/finding_text.h"
#include "cli/filter/measures/wording.h"
#include "cli/filter/report/report_html.h"
#include "cli/filter/report/report_pictures.h"
#include "cli/text/text.h"

namespace petal::cli {
namespace {

std::string verdict_section(const bloom::Verdict& verdict) {
    const FindingText worst = text_of(verdict.worst());
    return "<section class=\"verdict " + std::string(bloom::key_of(verdict.grade)) + "\">" +
           html_element("strong", describe(verdict.grade)) + html_element("p", worst.reason) +
           html_element("p", "Fix: " + worst.fix) + "</section>";
}

std::string tile(std::string_view name, const std::string& value, std::string_view meaning) {
    return "<div class=\"card\">" + html_element("span", name) + html_element("b", value) +
           html_element("span", meaning) + "</div>";
}

std::string tiles(const bloom::Inspection& seen) {
    const bloom::CountMeasures& all = seen.counts.front();
    const double cover = seen.payment_anonymity - 1;
    const std::string traffic =
        format_bytes(static_cast<std::uint64_t>(std::llround(seen.traffic.total_bytes())));
    return "<div class=\"cards\">" +
           tile("Size", count_of(seen.size.bytes, "byte"),
                count_of(seen.size.hash_functions, "hash function")) +
           tile("Elements",
                short_number(seen.elements.value) + " ± " + short_number(seen.elements.deviation),
                "as anyone can tell from the bits") +
           tile("Matches by chance", one_in(seen.rate), designed_for_text(seen)) +
           tile("A guess is right", percentage(all.guess.value()), "of all addresses that match") +
           tile("One match tells", short_number(seen.match_bits) + " bits",
                "to a peer that suspects an address") +
           tile("Traffic", traffic + " a day",
                "a payment hides among " + mean_count(cover, "other") + " in its block") +
           "</div>";
}

/// One line for each of several filters.
std::string overview(const std::vector<ReportedFilter>& filters) {
    HtmlTable table(
        {"Filter", "Verdict alone", "Size", "Elements", "Matches by chance", "A guess is right"},
        2);
    for (const ReportedFilter& reported : filters) {
        const bloom::Inspection& seen = reported.inspection;
        const std::string_view grade = bloom::key_of(bloom::judge(seen).grade);
        table.add_row({reported.name, std::string(grade), count_of(seen.size.bytes, "byte"),
                       short_number(seen.elements.value), one_in(seen.rate),
                       percentage(seen.counts.front().guess.value())},
                      grade);
    }
    return table.html();
}

std::string findings_section(const bloom::Verdict& verdict) {
    HtmlTable table({"Attack", "Verdict", "What the peer does", "Why", "What helps"}, 5);
    for (const bloom::Finding& finding : verdict.findings) {
        const FindingText text = text_of(finding);
        std::string grade(bloom::key_of(finding.grade));
        if (!text.if_made_by.empty()) grade += ", if made by " + text.if_made_by;
        table.add_row({std::string(bloom::key_of(finding.attack())), grade,
                       std::string(describe(finding.attack())), text.reason, text.fix},
                      bloom::key_of(finding.grade));
    }
    return html_element("h2", "What a peer can do") + table.html();
}

/// The additions of each later filter to each earlier filter. With many filters, only to the filter
/// before.
std::string together_section(const std::vector<ReportedFilter>& filters,
                             const bloom::InspectionContext& context) {
    constexpr std::size_t kMostInAllPairs = 4;
    HtmlTable table({"Filters", "Relation", "Added", "Addresses that match both"}, 4);
    for (std::size_t a = 0; a < filters.size(); ++a) {
        const std::size_t last = filters.size() > kMostInAllPairs ? a + 2 : filters.size();
        for (std::size_t b = a + 1; b < std::min(last, filters.size()); ++b) {
            const auto compared = bloom::compare(filters[a].filter, filters[b].filter, context);
            const std::string grown = growth_text(compared);
            table.add_row({filters[a].name + " and " + filters[b].name,
                           std::string(describe(compared.relation)),
                           grown.empty() ? "hashed differently" : grown,
                           common_text(compared.common)});
        }
    }
    std::string html = html_element("h2", "Together") + "<div class=\"charts\">" +
                       cut_picture(filters, context) + "</div>" + table.html();
    if (filters.size() > kMostInAllPairs) {
        html += html_element("p",
                             "Each filter is compared with the next one; petal filter compare "
                             "has all pairs.");
    }
    return html;
}

std::string table_html(const FigureTable& table) {
    std::vector<std::string> heads;
    std::size_t texts = 0;
    for (const FigureTable::Column& column : table.columns) {
        if (column.shown.title.empty()) continue;
        heads.push_back(column.shown.title);
        if (column.shown.align == Table::Align::left) ++texts;
    }
    HtmlTable html(heads, texts);
    for (const auto& row : table.rows) html.add_row(shown_cells(table, row));
    return html.html();
}

std::string figures_section(const FigureSection& section) {
    std::string html = html_element("h2", section.title);
    if (!section.intro.empty()) html += html_element("p", section.intro);
    if (section.table) html += table_html(*section.table);
    HtmlTable figures({"Figure", "Value", "Meaning"}, 3, "figures");
    for (const Figure& figure : section.figures) {
        if (!figure.name.empty()) figures.add_row({figure.name, figure.value, figure.meaning});
    }
    return html + figures.html();
}

std::string assumptions_section(const bloom::InspectionContext& context) {
    const bloom::World& world = context.world;
    return html_element("h2", "What was assumed") +
           html_element("p",
                        short_number(world.addresses) + " addresses ever used, " +
                            short_number(world.transactions) + " transactions, " +
                            short_number(world.outputs_per_transaction) + " outputs each, " +
                            short_number(world.unspent_outputs) + " unspent; " +
                            short_number(world.exposed_keys) + " public keys seen; " +
                            short_number(world.rival_clusters) +
                            " other owners. Orders of magnitude, of mainnet in 2026; petal filter "
                            "report --world changes them.") +
           html_element("p", standing_warning());
}

/// Pictures of one filter, and as many filters' bit maps as fit.
std::string pictures_section(const std::vector<ReportedFilter>& filters,
                             const ReportedFilter& shown, const bloom::InspectionContext& context) {
    // Leaves room for the rest of the page, which is small.
    constexpr std::size_t kBitMapBytes = kMaxReportBytes - 120'000;
    std::string bit_maps;
    for (const ReportedFilter& reported : filters) {
        const std::string figure = bit_map_picture(reported);
        if (bit_maps.size() + figure.size() < kBitMapBytes) bit_maps += figure;
    }
    return html_element("h2", "Pictures") + "<div class=\"charts\">" +
           trade_picture(filters, context) + rate_picture(shown) + fill_picture(shown) + bit_maps +
           "</div>";
}

}  // namespace

std::string report_page(const std::vector<NamedFilter>& named,
                        const bloom::InspectionContext& context) {
    assert(!named.empty());
    std::vector<ReportedFilter> filters;
    for (const NamedFilter& filter : named) {
        filters.push_back({filter.name, filter.filter, bloom::inspect(filter.filter, context)});
    }
    const bloom::Verdict verdict = bloom::judge(without_names(named), context);
    const ReportedFilter& shown = filters[verdict.filter];
    const bool is_alone = filters.size() == 1;
    const std::string title = is_alone
                                  ? "What " + shown.name + " gives away"
                                  : "What " + count_of(filters.size(), "filter") + " give away";

    std::string page =
        html_head(title) + "<body><main>" + html_element("h1", title) + verdict_section(verdict);
    if (!is_alone) {
        page += overview(filters) +
                html_element("p",
                             "They are taken to be of one wallet. Figures of a single filter below "
                             "are those of " +
                                 shown.name + ", whose verdict alone is the worst.");
    }
    page += tiles(shown.inspection) + findings_section(verdict);
    if (!is_alone) page += together_section(filters, context);
    page += pictures_section(filters, shown, context);
    for (const FigureSection& section : figures_of(shown.inspection)) {
        page += figures_section(section);
    }
    return page + assumptions_section(context) + "</main></body></html>\n";
}

}  // namespace petal::cli
