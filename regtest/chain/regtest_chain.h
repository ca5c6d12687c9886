/// A regtest block chain in memory that mines its own blocks, as served by the embedded node.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "chain/block_header.h"
#include "chain/bytes.h"
#include "chain/transaction.h"
#include "regtest/chain/branch_choice.h"
#include "regtest/chain/chain_history.h"
#include "regtest/chain/chainstate.h"
#include "regtest/chain/regtest_block.h"
#include "regtest/chain/regtest_purse.h"
#include "regtest/mempool/acceptance.h"
#include "regtest/mempool/regtest_mempool.h"

namespace petal::regtest {

struct RegtestChainOptions {
    /// The time of the first block after the genesis block, Unix seconds; 0 for ten minutes after
    /// that.
    std::int64_t first_time = 0;
    PurseKind purse = PurseKind::anyone_can_spend;
    /// The clock for the times of unconfirmed transactions, Unix seconds; without one, the tip's
    /// time.
    std::function<std::int64_t()> clock = {};
    /// The checks that transactions of disconnected blocks must pass to return to the mempool,
    /// whatever they pay; empty: they must only be valid.
    std::optional<TransactionChecks> checks_of_returned = {};
};

/// Blocks of a time that is far ahead of the clock.
enum class FutureTimes : std::uint8_t { refused, accepted };

/// One block chain with its mempool, for tests. Every input spends an existing output, amounts and
/// lock times are valid, and blocks have valid regtest work. Data from peers is checked as in
/// Bitcoin Core (offer()); signatures of the owner's data are not checked (submit(), mine_block()).
///
/// Deterministic: the same calls make the same chain. Violating a precondition is a bug in the test
/// (std::invalid_argument). Not thread-safe.
class RegtestChain {
public:
    /// A chain of only the regtest genesis block.
    explicit RegtestChain(const RegtestChainOptions& options = {});
    ~RegtestChain();
    RegtestChain(RegtestChain&&) noexcept;
    // Not assignable: a node that serves the chain remembers its blocks.
    RegtestChain& operator=(RegtestChain&&) = delete;

    /// Sets the time of the next block (Unix seconds), instead of the chain's own, ten minutes a
    /// block; empty: the chain's own again. If the median of the previous blocks does not allow it
    /// (BIP113), the block gets the earliest allowed time.
    void set_time(std::optional<std::int64_t> time);

    std::uint32_t height() const;
    chain::BlockHash tip() const;
    /// A block of the active chain; `height` is at most the tip's.
    RegtestBlock block_at(std::uint32_t height) const;

    /// All blocks, and the coins of the active chain.
    const Chainstate& blocks() const;
    /// The unconfirmed transactions, in topological order.
    const RegtestMempool& mempool() const;
    /// The coins that the chain pays with.
    const RegtestPurse& purse() const;
    /// Its history, and a number that grows with every change.
    const ChainHistory& history() const;

    /// Mines `count` blocks on the tip, the first with the transactions of the mempool that fit
    /// into it; the coinbases pay `script_pubkey` (if empty, the purse), which must fit into the
    /// block. The subsidy halves every 150 blocks, as on every regtest chain.
    void mine(std::uint32_t count = 1, chain::ByteView script_pubkey = {});
    /// Mines one block with exactly these transactions besides the coinbase; each may spend outputs
    /// of earlier ones. They are removed from the mempool, and so are transactions that they
    /// double-spend. The coinbase collects no fees, like that of Bitcoin Core's generateblock.
    RegtestBlock mine_block(std::vector<chain::Transaction> transactions,
                            chain::ByteView coinbase_script = {});

    /// Mines one block with these transactions, whatever they spend, as a hostile miner can. Other
    /// nodes refuse it if it is invalid. Blocks without it replace it as usual.
    RegtestBlock mine_made_up(std::vector<chain::Transaction> transactions);

    /// The block that mine_block() would put on the tip.
    RegtestBlock assemble(std::vector<chain::Transaction> transactions,
                          chain::ByteView coinbase_script = {}) const;

    /// Makes a transaction that pays `outputs`, in their order, from the chain's own purse (matured
    /// coinbases), with the change to the purse as last output. It is not yet in the mempool or a
    /// block. No two payments spend the same coin; while there are confirmed coins, they do not
    /// spend unconfirmed change either. At the first payment, a purse that anyone can spend extends
    /// the chain until it has 20 mature coinbases, and by a block that splits half of their value
    /// into 500 coins: a new chain then has height 120. Another purse does not, and too few coins
    /// in it are a violated precondition.
    chain::Transaction make_payment(std::vector<chain::TxOutput> outputs);
    /// make_payment() of one output, submitted to the mempool.
    chain::Txid pay(chain::ByteView script_pubkey, chain::Satoshis value);
    /// make_payment(), offered to the mempool like by offer(); if it is refused, the purse keeps
    /// the coins.
    chain::Expected<chain::Txid, Rejection> offer_payment(std::vector<chain::TxOutput> outputs,
                                                          const MempoolPolicy& policy,
                                                          const PaymentTerms& terms = {});

    /// Accepts a block like a node from a peer, if it is valid and its parent is known, and follows
    /// it if its branch has the most work (see BranchChoice). Transactions that become unconfirmed
    /// return to the mempool. A block of that branch may turn out to be invalid, and is then
    /// forgotten.
    BlockVerdict offer_block(chain::Block block, FutureTimes future_times = FutureTimes::refused);

    /// Adds an unconfirmed transaction to the mempool; removes those that spend one of its inputs,
    /// and their descendants (replacement without rules). A transaction that is already there
    /// changes nothing.
    chain::Txid submit(chain::Transaction transaction);
    /// Accepts an unconfirmed transaction like a node from a peer: if Bitcoin Core would with its
    /// default policy, as far as `policy` implements it (see check_acceptance()). A transaction
    /// that is already there changes nothing.
    chain::Expected<chain::Txid, Rejection> offer(chain::Transaction transaction,
                                                  const MempoolPolicy& policy = {});
    /// Removes an unconfirmed transaction with all that descend from it, as if it had expired.
    /// Returns whether it was there.
    bool drop(const chain::Txid& txid);

    enum class Dropped : std::uint8_t { to_mempool, forgotten };
    /// Leaves the active chain at `fork_height` (below the tip) and mines `count` empty blocks
    /// there, enough for more work. With `dropped` to_mempool, the dropped transactions return to
    /// the mempool if they are still valid. Takes time proportional to the length of the chain.
    void reorganise(std::uint32_t fork_height, std::uint32_t count,
                    Dropped dropped = Dropped::to_mempool);
    /// Reorganises to a branch that is one block longer, with these transactions in its first
    /// block, which collects no fees.
    void reorganise_with(std::uint32_t fork_height, std::vector<chain::Transaction> transactions);

    /// Permanently removes a block and all its descendants from the active chain, and follows the
    /// best remaining branch (Bitcoin Core: invalidateblock). The transactions of the last ten
    /// blocks return to the mempool if they are still valid. The genesis block, and a block that is
    /// not known, are violated preconditions.
    void invalidate(const chain::BlockHash& hash);
    /// Reverts invalidate(), for the block's ancestors and descendants, too (reconsiderblock). A
    /// block that is not known is a violated precondition.
    void reconsider(const chain::BlockHash& hash);

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace petal::regtest
