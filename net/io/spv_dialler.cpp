#include "net/io/spv_dialler.h"

#include <algorithm>
#include <utility>

#include "net/io/clocks.h"
#include "net/peer/timers.h"

namespace petal::net {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr std::size_t kMaxEndpoints = 500;
constexpr milliseconds kFeelerTimeout{10'000};
// Bitcoin Core delays the answer to getaddr by 30 seconds on average
// (AVG_ADDRESS_BROADCAST_INTERVAL).
constexpr milliseconds kFetchTimeout{120'000};
constexpr milliseconds kSecondLook{600'000};

DialPolicy policy_of(const SpvOptions& options) {
    const bool patient = options.persistent || options.timeout.has_value();
    return {.max_in_use = options.max_peers,
            .first_backoff = options.redial.first_backoff,
            .last_backoff = options.redial.last_backoff,
            .give_up_after = patient ? std::nullopt : std::optional{options.redial.give_up_after},
            .patient = patient,
            .second_look_after = options.persistent ? std::optional{kSecondLook} : std::nullopt,
            .once = options.search != nullptr};
}

}  // namespace

SpvDialler::SpvDialler(const SpvOptions& options, Magic magic, Driver& driver, PeerSearch& search,
                       SpvResult& result, SyncGroupPeers* group_peers)
    : options_(options),
      magic_(magic),
      driver_(driver),
      search_(search),
      result_(result),
      group_peers_(group_peers),
      plan_(result.endpoints.size(), policy_of(options), read_clocks().steady) {}

/// Dials endpoints until the maximum is in use, or none is left.
std::optional<steady_clock::time_point> SpvDialler::dial_more(Now now) {
    while (true) {
        look_for_peers(now);
        const auto tested = sends_feelers() ? search_.finder().choose_feeler(now) : std::nullopt;
        if (tested) driver_.start(send_feeler(*tested));
        const auto next = plan_.next();
        if (!next && plan_.in_use() == 0 && finds_other_nodes()) continue;
        const auto at = next ? std::optional{next->time} : gives_up_at();
        if (!has_come(at, now)) return next_look(at, now);
        if (!next) return std::nullopt;
        plan_.on_dialled(next->endpoint);
        ++result_.endpoints[next->endpoint].dials;
        dialling_.insert(next->endpoint);
        serve(next->endpoint);
    }
}

/// Whether the user's program looks for other nodes, as no further node of this kind can be found.
bool SpvDialler::finds_other_nodes() {
    if (!search_.is_on() || !options_.events.on_exhausted) return false;
    const EndpointFinder& finder = search_.finder();
    if (!finder.can_find_no_peer()) return false;
    // While this machine is offline, nothing is known of the nodes.
    if (finder.has_reached_no_node() || finder.seems_offline()) return false;
    return options_.events.on_exhausted();
}

void SpvDialler::set_extra(bool may_use_extra) {
    if (std::exchange(has_extra_, may_use_extra) == may_use_extra) return;
    plan_.set_extra(may_use_extra);
    driver_.look_again();
}

void SpvDialler::set_source(std::optional<MatchSourceKind> source, Now now) {
    const bool is_undone = source_ && !source;
    source_ = source;
    if (!is_undone) return;
    plan_.on_other_needs(now.steady);
    driver_.look_again();
}

void SpvDialler::serve(std::size_t index) {
    if (search_.is_on() && search_.finder().is_for_addresses_only(endpoint_at(index))) {
        driver_.start(fetch_addresses(index));
    } else {
        driver_.serve(index);
    }
}

/// Fills the free slots with peers that the user did not name.
void SpvDialler::look_for_peers(Now now) {
    if (!search_.is_on() || plan_.free_places() == 0) return;
    const auto found = search_.choose(plan_.free_places(), now);
    for (const auto& endpoint : found) offer(endpoint, now.steady);
    if (!found.empty() && group_peers_) group_peers_->look_again();
    for (const auto& seed : search_.choose_seeds(plan_.free_places(), now)) {
        asked_seeds_.insert(seed);
        driver_.ask_seed(search_.finder(), seed, [this, seed] {
            asked_seeds_.erase(seed);
            report_seed();
        });
    }
}

void SpvDialler::offer(const Endpoint& endpoint, milliseconds now) {
    auto& reports = result_.endpoints;
    const auto known = find_report(reports, endpoint);
    if (known) return plan_.offer(*known, now);
    const EndpointReport fresh{.endpoint = endpoint, .dials = 0, .last_failure = {}};
    // Bounds the memory of a sync that lasts for months.
    const auto forgotten = reports.size() < kMaxEndpoints ? std::nullopt : plan_.longest_idle();
    if (forgotten) {
        reports[*forgotten] = fresh;
        plan_.offer(*forgotten, now);
    } else {
        reports.push_back(fresh);
        plan_.add(now);
    }
}

/// When to give up if no endpoint can be dialled. Zero if no peer can be found. Empty while an
/// endpoint is in use, or if the run waits for peers without limit.
std::optional<milliseconds> SpvDialler::gives_up_at() const {
    if (plan_.in_use() > 0) return std::nullopt;
    if (!search_.is_on()) return milliseconds{0};
    if (options_.persistent || options_.timeout) return std::nullopt;
    return search_.can_find_no_peer() ? milliseconds{0} : plan_.gives_up_at();
}

/// at   the time to dial, or to give up
steady_clock::time_point SpvDialler::next_look(std::optional<milliseconds> at, Now now) const {
    if (sends_feelers()) at = earlier_of(at, search_.finder().next_feeler_at());
    const auto time = at ? steady_clock::time_point{*at} : steady_clock::time_point::max();
    if (!search_.is_on() || plan_.free_places() == 0) return time;
    return std::min(time, search_.look_again_at(now));
}

/// Feelers run only while all slots are taken. Otherwise nodes are dialled as peers.
bool SpvDialler::sends_feelers() const {
    return search_.is_on() && options_.feelers && plan_.free_places() == 0;
}

asio::awaitable<void> SpvDialler::send_feeler(Endpoint peer) {
    is_testing_ = true;
    auto socket = co_await driver_.dial(peer);
    if (!socket) {
        search_.finder().on_feeler_not_connected(peer, socket.error(), read_clocks());
    } else {
        const std::int64_t unix_time = read_clocks().unix_seconds;
        const auto answer =
            co_await run_feeler(std::move(*socket), magic_, unix_time, kFeelerTimeout);
        search_.finder().on_feeler_answer(answer, read_clocks());
    }
    is_testing_ = false;
    driver_.look_again();
}

/// Takes a slot. The endpoint counts as dialled until the end, because it never serves.
asio::awaitable<void> SpvDialler::fetch_addresses(std::size_t index) {
    const Endpoint peer = endpoint_at(index);
    auto socket = co_await driver_.dial(peer);
    if (driver_.is_over()) co_return;  // give_up_search() told the search
    const Now since = read_clocks();
    if (!socket) {
        record_dial_error(index, socket.error(), since);
    } else {
        search_.on_connected(since);
        FetchedAddresses fetched =
            co_await run_addr_fetch(std::move(*socket), magic_, since.unix_seconds, kFetchTimeout);
        if (driver_.is_over()) co_return;
        on_fetched(index, std::move(fetched), since);
    }
    report_seed();
}

void SpvDialler::on_fetched(std::size_t index, FetchedAddresses fetched, Now since) {
    const Now now = read_clocks();
    const Endpoint& peer = endpoint_at(index);
    if (fetched) search_.on_heard(peer, *fetched, since.steady, now);
    const auto reason = fetched ? DisconnectReason::finished : fetched.error();
    search_.on_ended(peer, reason, PeerService::none, now);
    const std::string detail = fetched ? "it told of other nodes" : "";
    record_failure(index, {reason, detail}, /*served=*/false, now);
}

void SpvDialler::on_serving(std::size_t index) {
    plan_.on_serving(index);
    driver_.look_again();
}

void SpvDialler::on_dial_failed(std::size_t index, DialError error) {
    if (!dialling_.contains(index)) return;  // give_up_search() told the search
    record_dial_error(index, error, read_clocks());
    report();
}

void SpvDialler::on_ended(std::size_t index, EndpointFailure failure, bool served, Now now) {
    record_failure(index, std::move(failure), served, now);
    report();
}

void SpvDialler::record_dial_error(std::size_t index, DialError error, Now now) {
    search_.on_dial_failed(endpoint_at(index), error, now);
    record_failure(index, failure_of(error), /*served=*/false, now);
}

void SpvDialler::record_failure(std::size_t index, EndpointFailure failure, bool served, Now now) {
    dialling_.erase(index);
    plan_.on_failed(index, failure.reason, served, now.steady);
    driver_.look_again();
    result_.endpoints[index].last_failure = std::move(failure);
}

/// An exception of the callback ends the run.
void SpvDialler::report() {
    if (!options_.events.on_failure) return;
    result_.search = search_.report();
    driver_.step([this] { options_.events.on_failure(result_); });
}

void SpvDialler::report_seed() {
    report();
    if (group_peers_) group_peers_->look_again();
}

void SpvDialler::give_up_search(Now now) {
    for (const std::size_t index : dialling_) {
        search_.on_ended(endpoint_at(index), DisconnectReason::finished, PeerService::none, now);
    }
    for (const std::string& seed : asked_seeds_) {
        search_.finder().on_seed_given_up(seed, now);
    }
    if (is_testing_) search_.finder().on_feeler_given_up();
    dialling_.clear();
    asked_seeds_.clear();
}

}  // namespace petal::net
