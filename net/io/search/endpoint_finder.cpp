#include "net/io/search/endpoint_finder.h"

#include <utility>

#include "net/io/dial/peer_endpoint.h"

namespace petal::net {

namespace {

constexpr std::chrono::seconds kSeedTimeout{10};

FinderOptions finder_options(const EndpointFinderOptions& options) {
    FinderOptions finder;
    if (!options.onion_only) finder.seeds = options.seeds;
    finder.reach = {.clearnet = !options.onion_only, .onion = options.by_proxy};
    finder.feeler_interval = options.feeler_interval;
    return finder;
}

/// The name for the DNS query. A final dot makes a name of several parts fully qualified, as in
/// Bitcoin Core's list. Otherwise the resolver would also try the search domains of this machine.
std::string question_for(std::string seed) {
    if (seed.find('.') != std::string::npos && !seed.ends_with('.')) seed.push_back('.');
    return seed;
}

}  // namespace

boost::asio::awaitable<SeedAnswer> look_up_seed(const SeedResolver& resolver, std::string seed,
                                                std::uint16_t port) {
    const std::string question = question_for(std::move(seed));
    const auto hosts = co_await resolver(question, kSeedTimeout);
    if (!hosts) co_return chain::Unexpected{hosts.error()};
    std::vector<PeerAddress> nodes;
    for (const auto& host : *hosts) nodes.push_back(address_of(host, port));
    co_return nodes;
}

EndpointFinder::EndpointFinder(AddrMan& addrman, EndpointFinderOptions options, Now now)
    : options_(std::move(options)), finder_(addrman, finder_options(options_), now) {}

std::vector<Endpoint> EndpointFinder::choose(std::size_t places, Now now, std::size_t watcher) {
    std::vector<Endpoint> endpoints;
    for (const PeerAddress& address : finder_.choose(places, now, watcher)) {
        endpoints.push_back(endpoint_of(address));
    }
    if (!options_.by_proxy) return endpoints;
    const std::size_t left = places - endpoints.size();
    for (std::string& seed : finder_.choose_seeds(left, now, left)) {
        dialled_seeds_.insert(seed);
        endpoints.push_back({std::move(seed), options_.default_port});
    }
    return endpoints;
}

std::vector<std::string> EndpointFinder::choose_seeds(std::size_t places, Now now) {
    if (options_.by_proxy) return {};
    auto seeds = finder_.choose_seeds(places, now);
    asked_seeds_.insert(seeds.begin(), seeds.end());
    return seeds;
}

void EndpointFinder::on_answer(const std::string& seed, const SeedAnswer& answer, Now now) {
    if (asked_seeds_.erase(seed) == 0) return;
    if (answer) {
        ++lookups_.answered;
        return finder_.on_seed_answer(seed, *answer, now);
    }
    const bool is_unknown = answer.error() == ResolveError::no_such_host;
    ++(is_unknown ? lookups_.unknown : lookups_.unanswered);
    if (is_unknown) finder_.on_unknown_seed();
    finder_.on_seed_answer(seed, {}, now);
}

void EndpointFinder::on_service(const Endpoint& peer, PeerService service, Now now) {
    if (const auto address = address_of(peer)) finder_.on_service(*address, service, now);
}

bool EndpointFinder::on_heard(const Endpoint& peer, AddrCollector& collector,
                              std::chrono::milliseconds connected_at, Now now,
                              std::size_t watcher) {
    finder_.on_heard(connected_at, now);
    const auto address = address_of(peer);
    const auto services = collector.take_services();
    if (services && address) finder_.on_version(*address, *services, now, watcher);
    const auto gossip_count = collector.gossip_count();
    return finder_.on_gossip(identity_of(peer).group, collector.take_gossip(), gossip_count,
                             connected_at, now);
}

void EndpointFinder::on_dial_failed(const Endpoint& peer, DialError error, Now now) {
    if (proves_connectivity(peer, error)) finder_.on_answer(now);
    const auto address = address_of(peer);
    if (is_about_proxy(error) && address) return finder_.on_no_verdict(*address, now);
    on_ended(peer, DisconnectReason::unreachable, PeerService::none, now);
}

void EndpointFinder::on_ended(const Endpoint& peer, DisconnectReason reason, PeerService service,
                              Now now) {
    if (const auto address = address_of(peer)) finder_.on_ended(*address, reason, service, now);
    if (dialled_seeds_.erase(peer.host) > 0) finder_.on_seed_answer(peer.host, {}, now);
}

std::optional<Endpoint> EndpointFinder::choose_feeler(Now now) {
    const auto address = finder_.choose_feeler(now);
    return address ? std::optional{endpoint_of(*address)} : std::nullopt;
}

void EndpointFinder::on_feeler_answer(const FeelerAnswer& answer, Now now) {
    if (answer) return finder_.on_feeler_answered(*answer, now);
    finder_.feelers().on_failed(answer.error(), now);
}

void EndpointFinder::on_feeler_not_connected(const Endpoint& peer, DialError error, Now now) {
    if (is_about_proxy(error)) return finder_.feelers().on_no_verdict();
    if (proves_connectivity(peer, error)) finder_.on_answer(now);
    finder_.feelers().on_failed(DisconnectReason::unreachable, now);
}

}  // namespace petal::net
