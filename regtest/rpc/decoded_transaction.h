/// Transactions as arguments and results, without a chain.
#pragma once

#include <cstdint>
#include <string>

#include "chain/transaction.h"
#include "regtest/rpc/rpc_json.h"

namespace petal::regtest::rpc {

/// The result of decoderawtransaction.
Json decoded_transaction_json(const chain::Transaction& transaction);

/// Parses a transaction in hexadecimal, with or without witnesses. Throws `undecodable` with this
/// message.
chain::Transaction parse_raw_transaction(const std::string& hex, const std::string& message);

/// How to parse a transaction whose input count is 00. With witnesses, 00 is the marker. Without
/// witnesses, the transaction has no inputs.
enum class RawForm : std::uint8_t { either, with_witness, without_witness };

/// Parses a transaction that may be incomplete, like Bitcoin Core (core_io.cpp, DecodeTx). Throws
/// `undecodable`.
chain::Transaction parse_draft_transaction(const std::string& hex, RawForm form);

}  // namespace petal::regtest::rpc
