#include <gtest/gtest.h>

#include "scene.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;

// Bitcoin Core: bloom_tests.cpp, bloom_create_insert_serialize.
constexpr const char* kFilter = "03614e9b050000000000000001";

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

TEST(FilterMatch, AnswersForEachElement) {
    const Scene scene;
    const Outcome outcome = scene.run({"filter", "match", "--hex", kFilter, "--json",
                                       "99108ad8ed9bb6274d3980bab5a85c048f0950c8",
                                       "19108ad8ed9bb6274d3980bab5a85c048f0950c8"});
    EXPECT_EQ(outcome.status, ExitStatus::done);
    const Json matches = outcome.json().at("matches");
    ASSERT_EQ(matches.size(), 2U);
    EXPECT_EQ(matches[0].at("element"), "99108ad8ed9bb6274d3980bab5a85c048f0950c8");
    EXPECT_EQ(matches[0].at("match"), true);
    EXPECT_EQ(matches[1].at("match"), false);
    // 12 of 24 bits are set, five functions.
    EXPECT_DOUBLE_EQ(outcome.json().at("fpr_actual").get<double>(), 0.03125);
}

TEST(FilterMatch, ReadsFilesOfTextAndOfBytes) {
    const Scene scene;
    const std::string element = "99108ad8ed9bb6274d3980bab5a85c048f0950c8";
    const std::string text = scene.write("filter.hex", std::string(kFilter) + "\n");
    const auto payload = *chain::from_hex(kFilter);
    const std::string bytes =
        scene.write("filter.bin", std::string(payload.begin(), payload.end()));
    for (const std::string& file : {text, bytes}) {
        const Outcome outcome = scene.run({"filter", "match", "--file", file, element});
        EXPECT_EQ(outcome.status, ExitStatus::done) << outcome.err;
        EXPECT_EQ(outcome.out, "match     " + element + "\n");
    }
}

TEST(FilterMatch, StreamsElementsFromStandardInput) {
    const Scene scene;
    const Outcome outcome = scene.run({"filter", "match", "--hex", kFilter, "--stdin"},
                                      "99108ad8ed9bb6274d3980bab5a85c048f0950c8\r\n\n"
                                      "hex:19108ad8ed9bb6274d3980bab5a85c048f0950c8");
    EXPECT_EQ(outcome.out,
              "match     99108ad8ed9bb6274d3980bab5a85c048f0950c8\n"
              "no match  hex:19108ad8ed9bb6274d3980bab5a85c048f0950c8\n");
    const Outcome bad = scene.run({"filter", "match", "--hex", kFilter, "--stdin", "--json"},
                                  "aa\n" + std::string(100'000, 'a') + "\n");
    EXPECT_EQ(bad.status, ExitStatus::failed);
    EXPECT_EQ(bad.code(), "bad-element");
    EXPECT_NE(bad.err.find("line 2"), std::string::npos);
}

TEST(FilterMatch, RefusesAddressesOfOtherNetworks) {
    const Scene scene;
    const Outcome outcome = scene.run({"filter", "match", "--hex", kFilter, "--json",
                                       "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"});
    EXPECT_EQ(outcome.status, ExitStatus::failed);
    EXPECT_EQ(outcome.code(), "bad-element");
    EXPECT_TRUE(outcome.err.starts_with("error: bc1q")) << outcome.err;
}

TEST(FilterMatch, RefusesWhatIsNoFilter) {
    const Scene scene;
    const std::string empty = scene.write("empty", "");
    const std::string huge = scene.write("huge", std::string(100'000, '0'));
    const std::vector<std::vector<std::string>> filters{
        {"--hex", "xyz"},
        {"--hex", "00050000000000000001"},          // no bytes
        {"--hex", "03614e9b000000000000000001"},    // no functions
        {"--hex", "03ffffff050000000000000001"},    // all ones
        {"--hex", "03614e9b330000000000000001"},    // 51 functions
        {"--hex", "03614e9b05000000000000000100"},  // a byte too much
        {"--hex", "03614e9b0500000000000000"},      // a byte too few
        {"--file", empty},
        {"--file", huge},
        {"--file", scene.path("missing").string()},
        {"--file", scene.folder().string()},
    };
    for (const auto& filter : filters) {
        std::vector<std::string> arguments{"filter", "match", "--json", "aa"};
        arguments.insert(arguments.end(), filter.begin(), filter.end());
        const Outcome outcome = scene.run(arguments);
        EXPECT_EQ(outcome.status, ExitStatus::failed) << filter[1];
        EXPECT_TRUE(outcome.json().contains("error"));
    }
}

}  // namespace
}  // namespace petal::cli
