/// The unspent outputs of a chain, and layers of transactions on top of them.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "chain/expected.h"
#include "chain/transaction.h"
#include "chain/transaction_rules.h"
#include "regtest/mempool/lock_times.h"
#include "regtest/mempool/reject_reason.h"
#include "regtest/mempool/transaction_view.h"

namespace petal::regtest {

/// An unspent output. Its wire form is in the memory of its block.
class Coin {
public:
    Coin(chain::ByteView output, std::uint32_t height, bool from_coinbase)
        : output_(output.data()),
          output_bytes_(static_cast<std::uint32_t>(output.size())),
          code_(2 * height + (from_coinbase ? 1 : 0)) {}

    chain::Satoshis value() const;
    chain::ByteView script_pubkey() const;
    chain::TxOutput output() const;

    std::uint32_t height() const { return code_ / 2; }
    bool from_coinbase() const { return code_ % 2 == 1; }
    /// Whether a transaction in a block at `spend_height` may spend the output.
    bool is_mature(std::uint32_t spend_height) const {
        return !from_coinbase() || spend_height >= height() + chain::kCoinbaseMaturity;
    }

private:
    const chain::Byte* output_;
    std::uint32_t output_bytes_;
    std::uint32_t code_;  // height and from_coinbase, encoded as in Bitcoin Core
};

template <typename Value>
using OutpointTable = boost::unordered_flat_map<chain::Outpoint, Value, std::hash<chain::Outpoint>>;

/// The unspent outputs of a chain's blocks. The transactions' bytes must not be moved.
class CoinSet {
public:
    /// Spends the inputs of a block's transactions, and adds their spendable outputs. Returns the
    /// spent coins, in the order of the inputs.
    std::vector<Coin> connect(const std::vector<TransactionView>& transactions,
                              const std::vector<chain::Txid>& txids, std::uint32_t height);
    void clear() { coins_.clear(); }

    /// Null if the output is spent or never existed.
    const Coin* find(const chain::Outpoint& outpoint) const;
    const OutpointTable<Coin>& all() const { return coins_; }
    /// The unspent outputs of a script, to be compared with a wallet's ledger in tests.
    std::map<chain::Outpoint, chain::TxOutput> of_script(chain::ByteView script_pubkey) const;

private:
    OutpointTable<Coin> coins_;
};

/// The output that an input spends. The bytes of the script are in the coins or the layer.
struct SpentCoin {
    chain::TxOutput output() const { return {value, {script_pubkey.begin(), script_pubkey.end()}}; }

    chain::Satoshis value = 0;
    chain::ByteView script_pubkey;
    std::uint32_t height = 0;  ///< for an unconfirmed output, the height of the next block
    bool is_mature = true;
};

/// Coins, with transactions on top that are in no block: the transactions of a block being
/// assembled, or of a mempool. The coins and times must outlive the layer, and must not change
/// meanwhile.
class TransactionLayer {
public:
    TransactionLayer(const CoinSet& coins, const BlockTimes& times)
        : coins_(&coins), times_(&times) {}

    /// A layer over the same coins, without transactions.
    TransactionLayer emptied() const { return {*coins_, *times_}; }

    /// What to do with inputs that spend an output that the layer already spends.
    enum class Conflicts : std::uint8_t { refused, ignored };
    /// The fee that the transaction would pay in the next block, on top of the layer. Follows
    /// Bitcoin Core's consensus checks without scripts (CheckTransaction, IsFinalTx, SequenceLocks,
    /// CheckTxInputs).
    chain::Expected<chain::Satoshis, RejectReason> check(
        const chain::Transaction& transaction, Conflicts conflicts = Conflicts::refused) const;
    /// Adds a transaction that check() accepts.
    void add(const chain::Transaction& transaction, const chain::Txid& txid);
    void remove(const chain::Transaction& transaction, const chain::Txid& txid);

    /// An output that another transaction may spend. Empty if there is none.
    std::optional<chain::TxOutput> spendable(const chain::Outpoint& outpoint) const;
    /// The coin with this outpoint, even if the layer spends it. Empty if there is none.
    std::optional<SpentCoin> coin(const chain::Outpoint& outpoint) const;
    /// The height of the next block, which the layer's transactions would be in.
    std::uint32_t next_height() const { return times_->next_height(); }
    /// An output of the coins or the layer, even if the layer spends it. Empty if there is none.
    std::optional<chain::TxOutput> output(const chain::Outpoint& outpoint) const;
    /// The outputs that the transaction spends, in the order of the inputs. output() must know all
    /// of them.
    std::vector<chain::TxOutput> spent_outputs(const chain::Transaction& transaction) const;
    /// The layer's transaction that spends the outpoint. Null if there is none. Valid until the
    /// layer changes.
    const chain::Txid* spender(const chain::Outpoint& outpoint) const;
    bool is_spent(const chain::Outpoint& outpoint) const { return spent_.contains(outpoint); }
    /// Whether an unspent output of this transaction is in the coins.
    bool is_confirmed(const chain::Transaction& transaction, const chain::Txid& txid) const;
    /// The outputs of the layer's transactions, including spent ones.
    const OutpointTable<chain::TxOutput>& created() const { return created_; }

private:
    const CoinSet* coins_;
    const BlockTimes* times_;
    OutpointTable<chain::TxOutput> created_;
    OutpointTable<chain::Txid> spent_;  // with the spending transaction
};

}  // namespace petal::regtest
