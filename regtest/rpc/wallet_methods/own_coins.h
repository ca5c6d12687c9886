/// The coins of a wallet, judged as by Bitcoin Core's wallet.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "chain/bytes.h"
#include "chain/transaction.h"
#include "regtest/wallets/named_wallet.h"
#include "wallet/keys/key_path.h"

namespace petal::regtest::rpc {

/// Coinbase outputs count as mature with this number of confirmations: one more than the rules
/// require, as in Bitcoin Core.
inline constexpr std::uint32_t kMatureConfirmations = 101;

/// An unspent output of a confirmed transaction or of one in the mempool.
struct OwnCoin {
    chain::Outpoint outpoint;
    chain::Satoshis value = 0;
    chain::Bytes script_pubkey;
    wallet::KeyPath path;
    std::uint32_t confirmations = 0;
    bool is_mature = true;
    bool is_trusted = true;  ///< confirmed, or of the wallet's own payment
    bool is_reused = false;  ///< the wallet has spent from the same script before
    std::string label;
};

/// Judges whether unconfirmed transactions are the wallet's own: all inputs are the wallet's, and
/// the unconfirmed parents are its own (Bitcoin Core: CachedTxIsTrusted). Valid until the chain or
/// the wallet changes.
class Trust {
public:
    explicit Trust(const wallets::NamedWallet& wallet) : wallet_(wallet) {}

    /// True for confirmed transactions. False if the transaction is not in the mempool.
    bool is_trusted(const chain::Txid& txid);

private:
    const wallets::NamedWallet& wallet_;
    std::map<chain::Txid, bool> known_;
};

/// Confirmed coins, oldest first, then unconfirmed ones.
std::vector<OwnCoin> own_coins(const wallets::NamedWallet& wallet);

}  // namespace petal::regtest::rpc
