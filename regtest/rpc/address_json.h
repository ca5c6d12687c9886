/// Addresses in the format of Bitcoin Core's RPC.
#pragma once

#include "chain/bytes.h"
#include "regtest/rpc/rpc_json.h"

namespace petal::regtest::rpc {

/// Adds `isscript`, `iswitness` and, for a witness program, `witness_version` and `witness_program`
/// of a script with an address (Bitcoin Core: DescribeAddress).
void add_address_details(Json& json, chain::ByteView script);

}  // namespace petal::regtest::rpc
