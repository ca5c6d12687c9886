/// Transactions in the format of Bitcoin Core's RPC, and their positions on the chain.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "chain/transaction.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/rpc/rpc_json.h"

namespace petal::regtest::rpc {

/// A transaction of the active chain.
struct ConfirmedTransaction {
    const Chainstate::Entry* block = nullptr;
    std::size_t position = 0;  ///< in the block

    std::uint32_t height() const { return block->height; }
    chain::Transaction transaction() const { return block->transaction(position); }
};

/// Finds transactions of the active chain, from the tip down; costs time in proportion to it.
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

/// The outputs that the transactions spend, from the active chain and the mempool; without an entry
/// if an output is in neither.
using SpentOutputs = std::unordered_map<chain::Outpoint, SpentOutput>;
SpentOutputs find_spent_outputs(const RegtestChain& chain,
                                std::span<const chain::Transaction> transactions);

/// The answer of decoderawtransaction.
Json decoded_transaction_json(const chain::Transaction& transaction);

/// The data of spent outputs that are shown.
enum class ShownInputs : std::uint8_t {
    fee,      ///< only the fee
    prevouts  ///< each output, too
};

/// The object with the fee, for a transaction whose spent outputs are all known.
Json decoded_transaction_json(const chain::Transaction& transaction, const SpentOutputs& spent,
                              ShownInputs shown);

/// Reads a transaction in hexadecimal, with or without witnesses. Throws `undecodable` with this
/// message.
chain::Transaction parse_raw_transaction(const std::string& hex, const std::string& message);

/// The form in which a transaction without inputs is read: 00 means witnesses in one form, and no
/// inputs in the other.
enum class RawForm : std::uint8_t { either, with_witness, without_witness };

/// Reads a transaction that need not be complete, as Bitcoin Core does (core_io.cpp, DecodeTx).
/// Throws `undecodable`.
chain::Transaction parse_draft_transaction(const std::string& hex, RawForm form);

}  // namespace petal::regtest::rpc
