#include <gtest/gtest.h>

#include "chain/hash.h"
#include "tests/cli/scene.h"
#include "tests/support/file_content.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;

// Bitcoin Core: bloom_tests.cpp, bloom_create_insert_serialize.
constexpr const char* kFilter = "03614e9b050000000000000001";

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
}

TEST(FilterMatch, NamesLinesThatAreNoElementsAndDoesTheRest) {
    const Scene scene;
    const std::string input = "aa\n" + std::string(100'000, 'a') +
                              "\nbc1qnonsense\n99108ad8ed9bb6274d3980bab5a85c048f0950c8\n" +
                              std::string(41, 'a') + "\nbb";
    const std::vector<std::string> command{"filter", "match",   "--hex",
                                           kFilter,  "--stdin", "--json"};
    const Outcome outcome = scene.run(command, input);
    EXPECT_EQ(outcome.status, ExitStatus::done);
    const Json json = outcome.json();
    ASSERT_EQ(json.at("matches").size(), 3U);
    EXPECT_EQ(json.at("matches")[1].at("match"), true);
    EXPECT_EQ(json.at("matches")[2].at("element"), "bb");
    EXPECT_EQ(json.at("lines"), 6);
    EXPECT_EQ(json.at("bad_lines"), 3);
    EXPECT_EQ(json.at("bad")[0].at("line"), 2);
    EXPECT_EQ(json.at("bad")[1].at("line"), 3);
    EXPECT_EQ(json.at("bad")[2].at("line"), 5);
    EXPECT_NE(outcome.err.find("line 2: aaaa"), std::string::npos);
    EXPECT_NE(outcome.err.find("520 bytes"), std::string::npos);
    EXPECT_NE(outcome.err.find("3 lines of 6"), std::string::npos);
}

TEST(FilterMatch, NamesTwentyBadLinesAndCountsAll) {
    const Scene scene;
    std::string input;
    for (int i = 0; i < 100; ++i) input += "nonsense\n";
    const Outcome outcome =
        scene.run({"filter", "match", "--hex", kFilter, "--stdin", "--json"}, input);
    EXPECT_EQ(outcome.json().at("bad_lines"), 100);
    EXPECT_EQ(outcome.json().at("bad").size(), 20U);
}

TEST(FilterMatch, OmitsMissesOnRequest) {
    const Scene scene;
    const Outcome outcome = scene.run(
        {"filter", "match", "--hex", kFilter, "--stdin", "--matches-only"},
        "19108ad8ed9bb6274d3980bab5a85c048f0950c8\n99108AD8ED9BB6274D3980BAB5A85C048F0950C8\n");
    EXPECT_EQ(outcome.out, "match     99108AD8ED9BB6274D3980BAB5A85C048F0950C8\n");
}

TEST(FilterMake, MakesWhatBitcoinCoreDoes) {
    // Bitcoin Core: bloom_tests.cpp, bloom_create_insert_serialize and the same test with a tweak.
    const Scene scene;
    const std::vector<std::string> elements{"99108ad8ed9bb6274d3980bab5a85c048f0950c8",
                                            "b5a2c786d9ef4658287ced5914b37a1b4aa32eee",
                                            "b9300670b4c5366e95b2699e8b18bc75e5f729c5"};
    std::vector<std::string> command{"filter", "make", "--fpr", "0.01"};
    command.insert(command.end(), elements.begin(), elements.end());
    EXPECT_EQ(scene.run(command).out, std::string(kFilter) + "\n");
    const Outcome tweaked = scene.run({"filter", "make", "--bytes", "3", "--hashes", "5", "--tweak",
                                       "2147483649", "--stdin", "--json", elements[0]},
                                      elements[1] + "\r\n\n" + elements[2]);
    const Json json = tweaked.json();
    EXPECT_EQ(json.at("filterload"), "03ce4299050000000100008001");
    EXPECT_EQ(json.at("elements"), 3);
    EXPECT_EQ(json.at("fpr"), nullptr);
    EXPECT_EQ(json.at("flags"), "all");
}

TEST(FilterMake, RefusesWhatMakesNoFilter) {
    const Scene scene;
    const Outcome bad =
        scene.run({"filter", "make", "--fpr", "0.01", "--stdin", "--json"}, "aa\nnonsense\n");
    EXPECT_EQ(bad.code(), "bad-element");
    EXPECT_NE(bad.err.find("line 2: nonsense"), std::string::npos);
    EXPECT_NE(bad.err.find("; a text is written text:nonsense\n"), std::string::npos) << bad.err;
    std::string many;
    for (int i = 100; i < 999; ++i) many += "0" + std::to_string(i) + "\n";
    const Outcome full =
        scene.run({"filter", "make", "--bytes", "1", "--hashes", "5", "--stdin", "--json"}, many);
    EXPECT_EQ(full.code(), "bad-filter");
    EXPECT_EQ(scene.run({"filter", "make", "--bytes", "36001", "--hashes", "5", "aa"}).status,
              ExitStatus::usage);
    EXPECT_EQ(scene.run({"filter", "make", "--bytes", "1", "--hashes", "51", "aa"}).status,
              ExitStatus::usage);
    EXPECT_EQ(scene.run({"filter", "make", "--fpr", "0.1", "--bytes", "1", "aa"}).status,
              ExitStatus::usage);
}

/// A filter of the reference elements in the tests of bloom/measures: the first 20 bytes of
/// SHA-256("spv-privacy:" + number).
std::string reference_filter(const Scene& scene, int count, const std::string& tweak) {
    std::string lines;
    for (int i = 0; i < count; ++i) {
        const auto hash = chain::sha256(chain::as_bytes("spv-privacy:" + std::to_string(i)));
        lines += chain::to_hex(chain::ByteView(hash).first(20)) + "\n";
    }
    return scene
        .run({"filter", "make", "--fpr", "0.001", "--elements", "100", "--flags", "none", "--tweak",
              tweak, "--stdin", "--json"},
             lines)
        .json()
        .at("filterload");
}

TEST(FilterInspect, HasTheReferenceFigures) {
    const Scene scene;
    const std::string filter = reference_filter(scene, 100, "5");
    const Outcome outcome =
        scene.run({"filter", "inspect", "--hex", filter, "--used", "100", "--json"});
    const Json json = outcome.json();
    EXPECT_EQ(json.at("bytes"), 179);
    EXPECT_EQ(json.at("bits"), 1'432);
    EXPECT_EQ(json.at("hash_functions"), 9);
    EXPECT_EQ(json.at("tweak"), 5);
    EXPECT_EQ(json.at("flags"), "none");
    EXPECT_EQ(json.at("bits_set"), 648);
    EXPECT_NEAR(json.at("fill").get<double>(), 0.452514, 1e-6);
    EXPECT_NEAR(json.at("elements_estimate").get<double>(), 95.8514, 1e-4);
    EXPECT_NEAR(json.at("elements_sigma").get<double>(), 1.99048, 1e-5);
    EXPECT_NEAR(json.at("fpr_actual").get<double>(), 7.955874e-4, 1e-10);
    EXPECT_EQ(json.at("filterload"), filter);
    const Json& measures = json.at("measures");
    EXPECT_EQ(measures.at("count").size(), 6U);
    EXPECT_NEAR(measures.at("count")[0].at("guess_plug_in").get<double>(), 8.378851e-05, 1e-10);
    EXPECT_EQ(measures.at("evidence").at("conclusive_cluster"), 4);
    const Json& verdict = json.at("verdict");
    EXPECT_EQ(verdict.at("grade"), "limited");
    EXPECT_EQ(verdict.at("attack"), "candidate");
    for (const char* key : {"number", "reason", "fix"}) {
        EXPECT_FALSE(verdict.at(key).get<std::string>().empty());
    }
}

TEST(FilterInspect, TellsTheSameInWords) {
    const Scene scene;
    const Outcome outcome =
        scene.run({"filter", "inspect", "--hex", reference_filter(scene, 100, "5")});
    for (const char* text :
         {"179 bytes, 1,432 bits", "95.9 ± 1.99", "1 in 1,257", "10.3 bits", "Verdict: limited",
          "no known client sizes a filter so", "Fix: Several filters",
          "A peer tests an address that it suspects", "4 addresses"}) {
        EXPECT_NE(outcome.out.find(text), std::string::npos) << text << "\n" << outcome.out;
    }
}

TEST(FilterInspect, TakesParametersAlone) {
    const Scene scene;
    const Json json = scene
                          .run({"filter", "inspect", "--bytes", "1923", "--hashes", "16",
                                "--elements", "542", "--json"})
                          .json();
    EXPECT_NEAR(json.at("elements_estimate").get<double>(), 542, 0.1);
    EXPECT_EQ(json.at("filterload"), nullptr);
    EXPECT_EQ(json.at("measures").at("clients")[0].at("client"), "bitcoinj");
    // The headline describes the filter. The usual behaviour of its client is the last finding.
    EXPECT_EQ(json.at("verdict").at("attack"), "candidate");
    EXPECT_EQ(json.at("verdict").at("grade"), "weak");
    EXPECT_EQ(json.at("verdict").at("if_made_by"), nullptr);
    EXPECT_EQ(json.at("verdict").at("findings").back().at("if_made_by"), "bitcoinj (since 2016)");
    const Json& pair = json.at("measures").at("evidence").at("pairs")[0];
    EXPECT_EQ(pair.at("pair"), "key-and-hash");
    EXPECT_EQ(pair.at("inserted"), nullptr);
    EXPECT_EQ(pair.at("client_inserts"), true);
}

// The size that `filter design` recommends for 2,048 elements at 1e-5.
TEST(FilterInspect, NamesTheRatesOfADesign) {
    const Scene scene;
    const std::vector<std::string> inspect{"filter",   "inspect", "--bytes",    "6134",
                                           "--hashes", "15",      "--elements", "1000"};
    auto with_json = inspect;
    with_json.push_back("--json");
    const Json measures = scene.run(with_json).json().at("measures");
    EXPECT_EQ(measures.at("fpr_design"), nullptr);
    EXPECT_NEAR(measures.at("fpr_design_at_least").get<double>(), 1.02e-5, 1e-7);
    EXPECT_NEAR(measures.at("fpr_design_at_most").get<double>(), 3.05e-5, 1e-7);
    const std::string text = scene.run(inspect).out;
    EXPECT_NE(text.find("designed for 1 in 32,856 to"), std::string::npos) << text;
    EXPECT_NE(text.find("at least"), std::string::npos) << text;
}

TEST(FilterInspect, PrintsRatesBelowWhatADoubleHolds) {
    const Scene scene;
    const Json json = scene
                          .run({"filter", "inspect", "--bytes", "36000", "--hashes", "50",
                                "--elements", "1", "--json"})
                          .json();
    EXPECT_GT(json.at("fpr_actual").get<double>(), 1e-200);
    EXPECT_EQ(json.at("verdict").at("grade"), "exposed");
    const std::string text =
        scene.run({"filter", "inspect", "--bytes", "36000", "--hashes", "50", "--elements", "1"})
            .out;
    EXPECT_NE(text.find("fewer than one in a billion"), std::string::npos) << text;
    EXPECT_EQ(text.find("e-"), std::string::npos) << text;
}

TEST(FilterPlan, NamesTheBoundsOfAGoal) {
    const Outcome outcome = Scene().run({"filter", "plan", "--budget", "1e9"});
    EXPECT_EQ(outcome.status, ExitStatus::usage);
    EXPECT_NE(outcome.err.find("must be above 0 and at most 1,000,000"), std::string::npos)
        << outcome.err;
}

TEST(FilterInspect, RefusesAssumptionsThatMakeNoSense) {
    const Scene scene;
    const std::vector<std::vector<std::string>> senseless{
        {"--used", "0"},
        {"--used", "1000", "--universe", "100"},
        {"--universe", "1"},
        {"--universe", "nan"},
        {"--shards", "0"},
        {"--world", "exposed-keys"},
        {"--world", "exposed-keys=-1"},
        {"--world", "moons=2"},
        {"--world", "script-type-share=1.1"},
        {"--world", "transactions-per-second=1e7"},
        {"--world", "blocks-per-day=1e6"},
        {"--world", "unspent-outputs=1e12"},
        {"--elements", "5"},
    };
    for (const auto& words : senseless) {
        std::vector<std::string> command{"filter", "inspect", "--hex", kFilter};
        command.insert(command.end(), words.begin(), words.end());
        EXPECT_EQ(scene.run(command).status, ExitStatus::usage) << words[1];
    }
    EXPECT_EQ(
        scene.run({"filter", "inspect", "--hex", kFilter, "--world", "exposed-keys=5e8"}).status,
        ExitStatus::done);
}

TEST(FilterInspect, TakesTheWalletsOwnFilterOnlyIfThereIsOne) {
    const Scene scene;
    EXPECT_EQ(scene.run({"filter", "inspect", "--wallet-filter"}).status, ExitStatus::wallet);
    EXPECT_EQ(scene.run({"filter", "match", "--wallet-filter", "aa"}).status, ExitStatus::wallet);
    EXPECT_EQ(scene.run({"filter", "inspect", "--wallet-filter", "--hex", kFilter}).status,
              ExitStatus::usage);
    ASSERT_EQ(scene.run({"create", "--json"}).status, ExitStatus::done);
    EXPECT_EQ(scene.run({"filter", "inspect", "--wallet-filter"}).status, ExitStatus::done);
    EXPECT_EQ(scene.run({"filter", "inspect", "--awaited", "--hex", kFilter}).status,
              ExitStatus::usage);
    EXPECT_EQ(scene.run({"filter", "inspect", "--wallet-filter", "--privacy", "no"}).status,
              ExitStatus::usage);
    EXPECT_EQ(scene.run({"filter", "inspect", "--hex", kFilter, "--privacy", "fast"}).status,
              ExitStatus::usage);
    EXPECT_EQ(scene.run({"filter", "match", "--hex", kFilter, "--privacy", "fast", "aa"}).status,
              ExitStatus::usage);
}

/// The output of `filter inspect` for the filter of a wallet restored from this mnemonic.
std::string restored_filter(const Scene& scene, const std::string& name, const char* words) {
    const Outcome restored = scene.run({"restore", "--mnemonic-file", scene.write("words", words),
                                        "--birthday", "0", "--wallet", name});
    EXPECT_EQ(restored.status, ExitStatus::done) << restored.err;
    return scene.run({"filter", "inspect", "--wallet-filter", "--json", "--wallet", name})
        .json()["filterload"];
}

TEST(FilterInspect, FindsTheSameWalletFilterAfterARestoreElsewhere) {
    const std::string before = restored_filter(Scene(), "default", test::kMnemonic);
    EXPECT_EQ(restored_filter(Scene(), "another-name", test::kMnemonic), before);
    EXPECT_NE(restored_filter(Scene(), "default",
                              "legal winner thank year wave sausage worth useful legal winner "
                              "thank yellow"),
              before);
}

TEST(FilterInspect, SaysOfTheWalletsOwnFilterWhatIsEstimatedAndWhatIsTrue) {
    const Scene scene;
    ASSERT_EQ(scene.run({"create", "--json"}).status, ExitStatus::done);
    for (const auto& [privacy, rate] :
         {std::pair{"fast", 1e-5}, {"balanced", 5e-5}, {"private", 2.5e-4}}) {
        const Json seen =
            scene.run({"filter", "inspect", "--wallet-filter", "--privacy", privacy, "--json"})
                .json();
        EXPECT_EQ(seen["measures"]["fpr_design"], rate);
        EXPECT_NEAR(seen["fpr_actual"].get<double>(), rate, 0.001 * rate);
        EXPECT_EQ(seen["measures"]["truth"]["elements"], 2'000);
        EXPECT_NEAR(seen["measures"]["truth"]["others"].get<double>(),
                    seen["elements_estimate"].get<double>() - 2'000,
                    5 * seen["elements_sigma"].get<double>());
        EXPECT_EQ(seen["verdict"]["grade"], "limited") << seen["verdict"];
    }
}

TEST(FilterInspect, JudgesFiltersThatMatchEverythingOrNothing) {
    const Scene scene;
    for (const char* hex :
         {"00050000000000000001", "03614e9b000000000000000001", "03ffffff050000000000000001"}) {
        const Outcome outcome = scene.run({"filter", "inspect", "--hex", hex, "--json"});
        ASSERT_EQ(outcome.status, ExitStatus::done) << outcome.err;
        EXPECT_EQ(outcome.json().at("filterload"), hex);
        EXPECT_EQ(outcome.json().at("fpr_actual"), 1);
        EXPECT_EQ(outcome.json().at("verdict").at("grade"), "all");
        EXPECT_TRUE(
            scene.run({"filter", "inspect", "--hex", hex}).out.starts_with("Verdict: match all"));
    }
    const Json empty =
        scene.run({"filter", "inspect", "--hex", "03000000050000000000000001", "--json"}).json();
    EXPECT_EQ(empty.at("verdict").at("grade"), "nothing");
    EXPECT_EQ(empty.at("measures").at("evidence").at("bits_per_match"), 0);
    EXPECT_EQ(empty.at("measures").at("count")[0].at("guess"), 0);
}

TEST(FilterInspect, SaysWhatIsWrongWithHexadecimal) {
    const Scene scene;
    const Outcome prefixed =
        scene.run({"filter", "inspect", "--hex", "0x03614e9b050000000000000001"});
    EXPECT_NE(prefixed.err.find("begins with 0x: leave that out"), std::string::npos)
        << prefixed.err;
    const Outcome empty = scene.run({"filter", "inspect", "--hex", ""});
    EXPECT_EQ(empty.status, ExitStatus::usage);
    EXPECT_NE(empty.err.find("is empty"), std::string::npos) << empty.err;
}

TEST(FilterInspect, TakesAFileOrStandardInput) {
    const Scene scene;
    const std::string filter = reference_filter(scene, 100, "5");
    const std::string file = scene.write("a.hex", filter + "\n");
    const auto inspect = [&scene](std::vector<std::string> arguments, const std::string& input) {
        arguments.insert(arguments.begin(), {"filter", "inspect", "--json"});
        return scene.run(arguments, input);
    };
    EXPECT_EQ(inspect({file}, "").json().at("filterload"), filter);
    EXPECT_EQ(inspect({"-"}, filter + "\r\n").json().at("filterload"), filter);
    const auto payload = *chain::from_hex(filter);
    EXPECT_EQ(inspect({"-"}, std::string(payload.begin(), payload.end())).json().at("filterload"),
              filter);

    const Outcome no_filter = inspect({"-"}, "hello");
    EXPECT_EQ(no_filter.code(), "bad-filter");
    EXPECT_TRUE(no_filter.err.starts_with("error: standard input: this is no filter"))
        << no_filter.err;
    const Outcome hex = inspect({filter}, "");
    EXPECT_EQ(hex.code(), "unreadable-file");
    EXPECT_NE(hex.err.find("given with --hex"), std::string::npos) << hex.err;
    EXPECT_EQ(inspect({file, "--file", file}, "").status, ExitStatus::usage);
    EXPECT_EQ(inspect({file, "--hex", filter}, "").status, ExitStatus::usage);
}

struct GradeLimit {
    const char* filter;
    std::string grade;
    std::string fail_at;
    ExitStatus status;
};

TEST(FilterInspect, FailsFromAGradeOn) {
    const Scene scene;
    const std::string limited = scene.write("limited", reference_filter(scene, 100, "5"));
    const std::string exposed = scene.write("exposed", reference_filter(scene, 5, "5"));
    const std::string nothing = scene.write("nothing", "03000000050000000000000001");
    const std::string all = scene.write("all", "03ffffff050000000000000001");
    using enum ExitStatus;
    const std::vector<GradeLimit> limits{
        {exposed.c_str(), "exposed", "exposed", failed},
        {exposed.c_str(), "exposed", "best", failed},
        {limited.c_str(), "limited", "exposed", done},
        {limited.c_str(), "limited", "weak", done},
        {limited.c_str(), "limited", "limited", failed},
        {limited.c_str(), "limited", "best", failed},
        {nothing.c_str(), "nothing", "best", done},
        {all.c_str(), "all", "best", done},
    };
    for (const GradeLimit& limit : limits) {
        std::vector<std::string> command{"filter", "inspect",   limit.filter, "--used",
                                         "100",    "--fail-at", limit.fail_at};
        const Outcome text = scene.run(command);
        EXPECT_EQ(text.status, limit.status) << limit.grade << " " << limit.fail_at;
        EXPECT_TRUE(text.out.starts_with("Verdict: ")) << text.out;
        command.push_back("--json");
        const Outcome outcome = scene.run(command);
        EXPECT_EQ(outcome.status, limit.status) << limit.grade << " " << limit.fail_at;
        EXPECT_EQ(outcome.json().at("verdict").at("grade"), limit.grade);
        EXPECT_FALSE(outcome.json().contains("error"));
        EXPECT_EQ(outcome.err, limit.status == done
                                   ? ""
                                   : "error: the verdict is " + limit.grade +
                                         ", and --fail-at is " + limit.fail_at + "\n");
    }
    EXPECT_EQ(scene.run({"filter", "inspect", limited, "--fail-at", "good"}).status, usage);
}

TEST(FilterMake, WarnsOfARateFarFromTheOneAskedFor) {
    const Scene scene;
    const Outcome one = scene.run({"filter", "make", "--fpr", "1e-5", "--tweak", "0", "aa"});
    EXPECT_NE(one.err.find("not 1e-05"), std::string::npos) << one.err;
    const Outcome many = scene.run({"filter", "make", "--fpr", "1e-5", "--elements", "100", "aa"});
    EXPECT_EQ(many.err, "");
}

TEST(FilterCompare, FindsLinksBetweenSeveralFilters) {
    const Scene scene;
    const std::string a = reference_filter(scene, 100, "5");
    const std::string b = scene.write("b.hex", reference_filter(scene, 103, "5"));
    const std::string c = reference_filter(scene, 100, "6");
    const Json json = scene.run({"filter", "compare", a, b, c, "--used", "100", "--json"}).json();
    ASSERT_EQ(json.at("pairs").size(), 3U);
    EXPECT_EQ(json.at("pairs")[0].at("relation"), "nested");
    EXPECT_EQ(json.at("pairs")[0].at("growth").at("new_bits"), 17);
    EXPECT_NEAR(json.at("pairs")[0].at("growth").at("false_addresses").get<double>(), 313222.2,
                0.1);
    EXPECT_EQ(json.at("pairs")[1].at("relation"), "independent");
    EXPECT_NEAR(json.at("pairs")[1].at("common_fpr").get<double>(), 8.209812e-7, 1e-12);
    EXPECT_NEAR(json.at("pairs")[1].at("linking_deviations").get<double>(), 2.850, 0.001);
    EXPECT_EQ(json.at("verdict").at("attack"), "cut");
    EXPECT_EQ(json.at("worst_filter"), 0);
    const std::string sparse = reference_filter(scene, 5, "5");
    const Outcome worst = scene.run({"filter", "compare", a, sparse, c});
    EXPECT_TRUE(worst.out.starts_with("Verdict: exposed")) << worst.out;
    EXPECT_NE(worst.out.find("are about filter 2,"), std::string::npos) << worst.out;
    const std::string text = scene.run({"filter", "compare", a, b, c}).out;
    EXPECT_NE(text.find("one grew into the other"), std::string::npos);
    EXPECT_NE(text.find("17 bits new, 0 gone"), std::string::npos);
    EXPECT_EQ(scene.run({"filter", "compare", a}).status, ExitStatus::usage);
    EXPECT_EQ(scene.run({"filter", "compare", a, "xyz"}).status, ExitStatus::failed);
}

TEST(FilterCompare, CallsFilesByTheirNames) {
    const Scene scene;
    const std::string monday = scene.write("monday.hex", reference_filter(scene, 100, "5"));
    const std::string tuesday = scene.write("tuesday.hex", reference_filter(scene, 5, "5"));
    const Outcome outcome =
        scene.run({"filter", "compare", monday, tuesday, reference_filter(scene, 100, "6")});
    for (const char* text : {"  monday.hex and tuesday.hex: ", "  tuesday.hex and filter 3: ",
                             "are about tuesday.hex,"}) {
        EXPECT_NE(outcome.out.find(text), std::string::npos) << text << "\n" << outcome.out;
    }
    EXPECT_EQ(scene.run({"filter", "compare", monday, kFilter, "--json"}).json().at("names"),
              Json({"monday.hex", "filter 2"}));
    // Files of one name are told apart by their folders.
    std::filesystem::create_directory(scene.path("later"));
    const std::string later = scene.write("later/monday.hex", reference_filter(scene, 103, "5"));
    EXPECT_EQ(scene.run({"filter", "compare", monday, later, "--json"}).json().at("names"),
              Json({monday, later}));
}

TEST(FilterReport, NamesTheFileThatIsNoFilter) {
    const Scene scene;
    const std::string filter = scene.write("a.hex", reference_filter(scene, 100, "5"));
    const std::string payment = scene.write("payment.hex", "0200000001" + std::string(100, '0'));
    const std::string page = scene.path("report.html").string();
    const Outcome outcome = scene.run({"filter", "report", "-o", page, filter, payment, "--json"});
    EXPECT_EQ(outcome.status, ExitStatus::failed);
    EXPECT_EQ(outcome.code(), "bad-filter");
    EXPECT_TRUE(outcome.err.starts_with("error: " + payment + ": this is no filter: "))
        << outcome.err;
    EXPECT_NE(outcome.err.find("leave the file out"), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(page));
}

TEST(FilterReport, WritesOnePageThatNeedsNothingElse) {
    const Scene scene;
    const std::string name = scene.write("<b>&.hex", reference_filter(scene, 100, "5"));
    const std::string page = scene.path("report.html").string();
    const Json json = scene
                          .run({"filter", "report", "-o", page, name,
                                reference_filter(scene, 103, "5"), "--json"})
                          .json();
    EXPECT_EQ(json.at("filters"), 2);
    const std::string html = test::file_text(page);
    EXPECT_EQ(html.size(), json.at("bytes").get<std::size_t>());
    EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
    EXPECT_EQ(html.find("<script"), std::string::npos);
    EXPECT_EQ(html.find("http://"), std::string::npos);
    EXPECT_EQ(html.find("https://"), std::string::npos);
    EXPECT_EQ(html.find("<b>&.hex"), std::string::npos);
    EXPECT_NE(html.find("&lt;b&gt;&amp;.hex"), std::string::npos);
    for (const char* text : {"<title>Bit map", "<desc>", "Privacy against traffic", "breadwallet",
                             "one grew into the other", "prefers-color-scheme", "@media print"}) {
        EXPECT_NE(html.find(text), std::string::npos) << text;
    }
}

TEST(FilterReport, StaysSmallForTheLargestFilters) {
    const Scene scene;
    const std::string largest =
        scene.run({"filter", "make", "--bytes", "36000", "--hashes", "50", "aa", "--json"})
            .json()
            .at("filterload");
    std::vector<std::string> command{"filter", "report", "--json", "-o",
                                     scene.path("large.html").string()};
    for (int i = 0; i < 20; ++i) command.push_back(scene.write("f" + std::to_string(i), largest));
    EXPECT_LT(scene.run(command).json().at("bytes"), 400'000);
    const Outcome nowhere = scene.run(
        {"filter", "report", "--json", "-o", scene.path("no/such.html").string(), largest});
    EXPECT_EQ(nowhere.code(), "unwritable-file");
    EXPECT_EQ(scene.run({"filter", "report", "-o", "x.html"}).status, ExitStatus::usage);
    EXPECT_EQ(scene.run({"filter", "report", "aa"}).status, ExitStatus::usage);
    EXPECT_EQ(scene.run({"filter", "report", "-o", "-", "aa"}).status, ExitStatus::usage);
}

TEST(FilterMatch, RefusesAddressesOfOtherNetworks) {
    const Scene scene;
    const Outcome outcome = scene.run({"filter", "match", "--hex", kFilter, "--json",
                                       "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"});
    EXPECT_EQ(outcome.status, ExitStatus::failed);
    EXPECT_EQ(outcome.code(), "bad-element");
    EXPECT_TRUE(outcome.err.starts_with("error: bc1q")) << outcome.err;
    EXPECT_NE(outcome.err.find("give --network mainnet"), std::string::npos) << outcome.err;
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
        {"--hex", "03614e9b05000000000000000100"},  // one byte too many
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
