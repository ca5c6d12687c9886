/// Rules for a single transaction, independent of the outputs that it spends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "chain/expected.h"
#include "chain/transaction.h"

namespace petal::chain {

/// The maximum weight of a transaction that nodes relay, in weight units (Bitcoin Core: policy.h,
/// MAX_STANDARD_TX_WEIGHT).
inline constexpr std::size_t kMaxRelayedWeight = 400'000;

/// A block may spend the coinbase of the block this many heights below, which then has as many
/// confirmations (Bitcoin Core: consensus.h, COINBASE_MATURITY).
inline constexpr std::uint32_t kCoinbaseMaturity = 100;

/// How long petal keeps an unconfirmed transaction, in seconds. Nodes do the same (Bitcoin Core:
/// DEFAULT_MEMPOOL_EXPIRY_HOURS, 336).
inline constexpr std::int64_t kUnconfirmedLifetime = std::int64_t{14} * 86'400;

/// Why nodes reject a transaction, in a block or unconfirmed.
enum class TransactionFlaw : std::uint8_t {
    no_inputs,
    no_outputs,
    too_large,           ///< for any block, even without witnesses
    value_out_of_range,  ///< an output below zero or above 21 million bitcoin
    total_out_of_range,  ///< the sum of all outputs is out of range
    repeated_input,      ///< an output is spent twice
    null_input,          ///< the null outpoint outside of a coinbase
    coinbase_script,     ///< a coinbase's scriptSig outside of 2 to 100 bytes
};

/// Part of a sentence about the transaction: "it has no inputs".
std::string_view describe(TransactionFlaw flaw);

/// Checks a transaction without context (Bitcoin Core: CheckTransaction).
Expected<void, TransactionFlaw> check_transaction(const Transaction& transaction);

/// The fee of `virtual_size` vB at `rate` satoshi per 1,000 vB, rounded up (Bitcoin Core:
/// CFeeRate::GetFee). The rate must be a valid amount.
Satoshis fee_at_rate(Satoshis rate, std::size_t virtual_size);

}  // namespace petal::chain
