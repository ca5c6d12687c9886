/// The coins that a regtest chain pays with.
#pragma once

#include <compare>
#include <deque>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "chain/transaction.h"
#include "net/regtest/chain/regtest_key.h"
#include "net/regtest/mempool/coin_set.h"

namespace petal::net {

/// How the purse's coins are spent.
enum class PurseKind : std::uint8_t {
    anyone_can_spend,  ///< without signatures, and so faster; no node relays its payments
    p2wpkh,            ///< with signatures of a key, as other programs expect
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

/// The options of a payment beside its outputs.
struct PaymentTerms {
    /// In satoshi per 1,000 vB; where empty, at least 10 satoshi per vB.
    std::optional<chain::Satoshis> fee_rate;
    /// The outputs that the fee is taken from, in equal parts; none where it is paid beside them.
    std::vector<std::size_t> fee_from;
    bool is_replaceable = true;  ///< signals it (BIP125)
};

/// Knows which outputs with the purse's script can be paid with. Each is handed out once, so that
/// payments made one after the other do not conflict; confirmed coins are preferred, so that
/// payments do not depend on each other while there are enough of them.
class RegtestPurse {
public:
    explicit RegtestPurse(PurseKind kind);

    /// The script that its outputs pay to.
    const chain::Bytes& script() const { return script_; }

    /// Takes note of an unconfirmed transaction, which `unconfirmed` holds.
    void on_unconfirmed(const chain::Transaction& transaction, const chain::Txid& txid,
                        const TransactionLayer& unconfirmed);
    /// Unconfirmed transactions have left: what they spent may be paid with again, as far as no
    /// other spends it.
    void release(const CoinSet& coins, const TransactionLayer& unconfirmed);
    /// A payment of make_payment() will not be sent: what it spends may be paid with again.
    void take_back(const chain::Transaction& payment, const CoinSet& coins,
                   const TransactionLayer& unconfirmed);
    /// Takes note of a block's.
    void on_block(const std::vector<chain::Transaction>& transactions,
                  const std::vector<chain::Txid>& txids, std::uint32_t height);
    /// Starts over after a reorganisation. What was handed out and is in no transaction yet stays
    /// so.
    void reset(const CoinSet& coins, const TransactionLayer& unconfirmed);

    /// Counts coinbases that a block at `spend_height` may spend among the coins from now on, and
    /// returns how many confirmed coins there are.
    std::size_t ripen(std::uint32_t spend_height);

    /// The sum of their values.
    chain::Satoshis confirmed_value() const;

    /// A transaction that pays these outputs, in their order, with the change behind them; nothing
    /// if the purse holds too little. An output that is less than the fee taken from it is negative
    /// then.
    std::optional<chain::Transaction> make_payment(std::vector<chain::TxOutput> outputs,
                                                   const TransactionLayer& layer,
                                                   const PaymentTerms& terms = {});

    /// A transaction that spends this output alone, spent already or not, back to the purse, for a
    /// fee that outbids others; nothing where the output is not the purse's.
    std::optional<chain::Transaction> make_conflict(const chain::Outpoint& outpoint,
                                                    const chain::TxOutput& output) const;

private:
    struct Immature {
        std::uint32_t height;
        PurseCoin coin;
    };

    /// Coins worth at least `amount` and `amount_each` for every one of them, the largest first;
    /// empty if there is not so much. Coins that `layer` does not hold spendable are forgotten.
    std::optional<std::vector<PurseCoin>> take(chain::Satoshis amount, chain::Satoshis amount_each,
                                               const TransactionLayer& layer);
    /// The outputs of a transaction that are the purse's.
    std::vector<PurseCoin> own_coins(const chain::Transaction& transaction,
                                     const chain::Txid& txid) const;
    bool is_own(const Coin& coin) const;
    void reserve_spent(const CoinSet& coins, const TransactionLayer& unconfirmed);
    void sign(chain::Transaction& transaction, const std::vector<PurseCoin>& coins) const;
    void put(std::set<PurseCoin>& coins, const PurseCoin& coin);

    std::optional<RegtestKey> key_;  // none where anyone can spend the coins
    chain::Bytes script_;
    std::set<PurseCoin> confirmed_;
    std::set<PurseCoin> unconfirmed_;
    std::deque<Immature> immature_;  // coinbases, by height
    /// Coins that are spent, but not yet by a block: whether by an unconfirmed transaction, or by a
    /// payment that was only handed out.
    std::unordered_map<chain::Outpoint, bool> reserved_;
};

}  // namespace petal::net
