/// A regtest block chain in memory, that mines itself: what the embedded node serves.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "chain/block_header.h"
#include "chain/bytes.h"
#include "chain/transaction.h"
#include "net/regtest/chain/branch_choice.h"
#include "net/regtest/chain/chain_history.h"
#include "net/regtest/chain/chainstate.h"
#include "net/regtest/chain/regtest_block.h"
#include "net/regtest/chain/regtest_purse.h"
#include "net/regtest/mempool/acceptance.h"
#include "net/regtest/mempool/regtest_mempool.h"

namespace petal::net {

struct RegtestChainOptions {
    /// Of the first block, Unix seconds, after the genesis block's; 0 for ten minutes after it.
    std::int64_t first_time = 0;
    PurseKind purse = PurseKind::anyone_can_spend;
    /// The clock that dates unconfirmed transactions, Unix seconds; without one, the tip's time.
    std::function<std::int64_t()> clock = {};
    /// The conditions on which transactions of disconnected blocks return to the mempool, whatever
    /// they pay; nothing where they must only be valid.
    std::optional<TransactionChecks> checks_of_returned = {};
};

/// Blocks of a time that is far ahead of the clock.
enum class FutureTimes : std::uint8_t { refused, accepted };

/// One block chain with its mempool, for tests. Every input spends an existing output, amounts and
/// lock times are right, and blocks carry valid regtest work. What comes from peers is checked as
/// Bitcoin Core does it (offer()); what the owner puts in is taken without a look at its signatures
/// (submit(), mine_block()).
/// Deterministic: the same calls make the same chain. Violating a precondition is a bug in the test
/// (std::invalid_argument). Not thread-safe.
class RegtestChain {
public:
    /// The regtest genesis block alone.
    explicit RegtestChain(const RegtestChainOptions& options = {});
    ~RegtestChain();
    RegtestChain(RegtestChain&&) noexcept;
    // No assignment: a node that serves the chain remembers blocks of it.
    RegtestChain& operator=(RegtestChain&&) = delete;

    /// From now on the next block's time is this one (Unix seconds) instead of the chain's own, ten
    /// minutes a block; the chain's own again where empty. If the median of the blocks before does
    /// not allow it (BIP113), it is the earliest that this does.
    void set_time(std::optional<std::int64_t> time);

    std::uint32_t height() const;
    chain::BlockHash tip() const;
    /// A block of the active chain; `height` is at most the tip's.
    Block block_at(std::uint32_t height) const;

    /// All blocks, and the coins of the active chain.
    const Chainstate& blocks() const;
    /// The unconfirmed transactions, in topological order.
    const RegtestMempool& mempool() const;
    /// The coins that the chain pays with.
    const RegtestPurse& purse() const;
    /// Its history, and a number that grows with every change.
    const ChainHistory& history() const;

    /// Mines `count` blocks on the tip, the first with the mempool's transactions in it, as far as
    /// a block has room for them; the coinbases pay `script_pubkey` (the purse where empty), for
    /// which the block has room. The subsidy halves every 150 blocks, as on every regtest chain.
    void mine(std::uint32_t count = 1, chain::ByteView script_pubkey = {});
    /// Mines one block with exactly these transactions beside the coinbase, each of which may spend
    /// outputs of those before it. They leave the mempool, and so does what they double-spend. The
    /// coinbase collects no fees, as that of Bitcoin Core's generateblock.
    Block mine_block(std::vector<chain::Transaction> transactions,
                     chain::ByteView coinbase_script = {});

    /// The block that mine_block() would put on the tip.
    Block assemble(std::vector<chain::Transaction> transactions,
                   chain::ByteView coinbase_script = {}) const;

    /// Makes a transaction that pays `outputs`, in their order, out of the chain's own purse
    /// (matured coinbases), with the change behind them back to the purse. Not yet in the mempool
    /// or a block. No two payments spend the same coin; while there are confirmed coins, they do
    /// not spend unconfirmed change either. A purse that anyone can spend mines itself some
    /// hundreds of coins at the first payment, which extends the chain; another extends nothing,
    /// and holding too little is a violated precondition.
    chain::Transaction make_payment(std::vector<chain::TxOutput> outputs);
    /// make_payment of one output, put into the mempool.
    chain::Txid pay(chain::ByteView script_pubkey, chain::Satoshis value);
    /// make_payment(), put into the mempool if that takes it as offer() does; the purse keeps what
    /// a refused one would have spent.
    chain::Expected<chain::Txid, Rejection> offer_payment(std::vector<chain::TxOutput> outputs,
                                                          const MempoolPolicy& policy,
                                                          const PaymentTerms& terms = {});

    /// Takes a block as a node does from a peer, if it is valid and its parent known, and follows
    /// it where its branch has the most work (see BranchChoice). What it leaves unconfirmed returns
    /// to the mempool. A block of that branch may turn out wrong then, and is not known any more.
    BlockVerdict offer_block(chain::Block block, FutureTimes future_times = FutureTimes::refused);

    /// Takes an unconfirmed transaction; those in the mempool that spend one of its inputs, and
    /// their descendants, leave it (replacement without rules). One that is there already changes
    /// nothing.
    chain::Txid submit(chain::Transaction transaction);
    /// Takes an unconfirmed transaction as a node does from a peer: if Bitcoin Core would with its
    /// default policy, as far as `policy` says (see check_acceptance()). One that is there already
    /// changes nothing.
    chain::Expected<chain::Txid, Rejection> offer(chain::Transaction transaction,
                                                  const MempoolPolicy& policy = {});
    /// Removes an unconfirmed transaction with all that descend from it, as if it had expired.
    /// Returns whether it was there.
    bool drop(const chain::Txid& txid);

    /// Leaves the active chain at `fork_height` (below the tip) and mines `count` empty blocks
    /// there, so many that the new branch has more work. The dropped transactions return to the
    /// mempool where they are still valid and `dropped` says so. Costs time in proportion to the
    /// chain.
    enum class Dropped : std::uint8_t { to_mempool, forgotten };
    void reorganise(std::uint32_t fork_height, std::uint32_t count,
                    Dropped dropped = Dropped::to_mempool);
    /// Reorganises to a branch that is one block longer, with these transactions in its first
    /// block, which collects no fees.
    void reorganise_with(std::uint32_t fork_height, std::vector<chain::Transaction> transactions);

    /// Takes a block and all that descend from it off the active chain, for good, and follows the
    /// best branch that is left (Bitcoin Core: invalidateblock). What the last ten confirmed
    /// returns to the mempool where it is still valid. The genesis block stays: a violated
    /// precondition, as is a block that is not known.
    void invalidate(const chain::BlockHash& hash);
    /// Takes that back, for the block's ancestors and descendants, too (reconsiderblock).
    void reconsider(const chain::BlockHash& hash);

private:
    class State;
    std::unique_ptr<State> state_;
};

}  // namespace petal::net
