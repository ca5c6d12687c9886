#include "client/data/chain_standing.h"

#include "chain/headers/header_rules.h"
#include "client/data/stored_chain.h"
#include "net/io/clocks.h"

namespace petal::client {

ChainStanding standing_of(const wallet::WalletInfo& wallet, const DataFolder& data) {
    const auto& synced = wallet.synced;
    const chain::NetworkParams& network = data.network();
    ChainStanding standing;
    standing.synced = synced;
    standing.rescans = wallet.rescans;
    standing.minimum_work = network.minimum_chainwork == 0;
    try {
        // Amounts are shown whatever the clock says.
        const auto stored = find_stored_chain(data, chain::kMaxBlockTime);
        if (!stored) return standing;
        const chain::HeaderChain& chain = stored->chain;
        standing.header_height = chain.tip().height;
        standing.tip_age = chain::block_age(chain.tip_header(), net::unix_time_now());
        standing.is_synced = synced == chain.tip();
        const auto header = synced ? chain.find(synced->hash) : std::nullopt;
        if (header) standing.synced_time = header->time;
        standing.is_reorganised = synced && synced->height <= chain.tip().height &&
                                  synced->height >= chain.root().height &&
                                  chain.hash_at(synced->height) != synced->hash;
        if (synced && network.minimum_chainwork != 0) {
            standing.minimum_work = chain.has_minimum_chainwork(synced->hash);
        }
    } catch (const chain::HeaderFileError&) {
        // The next sync reports the file's error, and repairs it if possible.
        standing.has_unusable_headers = true;
    }
    return standing;
}

bool has_minimum_work_behind(const std::optional<chain::BlockRef>& synced,
                             const chain::HeaderChain& chain) {
    if (synced) return chain.has_minimum_chainwork(synced->hash);
    return chain.tip() == chain.root() && chain.has_minimum_chainwork();
}

}  // namespace petal::client
