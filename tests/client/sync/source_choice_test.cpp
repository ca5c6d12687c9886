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
constexpr LinkSpeed kFarAndFast{
    .round_trip = milliseconds{2}, .bytes_per_second = 100e6, .answers = 1};
constexpr LinkSpeed kMedium{.round_trip = milliseconds{1}, .bytes_per_second = 2e6, .answers = 1};
constexpr LinkSpeed kSlow{
    .round_trip = milliseconds{100}, .bytes_per_second = 1.99e6, .answers = 1};
constexpr LinkSpeed kSlowAgain{
    .round_trip = milliseconds{100}, .bytes_per_second = 1.99e6, .answers = 3};

struct Case {
    std::string name;
    std::vector<SourcePeer> peers;
    std::optional<SourceChoice> choice;  ///< empty: it waits
    SourceWishes wishes = {};
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
    const auto choice = choose_by_link(facts, GetParam().wishes);
    ASSERT_EQ(choice.has_value(), GetParam().choice.has_value());
    if (!choice) return;
    EXPECT_EQ(choice->source, GetParam().choice->source);
    EXPECT_EQ(code_of(choice->reason), code_of(GetParam().choice->reason));
}

constexpr SourceChoice kByIndex{compact_filters, SourceReason::index};
constexpr SourceChoice kBySlowLink{filtered_blocks, SourceReason::slow_link};
constexpr SourceChoice kWithoutIndex{filtered_blocks, SourceReason::no_index};
constexpr SourceChoice kByFastLink{full_blocks, SourceReason::fast_link};
constexpr SourceChoice kOnlyBlocks{full_blocks, SourceReason::only_blocks};
constexpr SourceChoice kAsBefore{compact_filters, SourceReason::as_before};
constexpr SourceChoice kUnconfirmed{filtered_blocks, SourceReason::unconfirmed};
constexpr SourceWishes kTwoNodes{.expected_peers = 2};
constexpr SourceWishes kHistory{.has_compact_history = true};
constexpr SourceWishes kListens{.listens = true};
constexpr SourceWishes kListensWithHistory{.has_compact_history = true, .listens = true};

