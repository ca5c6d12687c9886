/// Runs the connections of a sync or a broadcast: dialling, reading, writing, timers, and the end
/// of all coroutines.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "net/io/dial/dial.h"
#include "net/io/dial/first_of.h"
#include "net/io/open_links.h"
#include "net/io/peer_link.h"
#include "net/io/search/endpoint_finder.h"
#include "net/io/signals.h"
#include "net/peer/peer_identity.h"
#include "net/peer/timers.h"

namespace petal::net {

/// How connections are made.
struct DriverRoute {
    Magic magic{};
    /// A SOCKS5 proxy for every connection. The proxy also resolves names.
    std::optional<Endpoint> proxy;
    /// The time limit for an endpoint, including all its addresses.
    std::chrono::milliseconds connect_timeout{5'000};
    ReadPace read_pace = ReadPace::batched;
    /// Whether SIGINT, SIGTERM and SIGHUP end the run (StopSignalWatch).
    bool stop_on_signals = false;
    /// Shared by drivers that run concurrently. Null: the driver creates its own.
    std::shared_ptr<boost::asio::io_context> io = nullptr;
};

/// Decides which endpoints a driver dials, and when.
class Dialler {
public:
    /// Dials endpoints with Driver::serve(). Returns the latest time for the next call. Empty if no
    /// peer is left to dial or to find.
    virtual std::optional<std::chrono::steady_clock::time_point> dial_more(Now now) = 0;
    virtual const Endpoint& endpoint_at(std::size_t index) const = 0;
    virtual void on_dial_failed(std::size_t index, DialError error) = 0;

protected:
    ~Dialler() = default;
};

/// Decides what to do with the connections. All functions, including the dialler's, are called on
/// the driver's thread.
class DriverUser {
public:
    /// The dialler has no peer left to dial or to find.
    virtual void on_no_peer_left() = 0;
    virtual void on_joined(PeerLink& link, PeerIdentity identity) = 0;
    virtual void on_received(PeerLink& link) = 0;
    /// The connection ended, or the run is over.
    virtual void on_left(PeerLink& link) = 0;
    /// The link is about to be destroyed.
    virtual void on_forgotten(PeerLink& /*link*/) {}
    /// When on_wake_up() is due, in steady time.
    virtual std::chrono::milliseconds next_wake_up() const = 0;
    virtual void on_wake_up(Now now) = 0;
    virtual void on_signal() = 0;
    /// The run is over, by finish() or by a failure. Coroutines may still be running.
    virtual void on_over() {}

protected:
    ~DriverUser() = default;
};

class Driver {
public:
    /// `user` and `dialler` must outlive the driver.
    Driver(DriverUser& user, Dialler& dialler, DriverRoute route);

    /// Runs until finish() is called and every coroutine has ended. Rethrows an exception of a
    /// coroutine or the user. Call this once.
    void run();
    /// Starts the coroutines of run(), for a caller that runs the shared io_context of several
    /// drivers.
    void begin();
    /// The exception of a coroutine or the user. Null if there is none.
    std::exception_ptr failure() const { return failure_; }
    /// Ends each coroutine at its next step.
    void finish();
    bool is_over() const { return ended_.has_happened(); }
    /// Runs `what` on the driver's thread. May be called from any thread.
    void post(std::function<void()> what);

    /// Runs a task until the task or the run ends.
    void start(boost::asio::awaitable<void> task);
    /// Dials the endpoint, and exchanges messages until the connection ends.
    void serve(std::size_t index) { start(serve_endpoint(index)); }
    /// Looks up a DNS seed, then calls `on_answer`.
    void ask_seed(EndpointFinder& search, std::string seed, std::function<void()> on_answer = {});
    boost::asio::awaitable<chain::Expected<boost::asio::ip::tcp::socket, DialError>> dial(
        Endpoint peer);
    /// Calls dial_more() soon, because slots or candidates changed.
    void look_again() { places_changed_.notify(); }
    /// Wakes the clock earlier if next_wake_up() has become earlier.
    void reschedule();

    /// Calls `what` unless the run is over. `what` may call the engine, the watcher or callbacks,
    /// which must not be used after an exception, although other coroutines still run.
    void step(const std::function<void()>& what);

    OpenLinks& links() { return links_; }

private:
    boost::asio::awaitable<void> until_end(boost::asio::awaitable<void> task);
    boost::asio::awaitable<void> dial_loop();
    boost::asio::awaitable<void> clock_loop();
    boost::asio::awaitable<void> serve_endpoint(std::size_t index);
    boost::asio::awaitable<void> read_loop(PeerLink& link);
    boost::asio::awaitable<void> look_up(EndpointFinder& search, std::string seed,
                                         std::function<void()> on_answer);
    OpenLinks::Owned join(std::size_t index, boost::asio::ip::tcp::socket socket);
    void fail(std::exception_ptr why);
    void end_on_signals();

    DriverUser& user_;
    Dialler& dialler_;
    DriverRoute route_;
    OpenLinks links_;
    std::shared_ptr<boost::asio::io_context> io_;
    boost::asio::signal_set signals_{*io_};
    std::optional<StopSignalWatch> signal_watch_;
    WakeUp clock_{io_->get_executor()};
    WakeUp places_changed_{io_->get_executor()};
    Event ended_{io_->get_executor()};
    std::chrono::milliseconds clock_set_to_{0};
    std::exception_ptr failure_;
};

}  // namespace petal::net
