#include "cli/filter/report/report_pictures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "bloom/measures/count_privacy.h"
#include "bloom/measures/filter_comparison.h"
#include "bloom/measures/verdict.h"
#include "cli/filter/measures/filter_figures.h"
#include "cli/filter/measures/wording.h"
#include "cli/filter/report/report_chart.h"
#include "cli/filter/report/report_html.h"
#include "cli/text/text.h"

namespace petal::cli {
namespace {

/// Rarer events are "fewer than one in a billion", drawn at the end of the axis.
constexpr double kRarest = 1e-9;

/// caption   HTML
std::string figure(const std::string& title, const std::string& picture,
                   const std::string& caption) {
    return "<figure>" + html_element("h3", title) + picture + "<figcaption>" + caption +
           "</figcaption></figure>";
}

/// A logarithmic axis over all values that are above 0, to the next 1, 2 or 5 of a decade.
ChartAxis log_axis(std::string label, const std::vector<ChartPoint>& points,
                   double ChartPoint::*coordinate) {
    ChartAxis axis{std::move(label), 0, 0, true, false, TickFormat::number};
    for (const ChartPoint& point : points) {
        const double value = point.*coordinate;
        if (value <= 0) continue;
        axis.min = axis.min > 0 ? std::min(axis.min, value) : value;
        axis.max = std::max(axis.max, value);
    }
    const auto rounded = [](double value, bool up) {
        const double decade = std::pow(10, std::floor(std::log10(value)));
        double result = decade;
        for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
            result = factor * decade;
            if (up ? result >= value : 2.5 * result > value) break;
        }
        return result;
    };
    axis.min = rounded(axis.min, false);
    axis.max = std::max(rounded(axis.max, true), 10 * axis.min);
    return axis;
}

/// The end of the axis of elements. The axis includes the filter's number of elements, and the
/// number that fills half of the bits.
double most_elements(const bloom::Inspection& seen) {
    const double half_full =
        static_cast<double>(seen.size.bytes) * 8 * std::numbers::ln2 / seen.size.hash_functions;
    return 1.2 * std::max({seen.elements.value, half_full, 4.0});
}

/// The filter that a fresh wallet of a known client sends.
struct FreshWallet {
    std::string_view client;
    double elements;
};
constexpr std::array kFreshWallets{
    FreshWallet{"bitcoinj", 542},    FreshWallet{"bitcoinj-2015", 542},
    FreshWallet{"breadwallet", 215}, FreshWallet{"breadwallet-early", 215},
    FreshWallet{"bitcoin-kit", 240}, FreshWallet{"bcoin", 22},
    FreshWallet{"flowee", 100}};

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
    own.truth = bloom::FilterTruth{static_cast<std::size_t>(elements), 0, client.rate, {}, 0, 0};
    // A fresh wallet has keys and no coins.
    std::ranges::copy_if(client.pairs, std::back_inserter(own.truth->pairs),
                         [](auto pair) { return pair != bloom::DerivablePair::address_and_coin; });
    return bloom::inspect(bloom::average_filter(size, elements, client.flags), std::move(own));
}

ChartPoint trade_point(const bloom::Inspection& seen) {
    return {seen.traffic.total_bytes() / 1e6, seen.counts.front().guess.value()};
}

/// Traffic and guesses of filters from the rarest matches to the most frequent.
std::vector<ChartPoint> trade_curve(const bloom::InspectionContext& context) {
    std::vector<ChartPoint> curve;
    const auto& world = context.world;
    const double used = std::min(context.used, world.addresses);
    for (double ln = std::log(kRarest); ln < 0; ln += 0.2) {
        const auto rate = bloom::LogProbability::from_ln(ln);
        const double left = bloom::expected_false_addresses(world.addresses, used, rate);
        const auto guess = bloom::mean_guess_probability(used, left, std::min(1.0, used));
        curve.push_back({bloom::daily_traffic(world, rate).total_bytes() / 1e6, guess.value()});
    }
    return curve;
}

struct Clients {
    std::vector<ChartPoint> points;
    std::string legend;
};
Clients known_clients(const bloom::InspectionContext& context) {
    Clients clients;
    for (const bloom::KnownClient& client : bloom::known_clients()) {
        // petal is compared with other clients only.
        if (client.sizer == bloom::Sizer::constant) continue;
        const bloom::Inspection seen = fresh_wallet(client, context);
        clients.points.push_back(trade_point(seen));
        const bloom::Verdict verdict = bloom::judge(seen);
        const std::string_view grade = bloom::key_of(verdict.grade);
        clients.legend += "<li>" + html_escaped(client.name) + ": " +
                          html_element("span", grade, "grade " + std::string(grade)) + " by " +
                          std::string(bloom::key_of(verdict.worst().attack())) + "</li>";
    }
    return clients;
}

}  // namespace

