#include "net/io/dial/dial_plan.h"

#include <gtest/gtest.h>

namespace petal::net {
namespace {

using std::chrono::milliseconds;
using enum DisconnectReason;

constexpr milliseconds kStart{1'000'000};
constexpr bool kServed = true;
constexpr bool kUseless = false;

/// Expects that `endpoint` is the next one to dial, this many milliseconds after the start.
void expect_next(const DialPlan& plan, std::size_t endpoint, int after_start_ms) {
    const auto next = plan.next();
    ASSERT_TRUE(next.has_value());
    EXPECT_EQ(next->endpoint, endpoint);
    EXPECT_EQ(next->time, kStart + milliseconds{after_start_ms});
}

milliseconds after(int ms) {
    return kStart + milliseconds{ms};
}

/// Dials an endpoint, which fails at once.
void dial_and_fail(DialPlan& plan, std::size_t endpoint, DisconnectReason reason, bool served,
                   milliseconds now) {
    plan.on_dialled(endpoint);
    if (served) plan.on_serving(endpoint);
    plan.on_failed(endpoint, reason, served, now);
}

TEST(DialPlan, HasNothingToDialWithoutEndpoints) {
    EXPECT_FALSE(DialPlan(0, {}, kStart).next().has_value());
}

TEST(DialPlan, TriesEachEndpointOnceAndAtOnce) {
    DialPlan plan(3, {}, kStart);
    expect_next(plan, 0, 0);
    dial_and_fail(plan, 0, unreachable, kUseless, after(5));
    expect_next(plan, 1, 0);
    dial_and_fail(plan, 1, gone, kUseless, after(10));
    expect_next(plan, 2, 0);
    dial_and_fail(plan, 2, timed_out, kUseless, after(15));
    EXPECT_FALSE(plan.next().has_value()) << "no node has served, and the plan is not patient";
}

TEST(DialPlan, DialsAllAtOnceUpToItsLimit) {
    DialPlan plan(3, {.max_in_use = 2}, kStart);
    expect_next(plan, 0, 0);
    plan.on_dialled(0);
    expect_next(plan, 1, 0);
    plan.on_dialled(1);
    EXPECT_EQ(plan.in_use(), 2U);
    EXPECT_FALSE(plan.next().has_value());
    plan.on_failed(0, unreachable, kUseless, after(5));
    EXPECT_EQ(plan.in_use(), 1U);
    expect_next(plan, 2, 0);
    plan.on_dialled(2);
    EXPECT_FALSE(plan.next().has_value());
}

TEST(DialPlan, KnowsTheEndpointThatIsIdleForLongest) {
    DialPlan plan(0, {.max_in_use = 3, .once = true}, kStart);
    for (int i = 0; i < 3; ++i) plan.add(after(0));
    EXPECT_FALSE(plan.longest_idle().has_value()) << "all endpoints are still to be dialled";
    for (const std::size_t i : {0U, 1U, 2U}) plan.on_dialled(i);
    EXPECT_FALSE(plan.longest_idle().has_value()) << "all endpoints are in use";
    plan.on_failed(1, unreachable, kUseless, after(5));
    plan.on_failed(0, unreachable, kUseless, after(10));
    EXPECT_EQ(plan.longest_idle(), 1U);
    plan.offer(1, after(20));
    EXPECT_EQ(plan.longest_idle(), 0U);
}

TEST(DialPlan, DialsAnOfferedEndpointOncePerOffer) {
    DialPlan plan(0, {.max_in_use = 2, .once = true}, kStart);
    EXPECT_EQ(plan.free_places(), 2U);
    EXPECT_EQ(plan.add(after(0)), 0U);
    EXPECT_EQ(plan.free_places(), 1U) << "the endpoint is still to be dialled";
    expect_next(plan, 0, 0);
    plan.on_dialled(0);
    EXPECT_EQ(plan.free_places(), 1U) << "the endpoint is in use";
    plan.on_failed(0, unreachable, kUseless, after(5));
    EXPECT_EQ(plan.free_places(), 2U);
    EXPECT_FALSE(plan.next().has_value());
    plan.offer(0, after(7));
    expect_next(plan, 0, 7);
}

TEST(DialPlan, DialsEndpointsAgainOnceOtherServicesAreNeeded) {
    DialPlan plan(3, {}, kStart);
    dial_and_fail(plan, 0, no_compact_filters, kUseless, after(10));
    dial_and_fail(plan, 1, no_bloom, kUseless, after(10));
    dial_and_fail(plan, 2, wrong_network, kUseless, after(10));
    EXPECT_FALSE(plan.next());
    plan.on_other_needs(after(20));
    expect_next(plan, 0, 20);
    dial_and_fail(plan, 0, no_bloom, kUseless, after(30));
    expect_next(plan, 1, 20);
    dial_and_fail(plan, 1, no_bloom, kUseless, after(30));
    EXPECT_FALSE(plan.next());
}

TEST(DialPlan, GivesUpUnlessAPeerServes) {
    DialPlan plan(0, {.give_up_after = milliseconds{1'000}, .once = true}, kStart);
    EXPECT_EQ(plan.gives_up_at(), after(1'000));
    plan.add(after(0));
    plan.on_dialled(0);
    plan.on_serving(0);
    EXPECT_EQ(plan.gives_up_at(), std::nullopt);
    plan.on_failed(0, gone, kServed, after(500));
    EXPECT_EQ(plan.gives_up_at(), after(1'500));
}

TEST(DialPlan, RetriesHopelessEndpointsOnRequest) {
    DialPlan plan(
        1,
        {.give_up_after = std::nullopt, .patient = true, .second_look_after = milliseconds{60'000}},
        kStart);
    dial_and_fail(plan, 0, no_bloom, kUseless, after(10));
    expect_next(plan, 0, 60'010);
    for (int strike = 1; strike <= 3; ++strike) {
        dial_and_fail(plan, 0, malformed_message, kUseless, after(70'000));
    }
    expect_next(plan, 0, 130'000);
    for (const auto lie : {left_out, false_filter}) {
        DialPlan after_lie = plan;
        dial_and_fail(after_lie, 0, lie, kUseless, after(130'000));
        EXPECT_FALSE(after_lie.next().has_value()) << "an endpoint that lies is not dialled again";
    }
}

TEST(DialPlan, LeavesAnEndpointOnAnotherChainForADayWhileAnotherServes) {
    constexpr int kDay = 24 * 3'600'000;
    const DialPolicy policy{
        .give_up_after = std::nullopt, .patient = true, .second_look_after = milliseconds{600'000}};
    DialPlan plan(2, policy, kStart);
    plan.on_dialled(1);
    plan.on_serving(1);
    dial_and_fail(plan, 0, other_chain, kUseless, after(10));
    expect_next(plan, 0, kDay + 10);
    // The answer may have been forged, and no other endpoint is left.
    plan.on_failed(1, gone, kServed, after(20));
    plan.on_dialled(1);
    expect_next(plan, 0, 600'010);
    // The stored chain may be the wrong one.
    dial_and_fail(plan, 0, lighter_chain, kUseless, after(600'010));
    plan.on_serving(1);
    expect_next(plan, 0, 1'200'010);
    dial_and_fail(plan, 0, lesser_branch, kUseless, after(1'200'010));
    expect_next(plan, 0, 1'800'010);
}

// The address manager offers it after its own pause.
TEST(DialPlan, DialsAnEndpointOnAnotherChainAtOnceIfItIsOfferedAgain) {
    const DialPolicy policy{
        .give_up_after = std::nullopt, .second_look_after = milliseconds{600'000}, .once = true};
    DialPlan plan(2, policy, kStart);
    plan.on_dialled(1);
    plan.on_serving(1);
    dial_and_fail(plan, 0, other_chain, kUseless, after(10));
    EXPECT_FALSE(plan.next().has_value());
    plan.offer(0, after(20));
    expect_next(plan, 0, 20);
}

TEST(DialPlan, GivesUpAnEndpointOnAnotherChainInARunWithAnEnd) {
    DialPlan plan(1, {.patient = true}, kStart);
    dial_and_fail(plan, 0, other_chain, kServed, after(10));
    EXPECT_FALSE(plan.next().has_value());
}

// The clock may be set meanwhile.
TEST(DialPlan, DialsANodeAheadOfTheClockSoonAgain) {
    DialPlan plan(1, {.patient = true, .second_look_after = milliseconds{600'000}}, kStart);
    dial_and_fail(plan, 0, ahead_of_clock, kUseless, after(10));
    expect_next(plan, 0, 260);
    DialPlan with_end(1, {}, kStart);
    dial_and_fail(with_end, 0, ahead_of_clock, kServed, after(10));
    EXPECT_FALSE(with_end.next().has_value());
}

TEST(DialPlan, NeverDialsAnEndpointThatIsInUse) {
    DialPlan plan(2, {.patient = true}, kStart);
    plan.on_dialled(0);
    expect_next(plan, 1, 0);
    plan.on_dialled(1);
    plan.offer(0, after(5));
    EXPECT_FALSE(plan.next().has_value());
    plan.on_failed(1, gone, kUseless, after(10));
    expect_next(plan, 1, 260);
}

TEST(DialPlan, RetriesFailedEndpointsOnceAnotherServes) {
    DialPlan plan(2, {}, kStart);
    plan.on_dialled(0);
    plan.on_dialled(1);
    plan.on_failed(1, unreachable, kUseless, after(5));
    EXPECT_FALSE(plan.next().has_value()) << "the other endpoint has not served yet";
    plan.on_serving(0);
    expect_next(plan, 1, 255);
    plan.on_failed(0, timed_out, kUseless, after(10));
    EXPECT_FALSE(plan.next().has_value()) << "what the endpoint served was of no use";
}

TEST(DialPlan, WaitsForUnreachablePeersIfPatient) {
    DialPlan plan(1, {.patient = true}, kStart);
    dial_and_fail(plan, 0, unreachable, kUseless, after(0));
    expect_next(plan, 0, 250);
}

TEST(DialPlan, ComesBackToAPeerThatServed) {
    DialPlan plan(2, {}, kStart);
    dial_and_fail(plan, 0, gone, kServed, after(1'000));
    expect_next(plan, 1, 0);
    dial_and_fail(plan, 1, unreachable, kUseless, after(1'100));
    expect_next(plan, 0, 1'250);
    dial_and_fail(plan, 0, unreachable, kUseless, after(1'250));
    expect_next(plan, 1, 1'350);  // endpoint 1 is retried too, now that a node has served
}

TEST(DialPlan, DoublesTheBackoffUpToItsLimit) {
    DialPlan plan(1, {.give_up_after = {}, .patient = true}, kStart);
    int time = 0;
    for (const int backoff : {250, 500, 1'000, 2'000, 4'000, 8'000, 10'000, 10'000}) {
        dial_and_fail(plan, 0, unreachable, kUseless, after(time));
        time += backoff;
        expect_next(plan, 0, time);
    }
    dial_and_fail(plan, 0, gone, kServed, after(time));
    expect_next(plan, 0, time + 250);
}

TEST(DialPlan, GivesUpWhenNoPeerHasServedForLong) {
    DialPlan plan(1, {.give_up_after = milliseconds{2'000}, .patient = true}, kStart);
    dial_and_fail(plan, 0, unreachable, kUseless, after(1'749));
    expect_next(plan, 0, 1'999);
    dial_and_fail(plan, 0, gone, kServed, after(3'000));
    expect_next(plan, 0, 3'250);
    dial_and_fail(plan, 0, unreachable, kUseless, after(4'500));
    EXPECT_FALSE(plan.next().has_value()) << "5,000 ms is two seconds after it served";
}

TEST(DialPlan, DoesNotGiveUpWhileAPeerServes) {
    DialPlan plan(2, {.give_up_after = milliseconds{2'000}, .patient = true}, kStart);
    plan.on_dialled(0);
    plan.on_dialled(1);
    plan.on_failed(1, unreachable, kUseless, after(5'000));
    EXPECT_FALSE(plan.next().has_value()) << "the plan can only wait for the other endpoint";
    EXPECT_EQ(plan.in_use(), 1U);
    plan.on_serving(0);
    plan.on_serving(0);
    expect_next(plan, 1, 5'250);
    plan.on_failed(0, gone, kServed, after(9'000));
    dial_and_fail(plan, 1, unreachable, kUseless, after(10'400));
    expect_next(plan, 0, 9'250);
    dial_and_fail(plan, 0, unreachable, kUseless, after(10'800));
    expect_next(plan, 1, 10'900);
    dial_and_fail(plan, 1, unreachable, kUseless, after(10'900));
    EXPECT_FALSE(plan.next().has_value()) << "no peer has served for two seconds";
    EXPECT_EQ(plan.in_use(), 0U);
}

TEST(DialPlan, NeverDialsAHopelessEndpointAgain) {
    for (const auto reason :
         {wrong_network, not_bitcoin, no_bloom, no_network, pruned, too_old, self}) {
        DialPlan plan(1, {.patient = true}, kStart);
        dial_and_fail(plan, 0, reason, kUseless, after(0));
        EXPECT_TRUE(is_permanent(reason)) << code_of(reason);
        EXPECT_FALSE(plan.next().has_value()) << code_of(reason);
    }
    for (const auto reason : {finished, unreachable, gone, timed_out, malformed_message}) {
        DialPlan plan(1, {.patient = true}, kStart);
        dial_and_fail(plan, 0, reason, kUseless, after(0));
        EXPECT_FALSE(is_permanent(reason)) << code_of(reason);
        EXPECT_TRUE(plan.next().has_value()) << code_of(reason);
    }
}

TEST(DialPlan, UsesOneMoreEndpointWhileAnExtraOneIsWanted) {
    DialPlan plan(3, {.max_in_use = 1}, kStart);
    plan.on_dialled(0);
    plan.on_serving(0);
    EXPECT_FALSE(plan.next().has_value());
    EXPECT_EQ(plan.free_places(), 0U);
    plan.set_extra(true);
    EXPECT_EQ(plan.free_places(), 0U) << "the next endpoint is offered";
    expect_next(plan, 1, 0);
    plan.on_dialled(1);
    EXPECT_FALSE(plan.next().has_value());
    plan.set_extra(false);
    plan.on_failed(1, finished, kUseless, after(0));
    EXPECT_FALSE(plan.next().has_value());
}

TEST(DialPlan, GivesAPeerThatRefusesToServeThreeChances) {
    DialPlan plan(1, {.second_look_after = milliseconds{60'000}}, kStart);
    dial_and_fail(plan, 0, upload_limit, kServed, after(0));
    expect_next(plan, 0, 250);
    dial_and_fail(plan, 0, upload_limit, kServed, after(250));
    dial_and_fail(plan, 0, upload_limit, kServed, after(1'000));
    expect_next(plan, 0, 61'000);
}

TEST(DialPlan, GivesAPeerThatBreaksTheRulesThreeChances) {
    DialPlan plan(2, {.patient = true}, kStart);
    dial_and_fail(plan, 0, invalid_proof, kServed, after(0));
    dial_and_fail(plan, 0, gone, kServed, after(0));
    dial_and_fail(plan, 0, unrequested, kServed, after(0));
    dial_and_fail(plan, 1, unreachable, kUseless, after(0));
    expect_next(plan, 0, 250);
    dial_and_fail(plan, 0, invalid_header, kServed, after(0));
    expect_next(plan, 1, 250);
}

}  // namespace
}  // namespace petal::net
