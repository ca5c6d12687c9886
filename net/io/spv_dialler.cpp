#include "net/io/spv_dialler.h"

#include <algorithm>
#include <utility>

#include "net/io/clocks.h"
#include "net/io/dial/system_random.h"
#include "net/io/search/feeler.h"

namespace petal::net {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr std::size_t kMaxEndpoints = 500;
constexpr milliseconds kFeelerTimeout{10'000};
// Bitcoin Core collects what it answers for half a minute, on average
// (AVG_ADDRESS_BROADCAST_INTERVAL).
constexpr milliseconds kFetchTimeout{120'000};
constexpr milliseconds kSecondLook{600'000};

DialPolicy policy_of(const SpvOptions& options) {
    const bool patient = options.persistent || options.timeout.has_value();
    return {.max_in_use = options.max_peers,
            .first_backoff = options.first_backoff,
            .last_backoff = options.last_backoff,
            .give_up_after = patient ? std::nullopt : std::optional{options.give_up_after},
            .patient = patient,
            .second_look_after = options.persistent ? std::optional{kSecondLook} : std::nullopt,
            .once = options.search != nullptr};
}

/// For a connection that the engine has no part in.
Version version_without_engine() {
    Version ours;
    ours.time = read_clocks().unix_seconds;
    ours.nonce = random_seed();
    ours.user_agent = SyncOptions{}.user_agent;
    ours.relay = false;
    return ours;
}

}  // namespace

SpvDialler::SpvDialler(const SpvOptions& options, Magic magic, Driver& driver,
                       std::vector<EndpointReport>& reports, std::function<void()> on_seed_answer)
    : options_(options),
      magic_(magic),
      driver_(driver),
      reports_(reports),
      on_seed_answer_(std::move(on_seed_answer)),
      plan_(reports.size(), policy_of(options), read_clocks().steady) {}

/// Keeps as many endpoints in use as may be, until none is left to dial.
std::optional<steady_clock::time_point> SpvDialler::dial_more(Now now) {
    while (true) {
        look_for_peers(now);
        const auto tested = sends_feelers() ? options_.search->choose_feeler(now) : std::nullopt;
        if (tested) driver_.start(send_feeler(*tested));
        const auto next = plan_.next();
        if (!next && plan_.in_use() == 0 && !can_still_find_peers(now.steady)) {
            return std::nullopt;
        }
        if (!next || next->time > now.steady) return next_look(next, now);
        plan_.on_dialled(next->endpoint);
        ++reports_[next->endpoint].dials;
        dialling_.insert(next->endpoint);
        serve(next->endpoint);
    }
}

void SpvDialler::serve(std::size_t index) {
    if (options_.search && options_.search->is_for_addresses_only(endpoint(index))) {
        driver_.start(fetch_addresses(index));
    } else {
        driver_.serve(index);
    }
}

/// Fills the places that are free with peers that the user did not name.
void SpvDialler::look_for_peers(Now now) {
    if (!options_.search || plan_.free_places() == 0) return;
    auto& search = *options_.search;
    for (const auto& endpoint : search.choose(plan_.free_places(), now, options_.watcher)) {
        offer(endpoint, now.steady);
    }
    for (const auto& seed : search.choose_seeds(plan_.free_places(), now)) {
        asked_seeds_.insert(seed);
        driver_.ask_seed(search, seed, [this, seed] {
            asked_seeds_.erase(seed);
            on_seed_answer_();
        });
    }
}

void SpvDialler::offer(const Endpoint& endpoint, milliseconds now) {
    const auto known = find_report(reports_, endpoint);
    if (known) return plan_.offer(*known, now);
    const EndpointReport fresh{.endpoint = endpoint, .dials = 0, .last_failure = {}};
    // A sync that goes on for months can't remember every endpoint.
    const auto forgotten = reports_.size() < kMaxEndpoints ? std::nullopt : plan_.longest_idle();
    if (forgotten) {
        reports_[*forgotten] = fresh;
        plan_.offer(*forgotten, now);
    } else {
        reports_.push_back(fresh);
        plan_.add(now);
    }
}

/// Whether peers may yet be found, where none is in use.
bool SpvDialler::can_still_find_peers(milliseconds now) const {
    if (!options_.search) return false;
    if (options_.persistent || options_.timeout) return true;
    const auto limit = plan_.gives_up_at();
    return !options_.search->can_find_no_peer() && !(limit && now >= *limit);
}

steady_clock::time_point SpvDialler::next_look(const std::optional<DialPlan::Next>& next,
                                               Now now) const {
    auto time = next ? steady_clock::time_point{next->time} : steady_clock::time_point::max();
    if (sends_feelers()) {
        const auto feeler = options_.search->next_feeler_at();
        return feeler ? std::min(time, steady_clock::time_point{*feeler}) : time;
    }
    if (!options_.search || plan_.free_places() == 0) return time;
    const steady_clock::time_point again{options_.search->look_again_at(now)};
    return std::min(time, again);
}

/// Only while all places are taken: else nodes are dialled anyway.
bool SpvDialler::sends_feelers() const {
    return options_.search && options_.feelers && plan_.free_places() == 0;
}

asio::awaitable<void> SpvDialler::send_feeler(Endpoint peer) {
    is_testing_ = true;
    auto socket = co_await driver_.dial(peer);
    if (!socket) {
        options_.search->on_feeler_not_connected(peer, socket.error(), read_clocks());
    } else {
        const Version ours = version_without_engine();
        const HandshakeAims aims = *options_.feelers;
        const auto answer =
            co_await run_feeler(std::move(*socket), magic_, ours, aims, kFeelerTimeout);
        options_.search->on_feeler_answer(answer, read_clocks());
    }
    is_testing_ = false;
    driver_.look_again();
}

/// In the place of a peer; it stays among those that are being dialled, as it never serves.
asio::awaitable<void> SpvDialler::fetch_addresses(std::size_t index) {
    const Endpoint peer = endpoint(index);
    auto socket = co_await driver_.dial(peer);
    if (driver_.is_over()) co_return;  // the search has been told
    const Now since = read_clocks();
    if (!socket) {
        const DialError error = socket.error();
        options_.search->on_dial_failed(peer, error, since);
        const std::string detail{describe(error)};
        on_failed(index, {DisconnectReason::unreachable, detail, is_about_proxy(error)}, false,
                  since);
    } else {
        options_.search->on_connected(since);
        const Version ours = version_without_engine();
        FetchedAddresses fetched =
            co_await run_addr_fetch(std::move(*socket), magic_, ours, kFetchTimeout);
        if (driver_.is_over()) co_return;
        on_fetched(index, std::move(fetched), since);
    }
    on_seed_answer_();
}

void SpvDialler::on_fetched(std::size_t index, FetchedAddresses fetched, Now since) {
    const Now now = read_clocks();
    const Endpoint& peer = endpoint(index);
    auto& search = *options_.search;
    if (fetched) search.on_heard(peer, *fetched, since.steady, now);
    const auto reason = fetched ? DisconnectReason::finished : fetched.error();
    search.on_ended(peer, reason, PeerService::none, now);
    const std::string detail = fetched ? "it told of other nodes" : "";
    on_failed(index, {reason, detail}, /*served=*/false, now);
}

void SpvDialler::on_serving(std::size_t index) {
    plan_.on_serving(index);
    driver_.look_again();
}

void SpvDialler::on_failed(std::size_t index, EndpointFailure failure, bool served, Now now) {
    dialling_.erase(index);
    plan_.on_failed(index, failure.reason, served, now.steady);
    driver_.look_again();
    reports_[index].last_failure = std::move(failure);
}

void SpvDialler::give_up_search(Now now) {
    if (!options_.search) return;
    auto& search = *options_.search;
    for (const std::size_t index : dialling_) {
        search.on_ended(endpoint(index), DisconnectReason::finished, PeerService::none, now);
    }
    for (const std::string& seed : asked_seeds_) {
        search.on_seed_given_up(seed, now);
    }
    if (is_testing_) search.on_feeler_given_up();
    dialling_.clear();
    asked_seeds_.clear();
}

}  // namespace petal::net
