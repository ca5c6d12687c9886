/// JSON objects for other programs; their keys are a stable interface.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/text/command_error.h"
#include "wallet/wallet.h"

namespace petal::cli {

/// Keys stay in the order in which they are added.
using Json = nlohmann::ordered_json;

/// One line, without the line feed. Bytes that are not UTF-8 become U+FFFD; control characters,
/// direction marks and invisible characters are escaped as by printable(), so that a terminal shows
/// them, too.
std::string to_line(const Json& json);

Json error_json(const CommandError& error);
Json balance_json(const wallet::Balance& balance);
Json txids_json(const std::vector<chain::Txid>& txids);
/// The address of a script, null if it has none (bare multisig, OP_RETURN).
/// network   the network of the addresses
Json script_address_json(chain::ByteView script_pubkey, const chain::NetworkParams& network);
Json coin_json(const wallet::Coin& coin, const chain::NetworkParams& network);
Json transaction_json(const wallet::HistoryEntry& entry);
Json address_json(const wallet::AddressEntry& entry);
/// The height of a birthday, null if only its time is known.
Json birthday_height_json(const chain::Birthday& birthday);
/// Its time, null if there is none.
Json birthday_time_json(const chain::Birthday& birthday);
/// `{"height","hash"}`, or null.
Json block_json(const std::optional<chain::BlockRef>& block);

}  // namespace petal::cli
