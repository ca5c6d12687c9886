/// Which transactions Bitcoin Core relays by default, apart from fees (policy/policy.cpp).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "chain/transaction.h"
#include "regtest/mempool/reject_reason.h"

namespace petal::regtest {

/// Why the transaction is not standard by itself (IsStandardTx, and the minimum size). Empty if it
/// is standard.
std::optional<RejectReason> find_nonstandard(const chain::Transaction& transaction);

/// Why the transaction may not spend these outputs, in Bitcoin Core's words
/// (ValidateInputsStandardness). Empty if it may.
/// spent   the spent outputs, in the order of the inputs
std::optional<std::string> find_nonstandard_spend(const chain::Transaction& transaction,
                                                  std::span<const chain::TxOutput> spent);

/// Why the transaction may not spend these outputs, or not with these inputs
/// (find_nonstandard_spend(), IsWitnessStandard). Empty if it may.
/// spent   the spent outputs, in the order of the inputs
std::optional<RejectReason> find_nonstandard_input(const chain::Transaction& transaction,
                                                   std::span<const chain::TxOutput> spent);

/// Whether the output is below its chain::dust_threshold().
bool is_dust(const chain::TxOutput& output);

/// The signature operation cost of the transaction. A block may have a cost of 80,000 (BIP141,
/// GetTransactionSigOpCost in consensus/tx_verify.cpp).
/// spent   the spent outputs, in the order of the inputs. Empty for a coinbase
std::size_t sigop_cost(const chain::Transaction& transaction,
                       std::span<const chain::TxOutput> spent);
/// The maximum cost of a relayed transaction (MAX_STANDARD_TX_SIGOPS_COST).
inline constexpr std::size_t kMaxRelayedSigopCost = 16'000;

/// The weight for which fees must be paid. Many signature operations count as more weight
/// (GetSigOpsAdjustedWeight, DEFAULT_BYTES_PER_SIGOP).
std::size_t relayed_weight(const chain::Transaction& transaction, std::size_t sigop_cost);
/// relayed_weight() in vB, rounded up (GetVirtualTransactionSize).
std::size_t relayed_size(const chain::Transaction& transaction, std::size_t sigop_cost);

}  // namespace petal::regtest
