/// All blocks of a server's best chain, read whole from the server itself.
#pragma once

#include <set>
#include <vector>

#include "tests/integration/key_book.h"
#include "tests/integration/server.h"

namespace petal::test {

/// The server's full blocks, brought up to date by reading those that are new.
class BlockLog {
public:
    explicit BlockLog(Server& server) : server_(server) {}

    /// By height, from the genesis block on. The reference lasts until the next call.
    const std::vector<net::Block>& blocks();

private:
    Server& server_;
    std::vector<net::Block> blocks_;
    std::vector<chain::BlockHash> hashes_;
};

/// The coins that a server's chain mines for the tests to pay with.
class Treasury {
public:
    Treasury();

    /// Where coinbases go.
    const chain::Bytes& script() const { return script_; }

    /// A signed transaction that pays `outputs`, first and in their order, with confirmed coins of
    /// the treasury, each of which is used once only. Not sent to anybody.
    chain::Transaction pay(BlockLog& log, std::vector<chain::TxOutput> outputs);
    /// The same once more, with the same inputs and other outputs: a conflicting transaction that
    /// pays a higher fee.
    chain::Transaction pay_instead(const chain::Transaction& original,
                                   std::vector<chain::TxOutput> outputs);

private:
    SpendableOutput next_coin(BlockLog& log);
    chain::Transaction make(const SpendableOutput& coin, std::vector<chain::TxOutput> outputs,
                            chain::Satoshis fee_rate) const;

    KeyBook book_;
    chain::Bytes script_;
    std::set<chain::Outpoint> used_;
    std::map<chain::Outpoint, SpendableOutput> coins_;
};

/// Enough for every node to relay and mine a transaction of these sizes, in satoshi.
chain::Satoshis fee_for(std::size_t inputs, std::size_t outputs, chain::Satoshis per_vbyte = 5);

}  // namespace petal::test
