/// Why a PSBT's input can't be signed or finalized.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "chain/bytes.h"
#include "chain/transaction_rules.h"

namespace petal::wallet {

enum class PsbtInputFault : std::uint8_t {
    no_utxo,               ///< the spent output is not known
    no_redeem_script,      ///< missing for a P2SH output
    no_witness_script,     ///< missing for a P2WSH output
    wrong_redeem_script,   ///< does not match the output's hash
    wrong_witness_script,  ///< does not match the output's hash
    hash_type_not_asked,   ///< the input requires another hash type than the user
    no_matching_output,    ///< SIGHASH_SINGLE without an output of the same index
    no_full_transaction,   ///< required, since the amount may be fabricated
    unproven_fee,  ///< like no_full_transaction, but for a foreign input, next to which signing is
                   ///< a risk
    contradicts_wallet,  ///< the spent output differs from the wallet's data
    frozen,              ///< spends a coin of the wallet that is frozen by a label (BIP329)
    unknown_outputs,  ///< taproot: the signature covers all spent outputs, and some are not known
    unsupported,      ///< the script's template is not supported
    incomplete,       ///< signatures are missing
    wrong_hash_type,  ///< a signature has another hash type than the input requires
    wrong_signature,
    wrong_final_scripts,  ///< the final scriptSig and witness do not satisfy the script
    too_large,            ///< verifying signatures would take too long
};

/// Part of a sentence about the input.
std::string_view describe(PsbtInputFault fault);

/// An input of a PSBT and its fault.
struct PsbtInputError {
    std::size_t input = 0;
    PsbtInputFault fault = PsbtInputFault::no_utxo;
    /// The public keys of the wrong signatures (for taproot: the output key), if any.
    std::vector<chain::Bytes> keys = {};

    friend bool operator==(const PsbtInputError&, const PsbtInputError&) = default;
};

/// A sentence without a full stop.
std::string describe(const PsbtInputError& error);

/// Why a PSBT can't be signed, or its transaction can't be extracted.
using PsbtFlaw = std::variant<PsbtInputError, chain::TransactionFlaw>;
std::string describe(const PsbtFlaw& flaw);

}  // namespace petal::wallet
