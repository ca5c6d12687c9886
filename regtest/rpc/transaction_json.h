/// Transactions in the format of Bitcoin Core's RPC, and where the chain has them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "chain/transaction.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/rpc/decoded_transaction.h"
#include "regtest/rpc/rpc_json.h"

namespace petal::regtest::rpc {

/// A transaction of the active chain.
struct ConfirmedTransaction {
    const Chainstate::Entry* block = nullptr;
    std::size_t position = 0;  ///< index in the block

    std::uint32_t height() const { return block->height; }
    chain::Transaction transaction() const { return block->transaction(position); }
};

/// Searches the active chain for transactions, from the tip down. Takes time proportional to the
/// length of the chain.
std::unordered_map<chain::Txid, ConfirmedTransaction> find_confirmed(
    const RegtestChain& chain, std::span<const chain::Txid> txids);
std::optional<ConfirmedTransaction> find_confirmed(const RegtestChain& chain,
                                                   const chain::Txid& txid);

/// An output that an input spends.
struct SpentOutput {
    friend bool operator==(const SpentOutput&, const SpentOutput&) = default;

    chain::TxOutput output;
    std::uint32_t height = 0;
    bool from_coinbase = false;
};

/// The outputs that the transactions spend, from the active chain and the mempool. An output in
/// neither has no entry.
using SpentOutputs = std::unordered_map<chain::Outpoint, SpentOutput>;
SpentOutputs find_spent_outputs(const RegtestChain& chain,
                                std::span<const chain::Transaction> transactions);

/// Which data about spent outputs to include.
enum class ShownInputs : std::uint8_t {
    fee,      ///< only the fee
    prevouts  ///< each output, and the fee
};

/// The object with the fee. All spent outputs of the transaction must be known.
Json decoded_transaction_json(const chain::Transaction& transaction, const SpentOutputs& spent,
                              ShownInputs shown);

}  // namespace petal::regtest::rpc
