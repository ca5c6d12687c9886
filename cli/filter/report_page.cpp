#include "cli/filter/report_page.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "bloom/measures/count_privacy.h"
#include "bloom/measures/filter_relations.h"
#include "bloom/measures/wording.h"
#include "cli/filter/filter_text.h"
#include "cli/filter/report_chart.h"
#include "cli/filter/report_style.h"
#include "cli/text.h"

namespace petal::cli {
namespace {

using bloom::counted;
using bloom::percentage;
using bloom::short_number;

std::string element(std::string_view tag, std::string_view text) {
    return "<" + std::string(tag) + ">" + html_escaped(text) + "</" + std::string(tag) + ">";
}

/// A table that becomes a list on narrow screens: each cell knows its column's name.
class HtmlTable {
public:
    /// numbers   from which column on cells are numbers
    HtmlTable(std::vector<std::string> heads, std::size_t numbers)
        : heads_(std::move(heads)), numbers_(numbers) {}

    void add_row(const std::vector<std::string>& cells, std::string_view row_class = "") {
        assert(cells.size() == heads_.size());
        rows_ += row_class.empty() ? "<tr>" : "<tr class=\"" + std::string(row_class) + "\">";
        for (std::size_t i = 0; i < cells.size(); ++i) {
            rows_ += "<td data-h=\"" + html_escaped(heads_[i]) + "\"";
            if (i >= numbers_) rows_ += " class=\"n\"";
            rows_ += ">" + html_escaped(cells[i]) + "</td>";
        }
        rows_ += "</tr>";
    }

