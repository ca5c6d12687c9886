/// The weight of what a wallet signs.
#pragma once

#include <cstddef>
#include <span>

#include "chain/bytes.h"
#include "chain/transaction.h"
#include "wallet/keys/key_path.h"
#include "wallet/spending/input_coin.h"

namespace petal::wallet {

/// The weight of a signed input. ECDSA signatures are taken to have 71 bytes with their hash type,
/// the most that one with low R has. One in a hundred is a byte or more shorter.
std::size_t input_weight(ScriptKind kind);

/// Whether the input's signature is in its witness.
bool signs_in_witness(ScriptKind kind);

/// The weight of an output.
std::size_t output_weight(chain::ByteView script_pubkey);

/// The weight that a transaction without signatures has once it is signed.
/// coins   what its inputs spend, in their order
std::size_t signed_weight(const chain::Transaction& transaction, std::span<const InputCoin> coins);

}  // namespace petal::wallet
