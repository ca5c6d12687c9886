/// The unspent outputs of a chain, and transactions laid on top of them.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "chain/expected.h"
#include "chain/transaction.h"

namespace petal::net {

/// After how many blocks a coinbase may be spent (Bitcoin Core: consensus.h, COINBASE_MATURITY).
inline constexpr std::uint32_t kCoinbaseMaturity = 100;

/// An unspent output. The output itself lies in its block.
struct Coin {
    const chain::TxOutput* output = nullptr;
    std::uint32_t height = 0;
    bool from_coinbase = false;

    /// Whether a transaction in a block at `spend_height` may spend it.
    bool is_mature(std::uint32_t spend_height) const {
        return !from_coinbase || spend_height >= height + kCoinbaseMaturity;
    }
};

/// The unspent outputs of a chain's blocks. The transactions given to it must stay where they are.
class CoinSet {
public:
    /// Spends the inputs of a block's transactions and adds their outputs, those that can be spent.
    void connect(const std::vector<chain::Transaction>& transactions,
                 const std::vector<chain::Txid>& txids, std::uint32_t height);
    void clear() { coins_.clear(); }

    /// Null if the output is spent or never was.
    const Coin* find(const chain::Outpoint& outpoint) const;
    const std::unordered_map<chain::Outpoint, Coin>& all() const { return coins_; }

private:
    std::unordered_map<chain::Outpoint, Coin> coins_;
};

/// Why a transaction cannot be in the next block. Scripts are not looked at.
enum class TransactionFault : std::uint8_t {
    no_inputs,
    no_outputs,
    repeated_input,
    unavailable_input,  ///< spends what does not exist, is spent or not mature
    value_out_of_range,
    outputs_above_inputs,
    fee_too_low,
};

std::string_view describe(TransactionFault fault);

/// Coins, and on top of them transactions that are in no block yet: a block that is being made, or
/// a mempool. The coins must outlive it and not change under it.
class TransactionLayer {
public:
    /// spend_height   of the block that the transactions are to be in
    TransactionLayer(const CoinSet& coins, std::uint32_t spend_height)
        : coins_(&coins), spend_height_(spend_height) {}

    /// A layer over the same coins without transactions.
    TransactionLayer emptied() const { return {*coins_, spend_height_}; }

    /// The fee that the transaction would pay on top of the others.
    chain::Expected<chain::Satoshis, TransactionFault> check(
        const chain::Transaction& transaction) const;
    /// Lays a transaction that check() accepts on top.
    void add(const chain::Transaction& transaction, const chain::Txid& txid);

    /// An output that a further transaction may spend; null for none.
    const chain::TxOutput* spendable(const chain::Outpoint& outpoint) const;
    /// An output of the coins or the layer, whether or not the layer spends it; null for none.
    const chain::TxOutput* output(const chain::Outpoint& outpoint) const;
    bool is_spent(const chain::Outpoint& outpoint) const { return spent_.contains(outpoint); }
    /// The layer's own outputs, spent ones included.
    const std::unordered_map<chain::Outpoint, chain::TxOutput>& created() const { return created_; }

private:
    const CoinSet* coins_;
    std::uint32_t spend_height_;
    std::unordered_map<chain::Outpoint, chain::TxOutput> created_;
    std::unordered_set<chain::Outpoint> spent_;
};

}  // namespace petal::net
