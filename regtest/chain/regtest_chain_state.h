/// The implementation of RegtestChain.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "regtest/chain/block_assembly.h"
#include "regtest/chain/block_filter_index.h"
#include "regtest/chain/branch_choice.h"
#include "regtest/chain/chain_history.h"
#include "regtest/chain/chainstate.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/chain/regtest_clock.h"
#include "regtest/chain/regtest_purse.h"
#include "regtest/mempool/acceptance.h"

namespace petal::regtest {

/// Keeps the mempool and the purse consistent with the blocks.
class RegtestChain::State {
public:
    explicit State(const RegtestChainOptions& options);

    void mine_mempool(chain::ByteView script);
    RegtestBlock mine_exactly(std::vector<chain::Transaction> transactions, chain::ByteView script);
    RegtestBlock mine_made_up(std::vector<chain::Transaction> transactions);
    RegtestBlock assemble(std::vector<chain::Transaction> transactions,
                          chain::ByteView script) const;
    chain::Txid submit(chain::Transaction transaction);
    chain::Expected<chain::Txid, Rejection> offer(chain::Transaction transaction,
                                                  const MempoolPolicy& policy);
    /// first   the transactions of the first block
    void reorganise(std::uint32_t fork_height, std::uint32_t count, Dropped dropped,
                    std::vector<chain::Transaction> first = {});
    BlockVerdict offer_block(chain::Block block, FutureTimes future_times);
    bool drop(const chain::Txid& txid);
    void invalidate(const chain::BlockHash& hash);
    void reconsider(const chain::BlockHash& hash);
    void prefer(const chain::BlockHash& hash);
    chain::Transaction make_payment(std::vector<chain::TxOutput> outputs,
                                    const PaymentTerms& terms = {});
    chain::Expected<chain::Txid, Rejection> offer_payment(std::vector<chain::TxOutput> outputs,
                                                          const MempoolPolicy& policy,
                                                          const PaymentTerms& terms);

    const Chainstate& blocks() const { return blocks_; }
    const BlockFilterIndex& filters() const { return filters_; }
    const RegtestMempool& mempool() const { return mempool_; }
    const RegtestPurse& purse() const { return purse_; }
    const ChainHistory& history() const { return history_; }
    RegtestClock& clock() { return clock_; }

private:
    MempoolArrival arrival(std::uint64_t revision) const;
    void append(const RegtestBlock& block);
    void take_note(TipChange change);
    RegtestBlock make_block(BlockContents contents, chain::ByteView script) const;
    void revalidate_mempool(std::vector<chain::Transaction> returned = {});
    void fill_purse();
    chain::Transaction spend_purse(std::vector<chain::TxOutput> outputs, const PaymentTerms& terms,
                                   std::uint32_t spend_height);

    std::optional<TransactionChecks> checks_of_returned_;
    Chainstate blocks_;
    BlockFilterIndex filters_;
    RegtestClock clock_;
    RegtestMempool mempool_;
    RegtestPurse purse_;
    bool purse_is_filled_;  // or is never filled
    ChainHistory history_;
};

}  // namespace petal::regtest
