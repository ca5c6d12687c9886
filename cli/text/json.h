/// JSON objects for other programs. The keys are a stable interface.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "chain/block_header.h"
#include "chain/hash.h"
#include "cli/text/command_error.h"
#include "client/spending/sent_payment.h"
#include "wallet/wallet.h"

namespace petal::cli {

/// Keys stay in the order in which they are added.
using Json = nlohmann::ordered_json;

/// One line, without the line feed. Invalid UTF-8 becomes U+FFFD. The characters that printable()
/// escapes are escaped here too, because the line may be shown on a terminal.
std::string to_line(const Json& json);

Json error_json(const CommandError& error);
Json balance_json(const wallet::Balance& balance);
/// The address of a script. Null if the script has no address (bare multisig, OP_RETURN).
/// network   the network of the addresses
Json script_address_json(chain::ByteView script_pubkey, const chain::NetworkParams& network);
Json coin_json(const wallet::Coin& coin, const chain::NetworkParams& network);
Json transaction_json(const wallet::HistoryEntry& entry);
/// transaction_json() with `recipients`, unless the transaction is a receipt, and
/// `fee_rate_sat_vb`, null if unknown.
Json transaction_json(const wallet::HistoryEntry& entry, const client::SentPayments& payments,
                      const chain::NetworkParams& network);
Json address_json(const wallet::AddressEntry& entry);

}  // namespace petal::cli

/// An empty optional is null.
template <typename T>
struct nlohmann::adl_serializer<std::optional<T>> {
    static void to_json(ordered_json& json, const std::optional<T>& value) {
        json = value ? ordered_json(*value) : ordered_json(nullptr);
    }
};

/// A hash is TaggedHash::to_hex().
template <typename Tag>
struct nlohmann::adl_serializer<petal::chain::TaggedHash<Tag>> {
    static void to_json(ordered_json& json, const petal::chain::TaggedHash<Tag>& hash) {
        json = hash.to_hex();
    }
};

/// A block is `{"height","hash"}`.
template <>
struct nlohmann::adl_serializer<petal::chain::BlockRef> {
    static void to_json(ordered_json& json, const petal::chain::BlockRef& block) {
        json = {{"height", block.height}, {"hash", block.hash}};
    }
};
