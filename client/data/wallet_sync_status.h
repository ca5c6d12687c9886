/// The relation of a wallet to the chain of the stored headers.
#pragma once

#include <cstdint>
#include <optional>

#include "chain/block_header.h"
#include "chain/headers/header_chain.h"
#include "client/data/data_folder.h"
#include "wallet/wallet.h"

namespace petal::client {

/// The last searched block of a wallet, compared with the stored headers. The header file is only
/// read, without a lock. Results of earlier syncs are not trusted.
struct WalletSyncStatus {
    std::optional<chain::BlockRef> synced;       ///< of the wallet. Empty before its first sync
    std::optional<std::uint32_t> synced_time;    ///< of that block, if its header is stored
    bool rescans = false;                        ///< see wallet::WalletInfo
    std::optional<std::uint32_t> header_height;  ///< of the stored tip. Empty without headers
    std::optional<std::int64_t> tip_age;         ///< seconds since its time. Empty without headers
    bool has_unusable_headers = false;           ///< the stored ones can't be read
    bool is_synced = false;                      ///< the wallet's block is that tip
    /// The best chain has another block at the height of the wallet's block.
    bool is_reorganised = false;
    /// Whether the headers show the network's minimum work on top of the wallet's block. False if
    /// the headers are missing, unreadable or without this block, and for a wallet that was never
    /// synced. True on networks with a minimum of 0.
    bool minimum_work = false;
};

WalletSyncStatus wallet_sync_status(const wallet::WalletInfo& wallet, const DataFolder& data);

/// Whether the headers show the network's minimum work on top of the wallet's last searched block.
/// For a wallet without a searched block, true only if the chain has no block above its first.
bool has_minimum_work_behind(const std::optional<chain::BlockRef>& synced,
                             const chain::HeaderChain& chain);

}  // namespace petal::client
