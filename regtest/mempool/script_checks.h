/// Runs the scripts of a transaction's inputs.
#pragma once

#include <optional>
#include <span>

#include "chain/script/script_flags.h"
#include "chain/transaction.h"
#include "regtest/mempool/reject_reason.h"

namespace petal::regtest {

/// The first input that may not spend its output. Empty if all may. Call this after all other
/// checks, as Bitcoin Core does (CheckInputScripts).
/// spent   the spent outputs, in the order of the inputs
std::optional<Rejection> find_wrong_script(const chain::Transaction& transaction,
                                           std::span<const chain::TxOutput> spent,
                                           chain::ScriptFlags flags);

}  // namespace petal::regtest
