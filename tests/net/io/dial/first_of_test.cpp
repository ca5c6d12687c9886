#include "net/io/dial/first_of.h"

#include <gtest/gtest.h>

#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <optional>
#include <stdexcept>
#include <string>

namespace petal::net {
namespace {

constexpr std::chrono::milliseconds kSoon{1};

asio::awaitable<void> nothing() {
    co_return;
}

asio::awaitable<void> fail_soon() {
    co_await pause_for(kSoon);
    throw std::runtime_error{"the first cause"};
}

/// Waits until it is cancelled, which sets `ended` and then throws as well.
asio::awaitable<void> record_the_end(bool& ended) {
    struct Note {
        bool& ended;
        ~Note() { ended = true; }
    };
    const Note note{ended};
    co_await pause_forever();
}

asio::awaitable<void> group_without_end(bool& ended) {
    co_await first_of(record_the_end(ended), pause_forever());
}

/// Runs a coroutine to its end and returns or throws its result.
template <typename T>
T run(asio::awaitable<T> coroutine) {
    asio::io_context io{1};
    std::optional<T> result;
    std::exception_ptr failure;
    asio::co_spawn(io, std::move(coroutine), [&](std::exception_ptr thrown, T value) {
        failure = thrown;
        result.emplace(std::move(value));
    });
    io.run();
    if (failure) std::rethrow_exception(failure);
    return std::move(*result);
}

TEST(FirstOf, ReturnsTheFirstToEndAndCancelsTheOthers) {
    bool ended = false;
    EXPECT_EQ(run(first_of(record_the_end(ended), pause_for(kSoon))), 1U);
    EXPECT_TRUE(ended);
}

TEST(FirstOf, ReturnsAtOnceIfOneEndsAtOnce) {
    EXPECT_EQ(run(first_of(pause_forever(), nothing(), pause_forever())), 1U);
}

TEST(FirstOf, ThrowsTheFirstCauseAfterTheOthersHaveEnded) {
    bool ended = false;
    try {
        run(first_of(fail_soon(), record_the_end(ended)));
        FAIL() << "it did not throw";
    } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "the first cause");
    }
    EXPECT_TRUE(ended);
}

TEST(FirstOf, IsItselfCancelledWithItsLoops) {
    bool ended = false;
    EXPECT_EQ(run(first_of(group_without_end(ended), pause_for(kSoon))), 1U);
    EXPECT_TRUE(ended);
}

TEST(Within, TellsAnEndFromATimeout) {
    EXPECT_TRUE(run(within(std::chrono::hours{1}, nothing())));
    EXPECT_FALSE(run(within(kSoon, pause_forever())));
    EXPECT_THROW(run(within(std::chrono::hours{1}, fail_soon())), std::runtime_error);
}

asio::awaitable<void> wait_and_count(Event& event, int& count) {
    co_await event.wait();
    ++count;
}

TEST(Event, WakesAllWaitersAndDelaysNoLaterOnes) {
    asio::io_context io{1};
    Event event{io.get_executor()};
    int count = 0;
    asio::co_spawn(io, wait_and_count(event, count), asio::detached);
    asio::co_spawn(io, wait_and_count(event, count), asio::detached);
    io.poll();
    EXPECT_EQ(count, 0);
    EXPECT_FALSE(event.has_happened());
    event.happen();
    EXPECT_TRUE(event.has_happened());
    io.run();
    EXPECT_EQ(count, 2);
    asio::co_spawn(io, wait_and_count(event, count), asio::detached);
    io.restart();
    io.run();
    EXPECT_EQ(count, 3);
}

asio::awaitable<void> wait_beside(Event& event, WakeUp& other) {
    co_await first_of(event.wait(), other.wait());
}

TEST(Event, LeavesOthersWaitingWhenOneIsCancelled) {
    asio::io_context io{1};
    Event event{io.get_executor()};
    WakeUp other{io.get_executor()};
    int count = 0;
    asio::co_spawn(io, wait_and_count(event, count), asio::detached);
    asio::co_spawn(io, wait_beside(event, other), asio::detached);
    other.notify();
    io.poll();
    EXPECT_EQ(count, 0);
    event.happen();
    io.run();
    EXPECT_EQ(count, 1);
}

asio::awaitable<std::string> two_notes(WakeUp& wake_up, std::string& trace) {
    wake_up.notify();
    co_await wake_up.wait();
    trace += "remembered ";
    const auto in_an_hour = std::chrono::steady_clock::now() + std::chrono::hours{1};
    co_await wake_up.wait_until(in_an_hour);
    trace += "woken ";
    co_await wake_up.wait_until(std::chrono::steady_clock::now());
    trace += "late";
    co_return trace;
}

TEST(WakeUp, RemembersACallWakesAndTimesOut) {
    asio::io_context io{1};
    WakeUp wake_up{io.get_executor()};
    std::string trace;
    asio::co_spawn(io, two_notes(wake_up, trace), asio::detached);
    while (trace != "remembered ") io.run_one();
    wake_up.notify();
    io.run();
    EXPECT_EQ(trace, "remembered woken late");
}

}  // namespace
}  // namespace petal::net
