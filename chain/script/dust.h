/// Outputs that are worth less than it costs to spend them.
#pragma once

#include "chain/bytes.h"
#include "chain/transaction.h"

namespace petal::chain {

/// The least value of an output that nodes relay, at 3,000 satoshi per 1,000 vB (Bitcoin Core:
/// GetDustThreshold); 0 for outputs that cannot be spent.
Satoshis dust_threshold(ByteView script_pubkey);

}  // namespace petal::chain
