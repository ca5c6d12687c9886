/// Checks blocks from outside, with Bitcoin Core's reject reasons.
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

/// The block with its txids, or its context-free fault: proof of work, merkle root, size, coinbase,
/// or a transaction by itself (Bitcoin Core: CheckBlock).
chain::Expected<RegtestBlock, std::string> check_block(chain::Block block);

/// Why the transactions after the coinbase are invalid by themselves. Empty if they are valid.
std::optional<std::string> find_transaction_fault(std::span<const chain::Transaction> transactions);

/// The fault of a block more than two hours ahead of the node's clock.
inline constexpr std::string_view kTimeTooNew = "time-too-new";

struct BlockPlace {
    std::uint32_t height = 0;
    std::int64_t median_time_past = 0;  ///< of the eleven blocks before
    /// The node's clock, in Unix seconds. Empty: no limit.
    std::optional<std::int64_t> now;
};

/// The fault of a header at this position: difficulty, time and version. Empty if there is none
/// (ContextualCheckBlockHeader).
std::optional<std::string> find_header_fault(const chain::BlockHeader& header,
                                             const BlockPlace& place);

/// The fault of a block at this position, apart from its inputs: times, version, height, witnesses
/// and weight. Empty if there is none (ContextualCheckBlockHeader, ContextualCheckBlock). BIP141 is
/// active on all of regtest's chain.
std::optional<std::string> find_place_fault(const RegtestBlock& block, const BlockPlace& place);

/// The fault of a block above the weight limit, or empty.
std::optional<std::string> find_weight_fault(std::span<const chain::Transaction> transactions);

/// The fault of a block above the limit on signature operations, or empty. The layer must have all
/// outputs that the block spends.
std::optional<std::string> find_sigop_fault(const RegtestBlock& block, TransactionLayer layer);

/// Bitcoin Core's reason to refuse a block for this fault of a transaction. For some faults, the
/// reasons for blocks and for the mempool differ.
std::string block_reason(const Rejection& rejection);

/// The fault of the inputs of the block's transactions. Empty if there is none (ConnectBlock).
/// layer   without transactions, over the chain that ends in the block's parent
std::optional<std::string> find_contents_fault(const RegtestBlock& block, std::uint32_t height,
                                               TransactionLayer layer);

}  // namespace petal::regtest
