/// Scripts as Bitcoin Core's RPC shows them.
#pragma once

#include <string>

#include "chain/bytes.h"
#include "cli/rpc/rpc_json.h"

namespace petal::cli::rpc {

/// Whether pushes that look like a signature are shown with the name of their hash type: those of
/// scriptSigs.
enum class ShownPushes : std::uint8_t { plain, signatures };

/// The operations in words (Bitcoin Core: ScriptToAsmStr).
std::string script_asm(chain::ByteView script, ShownPushes pushes = ShownPushes::plain);

/// Whether all operations of the script exist and none pushes too much (Bitcoin Core:
/// CScript::HasValidOps).
bool has_valid_operations(chain::ByteView script);

/// A descriptor with its checksum that stands for this script alone, as far as the script itself
/// shows it.
std::string script_descriptor(chain::ByteView script_pubkey);

/// `{"asm","desc","hex","address","type"}` of an output script.
Json script_pubkey_json(chain::ByteView script_pubkey);

}  // namespace petal::cli::rpc
