#include "net/sync/address_book.h"

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

AddressBook make_book(std::uint64_t seed = 1) {
    AddressBookOptions options;
    options.random_seed = seed;
    return AddressBook{options};
}

bool add(AddressBook& book, const PeerAddress& address, Byte from = 1) {
    return book.add(address, kServices, kNow, source(from), kNow);
}

bool chooses(AddressBook& book, const PeerAddress& address, std::int64_t now) {
    const auto chosen = book.choose(1, {}, kEverywhere, now);
    return !chosen.empty() && chosen[0] == address;
}

TEST(AddressBook, ChoosesWhatItWasToldOnce) {
    auto book = make_book();
    EXPECT_TRUE(book.choose(8, {}, kEverywhere, kNow).empty());
    EXPECT_TRUE(add(book, nth(1)));
    EXPECT_FALSE(add(book, nth(1))) << "known already";
    EXPECT_EQ(book.choose(8, {}, kEverywhere, kNow), std::vector{nth(1)});
    EXPECT_EQ(book.size(), 1U);
}

TEST(AddressBook, DialsNobodyTwiceAMinute) {
    auto book = make_book();
    add(book, nth(1));
    book.on_attempt(nth(1), kNow);
    EXPECT_FALSE(chooses(book, nth(1), kNow + 59));
    EXPECT_TRUE(chooses(book, nth(1), kNow + 60));
    book.on_attempt(nth(1), kNow + 60);
    book.on_outcome(nth(1), PeerOutcome::served, kNow + 61);
    EXPECT_TRUE(chooses(book, nth(1), kNow + 62)) << "unless it has served since";
}

TEST(AddressBook, DialsAtOnceWhomAnEarlierProcessCouldNotReach) {
    auto earlier = make_book();
    add(earlier, nth(1));
    earlier.on_attempt(nth(1), kNow);
    auto book = make_book();
    ASSERT_TRUE(book.restore(earlier.find(nth(1)).value()));
    EXPECT_TRUE(chooses(book, nth(1), kNow + 1));
    book.on_attempt(nth(1), kNow + 1);
    EXPECT_FALSE(chooses(book, nth(1), kNow + 2));
}

TEST(AddressBook, ForgetsWhatIsNoUse) {
    auto book = make_book();
    add(book, nth(1));
    book.forget(nth(1));
    EXPECT_EQ(book.size(), 0U);
    EXPECT_TRUE(add(book, nth(1))) << "its place is free";
}

TEST(AddressBook, LeavesOnionServicesAloneWhereTheyCannotBeReached) {
    auto book = make_book();
    add(book, onion(1));
    EXPECT_TRUE(book.choose(8, {}, Reach{}, kNow).empty());
    EXPECT_EQ(book.choose(8, {}, kOnionOnly, kNow).size(), 1U);
}

TEST(AddressBook, TakesOnlyPublicAddresses) {
    auto book = make_book();
    for (const auto& address :
         {ipv4(127, 0, 0, 1), ipv4(10, 1, 2, 3), ipv4(192, 168, 0, 1), ipv4(172, 31, 0, 1),
          ipv4(169, 254, 1, 1), ipv4(100, 127, 1, 1), ipv4(198, 19, 1, 1), ipv4(203, 0, 113, 9),
          ipv4(224, 0, 0, 1), ipv4(255, 255, 255, 255), ipv4(0, 1, 1, 1), ipv4(8, 8, 8, 8, 0),
          PeerAddress{AddressKind::ipv6, Bytes(16, 0), 1},
          PeerAddress{AddressKind::ipv6, Bytes(16, 0xfd), 1},
          PeerAddress{AddressKind::ipv4, Bytes(16, 9), 1}}) {
        EXPECT_FALSE(add(book, address)) << chain::to_hex(address.host);
    }
    for (const auto& address :
         {ipv4(8, 8, 8, 8), ipv4(172, 32, 0, 1), ipv4(100, 128, 1, 1), ipv4(223, 255, 255, 255),
          PeerAddress{AddressKind::ipv6, Bytes(16, 0x2a), 2}, onion(7)}) {
        EXPECT_TRUE(add(book, address)) << chain::to_hex(address.host);
    }
}

