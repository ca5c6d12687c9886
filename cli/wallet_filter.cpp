#include "cli/wallet_filter.h"

#include <algorithm>
#include <unordered_set>

#include "cli/command_error.h"
#include "cli/data_folder.h"
#include "net/sync/engine_memory.h"
#include "net/sync/filter_policy.h"
#include "net/sync/sync_engine.h"

namespace petal::cli {
namespace {

double used_addresses(const wallet::Wallet& wallet) {
    double used = 0;
    for (const auto chain : wallet::kKeyChains) {
        for (const auto& address : wallet.addresses(chain, 0)) used += address.used ? 1 : 0;
    }
    return std::max(1.0, used);
}

/// Outpoints that are there because something matched, the wallet's or not, can't be told from the
/// wallet's coins by pairs; one that the sync has not remembered so can.
bool has_bare_coins(const chain::WatchList& watched,
                    const std::unordered_set<chain::Outpoint>& remembered) {
    return !std::ranges::all_of(watched.outpoints, [&remembered](const chain::Outpoint& outpoint) {
        return remembered.contains(outpoint);
    });
}

}  // namespace

WalletFilter wallet_filter(const GlobalOptions& global) {
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    const auto memory = net::decode_engine_memory(wallet.sync_state().engine_memory);
    if (!memory) {
        throw CommandError(
            ExitStatus::failed, "no-filter",
            "the wallet " + global.wallet + " has no filter yet: run petal sync first");
    }
    const chain::WatchList watched = wallet.watch_list();
    const auto outpoints = memory->outpoints.outpoints();
    const std::unordered_set<chain::Outpoint> remembered(outpoints.begin(), outpoints.end());
    std::unordered_set<chain::Outpoint> all = remembered;
    all.insert(watched.outpoints.begin(), watched.outpoints.end());

    const net::SyncOptions sync;
    bloom::FilterTruth truth;
    truth.elements = watched.elements.size() + watched.outpoints.size();
    truth.decoys = all.size() - watched.outpoints.size();
    truth.design_rate = sync.false_positive_rate;
    if (has_bare_coins(watched, remembered)) {
        truth.pairs.push_back(bloom::DerivablePair::address_and_coin);
    }
    return {net::make_filter(watched, outpoints, sync.false_positive_rate, memory->tweak),
            std::move(truth), used_addresses(wallet)};
}

}  // namespace petal::cli
