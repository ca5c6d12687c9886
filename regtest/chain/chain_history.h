/// The history of a regtest chain.
#pragma once

#include <cstdint>
#include <vector>

#include "chain/block_header.h"
#include "chain/transaction.h"

namespace petal::regtest {

/// The changes of a chain, in order. Replaying them with offer_block(), invalidate() and
/// reconsider() makes the same chain.
struct ChainRecord {
    enum class Kind : std::uint8_t { block, invalidated, reconsidered };
    Kind kind = Kind::block;
    chain::BlockHash hash;
};

/// Blocks, marks and transactions in order of arrival.
class ChainHistory {
public:
    /// All blocks except the genesis block, and the marks of invalidate() and reconsider().
    /// Includes blocks that were found invalid after they were accepted.
    const std::vector<ChainRecord>& records() const { return records_; }
    /// All transactions that submit() accepted, which a node announces. Transactions that return to
    /// the mempool after a reorganisation are not announced again.
    const std::vector<chain::Txid>& submitted() const { return submitted_; }
    /// Grows with every change of the tip or the mempool, so that a server can detect changes.
    std::uint64_t revision() const { return revision_; }

    void add(const ChainRecord& record) { records_.push_back(record); }
    void add_submitted(const chain::Txid& txid) { submitted_.push_back(txid); }
    /// The tip or the mempool changed.
    void advance_revision() { ++revision_; }

private:
    std::vector<ChainRecord> records_;
    std::vector<chain::Txid> submitted_;
    std::uint64_t revision_ = 0;
};

}  // namespace petal::regtest
