/// A regtest block chain in memory that mines its own blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "chain/block_header.h"
#include "chain/bytes.h"
#include "chain/transaction.h"
#include "regtest/chain/block_filter_index.h"
#include "regtest/chain/branch_choice.h"
#include "regtest/chain/chain_history.h"
#include "regtest/chain/chainstate.h"
#include "regtest/chain/regtest_block.h"
#include "regtest/chain/regtest_purse.h"
#include "regtest/mempool/acceptance.h"
#include "regtest/mempool/regtest_mempool.h"

namespace petal::regtest {

struct RegtestChainOptions {
    /// The time of the first block after the genesis block, in Unix seconds. 0: ten minutes after
    /// the genesis block.
    std::int64_t first_time = 0;
    PurseKind purse = PurseKind::anyone_can_spend;
    /// The clock for the arrival times of transactions, in Unix seconds. Without a clock, the time
    /// of the tip.
    std::function<std::int64_t()> clock = {};
    /// The checks that transactions of disconnected blocks must pass to return to the mempool,
    /// whatever fee they pay. Empty: they must only be valid.
    std::optional<TransactionChecks> checks_of_returned = {};
};

/// Blocks with a time far ahead of the clock.
enum class FutureTimes : std::uint8_t { refused, accepted };

/// A block chain with a mempool, for tests. Every input spends an existing output, amounts and lock
/// times are valid, and blocks have valid regtest work. Data from peers is checked like in Bitcoin
/// Core (offer()). Signatures of the owner's data are not checked (submit(), mine_block()).
///
/// Deterministic: the same calls make the same chain. A violated precondition is a bug in the test
/// (std::invalid_argument). Not thread-safe.
class RegtestChain {
public:
    /// A chain of only the genesis block.
    explicit RegtestChain(const RegtestChainOptions& options = {});
    ~RegtestChain();
    RegtestChain(RegtestChain&&) noexcept;
    // Not assignable, because a node that serves the chain remembers its blocks.
    RegtestChain& operator=(RegtestChain&&) = delete;

    /// Sets the time of the next block (Unix seconds), instead of ten minutes per block. Empty: ten
    /// minutes per block again. If the median time of the previous blocks forbids the time
    /// (BIP113), the block gets the earliest allowed time.
    void set_time(std::optional<std::int64_t> time);

    std::uint32_t height() const;
    chain::BlockHash tip() const;
    /// A block of the active chain, at most at the tip's height.
    RegtestBlock block_at(std::uint32_t height) const;

    /// All blocks, and the coins of the active chain.
    const Chainstate& blocks() const;
    /// The block filters of all blocks that were ever on the active chain.
    const BlockFilterIndex& filters() const;
    /// The unconfirmed transactions, in topological order.
    const RegtestMempool& mempool() const;
    /// The coins for payments of the chain.
    const RegtestPurse& purse() const;
    /// The chain's history and revision.
    const ChainHistory& history() const;

    /// Mines `count` blocks on the tip. The first block has the mempool transactions that fit. The
    /// coinbases pay `script_pubkey`, which must fit into a block, or the purse if it is empty. The
    /// subsidy halves every 150 blocks, as on every regtest chain.
    void mine(std::uint32_t count = 1, chain::ByteView script_pubkey = {});
    /// Mines a block with exactly these transactions after the coinbase. Each may spend outputs of
    /// earlier ones. Removes these and conflicting transactions from the mempool. The coinbase
    /// collects no fees, as in Bitcoin Core's generateblock.
    RegtestBlock mine_block(std::vector<chain::Transaction> transactions,
                            chain::ByteView coinbase_script = {});

    /// Mines a block with these transactions, whatever they spend, like a hostile miner. Other
    /// nodes refuse the block if it is invalid. A longer branch without the block replaces it as
    /// usual.
    RegtestBlock mine_made_up(std::vector<chain::Transaction> transactions);

    /// The block that mine_block() would put on the tip.
    RegtestBlock assemble(std::vector<chain::Transaction> transactions,
                          chain::ByteView coinbase_script = {}) const;

    /// Makes a transaction that pays `outputs` in order from the purse (matured coinbases), with
    /// the change as the last output. The transaction is not added to the mempool or a block. No
    /// two payments spend the same coin. Unconfirmed change is spent only if there are no confirmed
    /// coins.
    ///
    /// Before its first payment, a purse that anyone can spend extends the chain until it has 20
    /// mature coinbases, and by a block that splits half of their value into 500 coins. A new chain
    /// then has height 120. Other purses do not extend the chain. Too few coins are a violated
    /// precondition.
    chain::Transaction make_payment(std::vector<chain::TxOutput> outputs);
    /// make_payment() of one output, submitted to the mempool.
    chain::Txid pay(chain::ByteView script_pubkey, chain::Satoshis value);
    /// make_payment(), offered to the mempool like offer(). If the payment is refused, the purse
    /// keeps the coins. Coinbases are spent after 101 confirmations, as by Bitcoin Core's wallet.
    chain::Expected<chain::Txid, Rejection> offer_payment(std::vector<chain::TxOutput> outputs,
                                                          const MempoolPolicy& policy,
                                                          const PaymentTerms& terms = {});

    /// Accepts a block from a peer, if the block is valid and its parent is known. Follows the
    /// block's branch if that has the most work (see BranchChoice). Transactions that become
    /// unconfirmed return to the mempool. If a block of the branch turns out to be invalid, the
    /// block is forgotten.
    BlockVerdict offer_block(chain::Block block, FutureTimes future_times = FutureTimes::refused);

    /// Adds an unconfirmed transaction to the mempool. Removes transactions that spend one of its
    /// inputs, and their descendants (replacement without rules). Ignores a transaction that is
    /// already in the mempool.
    chain::Txid submit(chain::Transaction transaction);
    /// Accepts an unconfirmed transaction like a node from a peer: if Bitcoin Core would accept it
    /// with the default policy, as far as `policy` implements it (see check_acceptance()). Ignores
    /// a transaction that is already in the mempool.
    chain::Expected<chain::Txid, Rejection> offer(chain::Transaction transaction,
                                                  const MempoolPolicy& policy = {});
    /// Removes an unconfirmed transaction and its descendants, as if they had expired. Returns
    /// whether it was in the mempool.
    bool drop(const chain::Txid& txid);

    enum class Dropped : std::uint8_t { to_mempool, forgotten };
    /// Leaves the active chain at `fork_height` (below the tip), and mines `count` empty blocks
    /// there, which must have more work. With Dropped::to_mempool, the dropped transactions return
    /// to the mempool if they are still valid. Takes time proportional to the length of the chain.
    void reorganise(std::uint32_t fork_height, std::uint32_t count,
                    Dropped dropped = Dropped::to_mempool);
    /// Reorganises to a branch that is one block longer. Its first block has these transactions,
    /// and collects no fees.
    void reorganise_with(std::uint32_t fork_height, std::vector<chain::Transaction> transactions);

    /// Permanently removes a block and all its descendants from the active chain, and follows the
    /// best remaining branch (Bitcoin Core: invalidateblock). The transactions of the last ten
    /// blocks return to the mempool if they are still valid. The block must be known, and must not
    /// be the genesis block.
    void invalidate(const chain::BlockHash& hash);
    /// Reverts invalidate(), also for the block's ancestors and descendants (reconsiderblock). The
    /// block must be known.
    void reconsider(const chain::BlockHash& hash);
    /// Follows the block rather than another branch with as much work, until the end of the process
    /// (preciousblock). No effect on a branch with less work. The block must be known.
    void prefer(const chain::BlockHash& hash);

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace petal::regtest
