/// Assembles blocks on a regtest chain's tip.
#pragma once

#include <cstdint>
#include <vector>

#include "chain/bytes.h"
#include "chain/transaction.h"
#include "regtest/chain/chainstate.h"
#include "regtest/chain/regtest_block.h"
#include "regtest/mempool/regtest_mempool.h"

namespace petal::regtest {

/// The contents of a block besides the coinbase.
struct BlockContents {
    std::vector<chain::Transaction> transactions;
    std::vector<chain::Txid> txids;  ///< of the transactions, in the same order
    chain::Satoshis fees = 0;        ///< that the coinbase collects
};

/// The mempool's transactions that fit into a block (Bitcoin Core: BlockAssembler).
BlockContents contents_of(const RegtestMempool& mempool);
/// These transactions, whose fees are not collected, like with Bitcoin Core's generateblock;
/// std::invalid_argument if the next block can't hold them.
BlockContents checked_contents(std::vector<chain::Transaction> transactions,
                               TransactionLayer empty_layer);

/// A block on the tip, which is not on the chain yet; std::invalid_argument for too many
/// transactions.
/// script   the output script of the coinbase
RegtestBlock assemble_block(const Chainstate& blocks, std::uint32_t time, BlockContents contents,
                            chain::Bytes script);

}  // namespace petal::regtest