std::string trade_picture(const std::vector<ReportedFilter>& filters,
                          const bloom::InspectionContext& context) {
    const std::vector<ChartPoint> curve = trade_curve(context);
    const Clients clients = known_clients(context);
    std::vector<ChartPoint> own;
    for (const ReportedFilter& reported : filters) {
        if (reported.inspection.bits_set > 0) own.push_back(trade_point(reported.inspection));
    }
    std::vector<ChartPoint> all = curve;
    all.insert(all.end(), clients.points.begin(), clients.points.end());
    all.insert(all.end(), own.begin(), own.end());
    ChartAxis guess_axis = log_axis("right guesses of a peer: one in", all, &ChartPoint::y);
    guess_axis.format = TickFormat::one_in;
    Chart chart(log_axis("MB a day", all, &ChartPoint::x), guess_axis, "Privacy against traffic",
                "The more often a filter matches by chance, the more traffic, and the fewer "
                "guesses of a peer are right. Shipped wallets stand at the left, where traffic is "
                "least.");
    chart.add_line(curve);
    int number = 0;
    for (const ChartPoint& point : clients.points) {
        chart.add_other(point, std::to_string(++number));
    }
    std::string label = own.size() == 1 ? "this filter" : "these filters";
    for (const ChartPoint& point : own) {
        chart.add_own(point, label);
        label.clear();  // the dots are probably close together
    }
    return figure("Privacy against traffic", chart.svg(),
                  "What counting alone finds; pairs and spends in a row find more. Numbered: fresh "
                  "wallets of<ol>" +
                      clients.legend + "</ol>");
}

std::string fill_picture(const ReportedFilter& reported) {
    const bloom::Inspection& seen = reported.inspection;
    const double most = most_elements(seen);
    Chart chart({"elements in the filter", 0, most},
                {"bits that are set", 0, 1, false, false, TickFormat::percentage},
                "Fill against elements",
                "With " + short_number(seen.elements.value) + " elements " + percentage(seen.fill) +
                    " of the bits are set.");
    std::vector<ChartPoint> points;
    for (int i = 0; i <= 60; ++i) {
        points.push_back({most * i / 60, bloom::expected_fill(seen.size, most * i / 60)});
    }
    chart.add_line(points);
    chart.add_own({seen.elements.value, seen.fill}, "this filter");
    return figure("Fill", chart.svg(),
                  "How full a filter of this size becomes: fill betrays the number of elements.");
}

std::string rate_picture(const ReportedFilter& reported) {
    const bloom::Inspection& seen = reported.inspection;
    const double most = most_elements(seen);
    const double at_most = bloom::classical_rate(seen.size, most).value();
    // If even fuller filters of this size match more rarely than kRarest, six decades are shown.
    const double rarest = at_most > 10 * kRarest ? kRarest : at_most * 1e-6;
    std::vector<ChartPoint> points;
    std::vector<ChartPoint> shown{{0, std::max(seen.rate.value(), rarest)}};
    for (int i = 1; i <= 240; ++i) {
        const double elements = most * i / 240;
        const double rate = bloom::classical_rate(seen.size, elements).value();
        points.push_back({elements, rate});
        shown.push_back({elements, std::max(rate, rarest)});
    }
    ChartAxis rate_axis = log_axis("addresses that match by chance: one in", shown, &ChartPoint::y);
    rate_axis.format = TickFormat::one_in;
    Chart chart({"elements in the filter", 0, most}, rate_axis, "Rate against elements",
                "Addresses that are not in this filter match: " + one_in(seen.rate) + "; " +
                    designed_for_text(seen) + ".");
    chart.add_line(points);
    std::string label = "this filter";
    if (seen.bits_set == 0) {
        label += ": nothing matches";
    } else if (seen.rate.value() < rate_axis.min) {
        label += ": rarer than shown";
    }
    chart.add_own({seen.elements.value, seen.rate.value()}, label);
    return figure("Matches by chance", chart.svg(),
                  "A filter made for more than is in it matches far too rarely to hide anything.");
}

std::string bit_map_picture(const ReportedFilter& reported) {
    const std::size_t bits = reported.inspection.size.bytes * 8;
    std::string caption = count_of(reported.inspection.bits_set, "bit") + " of " +
                          count_of(bits, "bit") + " are set, " +
                          percentage(reported.inspection.fill) + ". ";
    caption += bits_per_cell(bits) == 1
                   ? "Hashing makes it noise: nothing can be read from where they are."
                   : "A square stands for " + count_of(bits_per_cell(bits), "bit") +
                         ", the darker the more of them are set.";
    return figure("The bits of " + reported.name,
                  bit_map_svg(reported.filter.bytes(), "Bit map of " + reported.name, caption),
                  html_escaped(caption));
}

std::string cut_picture(const std::vector<ReportedFilter>& filters,
                        const bloom::InspectionContext& context) {
    constexpr double kFewest = 0.001;
    std::vector<ChartPoint> points;
    std::vector<bloom::BloomFilter> first;
    for (const ReportedFilter& reported : filters) {
        first.push_back(reported.filter);
        points.push_back({static_cast<double>(first.size()),
                          bloom::common_matches(first, context).false_addresses});
    }
    Chart chart(
        {"filters that a peer has seen", 1, static_cast<double>(filters.size()), false, true},
        {"addresses of others left", kFewest, std::max(1.0, context.world.addresses), true},
        "What remains when filters are cut",
        "How many addresses of others match all of the first filters.");
    chart.add_line(points);
    chart.add_own(points.back(), at_least_one(points.back().y) + " left");
    return figure("What remains when they are cut", chart.svg(),
                  "An address that matches every filter is the wallet's, or one of these.");
}

}  // namespace petal::cli