// clang-format off
INSTANTIATE_TEST_SUITE_P(Links, ChoiceByLink, testing::ValuesIn(std::vector<Case>{
    {"WaitsForANode",                  {},                                    {}, {}, seconds{9}},
    {"IndexAlone",                     {{kCompact, kUnmeasured}},             kByIndex},
    {"IndexOnASlowLinkWithoutBloom",   {{kCompact, kSlowAgain}},              kByIndex},
    {"MeasuresTheLink",                {{kEverything, kUnmeasured}},          {}},
    {"MeasuresItUpToTwoSeconds",       {{kEverything, kUnmeasured}},          {}, {}, milliseconds{1'999}},
    {"CannotMeasureWithoutHeaders",    {{kEverything, kUnmeasured}},          kByIndex, {}, {}, true},
    {"IndexOnAMediumLink",             {{kEverything, kMedium}},              kByIndex},
    {"IndexOnAFastLink",               {{kEverything, kFast}},                kByIndex},
    {"TheFirstAnswersMayBeSlow",       {{kEverything, kSlow}},                {}},
    {"NoneAfterTheThirdMay",           {{kEverything, kSlowAgain}},           kBySlowLink},
    {"TheLastAnswerWasSlow",           {{kEverything, kSlow}},                kBySlowLink, {}, {}, true},
    {"NoFastAnswerInTwoSeconds",       {{kEverything, kSlow}},                kBySlowLink, {}, seconds{2}},
    {"BloomAlone",                     {{kBloom, kMedium}},                   kWithoutIndex, {}, {}, true},
    {"BloomOnAFarLinkMeasuresNothing", {{kBloom, kSlow}},                     kWithoutIndex},
    {"ALinkOfAMillisecondMayBeFast",   {{kBloom, kUnmeasured}},               {}},
    {"AFastLinkCarriesAllBlocks",      {{kBloom, kFast}},                     kByFastLink},
    {"NotOverALongWay",                {{kBloom, kFarAndFast}},               kWithoutIndex},
    {"BlocksAlone",                    {{kBlocks, kSlowAgain}},               kOnlyBlocks},
    {"NotEvenBlocks",                  {{0, kFast}},                          kOnlyBlocks},
    {"WaitsForTheSecondNode",          {{kCompact, kFast}},                   {}, kTwoNodes, milliseconds{999}},
    {"ForASecond",                     {{kCompact, kFast}},                   kByIndex, kTwoNodes, seconds{1}},
    {"WhatBothServe",                  {{kEverything, kMedium}, {kBloom, kSlow}}, kWithoutIndex, kTwoNodes, {}, true},
    {"OneHasAnIndexTheOtherNothing",   {{kCompact, kSlow}, {kBlocks, kFast}}, kByIndex, kTwoNodes},
    {"OneHasAnIndexTheOtherBloom",     {{kCompact, kMedium}, {kBloom, kFast}}, kByIndex, kTwoNodes},
    {"TheSameOnASlowLink",             {{kCompact, kSlowAgain}, {kBloom, kSlow}}, kBySlowLink, kTwoNodes, {}, true},
    {"OneServesBloomTheOtherNothing",  {{kBloom, kMedium}, {kBlocks, kMedium}}, kWithoutIndex, kTwoNodes, {}, true},
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

class ChoiceOfFound : public testing::Test {
protected:
    static SourceWishes wishes() { return {.finds_nodes = true, .missing_bytes = 1}; }
    static SourceFacts after(milliseconds time, std::vector<SourcePeer> peers = {}) {
        SourceFacts facts;
        facts.peers = std::move(peers);
        facts.since_connection = time;
        return facts;
    }
    /// The services that are searched for in each interval of kSourcePatience.
    static std::vector<std::uint64_t> tried(const SourceWishes& wishes) {
        SourceSearch search;
        search.add(wishes);
        SourceChooser chooser(wishes, search);
        std::vector<std::uint64_t> services;
        for (int i = 0; i < 4; ++i) {
            const auto begin = chooser.decide(after(i * kSourcePatience));
            EXPECT_FALSE(begin.source);
            services.push_back(begin.services);
            EXPECT_EQ(chooser.decide(after((i + 1) * kSourcePatience - milliseconds{1})).services,
                      begin.services);
        }
        return services;
    }
    using Services = std::vector<std::uint64_t>;
};

TEST_F(ChoiceOfFound, TriesTheSourcesInTurnAsTheProfilePrefers) {
    SourceWishes fast = wishes();
    EXPECT_EQ(tried(fast), (Services{kBloom, kCompact, kBlocks, kBloom}));
    fast.privacy = net::Privacy::balanced;
    EXPECT_EQ(tried(fast), (Services{kBloom, kCompact, kBlocks, kBloom}));
    fast.privacy = net::Privacy::private_;
    EXPECT_EQ(tried(fast), (Services{kCompact, kBloom, kBlocks, kCompact}));
    SourceWishes before = wishes();
    before.has_compact_history = true;
    EXPECT_EQ(tried(before), (Services{kCompact, kBloom, kBlocks, kCompact}));
}

TEST_F(ChoiceOfFound, DownloadsNoMoreBlocksThanExpected) {
    SourceWishes all = wishes();
    all.missing_bytes = kMaxUnaskedBytes;
    EXPECT_EQ(tried(all)[2], kBlocks);
    all.missing_bytes = kMaxUnaskedBytes + 1;
    EXPECT_EQ(tried(all), (Services{kBloom, kCompact, kBloom, kCompact}));
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
    SourceSearch search;
    search.add(wishes());
    SourceChooser chooser(wishes(), search);
    EXPECT_EQ(chooser.decide(after(seconds{1})).source, std::nullopt);
    EXPECT_FALSE(chooser.choice());
    EXPECT_EQ(chooser.decide(after(seconds{2}, {{kEverything, {}}})).source, filtered_blocks);
    EXPECT_EQ(chooser.choice(), (SourceChoice{filtered_blocks, SourceReason::privacy_profile}));
    EXPECT_EQ(chooser.decide(after(seconds{31}, {{kCompact, {}}})).source, compact_filters);
    EXPECT_EQ(chooser.choice(), (SourceChoice{compact_filters, SourceReason::none_found}));
    EXPECT_EQ(chooser.decide(after(seconds{61}, {{kBlocks, {}}})).source, full_blocks);
}

TEST_F(ChoiceOfFound, SkipsASourceThatNoNodeCanServe) {
    SourceSearch search;
    search.add(wishes());
    EXPECT_EQ(search.wanted(), filtered_blocks);
    EXPECT_TRUE(search.skip());
    EXPECT_EQ(search.wanted(), compact_filters);
    EXPECT_TRUE(search.skip());
    EXPECT_EQ(search.wanted(), full_blocks);
    EXPECT_FALSE(search.skip()) << "nothing else is left";
    EXPECT_EQ(search.wanted(), full_blocks);
}

// All wallets of a run search for the same nodes.
TEST_F(ChoiceOfFound, SpareEachWalletASearchOfEarlierBlocks) {
    SourceWishes before = wishes();
    before.has_compact_history = true;
    SourceWishes large = wishes();
    large.missing_bytes = kMaxUnaskedBytes + 1;
    SourceSearch search;
    search.add(wishes());
    EXPECT_EQ(search.sources().size(), 3U);
    search.add(large);
    EXPECT_EQ(search.sources(), (std::vector{filtered_blocks, compact_filters}));
    search.add(before);
    EXPECT_EQ(search.sources(), (std::vector{compact_filters, filtered_blocks}));
    SourceChooser chooser(wishes(), search);
    static_cast<void>(chooser.decide(after(seconds{1}, {{kEverything, {}}})));
    EXPECT_EQ(chooser.choice(), (SourceChoice{compact_filters, SourceReason::as_before}));
}

}  // namespace
}  // namespace petal::client
