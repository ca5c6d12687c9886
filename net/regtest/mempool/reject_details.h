/// Bitcoin Core's words about a refused transaction, beside the reason.
#pragma once

#include <string>

#include "chain/transaction.h"
#include "net/regtest/mempool/acceptance.h"
#include "net/regtest/mempool/regtest_mempool.h"
#include "net/regtest/mempool/reject_reason.h"

namespace petal::net {

/// The reason and, behind a comma, Bitcoin Core's debug message where it has one
/// (ValidationState::ToString).
/// rejection   what check_acceptance() says of the transaction with the same mempool and policy
std::string reject_details(const RegtestMempool& mempool, const chain::Transaction& transaction,
                           const MempoolPolicy& policy, const Rejection& rejection);

}  // namespace petal::net
