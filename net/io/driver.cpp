#include "net/io/driver.h"

#include <signal.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "net/io/clocks.h"
#include "net/io/dial/peer_endpoint.h"

namespace petal::net {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

// If the clock wakes this late, the whole process was stopped (SIGSTOP, a debugger, a slow disk).
// Messages that arrived meanwhile are read first, so that peers do not count as silent.
constexpr milliseconds kStopped{1'000};
constexpr milliseconds kReadingTime{500};

}  // namespace

Driver::Driver(DriverUser& user, Dialler& dialler, DriverRoute route)
    : user_(user),
      dialler_(dialler),
      route_(std::move(route)),
      links_(route_.magic, route_.read_pace, [this](PeerLink& link) { user_.on_forgotten(link); }),
      io_(route_.io ? route_.io : std::make_shared<asio::io_context>(1)) {}

void Driver::run() {
    begin();
    io_->run();
    if (failure_) std::rethrow_exception(failure_);
}

void Driver::begin() {
    if (route_.stop_on_signals) end_on_signals();
    start(dial_loop());
    start(clock_loop());
}

void Driver::finish() {
    if (is_over()) return;
    signals_.cancel();
    ended_.happen();
    user_.on_over();
}

void Driver::fail(std::exception_ptr why) {
    if (is_over()) return;  // the coroutine was cancelled
    failure_ = std::move(why);
    finish();
}

void Driver::post(std::function<void()> what) {
    asio::post(*io_, std::move(what));
}

void Driver::end_on_signals() {
    signals_.add(SIGINT);
    signals_.add(SIGTERM);
    if (!is_ignored(SIGHUP)) signals_.add(SIGHUP);
    signal_watch_.emplace();
    signals_.async_wait([this](boost::system::error_code cancelled, int /*signal*/) {
        if (!cancelled) user_.on_signal();
    });
}

void Driver::start(asio::awaitable<void> task) {
    asio::co_spawn(*io_, until_end(std::move(task)), [this](const std::exception_ptr& thrown) {
        if (thrown) fail(thrown);
    });
}

asio::awaitable<void> Driver::until_end(asio::awaitable<void> task) {
    co_await first_of(std::move(task), ended_.wait());
}

void Driver::step(const std::function<void()>& what) {
    if (is_over()) return;
    try {
        what();
    } catch (...) {
        fail(std::current_exception());
    }
}

asio::awaitable<void> Driver::dial_loop() {
    while (!is_over()) {
        const auto time = dialler_.dial_more(read_clocks());
        if (!time) user_.on_no_peer_left();
        if (is_over()) co_return;
        const steady_clock::time_point latest = time.value_or(steady_clock::time_point::max());
        co_await places_changed_.wait_until(latest);
    }
}

asio::awaitable<chain::Expected<asio::ip::tcp::socket, DialError>> Driver::dial(Endpoint peer) {
    co_return co_await dial_by(route_.proxy, peer, route_.connect_timeout);
}

asio::awaitable<void> Driver::serve_endpoint(std::size_t index) {
    const Endpoint endpoint = dialler_.endpoint_at(index);
    auto socket = co_await dial(endpoint);
    if (!socket) {
        dialler_.on_dial_failed(index, socket.error());
        co_return;
    }
    const auto link = join(index, std::move(*socket));
    std::exception_ptr thrown;
    try {
        co_await first_of(read_loop(*link), link->connection().write_loop());
    } catch (...) {
        thrown = std::current_exception();  // the run is over, and a loop was cancelled
    }
    link->connection().close();
    user_.on_left(*link);
    if (thrown) std::rethrow_exception(thrown);
}

OpenLinks::Owned Driver::join(std::size_t index, asio::ip::tcp::socket socket) {
    auto identity = identity_of(dialler_.endpoint_at(index), socket, route_.proxy);
    auto link = links_.add({index, read_clocks().steady}, std::move(socket));
    step([&] { user_.on_joined(*link, std::move(identity)); });
    return link;
}

/// Each read goes through the queue of the io_context, so that peers take turns. Per turn, one read
/// of a peer is handled.
asio::awaitable<void> Driver::read_loop(PeerLink& link) {
    while (link.connection().is_open() && !is_over()) {
        const auto error = co_await link.connection().receive();
        step([&] { user_.on_received(link); });
        if (error) co_return;
    }
}

void Driver::ask_seed(EndpointFinder& search, std::string seed, std::function<void()> on_answer) {
    start(look_up(search, std::move(seed), std::move(on_answer)));
}

asio::awaitable<void> Driver::look_up(EndpointFinder& search, std::string seed,
                                      std::function<void()> on_answer) {
    const auto nodes = co_await search.look_up(seed);
    search.on_answer(seed, nodes, read_clocks());
    if (on_answer) on_answer();
    look_again();
}

void Driver::reschedule() {
    if (user_.next_wake_up() < clock_set_to_) clock_.notify();
}

asio::awaitable<void> Driver::clock_loop() {
    while (!is_over()) {
        const milliseconds now = read_clocks().steady;
        // If a bug does not advance a deadline, the loop still sleeps for a millisecond each time.
        clock_set_to_ = std::max(user_.next_wake_up(), now + milliseconds{1});
        const steady_clock::time_point time{clock_set_to_};
        co_await clock_.wait_until(time);
        if (read_clocks().steady > clock_set_to_ + kStopped) {
            co_await clock_.wait_until(steady_clock::now() + kReadingTime);
        }
        step([this] { user_.on_wake_up(read_clocks()); });
    }
}

}  // namespace petal::net
