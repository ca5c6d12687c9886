/// Runs coroutines concurrently until the first of them ends, and lets coroutines wait for each
/// other.
///
/// Replaces Asio's operators || and &&. Operator || waits for the first success: a failed read
/// would be reported only when the timer beside the read fires.
#pragma once

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <exception>
#include <tuple>
#include <utility>

namespace petal::net {

namespace asio = boost::asio;

/// Runs the loops concurrently. When one ends, cancels the rest, waits for them, and returns the
/// index of the first among the arguments. Rethrows the exception of the first. Exceptions of the
/// cancelled loops are dropped.
template <typename... Loops>
asio::awaitable<std::size_t> first_of(Loops... loops) {
    const auto executor = co_await asio::this_coro::executor;
    auto group = asio::experimental::make_parallel_group(
        asio::co_spawn(executor, std::move(loops), asio::deferred)...);
    auto results =
        co_await group.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
    auto first = [](auto order, auto... failures) {
        const std::array all{std::move(failures)...};
        return std::pair{order[0], all[order[0]]};
    };
    const auto [place, failure] = std::apply(first, std::move(results));
    if (failure) std::rethrow_exception(failure);
    co_return place;
}

/// Lets all other coroutines and handlers run that are ready.
inline asio::awaitable<void> give_way() {
    const auto executor = co_await asio::this_coro::executor;
    co_await asio::post(executor, asio::use_awaitable);
}

inline asio::awaitable<void> pause_for(std::chrono::steady_clock::duration time) {
    asio::steady_timer timer{co_await asio::this_coro::executor, time};
    co_await timer.async_wait(asio::use_awaitable);
}

/// Waits until cancelled.
inline asio::awaitable<void> pause_forever() {
    constexpr std::chrono::hours kLongTime{24};
    for (;;) co_await pause_for(kLongTime);
}

/// Runs `operation`, and cancels it after `limit`. Returns whether the operation ended by itself.
/// Rethrows its exception.
inline asio::awaitable<bool> within(std::chrono::steady_clock::duration limit,
                                    asio::awaitable<void> operation) {
    const auto first = co_await first_of(std::move(operation), pause_for(limit));
    co_return first == 0;
}

/// Happens once. Any number of coroutines may wait for an event.
class Event {
public:
    explicit Event(const asio::any_io_executor& executor)
        : timer_(executor, std::chrono::steady_clock::time_point::max()) {}

    void happen() {
        happened_ = true;
        timer_.cancel();
    }

    bool has_happened() const { return happened_; }
    /// Returns at once if the event has happened.
    asio::awaitable<void> wait() {
        while (!happened_) {
            // The error only means that the event happened. If the coroutine itself was cancelled,
            // its next co_await throws.
            co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
        }
    }

private:
    asio::steady_timer timer_;
    bool happened_ = false;
};

/// Wakes a coroutine that waits for work. One notify() is remembered: the next wait returns at
/// once. At most one coroutine may wait.
class WakeUp {
public:
    explicit WakeUp(const asio::any_io_executor& executor) : timer_(executor) {}

    void notify() {
        notified_ = true;
        timer_.cancel();
    }

    /// Returns after notify(), or at `time`, whichever comes first.
    asio::awaitable<void> wait_until(std::chrono::steady_clock::time_point time) {
        if (!notified_) {
            timer_.expires_at(time);
            // The error only means that notify() was called. If the coroutine itself was cancelled,
            // its next co_await throws.
            co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
        }
        notified_ = false;
    }

    asio::awaitable<void> wait() {
        while (!notified_) {
            timer_.expires_at(std::chrono::steady_clock::time_point::max());
            co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
        }
        notified_ = false;
    }

private:
    asio::steady_timer timer_;
    bool notified_ = false;
};

}  // namespace petal::net
