#include "client/sync/sync_group.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "net/io/dial/peer_endpoint.h"

namespace petal::client {

bool is_at_home(const net::Endpoint& peer) {
    if (peer.host == "localhost") return true;
    if (!net::is_ip_address(peer.host)) return false;
    const auto address = net::address_of(peer);
    return address && !net::is_public(*address);
}

std::size_t peers_for_each(std::size_t peers, std::size_t wallets) {
    assert(wallets > 0);
    return std::max(peers / wallets, std::min<std::size_t>(peers, 2));
}

SyncGroup::SyncGroup(WalletSyncOptions options, const DataFolder& data, const chain::Anchor& start,
                     std::size_t wallets, PeerSource::OnTrouble on_trouble)
    : options_(std::move(options)),
      source_(options_, data, start, std::move(on_trouble)),
      max_peers_(source_.peers.searches() ? peers_for_each(source_.peers.expected(), wallets)
                                          : source_.peers.expected()) {}

WalletSync& SyncGroup::add(std::string name, wallet::Wallet wallet,
                           const std::function<void(WalletSync&)>& prepare,
                           OnException on_exception) {
    const std::size_t number = syncs_.size();
    try {
        WalletSync& sync = syncs_.emplace_back(options_, std::move(name), std::move(wallet),
                                               source_, GroupMember{number, max_peers_});
        if (prepare) prepare(sync);
        net::SpvOptions options = sync.client_options([this] { stop(); });
        options.events.on_exception = std::move(on_exception);
        group_.add(sync.engine(), source_.data.network(), std::move(options));
        return sync;
    } catch (...) {
        if (syncs_.size() > number) syncs_.pop_back();
        throw;
    }
}

}  // namespace petal::client
