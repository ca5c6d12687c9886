#include "cli/filter/measures/filter_figures.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "cli/filter/measures/filter_json.h"
#include "cli/filter/report/report_html.h"
#include "cli/filter/report/report_page.h"
#include "tests/bloom/measures/samples.h"
#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

TEST(FilterFigures, AreTheSameInJsonTextAndPage) {
    const test::Scene scene;
    const bloom::BloomFilter filter = test::filter_d();
    const bloom::InspectionContext context;
    const auto sections = figures_of(bloom::inspect(filter, context));
    const Json json = figures_json(sections);
    const std::string page = report_page({{"d", filter}}, context);
    const std::string text =
        scene.run({"filter", "inspect", "--hex", chain::to_hex(filter.encode())}).out;
    std::set<std::string> places;
    for (const FigureSection& section : sections) {
        for (const Figure& figure : section.figures) {
            const std::string place = figure.place.value_or(section.place);
            if (!figure.key.empty()) {
                EXPECT_EQ(json.at(Json::json_pointer(place)).at(figure.key), figure.data);
                EXPECT_TRUE(places.insert(place + "/" + figure.key).second) << figure.key;
            }
            if (figure.name.empty()) continue;
            EXPECT_NE(text.find(figure.name), std::string::npos) << figure.name;
            EXPECT_NE(text.find(figure.value), std::string::npos) << figure.value;
            EXPECT_NE(page.find(html_escaped(figure.value)), std::string::npos) << figure.value;
        }
    }
    EXPECT_EQ(json.at("hash_functions"), 11);
    EXPECT_EQ(json.at("measures").at("evidence").at("conclusive_cluster"), 3);
}

TEST(FilterFigures, HaveColumnsForProgramsAloneAndForPeopleAlone) {
    const FigureTable table{"rows",
                            {{"both", {"Both"}}, {"program"}, {"", {"Person"}}},
                            {{{1, "one"}, {2}, {{}, "three"}}}};
    EXPECT_EQ(shown_cells(table, table.rows[0]), (std::vector<std::string>{"one", "three"}));
    EXPECT_EQ(records_json(table).dump(), R"([{"both":1,"program":2}])");
}

}  // namespace
}  // namespace petal::cli
