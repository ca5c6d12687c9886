/// What a regtest chain consists of; its interface is regtest_chain.h.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "net/regtest/chain/branch_choice.h"
#include "net/regtest/chain/chainstate.h"
#include "net/regtest/chain/regtest_chain.h"
#include "net/regtest/chain/regtest_purse.h"
#include "net/regtest/mempool/acceptance.h"

namespace petal::net {

/// Mines on a chainstate: its mempool, its purse and the times of its blocks.
class RegtestChain::State {
public:
    explicit State(const RegtestChainOptions& options);

    void set_time(std::optional<std::int64_t> time) { time_ = time; }

    void mine_mempool(chain::ByteView script);
    const Block& mine_exactly(std::vector<chain::Transaction> transactions, chain::ByteView script);
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
    chain::Transaction make_payment(std::vector<chain::TxOutput> outputs);
    chain::Expected<chain::Txid, Rejection> offer_payment(std::vector<chain::TxOutput> outputs,
                                                          const MempoolPolicy& policy);

    const Chainstate& blocks() const { return blocks_; }
    const RegtestMempool& mempool() const { return mempool_; }
    const RegtestPurse& purse() const { return purse_; }
    const std::vector<chain::Txid>& submitted() const { return submitted_; }
    const std::vector<ChainRecord>& records() const { return records_; }
    std::uint64_t revision() const { return revision_; }

private:
    struct Contents {
        std::vector<chain::Transaction> transactions;
        std::vector<chain::Txid> txids;
        chain::Satoshis fees = 0;
    };

    std::int64_t next_time(const BlockTimes& times) const;
    void require_times(std::uint32_t fork_height, std::uint32_t count) const;
    MempoolArrival arrival(std::uint64_t revision) const;
    TransactionLayer empty_layer() const { return {blocks_.coins(), blocks_.times()}; }
    const Block& append(Block block);
    void take_note(TipChange change);
    Contents checked(std::vector<chain::Transaction> transactions) const;
    Block make_block(Contents contents, chain::ByteView script) const;
    const Block& mine_contents(Contents contents, chain::ByteView script);
    const Block& mine_checked(std::vector<chain::Transaction> transactions, chain::ByteView script);
    void revalidate_mempool(std::vector<chain::Transaction> returned = {});
    void fill_purse();
    chain::Transaction spend_purse(std::vector<chain::TxOutput> outputs);

    std::int64_t base_time_;
    std::optional<std::int64_t> time_;
    std::function<std::int64_t()> clock_;
    std::optional<TransactionChecks> checks_of_returned_;
    Chainstate blocks_;
    RegtestMempool mempool_;
    RegtestPurse purse_;
    bool purse_is_filled_;  // or is never filled
    std::vector<chain::Txid> submitted_;
    std::vector<ChainRecord> records_;
    std::uint64_t revision_ = 0;
};

}  // namespace petal::net
