/// Verifies the inputs of a transaction with chain/script.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "chain/script/input_verification.h"
#include "chain/transaction.h"
#include "regtest/mempool/reject_reason.h"

namespace petal::regtest {

/// The kinds of spends whose signatures are checked, by name.
std::span<const std::string_view> checked_spends();

/// Scripts that cannot be run here, such as taproot script paths and most P2WSH scripts.
enum class UnjudgedScripts : std::uint8_t { refused, accepted };

/// The first input that may not spend its output. Empty if all may. Call this after all other
/// checks, as Bitcoin Core does.
/// spent   the spent outputs, in the order of the inputs
std::optional<Rejection> find_wrong_script(const chain::Transaction& transaction,
                                           std::span<const chain::TxOutput> spent,
                                           UnjudgedScripts unjudged,
                                           chain::ScriptRules rules = chain::ScriptRules::standard);

}  // namespace petal::regtest
