/// Assembles blocks on the tip of a regtest chain.
#pragma once

#include <cstdint>
#include <vector>

#include "chain/bytes.h"
#include "chain/transaction.h"
#include "regtest/chain/chainstate.h"
#include "regtest/chain/regtest_block.h"
#include "regtest/mempool/regtest_mempool.h"

namespace petal::regtest {

/// The contents of a block without the coinbase.
struct BlockContents {
    std::vector<chain::Transaction> transactions;
    std::vector<chain::Txid> txids;  ///< in the order of `transactions`
    chain::Satoshis fees = 0;        ///< collected by the coinbase
};

/// The mempool transactions that fit into a block (Bitcoin Core: BlockAssembler).
BlockContents contents_of(const RegtestMempool& mempool);
/// Exactly these transactions, without collecting their fees, as in Bitcoin Core's generateblock.
/// Throws std::invalid_argument if the next block cannot have them.
BlockContents checked_contents(std::vector<chain::Transaction> transactions,
                               TransactionLayer empty_layer);

/// A block on the tip, not added to the chain. Throws std::invalid_argument if there are too many
/// transactions.
/// script   the output script of the coinbase
RegtestBlock assemble_block(const Chainstate& blocks, std::uint32_t time, BlockContents contents,
                            chain::Bytes script);

}  // namespace petal::regtest
