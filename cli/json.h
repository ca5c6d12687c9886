/// The JSON objects that other programs read; their keys are a contract.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cli/command_error.h"
#include "net/io/spv_client.h"
#include "wallet/wallet.h"

namespace petal::cli {

/// Keys stay in the order in which they are added.
using Json = nlohmann::ordered_json;

/// One line, without the line feed. Bytes that are no UTF-8 become U+FFFD; controls and marks of
/// direction are escaped, so that a terminal shows them too.
std::string to_line(const Json& json);

/// The contents of a small file; discarded (nlohmann: is_discarded) where that is no JSON, and
/// where the file is missing, no regular file or larger.
Json read_json_file(const std::filesystem::path& file, std::size_t max_bytes);
/// The member of an object that is an integer; nothing where there is none, or another value: what
/// is no integer may be beyond 64 bits.
std::optional<std::int64_t> find_integer(const Json& json, const char* key);

Json error_json(const CommandError& error);
Json balance_json(const wallet::Balance& balance);
/// The address of a script, null where it has none (bare multisig, OP_RETURN).
/// network   whose addresses these are
Json script_address_json(chain::ByteView script_pubkey, const chain::NetworkParams& network);
Json coin_json(const wallet::Coin& coin, const chain::NetworkParams& network);
Json transaction_json(const wallet::HistoryEntry& entry);
Json address_json(const wallet::AddressEntry& entry);
/// The height of a birthday, null where only its time is known.
Json birthday_height_json(const chain::Birthday& birthday);
/// Its time, null where it is none.
Json birthday_time_json(const chain::Birthday& birthday);
/// `{"height","hash"}`, or null.
Json block_json(const std::optional<chain::BlockRef>& block);

}  // namespace petal::cli
