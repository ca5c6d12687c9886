/// The checks of a block from outside; refusals have Bitcoin Core's words.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "chain/block.h"
#include "chain/expected.h"
#include "regtest/chain/regtest_block.h"
#include "regtest/mempool/coin_set.h"
#include "regtest/mempool/reject_reason.h"

namespace petal::regtest {

/// The block with its txids, or its context-free fault: in its proof of work, its merkle root, its
/// size, its coinbase, or its transactions by themselves (Bitcoin Core: CheckBlock).
chain::Expected<RegtestBlock, std::string> check_block(chain::Block block);

/// Why the transactions after a coinbase are refused, whatever they spend; empty if they are valid.
std::optional<std::string> find_transaction_fault(std::span<const chain::Transaction> transactions);

/// The fault of a block whose time is more than two hours ahead of the node's clock.
inline constexpr std::string_view kTimeTooNew = "time-too-new";

/// The position of a block in the chain.
struct BlockPlace {
    std::uint32_t height = 0;
    std::int64_t median_time_past = 0;  ///< of the eleven blocks before
    /// By the node's clock, Unix seconds; empty for no limit.
    std::optional<std::int64_t> now;
};

/// The fault of the block at this position, whatever its transactions spend: times, version,
/// height, witnesses and weight; empty if there is none (ContextualCheckBlockHeader,
/// ContextualCheckBlock). BIP141 is in force on all of regtest's chain.
std::optional<std::string> find_place_fault(const RegtestBlock& block, const BlockPlace& place);

/// The fault of a block that exceeds the limit of weight; empty if it does not.
std::optional<std::string> find_weight_fault(std::span<const chain::Transaction> transactions);

/// The fault of a block that exceeds the limit of signature operations; empty if it does not. The
/// layer has all outputs that its transactions spend.
std::optional<std::string> find_sigop_fault(const RegtestBlock& block, TransactionLayer layer);

/// Why a block with such a transaction is refused: for some faults, Core has other reasons for
/// blocks than for the mempool.
std::string block_reason(const Rejection& rejection);

/// The fault of the inputs of the block's transactions; empty if there is none (ConnectBlock).
/// Scripts are checked as far as mempool/script_checks.h can run them: a block with another script
/// is not refused, so that the chain stays the same as that of other nodes.
/// layer   without transactions, over the chain that ends in the block's parent
std::optional<std::string> find_contents_fault(const RegtestBlock& block, std::uint32_t height,
                                               TransactionLayer layer);

}  // namespace petal::regtest
