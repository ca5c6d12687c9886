/// The relation of a wallet to the chain of the stored headers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "chain/block_header.h"
#include "chain/headers/header_chain.h"
#include "cli/console.h"
#include "cli/json.h"
#include "cli/options/options.h"
#include "wallet/wallet.h"

namespace petal::cli {

/// The standing of the block to which a wallet is synced, by the stored headers. The header file is
/// only read, without a lock; results of earlier syncs are not trusted.
struct ChainStanding {
    std::optional<chain::BlockRef> synced;       ///< of the wallet; empty before its first sync
    std::optional<std::uint32_t> synced_time;    ///< of that block, if its header is stored
    bool rescans = false;                        ///< see wallet::WalletInfo
    std::optional<std::uint32_t> header_height;  ///< of the stored tip; empty without headers
    std::optional<std::int64_t> tip_age;         ///< seconds since that tip's time; empty likewise
    bool has_unusable_headers = false;           ///< the stored ones can't be read
    bool is_synced = false;                      ///< the wallet's block is that tip
    /// The best chain has another block at the height of the wallet's block.
    bool is_reorganised = false;
    /// Whether the headers show the network's minimum work on top of the wallet's block. False if
    /// they don't have that block, can't be read, or do not exist, and for a wallet that was never
    /// synced; true on networks whose minimum is 0.
    bool minimum_work = false;
};

ChainStanding standing_of(const wallet::WalletInfo& wallet, const GlobalOptions& global);

/// Whether the headers show the network's minimum work on top of the block to which a wallet is
/// synced. Without such a block, true only if there is none to search: in a chain of its first
/// block alone.
bool has_minimum_work_behind(const std::optional<chain::BlockRef>& synced,
                             const chain::HeaderChain& chain);

/// Adds `synced_height`, `synced_time`, `header_height`, `tip_age_s`, `synced`, `reorganised` and
/// `minimum_work`.
void add_standing(Json& json, const ChainStanding& standing);

/// Lines for people, below amounts: the block that they refer to, whether the wallet is synced, and
/// whether the minimum work is shown.
std::string standing_text(const ChainStanding& standing, const GlobalOptions& global);

/// "the last block, 150,308, is 3 h 2 min old".
/// age   seconds
std::string tip_age_text(std::uint32_t height, std::int64_t age);

/// Why the last block may be old.
inline constexpr std::string_view kOldTipCauses =
    "peers may withhold newer blocks, or this machine's clock is wrong";

/// Warns if the last block is so old that newer ones must be missing (chain::is_old_tip()).
/// age         seconds
/// was_asked   whether peers have just been asked for newer blocks
void warn_of_old_tip(std::uint32_t height, std::int64_t age, bool was_asked,
                     const GlobalOptions& global, Console& console);
/// The same for the last stored block, below amounts.
void warn_of_old_tip(const ChainStanding& standing, const GlobalOptions& global, Console& console);

/// The last of these lines; empty if the work is shown, and if nothing is synced. `network` is the
/// network's name.
std::string minimum_work_line(bool has_minimum_work, const std::optional<chain::BlockRef>& synced,
                              const std::string& network);

}  // namespace petal::cli
