/// Sighash types, as Bitcoin Core's RPC names them.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace petal::cli {

/// DEFAULT, ALL, NONE, SINGLE, and the last three with |ANYONECANPAY.
const std::vector<std::pair<std::string, std::uint32_t>>& sighash_names();

/// The name of a type. The number in decimal if the type has no name.
std::string sighash_name(std::uint32_t type);

}  // namespace petal::cli
