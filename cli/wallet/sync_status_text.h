/// The relation of a wallet to the stored headers, in words and as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "chain/block_header.h"
#include "cli/options/options.h"
#include "cli/terminal/console.h"
#include "cli/text/json.h"
#include "client/data/wallet_sync_status.h"

namespace petal::cli {

/// The object with `synced_height`, `synced_time`, `header_height`, `tip_age_s`, `synced`,
/// `reorganised` and `minimum_work` added.
Json with_sync_status(Json json, const client::WalletSyncStatus& sync_status);

/// Lines below amounts: the block that the amounts refer to, whether the wallet is synced, and
/// whether the minimum work is shown.
std::string sync_status_text(const client::WalletSyncStatus& sync_status,
                             const GlobalOptions& global);

/// "the last block, 150,308, is 3 h 2 min old".
/// age   seconds
std::string tip_age_text(std::uint32_t height, std::int64_t age);

/// Why the last block may be old.
inline constexpr std::string_view kOldTipCauses =
    "peers may withhold newer blocks, or this machine's clock is wrong";

/// Warns if the last block is so old that newer blocks must be missing (chain::is_old_tip()).
/// age         seconds
/// was_asked   whether peers have just been asked for newer blocks
void warn_of_old_tip(std::uint32_t height, std::int64_t age, bool was_asked,
                     const GlobalOptions& global, Console& console);
/// Warns if the last stored block is old, below amounts.
void warn_of_old_tip(const client::WalletSyncStatus& sync_status, const GlobalOptions& global,
                     Console& console);

/// The line of sync_status_text() about the minimum work. Empty if the work is shown, and if no
/// block is synced.
/// network   the network's name
std::string minimum_work_line(bool has_minimum_work, const std::optional<chain::BlockRef>& synced,
                              const std::string& network);

}  // namespace petal::cli
