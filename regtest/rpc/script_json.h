/// Scripts in the format of Bitcoin Core's RPC.
#pragma once

#include <string>

#include "chain/bytes.h"
#include "regtest/rpc/rpc_json.h"

namespace petal::regtest::rpc {

/// Whether pushes that look like signatures are shown with the name of the hash type, as for a
/// scriptSig.
enum class ShownPushes : std::uint8_t { plain, signatures };

/// The script in assembly (Bitcoin Core: ScriptToAsmStr).
std::string script_asm(chain::ByteView script, ShownPushes pushes = ShownPushes::plain);

/// Whether all operations of the script exist, and no push is too large (Bitcoin Core:
/// CScript::HasValidOps).
bool has_valid_operations(chain::ByteView script);

/// The object `{"asm","desc","hex","address","type"}` of an output script.
Json script_pubkey_json(chain::ByteView script_pubkey);

}  // namespace petal::regtest::rpc
