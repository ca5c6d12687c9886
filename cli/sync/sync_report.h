/// The result of a sync, for people and for programs.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chain/block_header.h"
#include "chain/headers/header_chain.h"
#include "cli/console.h"
#include "cli/json.h"
#include "cli/options/options.h"
#include "cli/sync/endpoint_text.h"
#include "cli/wallet/explanations.h"
#include "net/io/spv_client.h"
#include "wallet/wallet.h"

namespace petal::cli {

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

/// Warns if no peer has shown a block for hours (chain::is_old_tip()).
void warn_of_old_tip(const ChainReport& chain, const GlobalOptions& global, Console& console);

/// The result of a sync, for its report.
struct SyncReport {
    bool by_other = false;  ///< done by another process, whose run is unknown
    std::string network;
    ChainReport chain;
    std::string wallet;
    std::optional<std::uint32_t> synced_height;
    std::uint32_t birthday_height = 0;  ///< of the first block that the birthday allows
    wallet::Balance balance;
    net::SyncStatus status;
    net::SpvResult result;
    double seconds = 0;         ///< of everything
    double blocks_seconds = 0;  ///< until the last block was in; the rest was listening
    /// How long unconfirmed transactions were to be listened for; empty if they were not.
    std::optional<std::chrono::milliseconds> listened;
};

Json sync_json(const SyncReport& report);
std::string sync_text(const SyncReport& report, Explanations& explanations,
                      const GlobalOptions& global, const Console& console);

/// A wallet's part of the report on several wallets that were synced together.
Json wallet_part_json(const SyncReport& report);
std::string wallet_part_text(const SyncReport& report, Explanations& explanations,
                             const GlobalOptions& global, const Console& console);
/// The `stats` of all of them; there is at least one.
Json sum_json(const std::vector<const SyncReport*>& reports);
/// Whether unconfirmed transactions were listened for.
std::string unconfirmed_text(const SyncReport& report);

/// Whether some peers have shown a chain, none of them has the stored one, and no connected peer
/// has yet to show its chain.
bool has_only_other_chains(const net::SyncStatus& status);

/// The failures of the endpoints, as far as known.
FailedEndpoints failures_of(const net::SpvResult& result, const net::SyncStatus& status,
                            const GlobalOptions& global);

/// Why a sync that did not succeed failed. The outcome is not `synced`.
CommandError sync_error(const net::SpvResult& result, const net::SyncStatus& status,
                        const GlobalOptions& global);

}  // namespace petal::cli
