/// Blocks in the format of Bitcoin Core's RPC.
#pragma once

#include <cstdint>
#include <string>

#include "regtest/chain/regtest_chain.h"
#include "regtest/rpc/rpc_arguments.h"
#include "regtest/rpc/rpc_json.h"

namespace petal::regtest::rpc {

/// The target of every regtest block. Half of all hashes meet it.
inline constexpr const char* kTarget =
    "7fffff0000000000000000000000000000000000000000000000000000000000";
inline constexpr double kDifficulty = 4.656542373906925e-10;
/// The expected number of hashes for a block.
inline constexpr std::uint64_t kWorkEach = 2;

/// The number in hexadecimal with at least this many digits.
std::string hex_number(std::uint64_t number, int digits);
/// The work of a chain up to this height.
std::string chainwork_at(std::uint32_t height);

/// A block of any branch. Throws `not_found`.
const Chainstate::Entry& find_block(const RegtestChain& chain, const chain::BlockHash& hash);
/// The block of an argument that is a height of the active chain or the hash of any block. Throws
/// like Bitcoin Core's ParseHashOrHeight.
const Chainstate::Entry& find_block(const RegtestChain& chain, const Json& hash_or_height);

/// The result of getblockheader.
Json header_json(const RegtestChain& chain, const Chainstate::Entry& entry);

}  // namespace petal::regtest::rpc
