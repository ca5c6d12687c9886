#include "client/sync/source_choice.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace petal::client {
namespace {

using net::LinkSpeed;
using net::SourceFacts;
using net::SourcePeer;
using std::chrono::milliseconds;
using std::chrono::seconds;
using enum net::MatchSourceKind;

constexpr std::uint64_t kBlocks = net::kNodeNetwork;
constexpr std::uint64_t kBloom = kBlocks | net::kNodeBloom;
constexpr std::uint64_t kCompact = kBlocks | net::kNodeCompactFilters;
constexpr std::uint64_t kEverything = kBloom | net::kNodeCompactFilters;

constexpr LinkSpeed kUnmeasured{.round_trip = milliseconds{0}};
constexpr LinkSpeed kFast{.round_trip = milliseconds{1}, .bytes_per_second = 25e6, .answers = 1};
constexpr LinkSpeed kMedium{.round_trip = milliseconds{1}, .bytes_per_second = 2e6, .answers = 1};
constexpr LinkSpeed kSlow{
    .round_trip = milliseconds{100}, .bytes_per_second = 1.99e6, .answers = 1};
constexpr LinkSpeed kSlowAgain{
    .round_trip = milliseconds{100}, .bytes_per_second = 1.99e6, .answers = 3};

struct Case {
    std::string name;
    std::vector<SourcePeer> peers;
    std::optional<SourceChoice> choice;  ///< empty: it waits
    ChoiceInputs inputs = {};
    milliseconds since_handshake{0};
    bool has_all_headers = false;
};

void PrintTo(const Case& row, std::ostream* out) {
    *out << row.name;
}

class ChoiceByLink : public testing::TestWithParam<Case> {};

TEST_P(ChoiceByLink, IsTheFastestWayThatIsServed) {
    SourceFacts facts;
    facts.peers = GetParam().peers;
    facts.since_handshake = GetParam().since_handshake;
    facts.has_all_headers = GetParam().has_all_headers;
    SharedChoice shared;
    const auto choice = choose_by_link(facts, GetParam().inputs, shared);
    ASSERT_EQ(choice.has_value(), GetParam().choice.has_value());
    if (!choice) return;
    EXPECT_EQ(choice->source, GetParam().choice->source);
    EXPECT_EQ(code_of(choice->reason), code_of(GetParam().choice->reason));
}

constexpr SourceChoice kByIndex{compact_filters, SourceReason::index};
constexpr SourceChoice kBySlowLink{filtered_blocks, SourceReason::slow_link};
constexpr SourceChoice kWithoutIndex{filtered_blocks, SourceReason::no_index};
constexpr SourceChoice kIndexIncomplete{filtered_blocks, SourceReason::index_incomplete};
constexpr SourceChoice kByProfile{compact_filters, SourceReason::privacy_profile};
constexpr SourceChoice kOnlyBlocks{full_blocks, SourceReason::only_blocks};
constexpr SourceChoice kAsBefore{compact_filters, SourceReason::as_before};
constexpr SourceChoice kUnconfirmed{filtered_blocks, SourceReason::unconfirmed};
constexpr ChoiceInputs kTwoNodes{.expected_peers = 2};
constexpr ChoiceInputs kHistory{.has_compact_history = true};
constexpr ChoiceInputs kTwoNodesPrivate{.expected_peers = 2, .privacy = net::Privacy::private_};
constexpr ChoiceInputs kListens{.listens = true};
constexpr ChoiceInputs kListensWithHistory{.has_compact_history = true, .listens = true};

// clang-format off
INSTANTIATE_TEST_SUITE_P(Links, ChoiceByLink, testing::ValuesIn(std::vector<Case>{
    {"WaitsForANode",                  {},                                    {}, {}, seconds{9}},
    {"IndexAlone",                     {{kCompact, kUnmeasured}},             kByIndex},
    {"IndexOnASlowLinkWithoutBloom",   {{kCompact, kSlowAgain}},              kByIndex},
    {"MeasuresTheLink",                {{kEverything, kUnmeasured}},          {}},
    {"MeasuresItUpToTwoSeconds",       {{kEverything, kUnmeasured}},          {}, {}, milliseconds{1'999}},
    {"CannotMeasureWithoutHeaders",    {{kEverything, kUnmeasured}},          kByIndex, {}, {}, true},
    {"NoAnswerInTwoSecondsIsSlow",     {{kEverything, kUnmeasured}},          kBySlowLink, {}, seconds{2}},
    {"UnlessAnotherNodeHasAnswered",   {{kCompact, kUnmeasured}, {kBloom, kSlow}}, kByIndex, kTwoNodes, seconds{2}},
    {"IndexOnAMediumLink",             {{kEverything, kMedium}},              kByIndex},
    {"IndexOnAFastLink",               {{kEverything, kFast}},                kByIndex},
    {"TheFirstAnswersMayBeSlow",       {{kEverything, kSlow}},                {}},
    {"NoneAfterTheThirdMay",           {{kEverything, kSlowAgain}},           kBySlowLink},
    {"TheLastAnswerWasSlow",           {{kEverything, kSlow}},                kBySlowLink, {}, {}, true},
    {"NoFastAnswerInTwoSeconds",       {{kEverything, kSlow}},                kBySlowLink, {}, seconds{2}},
    {"BloomAlone",                     {{kBloom, kMedium}},                   kWithoutIndex, {}, {}, true},
    {"BloomAloneMeasuresNothing",      {{kBloom, kUnmeasured}},               kWithoutIndex},
    {"TheIndexIsIncomplete",           {{kBloom, kUnmeasured, true}},         kIndexIncomplete},
    {"BlocksAlone",                    {{kBlocks, kSlowAgain}},               kOnlyBlocks},
    {"WaitsForTheSecondNode",          {{kCompact, kFast}},                   {}, kTwoNodes, milliseconds{999}},
    {"ForASecond",                     {{kCompact, kFast}},                   kByIndex, kTwoNodes, seconds{1}},
    {"WhatBothServe",                  {{kEverything, kMedium}, {kBloom, kSlow}}, kWithoutIndex, kTwoNodes, {}, true},
    {"OneHasAnIndexTheOtherNothing",   {{kCompact, kSlow}, {kBlocks, kFast}}, kByIndex, kTwoNodes},
    {"OneHasAnIndexTheOtherBloom",     {{kCompact, kMedium}, {kBloom, kFast}}, kByIndex, kTwoNodes},
    {"TheSameOnASlowLink",             {{kCompact, kSlowAgain}, {kBloom, kSlow}}, kBySlowLink, kTwoNodes, {}, true},
    {"OneServesBloomTheOtherNothing",  {{kBloom, kMedium}, {kBlocks, kMedium}}, kWithoutIndex, kTwoNodes, {}, true},
    {"PrivateWithOneNodeThatHasNoIndex", {{kEverything, kSlowAgain}, {kBloom, kFast}}, kByProfile, kTwoNodesPrivate},
    {"PrivateWithoutIndex",            {{kBloom, kSlow}, {kBloom, kFast}},    kWithoutIndex, kTwoNodesPrivate},
    {"AsBefore",                       {{kEverything, kSlowAgain}},           kAsBefore, kHistory},
    {"NotAsBeforeIfNotServed",         {{kBloom, kSlow}},                     kWithoutIndex, kHistory},
    {"ListensWithBloom",               {{kEverything, kFast}},                kUnconfirmed, kListens},
    {"ListensWithoutBloom",            {{kCompact, kFast}},                   kByIndex, kListens},
    {"ListensAsBefore",                {{kEverything, kFast}},                kAsBefore, kListensWithHistory},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(SourceOption, IsFixedUnlessItDependsOnNodes) {
    for (const bool finds_nodes : {false, true}) {
        EXPECT_EQ(fixed_source(SourceOption::bloom, finds_nodes), filtered_blocks);
        EXPECT_EQ(fixed_source(SourceOption::compact, finds_nodes), compact_filters);
        EXPECT_EQ(fixed_source(SourceOption::blocks, finds_nodes), full_blocks);
        EXPECT_EQ(fixed_source(SourceOption::automatic, finds_nodes), std::nullopt);
    }
    EXPECT_EQ(fixed_source(SourceOption::by_default, false), filtered_blocks);
    EXPECT_EQ(fixed_source(SourceOption::by_default, true), std::nullopt);
}

// One sync downloads the headers for all wallets, so the others measure no link.
TEST(ChoiceByLink, IsTheSameForAllWalletsOfARun) {
    for (const auto& [link, source] :
         {std::pair{kSlowAgain, filtered_blocks}, std::pair{kMedium, compact_filters}}) {
        SharedChoice shared;
        SourceFacts unmeasured;
        unmeasured.peers = {{kEverything, kUnmeasured}};
        EXPECT_FALSE(choose_by_link(unmeasured, {}, shared));
        SourceFacts measured;
        measured.peers = {{kEverything, link}};
        EXPECT_EQ(choose_by_link(measured, {}, shared)->source, source);
        EXPECT_EQ(choose_by_link(unmeasured, {}, shared)->source, source);
    }
}

class ChoiceOfFound : public testing::Test {
protected:
    static ChoiceInputs inputs() { return {.finds_nodes = true, .missing_bytes = 1}; }
    static SourceFacts with(std::vector<SourcePeer> peers) {
        SourceFacts facts;
        facts.peers = std::move(peers);
        return facts;
    }
    /// The services that are searched for in each interval of ChoiceInputs::patience.
    static std::vector<std::uint64_t> tried(const ChoiceInputs& inputs) {
        SharedChoice shared;
        SourceChooser chooser(inputs, shared);
        std::vector<std::uint64_t> services;
        for (int i = 0; i < 4; ++i) {
            chooser.on_time(i * inputs.patience, true);
            services.push_back(chooser.services());
            EXPECT_EQ(chooser.decide({}).services, services.back());
            chooser.on_time((i + 1) * inputs.patience - milliseconds{1}, true);
            EXPECT_EQ(chooser.services(), services.back());
        }
        return services;
    }
    using Services = std::vector<std::uint64_t>;
};

TEST_F(ChoiceOfFound, TriesTheSourcesInTurnAsTheProfilePrefers) {
    ChoiceInputs fast = inputs();
    EXPECT_EQ(tried(fast), (Services{kBloom, kCompact, kBlocks, kBloom}));
    fast.privacy = net::Privacy::balanced;
    EXPECT_EQ(tried(fast), (Services{kBloom, kCompact, kBlocks, kBloom}));
    fast.privacy = net::Privacy::private_;
    EXPECT_EQ(tried(fast), (Services{kCompact, kBloom, kBlocks, kCompact}));
    ChoiceInputs before = inputs();
    before.has_compact_history = true;
    before.patience = seconds{1};
    EXPECT_EQ(tried(before), (Services{kCompact, kBloom, kBlocks, kCompact}));
}

TEST_F(ChoiceOfFound, DownloadsNoMoreBlocksThanExpected) {
    ChoiceInputs all = inputs();
    all.missing_bytes = kMaxUnaskedBytes;
    EXPECT_EQ(tried(all)[2], kBlocks);
    all.missing_bytes = kMaxUnaskedBytes + 1;
    EXPECT_EQ(tried(all), (Services{kBloom, kCompact, kBloom, kCompact}));
}

TEST_F(ChoiceOfFound, CountsTheBlocksOfAllWallets) {
    SharedChoice shared;
    ChoiceInputs half = inputs();
    half.missing_bytes = kMaxUnaskedBytes / 2;
    SourceChooser first(half, shared);
    SourceChooser second(half, shared);
    EXPECT_EQ(first.decide(with({{kBlocks, {}}})).source, full_blocks);
    const SourceChooser third(inputs(), shared);
    EXPECT_EQ(first.decide(with({{kBlocks, {}}})).source, std::nullopt);
    EXPECT_EQ(second.decide(with({{kBlocks, {}}})).source, std::nullopt);
    EXPECT_EQ(third.missing_bytes(), kMaxUnaskedBytes + 1);
}

TEST_F(ChoiceOfFound, EstimatesTheBlocksSinceATime) {
    const auto* const mainnet = chain::find_network("mainnet");
    const auto* const testnet = chain::find_network("testnet4");
    constexpr std::int64_t kNow = 1'700'000'000;
    EXPECT_EQ(estimated_block_bytes(*mainnet, kNow - 86'400, kNow), 144 * 1'700'000U);
    EXPECT_EQ(estimated_block_bytes(*testnet, kNow - 86'400, kNow), 144 * 1'000'000U);
    EXPECT_EQ(estimated_block_bytes(*mainnet, kNow + 1, kNow), 0U) << "a wrong clock";
}

TEST_F(ChoiceOfFound, IsTheFirstSourceThatANodeServes) {
    SharedChoice shared;
    SourceChooser chooser(inputs(), shared);
    EXPECT_EQ(chooser.decide({}).source, std::nullopt);
    EXPECT_FALSE(chooser.choice());
    EXPECT_EQ(chooser.decide(with({{kEverything, {}}})).source, filtered_blocks);
    EXPECT_EQ(chooser.choice(), (SourceChoice{filtered_blocks, SourceReason::privacy_profile}));
    EXPECT_EQ(chooser.decide(with({{kCompact, {}}})).source, compact_filters);
    EXPECT_EQ(chooser.choice(), (SourceChoice{compact_filters, SourceReason::none_found}));
    EXPECT_EQ(chooser.decide(with({{kBlocks, {}}})).source, full_blocks);
}

// The search was for compact filters when a node with both came.
TEST_F(ChoiceOfFound, IsFollowedByTheSearch) {
    SharedChoice shared;
    SourceChooser chooser(inputs(), shared);
    chooser.on_time(kSourcePatience, true);
    EXPECT_EQ(chooser.services(), kCompact);
    EXPECT_EQ(chooser.decide(with({{kEverything, {}}})).source, filtered_blocks);
    EXPECT_EQ(chooser.services(), kBloom);
    chooser.on_time(2 * kSourcePatience, true);
    EXPECT_EQ(chooser.services(), kBloom);
    EXPECT_FALSE(chooser.skip());
    EXPECT_EQ(chooser.services(), kBloom);
}

TEST_F(ChoiceOfFound, SkipsASourceThatNoNodeCanServe) {
    SharedChoice shared;
    SourceChooser chooser(inputs(), shared);
    EXPECT_EQ(chooser.services(), kBloom);
    EXPECT_TRUE(chooser.skip());
    EXPECT_EQ(chooser.services(), kCompact);
    EXPECT_TRUE(chooser.skip());
    EXPECT_EQ(chooser.services(), kBlocks);
    EXPECT_FALSE(chooser.skip()) << "nothing else is left";
    EXPECT_EQ(chooser.services(), kBlocks);
}

TEST_F(ChoiceOfFound, SearchesForTheFullTimeAfterASkip) {
    SharedChoice shared;
    SourceChooser chooser(inputs(), shared);
    chooser.on_time(seconds{29}, true);
    EXPECT_TRUE(chooser.skip());
    chooser.on_time(seconds{58}, true);
    EXPECT_EQ(chooser.services(), kCompact);
    chooser.on_time(seconds{59}, true);
    EXPECT_EQ(chooser.services(), kBlocks);
}

TEST_F(ChoiceOfFound, DoesNotCountTheTimeOffline) {
    SharedChoice shared;
    SourceChooser chooser(inputs(), shared);
    chooser.on_time(seconds{100}, false);
    EXPECT_EQ(chooser.services(), kBloom);
    chooser.on_time(seconds{129}, true);
    EXPECT_EQ(chooser.services(), kBloom);
    chooser.on_time(seconds{130}, true);
    EXPECT_EQ(chooser.services(), kCompact);
}

// The nodes with the chosen source have turned out not to serve it.
TEST_F(ChoiceOfFound, HasTriedNoSourceWhileOneWasInUse) {
    SharedChoice shared;
    ChoiceInputs before = inputs();
    before.has_compact_history = true;
    SourceChooser chooser(before, shared);
    EXPECT_EQ(chooser.decide(with({{kEverything, {}}})).source, compact_filters);
    chooser.on_time(seconds{65}, true);
    EXPECT_EQ(chooser.decide({}).source, std::nullopt);
    chooser.on_time(seconds{94}, true);
    EXPECT_EQ(chooser.services(), kCompact);
    EXPECT_TRUE(chooser.skip()) << "Bloom filters have not been tried";
    EXPECT_EQ(chooser.services(), kBloom);
}

TEST_F(ChoiceOfFound, IsAsBeforeOnlyForAWalletWithHistory) {
    SharedChoice shared;
    ChoiceInputs before = inputs();
    before.has_compact_history = true;
    SourceChooser first(before, shared);
    SourceChooser second(inputs(), shared);
    static_cast<void>(first.decide(with({{kEverything, {}}})));
    static_cast<void>(second.decide(with({{kEverything, {}}})));
    EXPECT_EQ(first.choice(), (SourceChoice{compact_filters, SourceReason::as_before}));
    EXPECT_EQ(second.choice(), (SourceChoice{filtered_blocks, SourceReason::privacy_profile}));
}

}  // namespace
}  // namespace petal::client
