/// Scripts in the format of Bitcoin Core's RPC.
#pragma once

#include <string>

#include "chain/bytes.h"
#include "regtest/rpc/rpc_json.h"

namespace petal::regtest::rpc {

/// Whether pushes that look like a signature are shown with the name of their hash type, as for
/// scriptSigs.
enum class ShownPushes : std::uint8_t { plain, signatures };

/// The operations in words (Bitcoin Core: ScriptToAsmStr).
std::string script_asm(chain::ByteView script, ShownPushes pushes = ShownPushes::plain);

/// Whether all operations of the script exist and none pushes too much (Bitcoin Core:
/// CScript::HasValidOps).
bool has_valid_operations(chain::ByteView script);

/// `{"asm","desc","hex","address","type"}` of an output script.
Json script_pubkey_json(chain::ByteView script_pubkey);

}  // namespace petal::regtest::rpc
