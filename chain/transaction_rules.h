/// Rules for a single transaction, regardless of the outputs that it spends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "chain/expected.h"
#include "chain/transaction.h"

namespace petal::chain {

/// Nodes relay no transaction that is heavier, in weight units (Bitcoin Core: policy.h,
/// MAX_STANDARD_TX_WEIGHT).
inline constexpr std::size_t kMaxRelayedWeight = 400'000;

/// How long nodes keep a transaction that no block confirms, in seconds (Bitcoin Core:
/// DEFAULT_MEMPOOL_EXPIRY_HOURS, 336).
inline constexpr std::int64_t kUnconfirmedLifetime = std::int64_t{14} * 86'400;

/// Why no node takes a transaction, in a block or outside.
enum class TransactionFlaw : std::uint8_t {
    no_inputs,
    no_outputs,
    too_large,           ///< for any block, even without its witnesses
    value_out_of_range,  ///< of an output: below zero or above 21 million bitcoin
    total_out_of_range,  ///< the sum of all outputs is out of range
    repeated_input,      ///< an output is spent twice
    null_input,          ///< an input that is not a coinbase's has the null outpoint
    coinbase_script,     ///< shorter than 2 or longer than 100 bytes
};

/// Part of a sentence about the transaction: "it has no inputs".
std::string_view describe(TransactionFlaw flaw);

/// Judges a transaction without its context (Bitcoin Core: CheckTransaction).
Expected<void, TransactionFlaw> check_transaction(const Transaction& transaction);

/// The fee of `virtual_size` vB at `rate` satoshi per 1,000 vB, rounded up (Bitcoin Core:
/// CFeeRate::GetFee). The rate is a valid amount of money.
Satoshis fee_at_rate(Satoshis rate, std::size_t virtual_size);

}  // namespace petal::chain
