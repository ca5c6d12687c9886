/// Keeps a wallet in step with a chain and its mempool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "chain/transaction.h"
#include "chain/watcher.h"
#include "regtest/wallets/wallet_chain.h"
#include "wallet/wallet.h"

namespace petal::regtest::wallets {

/// Passes blocks and unconfirmed transactions from a chain to a wallet, without a filter: a block's
/// transactions are compared with the wallet's scripts and transactions. Not thread-safe.
class WalletFeed {
public:
    /// The wallet is new: blocks up to the tip are not searched.
    void begin_at_tip(wallet::Wallet& wallet, const WalletChain& chain);
    /// The wallet was opened. Offers its unconfirmed payments to the mempool again.
    void begin(wallet::Wallet& wallet, WalletChain& chain);

    /// Passes on what has changed since the last call. Returns the transactions of the wallet that
    /// are new, or whose block has changed. Takes no time if the chain has not changed.
    std::vector<chain::Txid> follow(wallet::Wallet& wallet, const WalletChain& chain);
    /// Searches the blocks from this height on again.
    std::vector<chain::Txid> search_again(wallet::Wallet& wallet, const WalletChain& chain,
                                          std::uint32_t from);

    /// The last block that was searched.
    const std::optional<chain::BlockRef>& searched() const { return searched_; }

private:
    void follow_blocks(wallet::Wallet& wallet, const WalletChain& chain);
    void leave_fork(wallet::Wallet& wallet, const WalletChain& chain);
    std::optional<std::uint32_t> apply(wallet::Wallet& wallet,
                                       std::span<const chain::ProvenBlock> blocks,
                                       const chain::BlockRef& searched);
    void follow_pending(wallet::Wallet& wallet, const WalletChain& chain, std::uint64_t since);
    std::vector<chain::PresentSources> forget_gone(const wallet::Wallet& wallet,
                                                   const WalletChain& chain);

    std::optional<chain::BlockRef> searched_;
    std::optional<std::uint64_t> revision_;  // of the chain at the last call
    std::set<chain::Txid> pending_;          // of the wallet, in the mempool
    std::vector<chain::Txid> changed_;       // in the current call
};

}  // namespace petal::regtest::wallets
