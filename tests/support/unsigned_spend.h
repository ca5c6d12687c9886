/// Transactions without signatures.
#pragma once

#include <span>
#include <vector>

#include "chain/transaction.h"
#include "net/regtest/chain/regtest_chain.h"

namespace petal::test {

/// A transaction that spends exactly these outputs, not yet in the mempool. They may be spent
/// already, for a replacement, or not exist yet. Inputs that spend a witness program of the chain's
/// get a witness of the usual size without a meaning.
chain::Transaction make_spend(const net::RegtestChain& chain,
                              std::span<const chain::Outpoint> inputs,
                              std::vector<chain::TxOutput> outputs);

}  // namespace petal::test
