/// Answers to requests for blocks, honest or faulty.
#pragma once

#include <vector>

#include "net/wire/messages.h"
#include "regtest/chain/regtest_block.h"
#include "regtest/fault_plan.h"

namespace petal::regtest {

/// A merkleblock that proves the transactions with `matches`, then these transactions without
/// witnesses, in order (Bitcoin Core: ProcessGetBlockData). Includes the faults that are due at
/// this block.
std::vector<net::Message> make_filtered_answer(const RegtestBlock& block, std::vector<bool> matches,
                                               FaultPlan& faults);

/// A block message, with or without witnesses. Includes the faults that are due at this block:
/// corrupt_proof changes the last transaction, foreign_proof changes the header, and
/// withhold_transaction leaves out transactions.
net::FullBlock make_full_answer(RegtestBlock block, bool with_witnesses, FaultPlan& faults);

}  // namespace petal::regtest