    std::string html() const {
        std::string head;
        for (const std::string& name : heads_) head += element("th", name);
        return "<table><thead><tr>" + head + "</tr></thead><tbody>" + rows_ + "</tbody></table>";
    }

private:
    std::vector<std::string> heads_;
    std::size_t numbers_;
    std::string rows_;
};

struct Seen {
    std::string name;
    bloom::Inspection inspection;
};

std::string card(std::string_view name, const std::string& value, std::string_view meaning) {
    return "<div class=\"card\"><span>" + html_escaped(name) + "</span><b>" + html_escaped(value) +
           "</b><span>" + html_escaped(meaning) + "</span></div>";
}

std::string verdict_section(const bloom::Verdict& verdict) {
    const bloom::Finding& worst = verdict.worst();
    return "<section class=\"verdict " + std::string(bloom::key_of(verdict.grade)) + "\"><strong>" +
           html_escaped(bloom::describe(verdict.grade)) + "</strong>" + element("p", worst.reason) +
           element("p", "Fix: " + worst.fix) + "</section>";
}

std::string cards(const bloom::Inspection& seen) {
    const bloom::CountMeasures& all = seen.counts.front();
    return "<div class=\"cards\">" +
           card("Size", counted(seen.size.bytes, "byte"),
                counted(seen.size.hash_functions, "hash function")) +
           card("Elements",
                short_number(seen.elements.value) + " ± " + short_number(seen.elements.deviation),
                "as anyone can tell from the bits") +
           card("Rate", seen.rate.to_string(), "designed for " + short_number(seen.design_rate)) +
           card("A guess is right", percentage(all.guess.value()), "of all addresses that match") +
           card("One match tells", short_number(seen.match_bits) + " bits",
                "to a peer that suspects an address") +
           card("Traffic", short_number(seen.traffic.total_bytes() / 1e6) + " MB a day",
                short_number(seen.payment_anonymity) + " transactions hide a payment") +
           "</div>" + element("p", "Made by: " + clients_text(seen) + ".");
}

std::string bit_map_section(const ReportedFilter& reported, const bloom::Inspection& seen) {
    const std::string caption = counted(seen.bits_set, "bit") + " of " +
                                counted(seen.size.bytes * 8, "bit") + " are set, " +
                                percentage(seen.fill) +
                                ". Even noise: nothing can be read from where they are.";
    return "<figure>" + element("h3", "The bits of " + reported.name) +
           bit_map_svg(reported.filter.bytes(), "Bit map of " + reported.name, caption) +
           "<figcaption>" + html_escaped(caption) + "</figcaption></figure>";
}

/// A range of numbers of elements around what is in a filter.
double most_elements(const bloom::Inspection& seen) {
    const double half_full =
        static_cast<double>(seen.size.bytes) * 8 * 0.6931 / seen.size.hash_functions;
    return 1.5 * std::max({seen.elements.value, half_full, 4.0});
}

std::string fill_chart(const Seen& seen) {
    const bloom::FilterSize& size = seen.inspection.size;
    const double most = most_elements(seen.inspection);
    Chart chart({"elements in the filter", 0, most}, {"share of bits set", 0, 1},
                "Fill against elements",
                "With " + short_number(seen.inspection.elements.value) + " elements " +
                    percentage(seen.inspection.fill) + " of the bits are set.");
    std::vector<ChartPoint> points;
    for (int i = 0; i <= 60; ++i) {
        points.push_back({most * i / 60, bloom::expected_fill(size, most * i / 60)});
    }
    chart.add_line(points);
    chart.add_own({seen.inspection.elements.value, seen.inspection.fill}, "this filter");
    return "<figure>" + element("h3", "Fill") + chart.svg() +
           "<figcaption>How full a filter of this size becomes. Fill betrays the number of "
           "elements.</figcaption></figure>";
}

std::string rate_chart(const Seen& seen) {
    const bloom::FilterSize& size = seen.inspection.size;
    const double most = most_elements(seen.inspection);
    const double at_most = bloom::classical_rate(size, most).value();
    const double lowest = std::max(1e-18, std::min(seen.inspection.rate.value(), 1e-6) / 10);
    Chart chart({"elements in the filter", 0, most},
                {"rate of false matches", lowest, std::max(at_most, 10 * lowest), true},
                "Rate against elements",
                "This filter matches falsely at a rate of " + seen.inspection.rate.to_string() +
                    "; it was designed for " + short_number(seen.inspection.design_rate) + ".");
    std::vector<ChartPoint> points;
    for (int i = 1; i <= 60; ++i) {
        const double n = most * i / 60;
        points.push_back({n, bloom::classical_rate(size, n).value()});
    }
    chart.add_line(points);
    chart.add_own({seen.inspection.elements.value, seen.inspection.rate.value()}, "this filter");
    return "<figure>" + element("h3", "Rate of false matches") + chart.svg() +
           "<figcaption>A filter made for more than is in it matches far too "
           "rarely.</figcaption></figure>";
}

/// What a fresh wallet of each known client sends.
struct FreshWallet {
    std::string_view client;
    double elements;
};
constexpr std::array kFreshWallets{
    FreshWallet{"bitcoinj", 542},    FreshWallet{"bitcoinj-2015", 542},
    FreshWallet{"breadwallet", 215}, FreshWallet{"bitcoin-kit", 240},
    FreshWallet{"bcoin", 22},        FreshWallet{"flowee", 100}};

bloom::Inspection fresh_wallet(const bloom::KnownClient& client,
                               const bloom::InspectionContext& context) {
    const auto found = std::ranges::find(kFreshWallets, client.key, &FreshWallet::client);
    const double elements = found != kFreshWallets.end() ? found->elements : 100;
    const std::size_t sized =
        client.capacity > 0 ? client.capacity : static_cast<std::size_t>(elements) + client.spare;
    const auto size = bloom::client_filter_size(client.sizer, sized, client.rate);
    bloom::InspectionContext own;
    own.world = context.world;
    own.used = context.used;
    return bloom::inspect(bloom::average_filter(size, elements, client.flags), own);
}

ChartPoint trade_point(const bloom::Inspection& seen) {
    return {seen.traffic.total_bytes() / 1e6, seen.counts.front().guess.value()};
}

std::string trade_chart(const std::vector<Seen>& all, const bloom::InspectionContext& context) {
    Chart chart({"MB a day", 0.01, 300, true}, {"a guess is right", 1e-8, 1, true},
                "Privacy against traffic",
                "The higher the rate of false matches, the more traffic, and the fewer guesses of "
                "a peer are right. Shipped wallets stand at the left, where traffic is least.");
    std::vector<ChartPoint> curve;
    for (double ln = std::log(1e-9); ln < std::log(0.5); ln += 0.2) {
        const auto rate = bloom::LogProbability::from_ln(ln);
        const double left =
            bloom::expected_false_addresses(context.world.addresses, context.used, rate);
        curve.push_back({bloom::daily_traffic(context.world, rate).total_bytes() / 1e6,
                         bloom::mean_guess_probability(context.used, left, 1).value()});
    }
    chart.add_line(curve);
    std::string legend;
    int number = 0;
    for (const bloom::KnownClient& client : bloom::known_clients()) {
        const bloom::Inspection seen = fresh_wallet(client, context);
        chart.add_other(trade_point(seen), std::to_string(++number));
        const bloom::Verdict verdict = bloom::judge(seen);
        legend += "<li>" + html_escaped(client.name) + ": <span class=\"grade " +
                  std::string(bloom::key_of(verdict.grade)) + "\">" +
                  std::string(bloom::key_of(verdict.grade)) + "</span> by " +
                  std::string(bloom::key_of(verdict.worst().attack)) + "</li>";
    }
    std::string label = all.size() == 1 ? "this filter" : "these filters";
    for (const Seen& seen : all) {
        chart.add_own(trade_point(seen.inspection), label);
        label.clear();  // they are likely to stand close together
    }
    return "<figure>" + element("h3", "Privacy against traffic") + chart.svg() +
           "<figcaption>What counting alone finds; pairs and chains find more. Numbered: fresh "
           "wallets of<ol>" +
           legend + "</ol></figcaption></figure>";
}

std::string attacks_section(const bloom::Verdict& verdict, const bloom::Inspection& seen) {
    HtmlTable table({"Attack", "Verdict", "Figure", "Why", "What helps"}, 5);
    for (const bloom::Finding& finding : verdict.findings) {
        table.add_row(
            {std::string(bloom::key_of(finding.attack)), std::string(bloom::key_of(finding.grade)),
             finding.number, finding.reason, finding.fix},
            bloom::key_of(finding.grade));
    }
    const std::string chain =
        seen.conclusive_chain ? "A row of " + counted(*seen.conclusive_chain, "spend") +
                                    " that all match is the wallet's: fewer than 0.01 do by chance."
                              : "No row of spends is conclusive.";
    return element("h2", "Attacks") + table.html() +
           element("p", chain + " By chance " + short_number(seen.chains[0].false_chains) +
                            " rows of two match, " + short_number(seen.chains[1].false_chains) +
                            " of three.");
}

/// What a peer does not know; empty where the reader doesn't either.
std::string truth_section(const std::optional<bloom::FilterTruth>& truth) {
    if (!truth) return {};
    return element("p", "In truth it holds " + counted(truth->elements, "element") +
                            " of the wallet and " + counted(truth->decoys, "other") + ".");
}

std::string counts_section(const bloom::Inspection& seen) {
    HtmlTable table({"Addresses that a peer tests", "How many", "Match falsely", "A guess is right",
                     "All guessed", "Bits leaked each"},
                    1);
    for (const bloom::CountMeasures& count : seen.counts) {
        table.add_row({std::string(count.universe.name), short_number(count.universe.addresses),
                       short_number(count.false_addresses), percentage(count.guess.value()),
                       percentage(count.guess_all.value()), short_number(count.leaked_bits)});
    }
    return element("h2", "Counting") +
           element("p",
                   "A peer that knows more about the wallet tests fewer addresses. Taken: " +
                       counted(static_cast<std::uint64_t>(seen.context.used), "address", "es") +
                       " of the wallet in use.") +
           table.html();
}

std::string pairs_section(const bloom::Inspection& seen) {
    HtmlTable table(
        {"Pair", "In this filter", "Pairs there are", "Match by chance", "A match is the wallet's"},
        2);
    for (const bloom::PairMeasures& pair : seen.pairs) {
        std::string known = pair.inserted ? (*pair.inserted ? "yes" : "no") : "not known";
        if (pair.inserted.value_or(false) && pair.strangers > 0) {
            known += ", beside " + counted(pair.strangers, "stranger");
        }
        table.add_row({std::string(pair.pair.elements), known, short_number(pair.pair.candidates),
                       short_number(pair.false_pairs), percentage(pair.guess.value())});
    }
    return element("h2", "Pairs of which one gives the other") + table.html();
}

std::string overlap_section(const std::vector<ReportedFilter>& filters,
                            const bloom::InspectionContext& context) {
    HtmlTable table({"Filters", "Relation", "Match both by chance", "A guess is right"}, 2);
    for (std::size_t a = 0; a < filters.size(); ++a) {
        for (std::size_t b = a + 1; b < filters.size(); ++b) {
            const auto rate = bloom::common_rate(filters[a].filter, filters[b].filter);
            const double left =
                bloom::expected_false_addresses(context.world.addresses, context.used, rate);
            table.add_row(
                {filters[a].name + " and " + filters[b].name,
                 std::string(bloom::describe(bloom::relate(filters[a].filter, filters[b].filter))),
                 short_number(left),
                 percentage(bloom::mean_guess_probability(context.used, left, 1).value())});
        }
    }
    Chart chart(
        {"filters that a peer has seen", 1, static_cast<double>(filters.size()), false, true},
        {"addresses left", 1e-9, context.world.addresses, true},
        "What remains when filters are cut",
        "How many addresses that are not the wallet's match all of the first filters.");
    std::vector<ChartPoint> points;
    std::vector<bloom::BloomFilter> first;
    for (const ReportedFilter& reported : filters) {
        first.push_back(reported.filter);
        const double left = bloom::expected_false_addresses(context.world.addresses, context.used,
                                                            bloom::common_rate(first));
        points.push_back({static_cast<double>(first.size()), left});
    }
    chart.add_line(points);
    chart.add_own(points.back(), short_number(points.back().y) + " left", /*below=*/true);
    return element("h2", "Together") + "<div class=\"charts\"><figure>" +
           element("h3", "What remains when they are cut") + chart.svg() +
           "<figcaption>What matches every filter is the wallet's, or one of "
           "these.</figcaption></figure></div>" +
           table.html();
}

std::string assumptions_section(const bloom::InspectionContext& context) {
    const bloom::World& world = context.world;
    return element("h2", "What was assumed") +
           element("p", short_number(world.addresses) + " addresses ever used, " +
                            short_number(world.transactions) + " transactions, " +
                            short_number(world.outputs_per_transaction) + " outputs each, " +
                            short_number(world.unspent_outputs) + " unspent; " +
                            short_number(world.exposed_keys) + " public keys seen; " +
                            short_number(world.rival_clusters) +
                            " other owners. Orders of magnitude, of mainnet in 2026; petal filter "
                            "report --world changes them.") +
           element("p", bloom::standing_warning());
}

std::string page_head(const std::string& title) {
    return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
           "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
           "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';"
           "style-src 'unsafe-inline';img-src data:\">"
           "<link rel=\"icon\" href=\"data:,\">" +
           element("title", title) + "<style>" + std::string(kReportStyle) + "</style></head>";
}

/// Room for everything else on the page, which is small.
constexpr std::size_t kBitMapBytes = kMaxReportBytes - 120'000;

}  // namespace

std::string report_page(const std::vector<ReportedFilter>& filters,
                        const bloom::InspectionContext& context) {
    assert(!filters.empty());
    std::vector<Seen> all;
    std::vector<bloom::BloomFilter> bare;
    for (const ReportedFilter& reported : filters) {
        all.push_back({reported.name, bloom::inspect(reported.filter, context)});
        bare.push_back(reported.filter);
    }
    const bloom::Verdict verdict = bloom::judge(bare, context);
    const Seen& last = all.back();
    const std::string title = filters.size() == 1
                                  ? "What " + filters[0].name + " gives away"
                                  : "What " + counted(filters.size(), "filter") + " give away";

    std::string bit_maps;
    for (std::size_t i = 0; i < filters.size(); ++i) {
        const std::string figure = bit_map_section(filters[i], all[i].inspection);
        if (bit_maps.size() + figure.size() < kBitMapBytes) bit_maps += figure;
    }
    std::string page = page_head(title) + "<body><main>" + element("h1", title) +
                       verdict_section(verdict) + cards(last.inspection) +
                       truth_section(context.truth);
    if (filters.size() > 1) {
        page +=
            element("p", "Figures of a single filter are those of the last, " + last.name + ".");
        page += overlap_section(filters, context);
    }
    page += attacks_section(verdict, last.inspection);
    page += element("h2", "Pictures") + "<div class=\"charts\">" + trade_chart(all, context) +
            rate_chart(last) + fill_chart(last) + bit_maps + "</div>";
    page += counts_section(last.inspection) + pairs_section(last.inspection);
    return page + assumptions_section(context) + "</main></body></html>\n";
}

}  // namespace petal::cli
