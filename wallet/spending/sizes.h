/// The weight of signed transactions.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "chain/bytes.h"
#include "chain/transaction.h"
#include "wallet/descriptors/descriptor.h"
#include "wallet/spending/input_coin.h"
#include "wallet/spending/spend_form.h"

namespace petal::wallet {

/// The size of an input that spends multisig, with signatures of foreign signers.
/// required       the number of signatures
/// script_bytes   the size of the multisig script
InputSize multisig_input_size(ScriptWrapping wrapping, std::size_t required,
                              std::size_t script_bytes);

/// The weight of a signed input. ECDSA signatures, with hash type, count as 71 bytes (the maximum
/// with low R), or as 72 bytes for foreign signers. One in a hundred signatures with low R is
/// shorter, and every second signature of a signer that does not grind for low R.
std::size_t input_weight(const SpendForm& form);

/// Whether the signatures are in the witness.
bool signs_in_witness(const SpendForm& form);

/// The weight of an output.
std::size_t output_weight(chain::ByteView script_pubkey);

/// The weight of an unsigned transaction after signing.
/// coins   the spent coins, in the order of the inputs
std::size_t signed_weight(const chain::Transaction& transaction, std::span<const InputCoin> coins);

/// The virtual size of an unconfirmed transaction in a node's mempool.
/// - If the transaction was stored without witnesses, since a block had it meanwhile, each witness
///   counts as its form requires, or as P2WPKH for a foreign input.
/// - The witness of a foreign input counts as at most 100 vB, because no txid covers it and a peer
///   may have enlarged it.
///
/// forms   of the spent outputs, in the order of the inputs. Empty if foreign
std::size_t unconfirmed_size(const chain::Transaction& transaction,
                             std::span<const std::optional<SpendForm>> forms);

}  // namespace petal::wallet
