/// The history of a regtest chain.
#pragma once

#include <cstdint>
#include <vector>

#include "chain/block_header.h"
#include "chain/transaction.h"

namespace petal::regtest {

/// The changes of a chain, in order: replayed by offer_block(), invalidate() and reconsider(), they
/// make it again.
struct ChainRecord {
    enum class Kind : std::uint8_t { block, invalidated, reconsidered };
    Kind kind = Kind::block;
    chain::BlockHash hash;
};

/// Blocks, marks and transactions in the order of their arrival.
class ChainHistory {
public:
    /// All blocks that the chain knows but the genesis block, and the marks of invalidate() and
    /// reconsider(); blocks, too, that turned out wrong after they had been taken.
    const std::vector<ChainRecord>& records() const { return records_; }
    /// All transactions that submit() has accepted, which a node announces. (Transactions that a
    /// reorganisation returns to the mempool are not announced again.)
    const std::vector<chain::Txid>& submitted() const { return submitted_; }
    /// Grows with every change of tip and mempool, so that a server of the chain can notice.
    std::uint64_t revision() const { return revision_; }

    void add(const ChainRecord& record) { records_.push_back(record); }
    void add_submitted(const chain::Txid& txid) { submitted_.push_back(txid); }
    /// Tip or mempool have changed.
    void note_change() { ++revision_; }

private:
    std::vector<ChainRecord> records_;
    std::vector<chain::Txid> submitted_;
    std::uint64_t revision_ = 0;
};

}  // namespace petal::regtest
