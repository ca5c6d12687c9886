#include "net/discovery/addrman.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>

namespace petal::net {
namespace {

using chain::Byte;
using chain::Bytes;

constexpr std::int64_t kNow = 1'750'000'000;
constexpr std::int64_t kDay = 86'400;
constexpr std::uint64_t kServices = kNodeNetwork | kNodeBloom;

constexpr Reach kEverywhere{.clearnet = true, .onion = true};
constexpr Reach kOnionOnly{.clearnet = false, .onion = true};

PeerAddress ipv4(Byte a, Byte b, Byte c, Byte d, std::uint16_t port = 8333) {
    return {AddressKind::ipv4, {a, b, c, d}, port};
}

/// The n-th of many public addresses, each in a /16 of its own.
PeerAddress nth(std::uint32_t n) {
    return ipv4(static_cast<Byte>(11 + n / 250 % 80), static_cast<Byte>(n % 250), 1, 1,
                static_cast<std::uint16_t>(1'000 + n / 20'000));
}

PeerAddress onion(Byte n) {
    return {AddressKind::onion, Bytes(32, n), 8333};
}

Bytes source(Byte n) {
    return {1, n, n};
}

AddrMan make_addrman(std::uint64_t seed = 1) {
    AddrManOptions options;
    options.random_seed = seed;
    return AddrMan{options};
}

bool add(AddrMan& addrman, const PeerAddress& address, Byte from = 1) {
    return addrman.add(address, kServices, kNow, source(from), kNow);
}

bool chooses(AddrMan& addrman, const PeerAddress& address, std::int64_t now) {
    const auto chosen = addrman.choose(1, {}, kEverywhere, now);
    return !chosen.empty() && chosen[0] == address;
}

TEST(AddrMan, AddsAnAddressOnceAndChoosesIt) {
    auto addrman = make_addrman();
    EXPECT_TRUE(addrman.choose(8, {}, kEverywhere, kNow).empty());
    EXPECT_TRUE(add(addrman, nth(1)));
    EXPECT_FALSE(add(addrman, nth(1))) << "the address is known already";
    EXPECT_EQ(addrman.choose(8, {}, kEverywhere, kNow), std::vector{nth(1)});
    EXPECT_EQ(addrman.size(), 1U);
}

TEST(AddrMan, BelievesGossipAboutServicesUntilTheNodeStatesThem) {
    auto addrman = make_addrman();
    add(addrman, nth(1));
    addrman.add(nth(1), kNodeWitness, kNow, source(2), kNow);
    EXPECT_EQ(addrman.find(nth(1))->services, kServices | kNodeWitness);
    EXPECT_EQ(addrman.find(nth(1))->services_time, 0);
    addrman.on_version(nth(1), kServices, kNow);
    addrman.add(nth(1), kNodeWitness, kNow, source(2), kNow);
    EXPECT_EQ(addrman.find(nth(1))->services, kServices);
    EXPECT_EQ(addrman.find(nth(1))->services_time, kNow);
}

TEST(AddrMan, DialsNoNodeTwiceAMinute) {
    auto addrman = make_addrman();
    add(addrman, nth(1));
    addrman.on_attempt(nth(1), kNow);
    EXPECT_FALSE(chooses(addrman, nth(1), kNow + 59));
    EXPECT_TRUE(chooses(addrman, nth(1), kNow + 60));
    addrman.on_attempt(nth(1), kNow + 60);
    addrman.on_outcome(nth(1), PeerOutcome::served, kNow + 61);
    EXPECT_TRUE(chooses(addrman, nth(1), kNow + 62)) << "it has served since";
}

TEST(AddrMan, DialsAtOnceANodeThatAnEarlierProcessMissed) {
    auto earlier = make_addrman();
    add(earlier, nth(1));
    earlier.on_attempt(nth(1), kNow);
    auto addrman = make_addrman();
    ASSERT_TRUE(addrman.restore(earlier.find(nth(1)).value()));
    EXPECT_TRUE(chooses(addrman, nth(1), kNow + 1));
    addrman.on_attempt(nth(1), kNow + 1);
    EXPECT_FALSE(chooses(addrman, nth(1), kNow + 2));
}

TEST(AddrMan, ForgetsAnAddressOnRequest) {
    auto addrman = make_addrman();
    add(addrman, nth(1));
    addrman.forget(nth(1));
    EXPECT_EQ(addrman.size(), 0U);
    EXPECT_TRUE(add(addrman, nth(1))) << "its slot is free";
}

TEST(AddrMan, SkipsOnionServicesThatCannotBeReached) {
    auto addrman = make_addrman();
    add(addrman, onion(1));
    EXPECT_TRUE(addrman.choose(8, {}, Reach{}, kNow).empty());
    EXPECT_EQ(addrman.choose(8, {}, kOnionOnly, kNow).size(), 1U);
}

TEST(AddrMan, TakesOnlyPublicAddresses) {
    auto addrman = make_addrman();
    EXPECT_FALSE(add(addrman, ipv4(10, 1, 2, 3)));
    EXPECT_TRUE(add(addrman, ipv4(8, 8, 8, 8)));
    EXPECT_TRUE(add(addrman, onion(7)));
}

TEST(AddrMan, SpreadsOverNetworkGroups) {
    auto addrman = make_addrman();
    for (Byte i = 1; i < 100; ++i) add(addrman, ipv4(20, 1, 1, i), i);
    add(addrman, ipv4(20, 2, 1, 1));
    EXPECT_EQ(addrman.choose(8, {}, kEverywhere, kNow).size(), 2U);
    const auto taken = network_group(ipv4(20, 1, 9, 9));
    EXPECT_EQ(addrman.choose(8, {taken}, kEverywhere, kNow), std::vector{ipv4(20, 2, 1, 1)});
}

TEST(AddrMan, OneSourceCannotFillIt) {
    auto addrman = make_addrman();
    for (std::uint32_t i = 0; i < 20'000; ++i) add(addrman, nth(i));
    const auto most = AddrTable::kNewBucketsPerSource * AddrTable::kBucketSize;
    EXPECT_LE(addrman.size(), most);
    EXPECT_GT(addrman.size(), most / 2);
    std::size_t taken = 0;
    for (std::uint32_t i = 20'000; i < 20'100; ++i) taken += add(addrman, nth(i), 2) ? 1U : 0U;
    EXPECT_GT(taken, 60U) << "addresses of another source still find room";
}

TEST(AddrMan, ANewcomerDoesNotEvictAnEqualAddress) {
    auto addrman = make_addrman();
    std::vector<PeerAddress> taken;
    for (std::uint32_t i = 0; i < 1'000; ++i) {
        if (add(addrman, nth(i))) taken.push_back(nth(i));
    }
    EXPECT_LT(taken.size(), 1'000U) << "some slots were taken already";
    EXPECT_EQ(addrman.size(), taken.size());
}

TEST(AddrMan, ManySourcesCannotFillItBeyondItsBounds) {
    auto addrman = make_addrman();
    for (std::uint32_t i = 0; i < 20'000; ++i) add(addrman, nth(i), static_cast<Byte>(i));
    EXPECT_LE(addrman.size(), AddrTable::kNewBuckets * AddrTable::kBucketSize);
}

TEST(AddrMan, OneGroupCannotFillTheTriedTable) {
    auto addrman = make_addrman();
    for (std::uint32_t i = 0; i < 2'000; ++i) {
        const auto address = ipv4(20, 1, static_cast<Byte>(i / 250), static_cast<Byte>(i % 250));
        add(addrman, address, static_cast<Byte>(i));
        addrman.on_outcome(address, PeerOutcome::served, kNow);
    }
    const auto peers = addrman.peers();
    const auto tried = std::ranges::count_if(peers, &KnownPeer::tried);
    EXPECT_GT(tried, 0);
    EXPECT_LE(tried, static_cast<std::ptrdiff_t>(AddrTable::kTriedBucketsPerGroup *
                                                 AddrTable::kBucketSize));
}

TEST(AddrMan, AFloodDoesNotEvictTriedNodes) {
    auto addrman = make_addrman();
    for (std::uint32_t i = 0; i < 20; ++i) {
        add(addrman, nth(i), static_cast<Byte>(i));
        addrman.on_outcome(nth(i), PeerOutcome::served, kNow);
    }
    for (std::uint32_t i = 100; i < 20'000; ++i) add(addrman, nth(i), static_cast<Byte>(i));
    for (std::uint32_t i = 0; i < 20; ++i) EXPECT_TRUE(addrman.find(nth(i))) << i;
}

TEST(AddrMan, ChoosesTriedNodesFirstAndSomeNewcomers) {
    auto addrman = make_addrman();
    for (std::uint32_t i = 0; i < 40; ++i) add(addrman, nth(i), static_cast<Byte>(i));
    for (std::uint32_t i = 0; i < 20; ++i) addrman.on_outcome(nth(i), PeerOutcome::served, kNow);
    const auto chosen = addrman.choose(8, {}, kEverywhere, kNow);
    ASSERT_EQ(chosen.size(), 8U);
    const auto tried = [&](const PeerAddress& a) { return addrman.find(a)->tried; };
    EXPECT_TRUE(std::all_of(chosen.begin(), chosen.begin() + 6, tried));
    EXPECT_TRUE(std::none_of(chosen.begin() + 6, chosen.end(), tried));
    EXPECT_TRUE(tried(addrman.choose(1, {}, kEverywhere, kNow).at(0)));
}

/// The services that each source of matches needs.
constexpr std::uint64_t kSources[] = {kNodeNetwork | kNodeBloom, kNodeNetwork | kNodeCompactFilters,
                                      kNodeNetwork};

AddrMan addrman_for(std::uint64_t services) {
    AddrManOptions options;
    options.services = services;
    return AddrMan{options};
}

TEST(AddrMan, DrawsNodesByTheServicesNeeded) {
    for (const std::uint64_t services : kSources) {
        auto addrman = addrman_for(services);
        // Tried, and said to serve something else.
        for (std::uint32_t i = 0; i < 50; ++i) {
            addrman.add(nth(i), kNodeNetworkLimited, kNow, source(1), kNow);
            addrman.on_outcome(nth(i), PeerOutcome::served, kNow);
        }
        ASSERT_TRUE(addrman.add(nth(60), services | kNodeWitness, kNow, source(2), kNow));
        EXPECT_TRUE(chooses(addrman, nth(60), kNow)) << services;
        EXPECT_EQ(addrman.choose(8, {}, kEverywhere, kNow).at(0), nth(60)) << services;
        EXPECT_EQ(addrman.choose(8, {}, kEverywhere, kNow).size(), 8U) << services;
        ASSERT_TRUE(addrman.add(nth(61), kNodeNetworkLimited, kNow, source(2), kNow));
        EXPECT_EQ(addrman.choose_newcomer({}, kEverywhere, kNow), nth(60)) << services;
    }
}

TEST(AddrMan, DialsNoNodeThatStatedLatelyThatItLacksTheServices) {
    constexpr std::int64_t kLast = 7 * kDay;
    for (const std::uint64_t services : kSources) {
        for (const std::uint64_t stated : kSources) {
            auto addrman = addrman_for(services);
            addrman.add(nth(1), services, kNow, source(1), kNow);
            addrman.on_version(nth(1), stated, kNow);
            addrman.on_outcome(nth(1), PeerOutcome::lacks_services, kNow);
            addrman.add(nth(1), services, kNow, source(2), kNow);  // gossip does not help
            const bool serves = (stated & services) == services;
            EXPECT_EQ(chooses(addrman, nth(1), kNow), serves);
            EXPECT_EQ(chooses(addrman, nth(1), kNow + kLast - 1), serves);
            EXPECT_TRUE(chooses(addrman, nth(1), kNow + kLast));
            EXPECT_TRUE(chooses(addrman, nth(1), kNow - 1)) << "the clock was wrong";
            EXPECT_EQ(addrman.find(nth(1))->failures, 0U) << "another run may use the node";
        }
    }
    auto addrman = make_addrman();
    ASSERT_TRUE(addrman.add_by_user(nth(1), kNow));
    addrman.on_version(nth(1), 0, kNow);
    EXPECT_FALSE(chooses(addrman, nth(1), kNow));
    ASSERT_TRUE(addrman.add_by_user(nth(1), kNow));
    EXPECT_TRUE(chooses(addrman, nth(1), kNow)) << "the user may have changed the node";
}

TEST(AddrMan, TriesANodeByAFeelerIfItHasTheServices) {
    for (const std::uint64_t stated : {kServices, std::uint64_t{kNodeNetwork}}) {
        auto addrman = make_addrman();
        add(addrman, nth(1));
        addrman.on_feeler_answered(nth(1), stated, kNow);
        const KnownPeer peer = addrman.find(nth(1)).value();
        const bool serves = stated == kServices;
        EXPECT_EQ(peer.tried, serves);
        EXPECT_EQ(peer.last_outcome, serves ? PeerOutcome::answered : PeerOutcome::lacks_services);
        EXPECT_EQ(peer.services, stated);
        EXPECT_EQ(peer.services_time, kNow);
    }
}

TEST(AddrMan, DrawsEachHostOnceForACensus) {
    auto addrman = make_addrman();
    const auto draw = [&addrman](const std::set<PeerAddress>& listed = {}) {
        return addrman.draw_for_census(Reach{}, kNow, listed);
    };
    for (std::uint32_t i = 1; i <= 4; ++i) ASSERT_TRUE(add(addrman, nth(i)));
    auto second_port = nth(1);
    second_port.port = 9'000;
    ASSERT_TRUE(add(addrman, second_port));
    add(addrman, onion(1));
    addrman.bans().ban(nth(2), {.until = kNow + 1, .by_user = true});
    addrman.on_version(nth(3), 0, kNow);  // it lacks everything, and counts all the same
    const auto drawn = draw();
    EXPECT_EQ(drawn.size(), 3U);
    for (const PeerAddress& address : {nth(3), nth(4)}) {
        EXPECT_EQ(std::ranges::count(drawn, address), 1);
    }
    std::set<std::vector<PeerAddress>> orders;
    for (int i = 0; i < 50; ++i) orders.insert(draw());
    EXPECT_EQ(orders.size(), 12U) << "six orders, with either port";

    const auto selected = nth(5);
    addrman.add_listed("xd.seed.example", {selected}, kNow);
    EXPECT_EQ(draw().size(), 3U);
    EXPECT_EQ(draw({selected}).size(), 4U);
    addrman.add_listed("seed.example", {nth(6)}, kNow);
    EXPECT_EQ(draw().size(), 4U);
}

struct BackoffCase {
    PeerOutcome outcome;
    std::int64_t first;
    std::int64_t second;
    std::int64_t most;
};

TEST(AddrMan, BacksOffByTheKindOfFailure) {
    constexpr BackoffCase kCases[] = {
        {PeerOutcome::unreachable, 600, 1'200, kDay},
        {PeerOutcome::too_old, 7 * kDay, 14 * kDay, 60 * kDay},
        {PeerOutcome::wrong_network, 7 * kDay, 14 * kDay, 60 * kDay},
        {PeerOutcome::too_slow, 600, 1'200, kDay},
        {PeerOutcome::bad_data, kDay, 2 * kDay, 30 * kDay},
        {PeerOutcome::refused, 300, 600, 6 * 3'600},
        {PeerOutcome::low_work, 600, 1'200, 6 * 3'600},
        {PeerOutcome::lighter_chain, 600, 1'200, 6 * 3'600},
        {PeerOutcome::other_chain, kDay, 2 * kDay, 30 * kDay},
        {PeerOutcome::lesser_branch, 600, 1'200, 6 * 3'600},
    };
    for (const auto& row : kCases) {
        auto addrman = make_addrman();
        add(addrman, nth(1));
        addrman.on_contact(kNow, kNow);
        addrman.on_outcome(nth(1), row.outcome, kNow);
        EXPECT_FALSE(chooses(addrman, nth(1), kNow + row.first - 1)) << code_of(row.outcome);
        EXPECT_TRUE(chooses(addrman, nth(1), kNow + row.first)) << code_of(row.outcome);
        addrman.on_outcome(nth(1), row.outcome, kNow);
        EXPECT_EQ(addrman.find(nth(1))->not_before, kNow + row.second) << code_of(row.outcome);
        for (int i = 0; i < 100; ++i) addrman.on_outcome(nth(1), row.outcome, kNow);
        EXPECT_EQ(addrman.find(nth(1))->not_before, kNow + row.most) << code_of(row.outcome);
        const bool has_code_of_other_chain = row.outcome == PeerOutcome::lesser_branch;
        EXPECT_EQ(parse_peer_outcome(code_of(row.outcome)),
                  has_code_of_other_chain ? PeerOutcome::other_chain : row.outcome);
        EXPECT_TRUE(addrman.bans().all().empty());
        addrman.on_outcome(nth(1), PeerOutcome::served, kNow);
        EXPECT_TRUE(chooses(addrman, nth(1), kNow)) << "the failures are forgiven";
    }
    EXPECT_FALSE(parse_peer_outcome("else").has_value());
}

struct SilenceCase {
    const char* when;
    std::int64_t heard_before;  // all times are in seconds after the silence
    std::int64_t since;
    std::int64_t heard_after;
    bool counts;
};

TEST(AddrMan, SilenceCountsOnlyWhileThisMachineIsOnline) {
    constexpr std::int64_t kNever = -1'000'000;
    constexpr SilenceCase kCases[] = {
        {"contact just before", -10, 0, 0, true},
        {"contact some time before", -11, 100, 100, false},
        {"an old connection speaks soon after", kNever, -1, 60, true},
        {"an old connection speaks too late", kNever, -1, 61, false},
        {"the network is back", kNever, 0, 20, false},
    };
    for (const auto outcome : {PeerOutcome::unreachable, PeerOutcome::too_slow}) {
        for (const auto& row : kCases) {
            auto addrman = make_addrman();
            add(addrman, nth(1));
            addrman.on_contact(kNow + row.heard_before, kNow + row.heard_before);
            addrman.on_outcome(nth(1), outcome, kNow);
            addrman.on_contact(kNow + row.since, kNow + row.heard_after);
            const auto peer = addrman.find(nth(1)).value();
            EXPECT_EQ(peer.failures, row.counts ? 1U : 0U) << row.when;
            EXPECT_EQ(peer.last_outcome, row.counts ? std::optional{outcome} : std::nullopt);
            EXPECT_EQ(peer.not_before, row.counts ? kNow + 600 : 0) << row.when;
        }
    }
}

TEST(AddrMan, IgnoresAContactThatAFastClockDated) {
    auto addrman = make_addrman();
    add(addrman, nth(1));
    addrman.on_contact(kNow + 10 * 365 * kDay, kNow + 10 * 365 * kDay);
    addrman.on_outcome(nth(1), PeerOutcome::unreachable, kNow);
    EXPECT_EQ(addrman.find(nth(1))->failures, 0U);
}

TEST(AddrMan, EndsABackoffThatAFastClockSet) {
    for (const auto ahead : {std::int64_t{0}, 10 * 365 * kDay}) {
        auto addrman = make_addrman();
        add(addrman, nth(1));
        addrman.on_outcome(nth(1), PeerOutcome::wrong_network, kNow + ahead);
        EXPECT_EQ(is_left_alone(*addrman.find(nth(1)), kNow), ahead == 0);
        EXPECT_EQ(chooses(addrman, nth(1), kNow), ahead > 0);
    }
    KnownPeer longest;
    longest.not_before = kNow + 60 * kDay;
    EXPECT_TRUE(is_left_alone(longest, kNow));
    EXPECT_FALSE(is_left_alone(longest, kNow - 1));
    EXPECT_FALSE(is_left_alone(longest, kNow + 60 * kDay));
}

TEST(AddrMan, TreatsFutureTimestampsAsFiveDaysOld) {
    constexpr std::int64_t kMinute = 60;
    const auto seen_at = [](std::int64_t said) {
        auto addrman = make_addrman();
        addrman.add(nth(1), kServices, said, source(1), kNow);
        return addrman.find(nth(1)).value().last_seen;
    };
    EXPECT_EQ(seen_at(kNow + 10 * kMinute), kNow + 10 * kMinute)
        << "ten minutes are within the tolerance for clocks";
    EXPECT_EQ(seen_at(kNow + 10 * kMinute + 1), kNow - 5 * kDay);
    auto addrman = make_addrman();
    add(addrman, nth(1));
    addrman.add(nth(1), kServices, kNow + kDay, source(1), kNow);
    EXPECT_EQ(addrman.find(nth(1)).value().last_seen, kNow)
        << "hearing of it again changes nothing";
}

TEST(AddrMan, KnowsNoTimeBefore1970) {
    auto addrman = make_addrman();
    EXPECT_TRUE(addrman.add(nth(1), kServices, kNow, source(1), 1'000));
    EXPECT_EQ(addrman.find(nth(1))->last_seen, 0);
}

TEST(AddrMan, TakesPortsOfOtherServicesFromTheUserAlone) {
    for (const std::uint16_t port :
         std::initializer_list<std::uint16_t>{1, 22, 3306, 6667, 10'080, 27'017}) {
        auto addrman = make_addrman();
        EXPECT_FALSE(add(addrman, ipv4(20, 1, 1, 1, port))) << port;
        EXPECT_TRUE(addrman.add_by_user(ipv4(20, 1, 1, 1, port), kNow)) << port;
        EXPECT_TRUE(chooses(addrman, ipv4(20, 1, 1, 1, port), kNow)) << port;
    }
    for (const std::uint16_t port :
         std::initializer_list<std::uint16_t>{2, 80, 443, 8333, 10'081}) {
        auto addrman = make_addrman();
        EXPECT_TRUE(add(addrman, ipv4(20, 1, 1, 1, port))) << port;
    }
    auto addrman = make_addrman();
    auto hidden = onion(1);
    hidden.port = 22;
    EXPECT_TRUE(add(addrman, hidden)) << "the port rule does not apply to a hidden service";
}

TEST(AddrMan, AllMisbehaviourIsBadData) {
    for (int number = 0; number <= static_cast<int>(DisconnectReason::invalid_transaction);
         ++number) {
        const auto reason = static_cast<DisconnectReason>(number);
        const auto outcome = outcome_of(reason, PeerService::advanced);
        EXPECT_EQ(outcome == PeerOutcome::bad_data, is_misbehaviour(reason)) << number;
    }
    EXPECT_EQ(outcome_of(DisconnectReason::incomplete, PeerService::none), PeerOutcome::bad_data);
    EXPECT_EQ(outcome_of(DisconnectReason::timed_out, PeerService::none), PeerOutcome::too_slow);
    EXPECT_EQ(outcome_of(DisconnectReason::low_work, PeerService::none), PeerOutcome::low_work);
}

TEST(AddrMan, SilenceIsForgottenOnceTheNodeHasSpoken) {
    auto addrman = make_addrman();
    add(addrman, nth(1));
    addrman.on_outcome(nth(1), PeerOutcome::unreachable, kNow);
    addrman.on_outcome(nth(1), PeerOutcome::served, kNow + 5);
    addrman.on_contact(kNow - 100, kNow + 10);
    EXPECT_EQ(addrman.find(nth(1))->failures, 0U);
}

TEST(AddrMan, JudgesEachSilenceByItsOwnEvidence) {
    auto addrman = make_addrman();
    add(addrman, nth(1), 1);
    add(addrman, nth(2), 2);
    addrman.on_outcome(nth(1), PeerOutcome::unreachable, kNow);
    addrman.on_outcome(nth(2), PeerOutcome::unreachable, kNow + 20);
    addrman.on_contact(kNow + 10, kNow + 30);
    EXPECT_EQ(addrman.find(nth(1))->failures, 0U) << "it failed before that connection";
    EXPECT_EQ(addrman.find(nth(2))->failures, 1U);
    addrman.on_contact(kNow - 100, kNow + 40);
    EXPECT_EQ(addrman.find(nth(1))->failures, 1U) << "it failed while that connection was open";
}

TEST(AddrMan, BacksOffFromTheUsersNodesForAMinuteAtMost) {
    for (const auto outcome :
         {PeerOutcome::unreachable, PeerOutcome::too_slow, PeerOutcome::refused}) {
        auto addrman = make_addrman();
        ASSERT_TRUE(addrman.add_by_user(nth(1), kNow));
        addrman.on_contact(kNow, kNow);
        addrman.on_outcome(nth(1), outcome, kNow);
        EXPECT_EQ(addrman.find(nth(1))->not_before, kNow + 60) << code_of(outcome);
        addrman.on_outcome(nth(1), PeerOutcome::bad_data, kNow);
        EXPECT_GE(addrman.find(nth(1))->not_before, kNow + kDay);
    }
}

TEST(AddrMan, BansAHostWithAllItsPortsUntilTheTimeIsOver) {
    auto addrman = make_addrman();
    add(addrman, nth(1));
    addrman.bans().ban(nth(1), {kNow + 100, false});
    auto other_port = nth(1);
    other_port.port = 9;
    EXPECT_TRUE(addrman.bans().is_banned(other_port, kNow + 99));
    EXPECT_FALSE(addrman.bans().is_banned(other_port, kNow + 100));
    EXPECT_FALSE(add(addrman, other_port));
    EXPECT_TRUE(addrman.choose(8, {}, kEverywhere, kNow).empty());
    EXPECT_TRUE(addrman.bans().unban(nth(1)));
    EXPECT_FALSE(addrman.bans().unban(nth(1)));
    EXPECT_TRUE(chooses(addrman, nth(1), kNow));
}

TEST(AddrMan, IgnoresBansThatAWrongClockMadeTooLong) {
    auto addrman = make_addrman();
    addrman.bans().ban(nth(1), {kNow + 400 * kDay, false});
    addrman.bans().ban(nth(2), {kNow + 400 * kDay, true});
    EXPECT_FALSE(addrman.bans().is_banned(nth(1), kNow));
    EXPECT_TRUE(addrman.bans().is_banned(nth(2), kNow)) << "the user's choice";
}

TEST(AddrMan, BoundsTheBansButKeepsTheLongestAndTheUsersBans) {
    auto addrman = make_addrman();
    addrman.bans().ban(nth(0), {kNow + 1, true});
    for (std::uint32_t i = 1; i < 3'000; ++i) addrman.bans().ban(nth(i), {kNow + 3'000 - i, false});
    EXPECT_EQ(addrman.bans().all().size(), BanList::kMaxBans);
    EXPECT_TRUE(addrman.bans().is_banned(nth(0), kNow));
    EXPECT_TRUE(addrman.bans().is_banned(nth(1), kNow));
    EXPECT_FALSE(addrman.bans().is_banned(nth(2'998), kNow));
    EXPECT_TRUE(addrman.bans().is_banned(nth(2'999), kNow)) << "it is the latest";
}

TEST(AddrMan, TellsProvenBadDataFromOtherFailures) {
    for (const auto reason : {DisconnectReason::invalid_header, DisconnectReason::invalid_proof,
                              DisconnectReason::invalid_block, DisconnectReason::contradicts_filter,
                              DisconnectReason::left_out, DisconnectReason::false_filter,
                              DisconnectReason::invalid_transaction}) {
        EXPECT_TRUE(is_proof_of_bad_data(reason));
        EXPECT_EQ(outcome_of(reason, PeerService::advanced), PeerOutcome::bad_data);
    }
    for (const auto reason : {DisconnectReason::malformed_message, DisconnectReason::timed_out,
                              DisconnectReason::gone, DisconnectReason::unreachable,
                              DisconnectReason::incomplete, DisconnectReason::unrequested}) {
        EXPECT_FALSE(is_proof_of_bad_data(reason));
    }
}

TEST(AddrMan, RecordsTheEndOfAConnectionByItsService) {
    using enum PeerService;
    EXPECT_EQ(outcome_of(DisconnectReason::gone, none), PeerOutcome::refused);
    EXPECT_EQ(outcome_of(DisconnectReason::gone, answered), PeerOutcome::refused);
    EXPECT_EQ(outcome_of(DisconnectReason::gone, advanced), PeerOutcome::served);
    EXPECT_EQ(outcome_of(DisconnectReason::upload_limit, advanced), PeerOutcome::refused);
    EXPECT_EQ(outcome_of(DisconnectReason::finished, none), std::nullopt);
    EXPECT_EQ(outcome_of(DisconnectReason::finished, answered), PeerOutcome::served);
    EXPECT_EQ(outcome_of(DisconnectReason::self, none), std::nullopt);
}

TEST(AddrMan, ChoosesOnionsAlone) {
    auto addrman = make_addrman();
    add(addrman, nth(1));
    add(addrman, onion(1));
    add(addrman, onion(2));
    add(addrman, onion(0x20));
    EXPECT_EQ(addrman.choose(8, {}, kOnionOnly, kNow).size(), 2U)
        << "two of them may belong to one operator";
}

TEST(AddrMan, KeepsNodesThatTheUserAdded) {
    auto addrman = make_addrman();
    const auto mine = ipv4(192, 168, 1, 5);
    addrman.bans().ban(mine, {kNow + kDay, true});
    EXPECT_TRUE(addrman.add_by_user(mine, kNow))
        << "a private address is allowed, and the ban is lifted";
    for (std::uint32_t i = 0; i < 20'000; ++i) add(addrman, nth(i), static_cast<Byte>(i));
    EXPECT_TRUE(chooses(addrman, mine, kNow));
    for (std::uint32_t i = 1; i < AddrMan::kMaxByUser; ++i) {
        EXPECT_TRUE(addrman.add_by_user(nth(30'000 + i), kNow)) << i;
    }
    EXPECT_FALSE(addrman.add_by_user(nth(40'000), kNow));
    EXPECT_TRUE(addrman.add_by_user(mine, kNow)) << "the address is one of the user's already";
}

TEST(AddrMan, IsDeterministicForOneSeed) {
    const auto run = [](std::uint64_t seed) {
        auto addrman = make_addrman(seed);
        for (std::uint32_t i = 0; i < 200; ++i) add(addrman, nth(i), static_cast<Byte>(i));
        return addrman.choose(20, {}, kEverywhere, kNow);
    };
    EXPECT_EQ(run(5), run(5));
    EXPECT_NE(run(5), run(6));
}

TEST(AddrMan, IsTheSameAfterBeingStored) {
    auto addrman = make_addrman();
    for (std::uint32_t i = 0; i < 500; ++i) {
        add(addrman, nth(i), static_cast<Byte>(i));
        if (i % 3 == 0) addrman.on_outcome(nth(i), PeerOutcome::served, kNow);
    }
    auto again = make_addrman();
    for (const auto& peer : addrman.peers()) EXPECT_TRUE(again.restore(peer));
    EXPECT_EQ(again.peers(), addrman.peers());
    EXPECT_FALSE(again.restore(addrman.peers()[0])) << "the address is there already";
    EXPECT_FALSE(again.restore(KnownPeer{}));
}

}  // namespace
}  // namespace petal::net