TEST(AddressBook, SpreadsOverNetworkGroups) {
    auto book = make_book();
    for (Byte i = 1; i < 100; ++i) add(book, ipv4(20, 1, 1, i), i);
    add(book, ipv4(20, 2, 1, 1));
    EXPECT_EQ(book.choose(8, {}, kEverywhere, kNow).size(), 2U);
    const auto taken = network_group(ipv4(20, 1, 9, 9));
    EXPECT_EQ(book.choose(8, {taken}, kEverywhere, kNow), std::vector{ipv4(20, 2, 1, 1)});
}

TEST(AddressBook, OneSourceCannotFillIt) {
    auto book = make_book();
    for (std::uint32_t i = 0; i < 20'000; ++i) add(book, nth(i));
    const auto most = AddressBook::kNewBucketsPerSource * AddressBook::kBucketSize;
    EXPECT_LE(book.size(), most);
    EXPECT_GT(book.size(), most / 2);
    std::size_t taken = 0;
    for (std::uint32_t i = 20'000; i < 20'100; ++i) taken += add(book, nth(i), 2) ? 1U : 0U;
    EXPECT_GT(taken, 60U) << "another source still finds room";
}

TEST(AddressBook, ManySourcesCannotFillItBeyondItsBounds) {
    auto book = make_book();
    for (std::uint32_t i = 0; i < 20'000; ++i) add(book, nth(i), static_cast<Byte>(i));
    EXPECT_LE(book.size(), AddressBook::kNewBuckets * AddressBook::kBucketSize);
}

TEST(AddressBook, OneGroupCannotFillThoseThatHaveServed) {
    auto book = make_book();
    for (std::uint32_t i = 0; i < 2'000; ++i) {
        const auto address = ipv4(20, 1, static_cast<Byte>(i / 250), static_cast<Byte>(i % 250));
        add(book, address, static_cast<Byte>(i));
        book.on_outcome(address, PeerOutcome::served, kNow);
    }
    const auto peers = book.peers();
    const auto tried = std::ranges::count_if(peers, &KnownPeer::tried);
    EXPECT_GT(tried, 0);
    EXPECT_LE(tried, static_cast<std::ptrdiff_t>(AddressBook::kTriedBucketsPerGroup *
                                                 AddressBook::kBucketSize));
}

TEST(AddressBook, AFloodPushesNoneOutThatHaveServed) {
    auto book = make_book();
    for (std::uint32_t i = 0; i < 20; ++i) {
        add(book, nth(i), static_cast<Byte>(i));
        book.on_outcome(nth(i), PeerOutcome::served, kNow);
    }
    for (std::uint32_t i = 100; i < 20'000; ++i) add(book, nth(i), static_cast<Byte>(i));
    for (std::uint32_t i = 0; i < 20; ++i) EXPECT_TRUE(book.find(nth(i))) << i;
}

TEST(AddressBook, RemembersGoodOnesFirstAndLeavesPlacesForNewcomers) {
    auto book = make_book();
    for (std::uint32_t i = 0; i < 40; ++i) add(book, nth(i), static_cast<Byte>(i));
    for (std::uint32_t i = 0; i < 20; ++i) book.on_outcome(nth(i), PeerOutcome::served, kNow);
    const auto chosen = book.choose(8, {}, kEverywhere, kNow);
    ASSERT_EQ(chosen.size(), 8U);
    const auto tried = [&](const PeerAddress& a) { return book.find(a)->tried; };
    EXPECT_TRUE(std::all_of(chosen.begin(), chosen.begin() + 6, tried));
    EXPECT_TRUE(std::none_of(chosen.begin() + 6, chosen.end(), tried));
    EXPECT_TRUE(tried(book.choose(1, {}, kEverywhere, kNow).at(0)));
}

TEST(AddressBook, PrefersThoseSaidToServeFilters) {
    auto book = make_book();
    for (std::uint32_t i = 0; i < 50; ++i) book.add(nth(i), kNodeNetwork, kNow, source(1), kNow);
    ASSERT_TRUE(add(book, nth(60), 2));
    EXPECT_TRUE(chooses(book, nth(60), kNow));
}

struct BackoffCase {
    PeerOutcome outcome;
    std::int64_t first;
    std::int64_t second;
    std::int64_t most;
};

TEST(AddressBook, LeavesFailuresAloneByTheirKind) {
    constexpr BackoffCase kCases[] = {
        {PeerOutcome::unreachable, 600, 1'200, kDay},
        {PeerOutcome::no_bloom, kDay, 2 * kDay, 30 * kDay},
        {PeerOutcome::wrong_network, 7 * kDay, 14 * kDay, 60 * kDay},
        {PeerOutcome::too_slow, 600, 1'200, kDay},
        {PeerOutcome::bad_data, kDay, 2 * kDay, 30 * kDay},
        {PeerOutcome::refused, 300, 600, 6 * 3'600},
    };
    for (const auto& row : kCases) {
        auto book = make_book();
        add(book, nth(1));
        book.on_contact(kNow, kNow);
        book.on_outcome(nth(1), row.outcome, kNow);
        EXPECT_FALSE(chooses(book, nth(1), kNow + row.first - 1)) << code_of(row.outcome);
        EXPECT_TRUE(chooses(book, nth(1), kNow + row.first)) << code_of(row.outcome);
        book.on_outcome(nth(1), row.outcome, kNow);
        EXPECT_EQ(book.find(nth(1))->not_before, kNow + row.second) << code_of(row.outcome);
        for (int i = 0; i < 100; ++i) book.on_outcome(nth(1), row.outcome, kNow);
        EXPECT_EQ(book.find(nth(1))->not_before, kNow + row.most) << code_of(row.outcome);
        EXPECT_EQ(parse_peer_outcome(code_of(row.outcome)), row.outcome);
        EXPECT_TRUE(book.bans().empty());
        book.on_outcome(nth(1), PeerOutcome::served, kNow);
        EXPECT_TRUE(chooses(book, nth(1), kNow)) << "all is forgiven";
    }
    EXPECT_FALSE(parse_peer_outcome("else").has_value());
}

struct SilenceCase {
    const char* when;
    std::int64_t heard_before;  // all in seconds after the silence
    std::int64_t since;
    std::int64_t heard_after;
    bool counts;
};

TEST(AddressBook, SilenceCountsWhereThisMachineIsKnownToBeOnline) {
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
            auto book = make_book();
            add(book, nth(1));
            book.on_contact(kNow + row.heard_before, kNow + row.heard_before);
            book.on_outcome(nth(1), outcome, kNow);
            book.on_contact(kNow + row.since, kNow + row.heard_after);
            const auto peer = book.find(nth(1)).value();
            EXPECT_EQ(peer.failures, row.counts ? 1U : 0U) << row.when;
            EXPECT_EQ(peer.last_outcome, row.counts ? std::optional{outcome} : std::nullopt);
            EXPECT_EQ(peer.not_before, row.counts ? kNow + 600 : 0) << row.when;
        }
    }
}

TEST(AddressBook, AContactByAClockThatWasAheadIsNoneNow) {
    auto book = make_book();
    add(book, nth(1));
    book.on_contact(kNow + 10 * 365 * kDay, kNow + 10 * 365 * kDay);
    book.on_outcome(nth(1), PeerOutcome::unreachable, kNow);
    EXPECT_EQ(book.find(nth(1))->failures, 0U);
}

TEST(AddressBook, APauseByAClockThatWasAheadIsOver) {
    for (const auto ahead : {std::int64_t{0}, 10 * 365 * kDay}) {
        auto book = make_book();
        add(book, nth(1));
        book.on_outcome(nth(1), PeerOutcome::wrong_network, kNow + ahead);
        EXPECT_EQ(is_left_alone(*book.find(nth(1)), kNow), ahead == 0);
        EXPECT_EQ(chooses(book, nth(1), kNow), ahead > 0);
    }
    KnownPeer longest;
    longest.not_before = kNow + 60 * kDay;
    EXPECT_TRUE(is_left_alone(longest, kNow));
    EXPECT_FALSE(is_left_alone(longest, kNow - 1));
    EXPECT_FALSE(is_left_alone(longest, kNow + 60 * kDay));
}

TEST(AddressBook, TakesWhatClaimsToBeOfTheFutureForFiveDaysOld) {
    constexpr std::int64_t kMinute = 60;
    const auto seen_at = [](std::int64_t said) {
        auto book = make_book();
        book.add(nth(1), kServices, said, source(1), kNow);
        return book.find(nth(1)).value().last_seen;
    };
    EXPECT_EQ(seen_at(kNow + 10 * kMinute), kNow + 10 * kMinute) << "clocks differ";
    EXPECT_EQ(seen_at(kNow + 10 * kMinute + 1), kNow - 5 * kDay);
    auto book = make_book();
    add(book, nth(1));
    book.add(nth(1), kServices, kNow + kDay, source(1), kNow);
    EXPECT_EQ(book.find(nth(1)).value().last_seen, kNow) << "nor by being told of again";
}

TEST(AddressBook, KnowsNoTimeBefore1970) {
    auto book = make_book();
    EXPECT_TRUE(book.add(nth(1), kServices, kNow, source(1), 1'000));
    EXPECT_EQ(book.find(nth(1))->last_seen, 0);
}

TEST(AddressBook, TakesPortsOfOtherServicesFromTheUserAlone) {
    for (const std::uint16_t port : std::initializer_list<std::uint16_t>{1, 22, 25, 6667, 10'080}) {
        auto book = make_book();
        EXPECT_FALSE(add(book, ipv4(20, 1, 1, 1, port))) << port;
        EXPECT_TRUE(book.add_by_user(ipv4(20, 1, 1, 1, port), kNow)) << port;
        EXPECT_TRUE(chooses(book, ipv4(20, 1, 1, 1, port), kNow)) << port;
    }
    for (const std::uint16_t port :
         std::initializer_list<std::uint16_t>{2, 80, 443, 8333, 10'081}) {
        auto book = make_book();
        EXPECT_TRUE(add(book, ipv4(20, 1, 1, 1, port))) << port;
    }
    auto book = make_book();
    auto hidden = onion(1);
    hidden.port = 22;
    EXPECT_TRUE(add(book, hidden)) << "bothers nobody but its owner";
}

TEST(AddressBook, AllMisbehaviourIsBadData) {
    for (int number = 0; number <= static_cast<int>(DisconnectReason::low_work); ++number) {
        const auto reason = static_cast<DisconnectReason>(number);
        const auto outcome = outcome_of(reason, PeerService::advanced);
        EXPECT_EQ(outcome == PeerOutcome::bad_data, is_misbehaviour(reason)) << number;
    }
    EXPECT_EQ(outcome_of(DisconnectReason::incomplete, PeerService::none), PeerOutcome::bad_data);
    EXPECT_EQ(outcome_of(DisconnectReason::timed_out, PeerService::none), PeerOutcome::too_slow);
    EXPECT_EQ(outcome_of(DisconnectReason::low_work, PeerService::none), PeerOutcome::low_work);
}

TEST(AddressBook, SilenceIsForgottenOnceTheNodeHasSpoken) {
    auto book = make_book();
    add(book, nth(1));
    book.on_outcome(nth(1), PeerOutcome::unreachable, kNow);
    book.on_outcome(nth(1), PeerOutcome::served, kNow + 5);
    book.on_contact(kNow - 100, kNow + 10);
    EXPECT_EQ(book.find(nth(1))->failures, 0U);
}

TEST(AddressBook, WaitsForEvidenceOfEachSilenceByItself) {
    auto book = make_book();
    add(book, nth(1), 1);
    add(book, nth(2), 2);
    book.on_outcome(nth(1), PeerOutcome::unreachable, kNow);
    book.on_outcome(nth(2), PeerOutcome::unreachable, kNow + 20);
    book.on_contact(kNow + 10, kNow + 30);
    EXPECT_EQ(book.find(nth(1))->failures, 0U) << "before that connection";
    EXPECT_EQ(book.find(nth(2))->failures, 1U);
    book.on_contact(kNow - 100, kNow + 40);
    EXPECT_EQ(book.find(nth(1))->failures, 1U) << "within that one's time";
}

TEST(AddressBook, LeavesTheUsersOwnAloneForAMinuteAtMost) {
    for (const auto outcome :
         {PeerOutcome::unreachable, PeerOutcome::too_slow, PeerOutcome::refused}) {
        auto book = make_book();
        ASSERT_TRUE(book.add_by_user(nth(1), kNow));
        book.on_contact(kNow, kNow);
        book.on_outcome(nth(1), outcome, kNow);
        EXPECT_EQ(book.find(nth(1))->not_before, kNow + 60) << code_of(outcome);
        book.on_outcome(nth(1), PeerOutcome::bad_data, kNow);
        EXPECT_GE(book.find(nth(1))->not_before, kNow + kDay);
    }
}

TEST(AddressBook, BansAHostWithAllItsPortsUntilTheTimeIsOver) {
    auto book = make_book();
    add(book, nth(1));
    book.ban(nth(1), {kNow + 100, false});
    auto other_port = nth(1);
    other_port.port = 9;
    EXPECT_TRUE(book.is_banned(other_port, kNow + 99));
    EXPECT_FALSE(book.is_banned(other_port, kNow + 100));
    EXPECT_FALSE(add(book, other_port));
    EXPECT_TRUE(book.choose(8, {}, kEverywhere, kNow).empty());
    EXPECT_TRUE(book.unban(nth(1)));
    EXPECT_FALSE(book.unban(nth(1)));
    EXPECT_TRUE(chooses(book, nth(1), kNow));
}

TEST(AddressBook, BansAreBoundedAndTheUsersLast) {
    auto book = make_book();
    book.ban(nth(0), {kNow + 1, true});
    for (std::uint32_t i = 1; i < 3'000; ++i) book.ban(nth(i), {kNow + i, false});
    EXPECT_EQ(book.bans().size(), AddressBook::kMaxBans);
    EXPECT_TRUE(book.is_banned(nth(0), kNow));
}

TEST(AddressBook, OnlyProofEarnsABan) {
    for (const auto reason : {DisconnectReason::invalid_header, DisconnectReason::invalid_proof,
                              DisconnectReason::contradicts_filter, DisconnectReason::left_out}) {
        EXPECT_TRUE(is_proof_of_bad_data(reason));
        EXPECT_EQ(outcome_of(reason, PeerService::advanced), PeerOutcome::bad_data);
    }
    for (const auto reason :
         {DisconnectReason::malformed_message, DisconnectReason::timed_out, DisconnectReason::gone,
          DisconnectReason::unreachable, DisconnectReason::incomplete}) {
        EXPECT_FALSE(is_proof_of_bad_data(reason));
    }
    using enum PeerService;
    EXPECT_EQ(outcome_of(DisconnectReason::gone, none), PeerOutcome::refused);
    EXPECT_EQ(outcome_of(DisconnectReason::gone, answered), PeerOutcome::refused);
    EXPECT_EQ(outcome_of(DisconnectReason::gone, advanced), PeerOutcome::served);
    EXPECT_EQ(outcome_of(DisconnectReason::finished, none), std::nullopt);
    EXPECT_EQ(outcome_of(DisconnectReason::finished, answered), PeerOutcome::served);
    EXPECT_EQ(outcome_of(DisconnectReason::self, none), std::nullopt);
}

TEST(AddressBook, ChoosesOnionsAlone) {
    auto book = make_book();
    add(book, nth(1));
    add(book, onion(1));
    add(book, onion(2));
    add(book, onion(0x20));
    EXPECT_EQ(book.choose(8, {}, kOnionOnly, kNow).size(), 2U) << "two of them may be one's";
}

TEST(AddressBook, KeepsWhomTheUserNamed) {
    auto book = make_book();
    const auto mine = ipv4(192, 168, 1, 5);
    book.ban(mine, {kNow + kDay, true});
    EXPECT_TRUE(book.add_by_user(mine, kNow)) << "private too, and no longer banned";
    for (std::uint32_t i = 0; i < 20'000; ++i) add(book, nth(i), static_cast<Byte>(i));
    EXPECT_TRUE(chooses(book, mine, kNow));
    for (std::uint32_t i = 1; i < AddressBook::kMaxByUser; ++i) {
        EXPECT_TRUE(book.add_by_user(nth(30'000 + i), kNow)) << i;
    }
    EXPECT_FALSE(book.add_by_user(nth(40'000), kNow));
    EXPECT_TRUE(book.add_by_user(mine, kNow)) << "it is one of them";
}

TEST(AddressBook, DoesTheSameAgainFromTheSameSeed) {
    const auto run = [](std::uint64_t seed) {
        auto book = make_book(seed);
        for (std::uint32_t i = 0; i < 200; ++i) add(book, nth(i), static_cast<Byte>(i));
        return book.choose(20, {}, kEverywhere, kNow);
    };
    EXPECT_EQ(run(5), run(5));
    EXPECT_NE(run(5), run(6));
}

TEST(AddressBook, IsTheSameAfterBeingStored) {
    auto book = make_book();
    for (std::uint32_t i = 0; i < 500; ++i) {
        add(book, nth(i), static_cast<Byte>(i));
        if (i % 3 == 0) book.on_outcome(nth(i), PeerOutcome::served, kNow);
    }
    auto again = make_book();
    for (const auto& peer : book.peers()) EXPECT_TRUE(again.restore(peer));
    EXPECT_EQ(again.peers(), book.peers());
    EXPECT_FALSE(again.restore(book.peers()[0])) << "is there already";
    EXPECT_FALSE(again.restore(KnownPeer{}));
}

}  // namespace
}  // namespace petal::net
