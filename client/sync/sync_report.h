/// The result of a wallet's sync.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "chain/block_header.h"
#include "chain/headers/header_chain.h"
#include "client/data/data_folder.h"
#include "client/sync/source_choice.h"
#include "net/io/spv_result.h"
#include "net/sync/state/sync_status.h"
#include "wallet/wallet.h"

namespace petal::client {

/// The stored header chain after a sync.
struct ChainReport {
    chain::BlockRef tip;
    std::int64_t tip_time = 0;
    std::int64_t tip_age = 0;  ///< seconds, by the clock
    bool has_minimum_work = false;
};

/// synced   the wallet's last searched block
ChainReport chain_report_of(const chain::HeaderChain& chain,
                            const std::optional<chain::BlockRef>& synced);

/// How a sync ended.
enum class SyncEnd : std::uint8_t {
    done,          ///< the wallet is synced, or the run that follows was ended by a signal
    state_missed,  ///< WalletSyncOptions::connection's timeout: synced, but `until` is not reached
    failed,        ///< SpvResult::outcome says why; what was verified is stored
    overtaken,     ///< the wallet is synced to a block that a reorganisation has since replaced
};

/// After SyncEnd::failed, only `network`, `wallet`, `status`, `source`, `result` and `seconds` are
/// set.
struct SyncReport {
    SyncEnd end = SyncEnd::failed;
    bool by_other = false;  ///< done by another process, whose run is unknown
    std::string network;
    ChainReport chain;
    std::string wallet;
    std::optional<std::uint32_t> synced_height;
    std::uint32_t birthday_height = 0;  ///< of the first block that the birthday allows
    wallet::Balance balance;
    net::SyncStatus status;
    std::optional<SourceChoice> source;  ///< of matches. Empty if none was chosen, or `by_other`
    net::SpvResult result;
    double seconds = 0;         ///< of everything
    double blocks_seconds = 0;  ///< until the last block was in; the rest was listening
    /// From the last block until the wallet's sync was done: it listened, or waited for peers.
    double last_seconds = 0;
    bool awaited_undone = false;  ///< peers were asked for transactions of undone blocks
    /// How long unconfirmed transactions were to be listened for. Empty if they were not.
    std::optional<std::chrono::milliseconds> listened;
};

/// Whether some peers have shown a chain, none of them has the stored one, and no connected peer
/// has yet to show its chain.
bool has_only_other_chains(const net::SyncStatus& status);

/// The stored result of another process's sync, without peers or numbers of its run.
SyncReport report_of_other(const DataFolder& data, const std::string& wallet, double seconds);

}  // namespace petal::client
