#include <gtest/gtest.h>

#include "tests/cli/scene.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;

TEST(FilterDesign, ComputesWhatBitcoinCoreDoes) {
    const Scene scene;
    const Outcome outcome =
        scene.run({"filter", "design", "--elements", "100", "--fpr", "0.00001", "--json"});
    EXPECT_EQ(outcome.status, ExitStatus::done);
    const Json json = outcome.json();
    EXPECT_EQ(json.at("elements"), 100);
    EXPECT_EQ(json.at("fpr"), 0.00001);
    EXPECT_EQ(json.at("bytes"), 299);
    EXPECT_EQ(json.at("bits"), 2'392);
    EXPECT_EQ(json.at("hash_functions"), 15);
    EXPECT_EQ(json.at("tweak"), 0);
    EXPECT_EQ(json.at("flags"), "all");
    EXPECT_EQ(json.at("capped"), false);
    EXPECT_NEAR(json.at("fpr_at_elements").get<double>(), 1.05e-5, 1e-6);
}

TEST(FilterDesign, SaysWhatTheLimitsCost) {
    const Scene scene;
    const std::vector<std::string> design{"filter", "design", "--elements",
                                          "30000",  "--fpr",  "0.001"};
    auto with_json = design;
    with_json.push_back("--json");
    const Json json = scene.run(with_json).json();
    EXPECT_EQ(json.at("bytes"), 36'000);
    EXPECT_EQ(json.at("capped"), true);
    // 288,000 bits * ln(2)^2 / -ln(0.001)
    EXPECT_NE(scene.run(design).out.find("at most about 20,031 elements"), std::string::npos);
}

TEST(FilterDesign, SaysWhatKeepsTheRateOfFewElements) {
    const Scene scene;
    const std::vector<std::string> design{"filter", "design", "--elements", "3", "--fpr", "0.1"};
    const std::string text = scene.run(design).out;
    EXPECT_NE(text.find("keeps the rate  2 bytes and 4 hash functions"), std::string::npos) << text;
    auto with_json = design;
    with_json.push_back("--json");
    const Json json = scene.run(with_json).json();
    EXPECT_NEAR(json.at("fpr_at_elements").get<double>(), 0.3127, 0.0001);
    EXPECT_EQ(json.at("smallest").at("bytes"), 2);
    EXPECT_EQ(json.at("smallest").at("hash_functions"), 4);
    EXPECT_LE(json.at("smallest").at("fpr_at_elements").get<double>(), 0.1);
    const std::string many =
        scene.run({"filter", "design", "--elements", "2048", "--fpr", "1e-5"}).out;
    EXPECT_EQ(many.find("keeps the rate"), std::string::npos) << many;
}

struct SizeDesign {
    std::vector<std::string> options;
    std::uint64_t elements;
    std::uint32_t functions;
    double rate;
};

TEST(FilterDesign, TakesASize) {
    const Scene scene;
    for (const SizeDesign& row : std::vector<SizeDesign>{
             {{"--hashes", "16"}, 666, 16, 1.518e-5},  // 15,384 bits * ln 2 / 16
             {{"--hashes", "16", "--elements", "542"}, 542, 16, 1.413e-6},
             {{"--elements", "542"}, 542, 20, 1.2e-6},
             {{"--fpr", "1e-5"}, 641, 17, 1e-5},
             {{"--hashes", "1", "--fpr", "0.5"}, 10'663, 1, 0.5},
         }) {
        std::vector<std::string> command{"filter", "design", "--bytes", "1923", "--json"};
        command.insert(command.end(), row.options.begin(), row.options.end());
        const Json json = scene.run(command).json();
        EXPECT_EQ(json.at("bytes"), 1'923);
        EXPECT_EQ(json.at("elements"), row.elements) << row.options[1];
        EXPECT_EQ(json.at("hash_functions"), row.functions) << row.options[1];
        EXPECT_NEAR(json.at("fpr_at_elements").get<double>(), row.rate, 0.02 * row.rate);
        EXPECT_EQ(json.at("capped"), false);
        EXPECT_EQ(json.at("smallest"), nullptr);
    }
    for (const auto& wrong :
         std::vector<std::vector<std::string>>{{"--bytes", "9"},
                                               {"--hashes", "9"},
                                               {"--bytes", "9", "--elements", "3", "--fpr", "0.1"},
                                               {"--hashes", "9", "--elements", "3", "--fpr", "0.1"},
                                               {"--elements", "3"}}) {
        std::vector<std::string> command{"filter", "design"};
        command.insert(command.end(), wrong.begin(), wrong.end());
        EXPECT_EQ(scene.run(command).status, ExitStatus::usage) << wrong[0];
    }
    const std::string text = scene.run({"filter", "design", "--bytes", "9", "--hashes", "4"}).out;
    EXPECT_NE(text.find("A filter of 9 bytes"), std::string::npos) << text;
}

TEST(FilterDesign, ReportsUnreachableRates) {
    const Scene scene;
    const auto text = [&scene](const char* elements, const char* rate) {
        return scene.run({"filter", "design", "--elements", elements, "--fpr", rate}).out;
    };
    const std::string rarest = text("2048", "1e-300");
    EXPECT_NE(rarest.find("fewer than one in a billion"), std::string::npos) << rarest;
    EXPECT_NE(rarest.find("no filter matches so rarely"), std::string::npos) << rarest;
    // (1 - e^(-50 n / 288,000))^50 = 1e-30 for n = 1,666
    EXPECT_NE(text("2048", "1e-30").find("at most about 1,666 elements"), std::string::npos)
        << text("2048", "1e-30");
    EXPECT_NE(text("1000000000", "1e-5").find("100 %"), std::string::npos);
}

TEST(FilterPlan, ComparesTheSources) {
    const Scene scene;
    const Json all = scene.run({"filter", "plan", "--json"}).json().at("sources");
    ASSERT_EQ(all.size(), 7U);
    const Json& one_node = all[2];
    const Json& eight_nodes = all[3];
    EXPECT_EQ(one_node.at("source"), "compact");
    EXPECT_EQ(one_node.at("bytes_per_day"), eight_nodes.at("bytes_per_day"));
    EXPECT_GT(one_node.at("bits_per_address_to_one_peer"),
              5 * eight_nodes.at("bits_per_address_to_one_peer").get<double>());
    const Json& blocks = all[4];
    EXPECT_EQ(blocks.at("bits_per_address_to_one_peer"), 0);
    EXPECT_NEAR(blocks.at("bytes_per_day").get<double>(), 247e6, 1e6);
    for (const Json& row : all) {
        const double unconfirmed = row.at("unconfirmed_bytes_per_day").get<double>();
        EXPECT_EQ(unconfirmed < 1e6, row.at("unconfirmed") == "bloom") << row;
        EXPECT_EQ(row.at("fpr").is_null(), row.at("unconfirmed") == "all") << row;
    }
    // Beside compact filters and blocks, the node with the filter learns as much of an address.
    for (const std::size_t with_filter : {5U, 6U}) {
        const Json& row = all[with_filter];
        const Json& without = all[with_filter == 5 ? 2 : 4];
        EXPECT_EQ(row.at("source"), without.at("source"));
        EXPECT_EQ(row.at("bytes_per_day"), without.at("bytes_per_day"));
        EXPECT_EQ(row.at("unconfirmed"), "bloom");
        for (const char* key :
             {"fpr", "bits_per_address_to_one_peer", "unconfirmed_bytes_per_day"}) {
            EXPECT_EQ(row.at(key), all[0].at(key)) << key;
        }
    }
    const Json used = scene.run({"filter", "plan", "--used", "500", "--json"}).json();
    EXPECT_GT(used.at("sources")[2].at("bytes_per_day"), one_node.at("bytes_per_day"));
}

TEST(FilterPlan, TradesPrivacyForTraffic) {
    const Scene scene;
    const Json json = scene.run({"filter", "plan", "--json"}).json();
    const Json& rows = json.at("rows");
    ASSERT_EQ(rows.size(), 11U);
    for (std::size_t i = 1; i < rows.size(); ++i) {
        EXPECT_GT(rows[i].at("bytes_per_day"), rows[i - 1].at("bytes_per_day"));
        EXPECT_LT(rows[i].at("guess"), rows[i - 1].at("guess"));
    }
    // 2,048 elements at 2.5e-4, sized as by Bitcoin Core: 0.82 MB a day.
    EXPECT_EQ(rows[4].at("bytes"), 4'419);
    EXPECT_NEAR(rows[4].at("bytes_per_day").get<double>(), 0.82e6, 0.01e6);
    EXPECT_NEAR(json.at("recommended").at("bytes_per_day").get<double>(), 1e6, 0.1e6);

    EXPECT_EQ(json.at("recommended").at("goal"), "budget");

    const Json hidden = scene.run({"filter", "plan", "--guess", "0.0001", "--json"}).json();
    EXPECT_NEAR(hidden.at("recommended").at("fpr").get<double>(), 6.666e-5, 1e-7);
    const Json clash =
        scene.run({"filter", "plan", "--evidence", "3", "--budget", "1", "--json"}).json();
    EXPECT_EQ(hidden.at("recommended").at("goal"), "guess");
    EXPECT_EQ(clash.at("recommended"), nullptr);
    EXPECT_NE(clash.at("reason").get<std::string>().find("more traffic"), std::string::npos);
    EXPECT_NE(scene.run({"filter", "plan", "--utxos", "30"}).out.find("2,078 elements"),
              std::string::npos);
    const std::string by_default = scene.run({"filter", "plan"}).out;
    EXPECT_NE(by_default.find("for the goal --budget 1: "), std::string::npos) << by_default;
    const std::string too_much = scene.run({"filter", "plan", "--budget", "1000"}).out;
    EXPECT_NE(too_much.find("nothing: for this traffic full blocks"), std::string::npos)
        << too_much;
    EXPECT_EQ(scene.run({"filter", "plan", "--guess", "1"}).status, ExitStatus::usage);
}

}  // namespace
}  // namespace petal::cli
