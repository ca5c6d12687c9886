/// The result of a broadcast in words and as JSON.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "cli/options/options.h"
#include "cli/terminal/console.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "cli/wallet/explanations.h"
#include "net/io/broadcast_client.h"

namespace petal::cli {

struct BroadcastSummary {
    std::string_view network;
    chain::Txid txid;
    std::size_t virtual_size = 0;
    std::optional<chain::Satoshis> fee;                ///< if the wallet knows the spent outputs
    std::optional<std::chrono::milliseconds> timeout;  ///< as the user gave it
    net::BroadcastResult result;
    bool in_wallet = false;       ///< the wallet has stored the transaction
    bool is_own_payment = false;  ///< the wallet has just made the transaction
    double seconds = 0;
};

/// The object that `broadcast --json` prints.
Json broadcast_json(const BroadcastSummary& summary);
/// The report of `broadcast` in words.
/// further   lines of the command, before the fee
std::string broadcast_text(const BroadcastSummary& summary, const std::string& further,
                           Explanations& explanations, const GlobalOptions& global,
                           const Console& console);
/// The error of the command if the transaction was not relayed, or the user did not wait for it.
CommandError broadcast_error(const BroadcastSummary& summary, const GlobalOptions& global);

/// One line for a running broadcast.
std::string broadcast_progress(const net::BroadcastReport& report);

}  // namespace petal::cli
