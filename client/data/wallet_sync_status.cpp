#include "client/data/wallet_sync_status.h"

#include "chain/headers/header_rules.h"
#include "client/data/stored_chain.h"
#include "net/io/clocks.h"

namespace petal::client {

WalletSyncStatus wallet_sync_status(const wallet::WalletInfo& wallet, const DataFolder& data) {
    const auto& synced = wallet.synced;
    const chain::NetworkParams& network = data.network();
    WalletSyncStatus sync_status;
    sync_status.synced = synced;
    sync_status.rescans = wallet.rescans;
    sync_status.minimum_work = network.minimum_chainwork == 0;
    try {
        // Amounts are shown whatever the clock says.
        const auto stored = find_stored_chain(data, chain::kMaxBlockTime);
        if (!stored) return sync_status;
        const chain::HeaderChain& chain = stored->chain;
        sync_status.header_height = chain.tip().height;
        sync_status.tip_age = chain::block_age(chain.tip_header(), net::unix_time_now());
        sync_status.is_synced = synced == chain.tip();
        const auto header = synced ? chain.find(synced->hash) : std::nullopt;
        if (header) sync_status.synced_time = header->time;
        sync_status.is_reorganised = synced && synced->height <= chain.tip().height &&
                                     synced->height >= chain.root().height &&
                                     chain.hash_at(synced->height) != synced->hash;
        if (synced && network.minimum_chainwork != 0) {
            sync_status.minimum_work = chain.has_minimum_chainwork(synced->hash);
        }
    } catch (const chain::HeaderFileError&) {
        // The next sync reports the file's error, and repairs it if possible.
        sync_status.has_unusable_headers = true;
    }
    return sync_status;
}

bool has_minimum_work_behind(const std::optional<chain::BlockRef>& synced,
                             const chain::HeaderChain& chain) {
    if (synced) return chain.has_minimum_chainwork(synced->hash);
    return chain.tip() == chain.root() && chain.has_minimum_chainwork();
}

}  // namespace petal::client
