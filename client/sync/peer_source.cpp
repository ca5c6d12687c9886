#include "client/sync/peer_source.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "net/discovery/dns_seed_list.h"
#include "net/io/clocks.h"
#include "net/io/dial/onion_address.h"
#include "net/io/dial/peer_endpoint.h"
#include "net/io/dial/system_random.h"

namespace petal::client {
namespace {

// Tor builds a circuit first, and looks an onion service up.
constexpr std::chrono::seconds kProxiedConnectTimeout{30};
// The time to wait for another process that has the address manager locked: a sync must end in
// time, and works without it.
constexpr std::chrono::milliseconds kStorePatience{200};

net::EndpointFinderOptions search_options(const ConnectionOptions& options,
                                          const chain::NetworkParams& network,
                                          std::uint64_t services) {
    net::EndpointFinderOptions search;
    search.seeds = options.dns_seeds.value_or(net::dns_seed_names(network.name, services));
    search.default_port = network.default_port;
    search.by_proxy = options.proxy.has_value();
    search.onion_only = options.onion_only;
    return search;
}

}  // namespace

net::AddrManOptions addrman_options(const chain::NetworkParams& network) {
    net::AddrManOptions options;
    net::fill_random(options.key);
    options.random_seed = net::random_seed();
    options.accept_private = network.name == "regtest";
    options.default_port = network.default_port;
    return options;
}

PeerSource::PeerSource(ConnectionOptions options, DataFolder data, std::uint64_t services,
                       OnTrouble on_trouble)
    : options_(std::move(options)),
      data_(std::move(data)),
      services_(services),
      on_trouble_(std::move(on_trouble)),
      named_(options_.connect) {
    data_.check();  // a config file there may forbid the connection
    if (!named_.empty()) return;
    const chain::NetworkParams& network = data_.network();
    net::AddrManOptions of_addrman = addrman_options(network);
    of_addrman.services = services_;
    open_addrman(of_addrman);
    const net::EndpointFinderOptions how = search_options(options_, network, services_);
    const net::Endpoint usual{"127.0.0.1", network.default_port};
    const bool is_unknown = how.seeds.empty() && addrman_->size() == 0;
    if (network.name == "regtest" && is_unknown && may_dial(usual)) {
        named_ = {usual};
    } else {
        search_.emplace(*addrman_, how, net::read_clocks());
    }
}

void PeerSource::report(PeerFileTrouble::Kind kind, const std::string& reason) const {
    if (on_trouble_) on_trouble_({kind, data_.peer_file(), reason});
}

bool PeerSource::may_dial(const net::Endpoint& peer) const {
    return !options_.onion_only &&
           !addrman_->bans().is_banned(*net::address_of(peer), net::unix_time_now());
}

void PeerSource::open_addrman(net::AddrManOptions how) {
    try {
        store_.emplace(data_.peer_file(), kStorePatience);
        addrman_.emplace(store_->load(how));
        if (store_->was_rebuilt()) report(PeerFileTrouble::Kind::damaged);
    } catch (const net::PeerStoreError& error) {
        report(PeerFileTrouble::Kind::unreadable, error.what());
        store_.reset();
        addrman_.emplace(how);
    }
}

std::size_t PeerSource::expected() const {
    if (searches()) return options_.peers;
    return std::min<std::size_t>(named_.size(), options_.peers);
}

bool PeerSource::has_substitutes() const {
    return searches() || named_.size() > expected();
}

void PeerSource::look_for(std::uint64_t services, std::size_t watcher) {
    if (!search_) return;
    const auto [known, is_new] = services_of_.try_emplace(watcher, services);
    if (!is_new && std::exchange(known->second, services) == services) return;
    std::vector<std::string> seeds;
    for (const auto& [other, needed] : services_of_) {
        for (auto& seed : search_options(options_, data_.network(), needed).seeds) {
            if (std::ranges::find(seeds, seed) == seeds.end()) seeds.push_back(std::move(seed));
        }
    }
    search_->look_for(services, std::move(seeds), watcher);
}

bool PeerSource::seems_offline() const {
    return search_ && (search_->has_reached_no_node() || search_->seems_offline());
}

void PeerSource::apply(net::SpvOptions& client) {
    client.endpoints = named_;
    client.max_peers = options_.peers;
    client.timeout = options_.timeout;
    client.proxy = options_.proxy;
    if (options_.proxy) client.connect_timeout = kProxiedConnectTimeout;
    if (!search_) return;
    client.search = &*search_;
    client.saves.save_peers = [this] { save(); };
}

void PeerSource::dial_first(net::SpvOptions& client, const std::string& node) const {
    const auto endpoint = net::parse_endpoint(node, data_.network().default_port);
    if (!search_ || !endpoint) return;
    const bool is_onion = net::is_onion_name(endpoint->host);
    const bool is_reachable = is_onion ? options_.proxy.has_value() : !options_.onion_only;
    const auto address = net::address_of(*endpoint);
    if (!is_reachable || !address) return;
    if (addrman_->bans().is_banned(*address, net::unix_time_now())) return;
    client.endpoints.push_back(*endpoint);
}

void PeerSource::apply(net::BroadcastRoute& route) {
    route.endpoints = named_;
    route.max_peers = options_.peers;
    route.proxy = options_.proxy;
    if (options_.proxy) route.connect_timeout = kProxiedConnectTimeout;
    if (search_) route.search = &*search_;
}

net::CensusResult PeerSource::take_census() {
    net::CensusOptions census;
    const auto seeds = search_options(options_, data_.network(), services_);
    census.seeds = seeds.seeds;
    census.default_port = seeds.default_port;
    census.onion_only = seeds.onion_only;
    census.magic = data_.network().magic;
    census.proxy = options_.proxy;
    if (options_.proxy) census.connect_timeout = kProxiedConnectTimeout;
    if (options_.timeout) census.timeout = *options_.timeout;
    census.stop_on_signals = options_.stop_on_signals;
    return net::take_census(addrman_.value(), census);
}

void PeerSource::save() {
    if (!store_) return;
    try {
        store_->save(*addrman_);
    } catch (const net::PeerStoreError& error) {
        // Another process may have it locked just now: the next save tries again.
        if (!std::exchange(reported_unwritable_, true)) {
            report(PeerFileTrouble::Kind::unwritable, error.what());
        }
    }
}

}  // namespace petal::client
