/// The result of a sync in words and as JSON.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/options.h"
#include "cli/sync/text/endpoint_text.h"
#include "cli/terminal/console.h"
#include "cli/text/json.h"
#include "cli/wallet/explanations.h"
#include "client/sync/sync_report.h"
#include "net/io/spv_client.h"

namespace petal::cli {

/// Warns if no peer has shown a block for hours (chain::is_old_tip()).
void warn_of_old_tip(const client::ChainReport& chain, const GlobalOptions& global,
                     Console& console);

Json sync_json(const client::SyncReport& report);
std::string sync_text(const client::SyncReport& report, Explanations& explanations,
                      const GlobalOptions& global, const Console& console);

/// A wallet's part of the report on several wallets that were synced together.
Json wallet_part_json(const client::SyncReport& report);
std::string wallet_part_text(const client::SyncReport& report, Explanations& explanations,
                             const GlobalOptions& global, const Console& console);
/// The `stats` of all syncs together.
/// reports   at least one
Json sum_json(const std::vector<const client::SyncReport*>& reports);
/// How long the sync continued after the last block, and for what purpose.
std::string unconfirmed_text(const client::SyncReport& report);

/// Says that no node relays unconfirmed transactions in this way, and what to do.
std::string no_relay_text(net::UnconfirmedMode mode);

/// The failures of the endpoints, as far as known.
/// has_auto_source   see FailedEndpoints
FailedEndpoints failures_of(const net::SpvResult& result, const net::SyncStatus& status,
                            bool has_auto_source, const GlobalOptions& global);

/// A sentence for each endpoint that failed and has served nothing, with the remedy.
std::vector<std::string> useless_node_texts(const net::SpvResult& result,
                                            const net::SyncStatus& status, bool has_auto_source,
                                            const GlobalOptions& global);

/// The error of a failed sync. The outcome must not be `synced`.
CommandError sync_error(const net::SpvResult& result, const net::SyncStatus& status,
                        bool has_auto_source, const GlobalOptions& global);

}  // namespace petal::cli
