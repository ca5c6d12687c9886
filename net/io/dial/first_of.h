/// Runs coroutines side by side until the first of them ends, and lets one wait for another.
///
/// This replaces Asio's operators || and &&: || waits for the first success, so that a failed read
/// would be reported only when the timer beside it fires.
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

/// Runs the loops side by side. When the first one ends, cancels the others, waits for them, and
/// returns its index among the arguments. Rethrows its exception; exceptions of the cancelled loops
/// are dropped.
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

/// Lets all coroutines and handlers go first that are ready to run.
inline asio::awaitable<void> give_way() {
    const auto executor = co_await asio::this_coro::executor;
    co_await asio::post(executor, asio::use_awaitable);
}

/// Lets time pass.
inline asio::awaitable<void> pause_for(std::chrono::steady_clock::duration time) {
    asio::steady_timer timer{co_await asio::this_coro::executor, time};
    co_await timer.async_wait(asio::use_awaitable);
}

/// Waits until it is cancelled.
inline asio::awaitable<void> pause_forever() {
    constexpr std::chrono::hours kLongTime{24};
    for (;;) co_await pause_for(kLongTime);
}

/// Runs `operation`, which is cancelled after `limit`. Returns whether it ended by itself; rethrows
/// its exception.
inline asio::awaitable<bool> within(std::chrono::steady_clock::duration limit,
                                    asio::awaitable<void> operation) {
    const auto first = co_await first_of(std::move(operation), pause_for(limit));
    co_return first == 0;
}

/// Something that happens once, for which any number of coroutines may wait.
class Event {
public:
    explicit Event(const asio::any_io_executor& executor)
        : timer_(executor, std::chrono::steady_clock::time_point::max()) {}

    void happen() {
        happened_ = true;
        timer_.cancel();
    }

    bool has_happened() const { return happened_; }
    /// Returns at once if it has happened already.
    asio::awaitable<void> wait() {
        while (!happened_) {
            // This error only means that it has happened; if the coroutine itself was cancelled,
            // its next co_await throws.
            co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
        }
    }

private:
    asio::steady_timer timer_;
    bool happened_ = false;
};

/// Wakes a coroutine that waits for work. Remembers one call: a coroutine that starts to wait after
/// it returns at once. At most one coroutine waits at a time.
class WakeUp {
public:
    explicit WakeUp(const asio::any_io_executor& executor) : timer_(executor) {}

    void notify() {
        notified_ = true;
        timer_.cancel();
    }

    /// Returns once notify() was called, or at `time`, whichever is first.
    asio::awaitable<void> wait_until(std::chrono::steady_clock::time_point time) {
        if (!notified_) {
            timer_.expires_at(time);
            // This error only means that notify() was called; if the coroutine itself was
            // cancelled, its next co_await throws.
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
