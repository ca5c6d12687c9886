#include "net/io/census.h"

#include <signal.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <exception>
#include <set>
#include <utility>

#include "net/io/clocks.h"
#include "net/io/dial/first_of.h"
#include "net/io/dial/peer_endpoint.h"
#include "net/io/search/handshake_probe.h"
#include "net/io/signals.h"

namespace petal::net {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kAnswerTimeout{10'000};

/// Several workers share the work, so that at most one connection for each is open.
class CensusRun {
public:
    CensusRun(AddrMan& addrman, const CensusOptions& options)
        : addrman_(addrman), options_(options) {
        if (!options_.proxy && !options_.onion_only) seeds_ = options_.seeds;
    }

    CensusResult run() {
        const milliseconds start = read_clocks().steady;
        if (options_.stop_on_signals) end_on_signals();
        for (std::size_t i = 0; i < options_.at_once; ++i) start_worker();
        io_.run();
        if (failure_) std::rethrow_exception(failure_);
        result_.duration = read_clocks().steady - start;
        return std::move(result_);
    }

private:
    void end_on_signals();
    void start_worker();
    asio::awaitable<void> work_in_time();
    asio::awaitable<void> work();
    asio::awaitable<void> look_up(std::string seed);
    asio::awaitable<void> greet(PeerAddress node);
    void draw_nodes();
    void on_not_connected(const PeerAddress& node, DialError error);
    void on_outcome(const PeerAddress& node, DisconnectReason reason);

    AddrMan& addrman_;
    const CensusOptions& options_;
    CensusResult result_;
    asio::io_context io_{1};
    asio::signal_set signals_{io_};
    std::optional<StopSignalWatch> signal_watch_;
    Event stopped_{io_.get_executor()};
    Event seeds_answered_{io_.get_executor()};
    std::vector<std::string> seeds_;  // to query
    std::size_t questions_ = 0;       // queries without an answer so far
    std::set<PeerAddress> listed_;    // by the seeds
    std::vector<PeerAddress> nodes_;  // to greet
    std::size_t workers_ = 0;         // running
    std::exception_ptr failure_;
};

void CensusRun::end_on_signals() {
    signals_.add(SIGINT);
    signals_.add(SIGTERM);
    if (!is_ignored(SIGHUP)) signals_.add(SIGHUP);
    signal_watch_.emplace();
    signals_.async_wait([this](boost::system::error_code cancelled, int /*signal*/) {
        if (cancelled) return;
        result_.interrupted = true;
        stopped_.happen();
    });
}

void CensusRun::start_worker() {
    ++workers_;
    asio::co_spawn(io_, work_in_time(), [this](const std::exception_ptr& thrown) {
        if (thrown && !failure_) failure_ = thrown;
        if (thrown) stopped_.happen();
        if (--workers_ == 0) signals_.cancel();
    });
}

asio::awaitable<void> CensusRun::work_in_time() {
    const auto first = co_await first_of(work(), stopped_.wait(), pause_for(options_.timeout));
    if (first != 0) result_.is_complete = false;
}

asio::awaitable<void> CensusRun::work() {
    while (!seeds_.empty()) {
        std::string seed = std::move(seeds_.back());
        seeds_.pop_back();
        co_await look_up(std::move(seed));
    }
    if (questions_ == 0 && !seeds_answered_.has_happened()) {
        draw_nodes();
        seeds_answered_.happen();
    }
    co_await seeds_answered_.wait();
    while (!nodes_.empty()) {
        PeerAddress node = std::move(nodes_.back());
        nodes_.pop_back();
        co_await greet(std::move(node));
    }
}

asio::awaitable<void> CensusRun::look_up(std::string seed) {
    ++questions_;
    const auto answer = co_await look_up_seed(options_.resolver, seed, options_.default_port);
    --questions_;
    if (!answer) {
        ++(answer.error() == ResolveError::no_such_host ? result_.seed_lookups.unknown
                                                        : result_.seed_lookups.unanswered);
        co_return;
    }
    ++result_.seed_lookups.answered;
    addrman_.add_listed(seed, *answer, unix_time_now());
    listed_.insert(answer->begin(), answer->end());
}

/// Nodes that only a list by services has shown would distort the sample.
void CensusRun::draw_nodes() {
    const Reach reach{.clearnet = !options_.onion_only, .onion = options_.proxy.has_value()};
    nodes_ = addrman_.draw_for_census(reach, unix_time_now(), listed_);
    result_.known = nodes_.size();
    nodes_.resize(std::min(nodes_.size(), options_.most_nodes));
}

asio::awaitable<void> CensusRun::greet(PeerAddress node) {
    addrman_.on_attempt(node, unix_time_now());
    const Endpoint endpoint = endpoint_of(node);
    auto socket = co_await dial_by(options_.proxy, endpoint, options_.connect_timeout);
    if (!socket) {
        on_not_connected(node, socket.error());
        co_return;
    }
    const std::int64_t now = unix_time_now();
    addrman_.on_contact(now, now);
    const auto answer =
        co_await run_feeler(std::move(*socket), options_.magic, now, kAnswerTimeout);
    if (!answer) {
        on_outcome(node, answer.error());
        co_return;
    }
    ++result_.greeted;
    result_.services.push_back(*answer);
    addrman_.on_feeler_answered(node, *answer, unix_time_now());
}

void CensusRun::on_not_connected(const PeerAddress& node, DialError error) {
    const std::int64_t now = unix_time_now();
    if (proves_connectivity(endpoint_of(node), error)) addrman_.on_contact(now, now);
    if (!is_about_proxy(error)) on_outcome(node, DisconnectReason::unreachable);
}

void CensusRun::on_outcome(const PeerAddress& node, DisconnectReason reason) {
    ++result_.greeted;
    if (reason == DisconnectReason::self) addrman_.forget(node);
    const auto outcome = outcome_of(reason, PeerService::none);
    if (outcome) addrman_.on_outcome(node, *outcome, unix_time_now());
}

}  // namespace

CensusResult take_census(AddrMan& addrman, const CensusOptions& options) {
    return CensusRun(addrman, options).run();
}

}  // namespace petal::net
