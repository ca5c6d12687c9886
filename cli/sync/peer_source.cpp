#include "cli/sync/peer_source.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "cli/data_folder.h"
#include "cli/text.h"
#include "net/discovery/dns_seed_list.h"
#include "net/io/clocks.h"
#include "net/io/dial/peer_endpoint.h"
#include "net/io/dial/system_random.h"

namespace petal::cli {
namespace {

// Tor builds a circuit first, and looks an onion service up.
constexpr std::chrono::seconds kProxiedConnectTimeout{30};
// The time to wait for another process that has the address manager locked: a sync must end in
// time, and works without it.
constexpr std::chrono::milliseconds kStorePatience{200};

net::EndpointFinderOptions search_options(const ConnectionOptions& options,
                                          const GlobalOptions& global) {
    net::EndpointFinderOptions search;
    search.seeds = options.dns_seeds.value_or(net::dns_seed_names(global.network->name));
    search.default_port = global.network->default_port;
    search.by_proxy = options.proxy.has_value();
    search.onion_only = options.onion_only;
    return search;
}

}  // namespace

net::AddrManOptions addrman_options(const GlobalOptions& global) {
    net::AddrManOptions options;
    net::fill_random(options.key);
    options.random_seed = net::random_seed();
    options.accept_private = global.network->name == "regtest";
    options.default_port = global.network->default_port;
    return options;
}

std::string damaged_peers_text(const GlobalOptions& global) {
    return "the list of known peers was damaged, and with it the bans; it is kept as " +
           net::PeerStore::damaged_copy_of(peer_file(global)).string();
}

PeerSource::PeerSource(const ConnectionOptions& options, const GlobalOptions& global,
                       Console& console, bool needs_filters)
    : options_(options), global_(global), console_(console), named_(options.connect) {
    check_data_folder(global);  // a config file there may forbid the connection
    if (!named_.empty()) return;
    net::AddrManOptions of_addrman = addrman_options(global);
    of_addrman.needs_filters = needs_filters;
    open_addrman(of_addrman);
    const net::EndpointFinderOptions how = search_options(options, global);
    const net::Endpoint usual{"127.0.0.1", global.network->default_port};
    const bool is_unknown = how.seeds.empty() && addrman_->size() == 0;
    if (global.network->name == "regtest" && is_unknown && may_dial(usual)) {
        named_ = {usual};
    } else {
        search_.emplace(*addrman_, how, net::read_clocks());
    }
}

bool PeerSource::may_dial(const net::Endpoint& peer) const {
    return !options_.onion_only &&
           !addrman_->bans().is_banned(*net::address_of(peer), net::unix_time_now());
}

void PeerSource::open_addrman(net::AddrManOptions how) {
    try {
        store_.emplace(peer_file(global_), kStorePatience);
        addrman_.emplace(store_->load(how));
        if (store_->was_rebuilt()) {
            console_.warn(damaged_peers_text(global_) + "; petal finds peers anew");
        }
    } catch (const net::PeerStoreError& error) {
        console_.warn("known peers can't be read: " + std::string(error.what()));
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

void PeerSource::apply(net::BroadcastRoute& route) {
    route.endpoints = named_;
    route.max_peers = options_.peers;
    route.proxy = options_.proxy;
    if (options_.proxy) route.connect_timeout = kProxiedConnectTimeout;
    if (search_) route.search = &*search_;
}

void PeerSource::save() {
    if (!store_) return;
    try {
        store_->save(*addrman_);
    } catch (const net::PeerStoreError& error) {
        // Another process may have it locked just now: the next save tries again.
        if (!std::exchange(warned_, true)) {
            console_.warn("known peers can't be saved: " + std::string(error.what()));
        }
    }
}

}  // namespace petal::cli
