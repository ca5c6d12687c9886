/// The weight of what a wallet signs.
#pragma once

#include <cstddef>
#include <span>

#include "chain/bytes.h"
#include "chain/transaction.h"
#include "wallet/descriptors/descriptor.h"
#include "wallet/spending/input_coin.h"
#include "wallet/spending/spend_form.h"

namespace petal::wallet {

/// The size of inputs that spend multisig, of which others sign.
/// required       how many keys sign
/// script_bytes   of multi() or sortedmulti() itself
InputSize multisig_input_size(ScriptWrapping wrapping, std::size_t required,
                              std::size_t script_bytes);

/// The weight of a signed input. ECDSA signatures are taken to have 71 bytes with their hash type,
/// the most that one with low R has, or 72 where others sign. One in a hundred with low R is a byte
/// or more shorter, and every second one of theirs if they make it as it comes.
std::size_t input_weight(const SpendForm& form);

/// Whether the input's signatures are in its witness.
bool signs_in_witness(const SpendForm& form);

/// The weight of an output.
std::size_t output_weight(chain::ByteView script_pubkey);

/// The weight that a transaction without signatures has once it is signed.
/// coins   what its inputs spend, in their order
std::size_t signed_weight(const chain::Transaction& transaction, std::span<const InputCoin> coins);

}  // namespace petal::wallet
