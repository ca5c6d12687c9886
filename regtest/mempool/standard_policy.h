/// The transactions that Bitcoin Core relays by default, apart from their fees (policy/policy.cpp).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "chain/transaction.h"
#include "regtest/mempool/reject_reason.h"

namespace petal::regtest {

/// Why the transaction is not standard, whatever it spends (IsStandardTx, and the minimum size);
/// nothing if it is.
std::optional<RejectReason> find_nonstandard(const chain::Transaction& transaction);

/// Why the transaction may not spend these outputs, in Bitcoin Core's words
/// (ValidateInputsStandardness); nothing if it may.
/// spent   the spent outputs, in the order of the inputs
std::optional<std::string> find_nonstandard_spend(const chain::Transaction& transaction,
                                                  std::span<const chain::TxOutput> spent);

/// Why the transaction may not spend these outputs, or not this way (find_nonstandard_spend(),
/// IsWitnessStandard); nothing if it may.
/// spent   the spent outputs, in the order of the inputs
std::optional<RejectReason> find_nonstandard_input(const chain::Transaction& transaction,
                                                   std::span<const chain::TxOutput> spent);

/// Whether the output is below its chain::dust_threshold().
bool is_dust(const chain::TxOutput& output);

/// The transaction's share of the 80,000 signature operations that a block may have (BIP141;
/// consensus/tx_verify.cpp, GetTransactionSigOpCost).
/// spent   the spent outputs, in the order of the inputs; empty for a coinbase
std::size_t sigop_cost(const chain::Transaction& transaction,
                       std::span<const chain::TxOutput> spent);
/// No relayed transaction costs more (MAX_STANDARD_TX_SIGOPS_COST).
inline constexpr std::size_t kMaxRelayedSigopCost = 16'000;

/// The weight for which fees are paid: many signature operations count as more weight
/// (GetSigOpsAdjustedWeight, DEFAULT_BYTES_PER_SIGOP).
std::size_t relayed_weight(const chain::Transaction& transaction, std::size_t sigop_cost);
/// That weight in vB, rounded up (GetVirtualTransactionSize).
std::size_t relayed_size(const chain::Transaction& transaction, std::size_t sigop_cost);

}  // namespace petal::regtest
