/// Outputs that cost more to spend than their value.
#pragma once

#include "chain/bytes.h"
#include "chain/transaction.h"

namespace petal::chain {

/// The minimum value of an output that nodes relay, at 3,000 satoshi per 1,000 vB (Bitcoin Core:
/// GetDustThreshold). 0 for unspendable outputs.
Satoshis dust_threshold(ByteView script_pubkey);

}  // namespace petal::chain
