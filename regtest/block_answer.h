/// A node's answers to requests for blocks, honest or faulty.
#pragma once

#include <vector>

#include "net/wire/messages.h"
#include "regtest/chain/regtest_block.h"
#include "regtest/fault_plan.h"

namespace petal::regtest {

/// A merkleblock that proves those of the block's transactions for which `matches` is true, and
/// those transactions without witness, in order (Bitcoin Core: ProcessGetBlockData); with the
/// faults in it that strike at this block.
std::vector<net::Message> make_filtered_answer(const RegtestBlock& block, std::vector<bool> matches,
                                               FaultPlan& faults);

/// The block message, with or without witnesses, with the faults in it that strike at this block:
/// corrupt_proof changes its last transaction, foreign_proof its header, withhold_transaction
/// leaves transactions out.
net::FullBlock make_full_answer(RegtestBlock block, bool with_witnesses, FaultPlan& faults);

}  // namespace petal::regtest
