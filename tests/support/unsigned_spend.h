/// Transactions without signatures.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chain/transaction.h"
#include "regtest/chain/regtest_chain.h"

namespace petal::test {

/// A transaction that spends exactly these outputs and is not yet in the mempool. The outputs may
/// be spent already (for a replacement) or not exist yet. An input that spends a witness program of
/// the chain gets a meaningless witness of the usual size.
chain::Transaction make_spend(const regtest::RegtestChain& chain,
                              std::span<const chain::Outpoint> inputs,
                              std::vector<chain::TxOutput> outputs);

/// Mines a payment of 10,000 satoshi to a script, and `blocks` blocks later a spend of the payment
/// without change.
void pay_and_sweep(regtest::RegtestChain& chain, const chain::Bytes& script, std::uint32_t blocks);

}  // namespace petal::test
