#include "client/sync/sync_report.h"

#include <algorithm>

#include "chain/headers/header_rules.h"
#include "client/data/stored_chain.h"
#include "client/data/wallet_sync_status.h"
#include "net/io/clocks.h"

namespace petal::client {

ChainReport chain_report_of(const chain::HeaderChain& chain,
                            const std::optional<chain::BlockRef>& synced) {
    const chain::BlockHeader last = chain.tip_header();
    return {chain.tip(), last.time, chain::block_age(last, net::unix_time_now()),
            has_minimum_work_behind(synced, chain)};
}

bool has_only_other_chains(const net::SyncStatus& status) {
    const auto is_on_other = [](const net::PeerReport& peer) {
        return peer.on_best_chain == false;
    };
    const auto may_have_stored_chain = [](const net::PeerReport& peer) {
        return peer.on_best_chain.value_or(peer.claims.has_version && !peer.ended);
    };
    return std::ranges::any_of(status.peers, is_on_other) &&
           std::ranges::none_of(status.peers, may_have_stored_chain);
}

SyncReport report_of_other(const DataFolder& data, const std::string& wallet, double seconds) {
    const wallet::Wallet opened = data.open_wallet(wallet, wallet::Access::read);
    const wallet::WalletInfo info = opened.info();
    SyncReport report;
    report.end = SyncEnd::done;
    report.by_other = true;
    report.network = data.network().name;
    report.wallet = wallet;
    if (info.synced) report.synced_height = info.synced->height;
    report.balance = opened.balance();
    report.seconds = report.blocks_seconds = seconds;
    if (const auto stored = find_stored_chain(data)) {
        report.chain = chain_report_of(stored->chain, info.synced);
        report.birthday_height = first_height_of(wallet::with_margin(info.birthday), stored->chain);
    }
    return report;
}

}  // namespace petal::client
