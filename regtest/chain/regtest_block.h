/// Blocks of a regtest chain, and how they are made.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chain/block_header.h"
#include "chain/transaction.h"

namespace petal::regtest {

/// A full block with the txids of its transactions, which chain::Block does not have.
struct RegtestBlock {
    chain::BlockHeader header;
    std::vector<chain::Transaction> transactions;  ///< coinbase first
    std::vector<chain::Txid> txids;                ///< in the order of `transactions`
};

/// The genesis block of every regtest chain.
RegtestBlock make_genesis_block();

/// The subsidy at this height: 50 bitcoin, halved every 150 blocks (Bitcoin Core: CRegTestParams).
chain::Satoshis block_subsidy(std::uint32_t height);

/// A coinbase. Its script has the height (BIP34), then `extra_nonce`, which makes the coinbases of
/// two branches differ.
chain::Transaction make_coinbase(std::uint32_t height, std::uint32_t extra_nonce,
                                 chain::TxOutput output);

/// Adds the witness commitment (BIP141) to the coinbase, which is the first transaction, if another
/// transaction has a witness. `txids` are the txids of the other transactions.
void commit_to_witnesses(std::vector<chain::Transaction>& transactions,
                         std::span<const chain::Txid> txids);

/// Whether a header claims regtest's target, which never changes.
bool has_regtest_bits(const chain::BlockHeader& header);
/// Whether a header meets its own target, which must not be above regtest's.
bool has_claimed_work(const chain::BlockHeader& header);
/// Whether a header has regtest's target and meets it.
bool has_regtest_work(const chain::BlockHeader& header);

/// A block of these transactions on `previous`, with a nonce that meets regtest's target. The first
/// transaction is the coinbase. `txids` are the txids of the transactions.
RegtestBlock mine_block_on(const chain::BlockHash& previous, std::uint32_t time,
                           std::vector<chain::Transaction> transactions,
                           std::vector<chain::Txid> txids);

}  // namespace petal::regtest
