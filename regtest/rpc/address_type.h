/// The names of address types, as in Bitcoin Core.
#pragma once

#include <optional>
#include <string_view>

#include "wallet/keys/key_path.h"

namespace petal::regtest::rpc {

/// `bech32`, `bech32m`, `p2sh-segwit` or `legacy`.
std::string_view name_of(wallet::ScriptKind kind);
/// Empty for an unknown name.
std::optional<wallet::ScriptKind> find_address_type(std::string_view name);

}  // namespace petal::regtest::rpc
