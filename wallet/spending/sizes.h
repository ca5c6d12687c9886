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

/// The size of inputs that spend multisig, with signatures of other signers.
/// required       number of signatures
/// script_bytes   of multi() or sortedmulti() itself
InputSize multisig_input_size(ScriptWrapping wrapping, std::size_t required,
                              std::size_t script_bytes);

/// The weight of a signed input. ECDSA signatures are assumed to have 71 bytes with their hash
/// type, the maximum with low R, or 72 for other signers. One in a hundred signatures with low R is
/// a byte or more shorter; so is every second one of signers that do not grind for low R.
std::size_t input_weight(const SpendForm& form);

/// Whether the input's signatures are in its witness.
bool signs_in_witness(const SpendForm& form);

/// The weight of an output.
std::size_t output_weight(chain::ByteView script_pubkey);

/// The weight of a transaction without signatures once it is signed.
/// coins   spent by its inputs, in their order
std::size_t signed_weight(const chain::Transaction& transaction, std::span<const InputCoin> coins);

/// The virtual size of another unconfirmed transaction as nodes have it. One that a block confirmed
/// meanwhile may be stored without its witnesses, as an own input shows: each counts as its form
/// needs, or as a key's (P2WPKH). The witness of a foreign input, which a peer may have enlarged
/// since no txid covers it, counts as 100 vB at most. forms   of the outputs that its inputs spend,
/// in their order; empty if foreign
std::size_t unconfirmed_size(const chain::Transaction& transaction,
                             std::span<const std::optional<SpendForm>> forms);

}  // namespace petal::wallet
