/// The coins that a regtest chain pays with.
#pragma once

#include <compare>
#include <deque>
#include <optional>
#include <set>
#include <unordered_set>
#include <vector>

#include "chain/transaction.h"
#include "net/regtest/mempool/coin_set.h"

namespace petal::net {

/// OP_TRUE: anyone may spend it, and no filter matches it, as it pushes no data.
inline const chain::Bytes kPurseScript = {0x51};

struct PurseCoin {
    chain::Satoshis value = 0;
    chain::Outpoint outpoint;

    friend auto operator<=>(const PurseCoin&, const PurseCoin&) = default;
};

/// Knows which outputs with the purse's script can be paid with. Each is handed out once, so that
/// payments made one after the other do not conflict; confirmed coins are preferred, so that
/// payments do not depend on each other while there are enough of them.
class RegtestPurse {
public:
    /// Takes note of an unconfirmed transaction's outputs.
    void on_unconfirmed(const chain::Transaction& transaction, const chain::Txid& txid);
    /// Takes note of a block's.
    void on_block(const std::vector<chain::Transaction>& transactions,
                  const std::vector<chain::Txid>& txids, std::uint32_t height);
    /// Starts over after a reorganisation. What was handed out stays so.
    void reset(const CoinSet& coins, const TransactionLayer& unconfirmed);

    /// Counts coinbases that a block at `spend_height` may spend among the coins from now on, and
    /// returns how many confirmed coins there are.
    std::size_t ripen(std::uint32_t spend_height);

    /// What those are worth together.
    chain::Satoshis confirmed_value() const;

    /// Coins worth at least `amount` and `amount_each` for every one of them, the largest first;
    /// empty if there is not so much. Coins that `layer` does not hold spendable are forgotten.
    std::optional<std::vector<PurseCoin>> take(chain::Satoshis amount, chain::Satoshis amount_each,
                                               const TransactionLayer& layer);

private:
    struct Immature {
        std::uint32_t height;
        PurseCoin coin;
    };

    void put(std::set<PurseCoin>& coins, const PurseCoin& coin);

    std::set<PurseCoin> confirmed_;
    std::set<PurseCoin> unconfirmed_;
    std::deque<Immature> immature_;                   // coinbases, by height
    std::unordered_set<chain::Outpoint> handed_out_;  // and not yet spent by a block
};

}  // namespace petal::net
