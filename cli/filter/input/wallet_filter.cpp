#include "cli/filter/input/wallet_filter.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

#include "bloom/measures/filter_estimate.h"
#include "cli/options/data_folder.h"
#include "cli/text/command_error.h"
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

WalletFilter awaited_filter(const wallet::Wallet& wallet, double rate) {
    const auto groups = wallet.awaited_elements();
    if (groups.empty()) {
        throw CommandError(ExitStatus::failed, "no-new-address",
                           "the wallet has no receive addresses, so no payment is awaited");
    }
    WalletFilter result{net::make_awaited_filter(groups, wallet.filter_padding(), rate),
                        {},
                        used_addresses(wallet)};
    for (const auto& group : groups) result.truth.elements += group.size();
    // Decoys are random bits, of which as many are one decoy as are one element.
    const bloom::FilterOutline outline = bloom::outline_of(result.filter);
    const double all = bloom::estimate_elements(outline.size, outline.bits_set).value;
    result.truth.decoys = static_cast<std::size_t>(all) -
                          std::min(static_cast<std::size_t>(all), result.truth.elements);
    result.truth.design_rate = rate;
    return result;
}

}  // namespace

WalletFilter wallet_filter(const GlobalOptions& global, std::optional<net::Privacy> privacy,
                           bool awaited) {
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    const net::SyncCheckpoint memory = memory_of(wallet);
    const double rate = privacy ? net::rate_of(*privacy) : memory.rate;
    if (awaited) return awaited_filter(wallet, rate);
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
