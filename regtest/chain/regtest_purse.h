/// The coins that a regtest chain pays with.
#pragma once

#include <compare>
#include <deque>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "chain/transaction.h"
#include "regtest/chain/regtest_key.h"
#include "regtest/mempool/coin_set.h"

namespace petal::regtest {

/// How the purse's coins are spent.
enum class PurseKind : std::uint8_t {
    anyone_can_spend,  ///< without signatures, and so faster; no node relays its payments
    p2wpkh,            ///< with signatures, as other programs expect
};

/// OP_TRUE: anyone may spend it, and no filter matches it, as it pushes no data.
inline const chain::Bytes kPurseScript = {0x51};

/// The scripts that the outputs of a purse of this kind pay to.
chain::Bytes purse_script(PurseKind kind);

struct PurseCoin {
    chain::Satoshis value = 0;
    chain::Outpoint outpoint;

    friend auto operator<=>(const PurseCoin&, const PurseCoin&) = default;
};

/// The options of a payment besides its outputs.
struct PaymentTerms {
    /// In satoshi per 1,000 vB; if empty, at least 10 satoshi per vB.
    std::optional<chain::Satoshis> fee_rate;
    /// The outputs from which the fee is subtracted, in equal parts; empty: the fee is paid in
    /// addition.
    std::vector<std::size_t> fee_from;
    bool is_replaceable = true;  ///< signals it (BIP125)
};

/// Tracks the outputs with the purse's script. Each is used once, so that successive payments do
/// not conflict. Confirmed coins are preferred, so that payments do not depend on each other while
/// there are enough of them.
class RegtestPurse {
public:
    explicit RegtestPurse(PurseKind kind);

    /// The script that its outputs pay to.
    const chain::Bytes& script() const { return script_; }

    /// Takes note of an unconfirmed transaction, which `unconfirmed` holds.
    void on_unconfirmed(const chain::Transaction& transaction, const chain::Txid& txid,
                        const TransactionLayer& unconfirmed);
    /// Unconfirmed transactions were removed: the coins that they spent may be used again, unless
    /// another transaction spends them.
    void release(const CoinSet& coins, const TransactionLayer& unconfirmed);
    /// A payment of make_payment() will not be sent: its coins may be used again.
    void take_back(const chain::Transaction& payment, const CoinSet& coins,
                   const TransactionLayer& unconfirmed);
    /// Takes note of a block's.
    void on_block(const std::vector<chain::Transaction>& transactions,
                  const std::vector<chain::Txid>& txids, std::uint32_t height);
    /// Starts over after a reorganisation. Coins that were used but are not spent by a transaction
    /// yet stay reserved.
    void reset(const CoinSet& coins, const TransactionLayer& unconfirmed);

    /// Counts coinbases that a block at `spend_height` may spend among the coins from now on, and
    /// returns how many confirmed coins there are.
    std::size_t ripen(std::uint32_t spend_height);

    /// The sum of their values.
    chain::Satoshis confirmed_value() const;

    /// A transaction that pays these outputs, in their order, with the change as last output;
    /// nothing if the purse holds too little. An output that is less than the fee subtracted from
    /// it becomes negative.
    std::optional<chain::Transaction> make_payment(std::vector<chain::TxOutput> outputs,
                                                   const TransactionLayer& layer,
                                                   const PaymentTerms& terms = {});

    /// A transaction that spends only this output, spent already or not, to the purse, for a fee
    /// that outbids others; nothing if the output is not the purse's.
    std::optional<chain::Transaction> make_conflict(const chain::Outpoint& outpoint,
                                                    const chain::TxOutput& output) const;

private:
    struct Immature {
        std::uint32_t height;
        PurseCoin coin;
    };

    /// Coins worth at least `amount` plus `amount_each` for every coin, the largest first; empty if
    /// there are not enough. Coins that are not spendable in `layer` are forgotten.
    std::optional<std::vector<PurseCoin>> take(chain::Satoshis amount, chain::Satoshis amount_each,
                                               const TransactionLayer& layer);
    /// The outputs of a transaction that are the purse's.
    std::vector<PurseCoin> own_coins(const chain::Transaction& transaction,
                                     const chain::Txid& txid) const;
    bool is_own(const Coin& coin) const;
    void reserve_spent(const CoinSet& coins, const TransactionLayer& unconfirmed);
    void sign(chain::Transaction& transaction, const std::vector<PurseCoin>& coins) const;
    void put(std::set<PurseCoin>& coins, const PurseCoin& coin);

    std::optional<RegtestKey> key_;  // empty if anyone can spend the coins
    chain::Bytes script_;
    std::set<PurseCoin> confirmed_;
    std::set<PurseCoin> unconfirmed_;
    std::deque<Immature> immature_;  // coinbases, by height
    /// Coins that are spent, but not yet by a block: whether by an unconfirmed transaction, or by a
    /// payment that was only handed out.
    std::unordered_map<chain::Outpoint, bool> reserved_;
};

}  // namespace petal::regtest
