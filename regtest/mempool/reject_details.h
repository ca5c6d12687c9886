/// Bitcoin Core's full text about a refused transaction.
#pragma once

#include <cstddef>
#include <string>

#include "chain/transaction.h"
#include "regtest/mempool/acceptance.h"
#include "regtest/mempool/regtest_mempool.h"
#include "regtest/mempool/reject_reason.h"

namespace petal::regtest {

/// The reason and, after a comma, Bitcoin Core's debug message if there is one
/// (ValidationState::ToString).
/// rejection   the result of check_acceptance() with the same arguments
std::string reject_details(const RegtestMempool& mempool, const chain::Transaction& transaction,
                           const MempoolPolicy& policy, const Rejection& rejection);

/// `input 0 of TXID (wtxid WTXID), spending TXID:0`: the text after the reason for a wrong script.
std::string name_input(const chain::Transaction& transaction, std::size_t input);

}  // namespace petal::regtest
