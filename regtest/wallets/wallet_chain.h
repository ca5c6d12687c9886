/// The chain that named wallets follow.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chain/block_header.h"
#include "chain/expected.h"
#include "chain/transaction.h"

namespace petal::regtest::wallets {

/// A block of the active chain.
struct WalletBlock {
    chain::BlockRef ref;
    chain::BlockHeader header;
    std::vector<chain::Transaction> transactions;  ///< coinbase first
    std::vector<chain::Txid> txids;                ///< in the order of `transactions`
};

/// An unconfirmed transaction, valid until the chain changes.
struct PendingTransaction {
    chain::Txid txid;
    const chain::Transaction* transaction = nullptr;
};

/// Size and fee of an unconfirmed transaction together with its unconfirmed ancestors.
struct Ancestry {
    std::size_t count = 0;
    std::size_t size = 0;  ///< vB
    chain::Satoshis fees = 0;
};

/// What wallets need of a chain with a mempool. Block hashes, scripts and signatures are valid: the
/// chain has checked all of them.
class WalletChain {
public:
    virtual ~WalletChain() = default;

    /// A number that grows with each change of the tip and of the unconfirmed transactions.
    virtual std::uint64_t revision() const = 0;
    /// Unix seconds.
    virtual std::int64_t now() const = 0;

    virtual chain::BlockRef tip() const = 0;
    /// A block of the active chain, at most at the tip's height.
    virtual WalletBlock block_at(std::uint32_t height) const = 0;
    virtual chain::BlockRef ref_at(std::uint32_t height) const = 0;
    virtual chain::BlockHeader header_at(std::uint32_t height) const = 0;
    /// The last block of the active chain that is this block or an ancestor of it. Empty if the
    /// block is unknown.
    virtual std::optional<chain::BlockRef> fork_point(const chain::BlockHash& hash) const = 0;
    /// A transaction of a block of the active chain, with its witnesses.
    virtual chain::Transaction transaction_at(std::uint32_t height, std::size_t position) const = 0;
    /// A block of any branch. Empty if the block is unknown.
    virtual std::optional<WalletBlock> find_block(const chain::BlockHash& hash) const = 0;

    /// The unconfirmed transactions that arrived after this revision, parents first.
    virtual std::vector<PendingTransaction> pending_since(std::uint64_t revision) const = 0;
    virtual bool is_pending(const chain::Txid& txid) const = 0;
    /// An unspent output, or one that only an unconfirmed transaction spends. Empty if there is
    /// none.
    virtual std::optional<chain::TxOutput> find_output(const chain::Outpoint& outpoint) const = 0;
    /// Empty if the transaction is confirmed or unknown.
    virtual std::optional<Ancestry> ancestry(const chain::Txid& txid) const = 0;
    /// The unconfirmed transactions that spend an input of this transaction.
    virtual std::vector<chain::Txid> pending_conflicts(
        const chain::Transaction& transaction) const = 0;

    /// The lowest fee rate that the mempool accepts, satoshi per 1,000 vB.
    virtual chain::Satoshis least_fee_rate() const = 0;
    /// Offers a transaction to the mempool. Returns why it is refused.
    virtual chain::Expected<void, std::string> submit(const chain::Transaction& transaction) = 0;
};

}  // namespace petal::regtest::wallets
