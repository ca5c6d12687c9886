/// A regtest block chain in memory, that mines itself: what the embedded node serves.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "chain/block_header.h"
#include "chain/bytes.h"
#include "chain/transaction.h"

namespace petal::net {

/// A whole block.
struct Block {
    chain::BlockHeader header;
    std::vector<chain::Transaction> transactions;  ///< the coinbase first
    std::vector<chain::Txid> txids;                ///< of each, in the same order
};

/// One block chain with its mempool, for tests: nothing is signed, scripts are not run, but every input
/// spends an existing output, amounts add up, and blocks carry valid regtest work.
/// Deterministic: the same calls make the same chain. Violating a precondition is a bug in the test
/// (std::invalid_argument).
class RegtestChain {
public:
    /// The regtest genesis block alone. Block times go up from `first_time` (Unix seconds), ten minutes
    /// a block; 0 for the genesis block's.
    explicit RegtestChain(std::int64_t first_time = 0);

    std::uint32_t height() const;
    chain::BlockHash tip() const;
    /// A block of the active chain.
    const Block& block_at(std::uint32_t height) const;
    /// A block of any branch; null where there is none.
    const Block* find(const chain::BlockHash& hash) const;
    /// Its height, on any branch.
    std::optional<std::uint32_t> height_of(const chain::BlockHash& hash) const;
    bool is_active(const chain::BlockHash& hash) const;

    /// Mines `count` blocks on the tip, the first with the mempool's transactions in it; the coinbases pay
    /// `script_pubkey` (an anyone-can-spend script where empty).
    void mine(std::uint32_t count = 1, chain::ByteView script_pubkey = {});
    /// Mines one block with exactly these transactions, which leave the mempool, beside the coinbase.
    const Block& mine_block(std::vector<chain::Transaction> transactions,
                            chain::ByteView coinbase_script = {});

    /// Makes a transaction that pays `outputs` out of the chain's own purse (matured anyone-can-spend
    /// coins that it mines for itself as needed, so this may extend the chain once, at the start), with
    /// the change back to the purse. Not yet in the mempool or a block.
    chain::Transaction make_payment(std::vector<chain::TxOutput> outputs);
    /// make_payment of one output, put into the mempool.
    chain::Txid pay(chain::ByteView script_pubkey, chain::Satoshis value);
    /// A transaction that spends exactly these outputs (of the chain or the mempool), not yet in the mempool.
    chain::Transaction make_spend(std::span<const chain::Outpoint> inputs,
                                  std::vector<chain::TxOutput> outputs);

    /// Takes an unconfirmed transaction; those in the mempool that spend one of its inputs, and their
    /// descendants, leave it (replacement without rules).
    chain::Txid submit(chain::Transaction transaction);
    /// The mempool in topological order.
    const std::vector<chain::Transaction>& mempool() const;
    const chain::Transaction* find_in_mempool(const chain::Txid& txid) const;

    /// Leaves the active chain at `fork_height` (below the tip) and mines `count` empty blocks there, so
    /// many that the new branch has more work. The dropped transactions return to the mempool where they
    /// are still valid and `keep` says so.
    enum class Dropped : std::uint8_t { to_mempool, forgotten };
    void reorganise(std::uint32_t fork_height, std::uint32_t count, Dropped dropped = Dropped::to_mempool);

    /// Unspent outputs of the active chain (mempool not counted) by script: the truth that a wallet's
    /// ledger is compared with.
    std::map<chain::Outpoint, chain::TxOutput> unspent(chain::ByteView script_pubkey) const;

    /// Grows with every change of tip and mempool, so that whoever serves the chain can notice.
    std::uint64_t revision() const;
};

}  // namespace petal::net
