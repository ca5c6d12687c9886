#include "cli/filter/input/wallet_filter.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "cli/options/data_folder.h"
#include "net/sync/filters/filter_policy.h"
#include "net/sync/filters/sync_checkpoint.h"

namespace petal::cli {
namespace {

double used_addresses(const wallet::Wallet& wallet) {
    double used = 0;
    for (const auto chain : wallet::kKeyChains) {
        for (const auto& address : wallet.addresses(chain, 0)) used += address.used ? 1 : 0;
    }
    return std::max(1.0, used);
}

/// The checkpoint of the wallet's syncs. Almost empty before the first sync.
net::SyncCheckpoint memory_of(const wallet::Wallet& wallet) {
    net::SyncCheckpoint memory;
    memory.rate = net::rate_of(net::Privacy::fast);
    auto stored = net::decode_sync_checkpoint(wallet.sync_state().sync_checkpoint);
    return stored ? *std::move(stored) : memory;
}

}  // namespace

WalletFilter wallet_filter(const GlobalOptions& global, std::optional<net::Privacy> privacy) {
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    const net::SyncCheckpoint memory = memory_of(wallet);
    const double rate = privacy ? net::rate_of(*privacy) : memory.rate;
    const std::vector<chain::Bytes> elements = wallet.watched_elements(0);
    const chain::WatchedOutpoints watched = wallet.watched_outpoints();
    const net::FilterBase base(elements, wallet.filter_padding(), rate);

    const auto matched = memory.matched();
    std::unordered_set<chain::Outpoint> strangers(matched.begin(), matched.end());
    std::size_t coins = 0;
    for (const chain::Outpoint& own : watched.confirmed) {
        if (memory.outpoints.is_settled(own)) continue;
        ++coins;
        strangers.erase(own);
    }
    for (const chain::Outpoint& own : watched.unconfirmed) coins += strangers.erase(own);

    bloom::FilterTruth truth;
    truth.elements = elements.size() + coins;
    truth.decoys = base.decoys() + strangers.size();
    truth.design_rate = rate;
    truth.coins = coins;
    truth.strangers_coins = static_cast<std::size_t>(std::ranges::count_if(
        memory.outpoints.unspent(), [&](const auto& coin) { return strangers.contains(coin); }));
    return {net::make_filter(base, watched.confirmed, memory), std::move(truth),
            used_addresses(wallet)};
}

}  // namespace petal::cli
