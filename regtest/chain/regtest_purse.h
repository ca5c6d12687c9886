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

/// How the coins of the purse are spent.
enum class PurseKind : std::uint8_t {
    anyone_can_spend,  ///< without signatures: faster, but no node relays the payments
    p2wpkh,            ///< with signatures, as other programs expect
};

/// OP_TRUE: anyone may spend the output. No filter matches it, because it pushes no data.
inline const chain::Bytes kPurseScript = {0x51};

/// The output script of a purse of this kind.
chain::Bytes purse_script(PurseKind kind);

struct PurseCoin {
    chain::Satoshis value = 0;
    chain::Outpoint outpoint;

    friend auto operator<=>(const PurseCoin&, const PurseCoin&) = default;
};

/// Options of a payment.
struct PaymentTerms {
    /// In satoshi per 1,000 vB. Empty: at least 10 satoshi per vB.
    std::optional<chain::Satoshis> fee_rate;
    /// The outputs from which the fee is subtracted in equal parts. Empty: the fee is paid in
    /// addition.
    std::vector<std::size_t> fee_from;
    bool is_replaceable = true;  ///< signals replaceability (BIP125)
};

/// Tracks the outputs with the script of the purse. Each output is used once, so that successive
/// payments do not conflict. Confirmed coins are preferred, so that payments do not depend on each
/// other as long as there are enough confirmed coins.
class RegtestPurse {
public:
    explicit RegtestPurse(PurseKind kind);

    /// The output script of the coins.
    const chain::Bytes& script() const { return script_; }

    /// Records an unconfirmed transaction, which must be in `unconfirmed`.
    void on_unconfirmed(const chain::Transaction& transaction, const chain::Txid& txid,
                        const TransactionLayer& unconfirmed);
    /// Unconfirmed transactions were removed. The coins that they spent may be used again, unless
    /// another transaction spends them.
    void release(const CoinSet& coins, const TransactionLayer& unconfirmed);
    /// A payment of make_payment() will not be sent. Its coins may be used again.
    void take_back(const chain::Transaction& payment, const CoinSet& coins,
                   const TransactionLayer& unconfirmed);
    /// Records the transactions of a block.
    void on_block(const std::vector<chain::Transaction>& transactions,
                  const std::vector<chain::Txid>& txids, std::uint32_t height);
    /// Starts over after a reorganisation. Coins that were used, but are not spent by a transaction
    /// yet, stay reserved.
    void reset(const CoinSet& coins, const TransactionLayer& unconfirmed);

    /// Makes coinbases available that a block at `spend_height` may spend. Returns the number of
    /// confirmed coins.
    std::size_t ripen(std::uint32_t spend_height);

    chain::Satoshis confirmed_value() const;

    /// A transaction that pays these outputs in order, with the change as the last output. Empty if
    /// the purse has too little. An output becomes negative if the fee subtracted from it is
    /// larger.
    std::optional<chain::Transaction> make_payment(std::vector<chain::TxOutput> outputs,
                                                   const TransactionLayer& layer,
                                                   const PaymentTerms& terms = {});

    /// A transaction that spends only this output, spent already or not, to the purse, with a fee
    /// that outbids other spends. Empty if the output is not the purse's.
    std::optional<chain::Transaction> make_conflict(const chain::Outpoint& outpoint,
                                                    const chain::TxOutput& output) const;

private:
    struct Immature {
        std::uint32_t height;
        PurseCoin coin;
    };

    /// Coins worth at least `amount` plus `amount_each` per coin, largest first. Empty if there are
    /// not enough. Forgets coins that are not spendable in `layer`.
    std::optional<std::vector<PurseCoin>> take(chain::Satoshis amount, chain::Satoshis amount_each,
                                               const TransactionLayer& layer);
    /// The outputs of a transaction that belong to the purse.
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
    /// Coins that are spent, but not by a block. The value is true if an unconfirmed transaction
    /// spends the coin, and false if make_payment() only returned the payment.
    std::unordered_map<chain::Outpoint, bool> reserved_;
};

}  // namespace petal::regtest
