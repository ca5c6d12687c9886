/// Why an input of a PSBT can't be signed or finalized.
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
    no_utxo,               ///< the output that the input spends is not known
    no_redeem_script,      ///< of a P2SH output
    no_witness_script,     ///< of a P2WSH output
    wrong_redeem_script,   ///< its hash is not that of the output
    wrong_witness_script,  ///< the witness script does not have the hash in the output
    hash_type_not_asked,   ///< the input demands another hash type than the user
    no_matching_output,    ///< SIGHASH_SINGLE, but there is no output of the input's number
    no_full_transaction,   ///< needed because the amount could be fabricated
    unproven_fee,          ///< the same for a foreign input, beside which signing is a risk
    contradicts_wallet,    ///< it spends another output than the wallet knows
    frozen,                ///< it spends a coin of the wallet's that a label freezes (BIP329)
    unknown_outputs,  ///< taproot: the signature covers the outputs that the other inputs spend
    unsupported,      ///< a script of another template than those that are finalized
    incomplete,       ///< signatures are missing
    wrong_hash_type,  ///< a signature has another hash type than the input demands
    wrong_signature,
    wrong_final_scripts,  ///< the final scriptSig and witness do not satisfy the script
    too_large,            ///< verifying signatures would take too long
};

/// Part of a sentence about the input.
std::string_view describe(PsbtInputFault fault);

/// The number of a PSBT's input that is at fault.
struct PsbtInputError {
    std::size_t input = 0;
    PsbtInputFault fault = PsbtInputFault::no_utxo;
    /// The public keys of the signatures at fault, with taproot the output key; else empty.
    std::vector<chain::Bytes> keys = {};

    friend bool operator==(const PsbtInputError&, const PsbtInputError&) = default;
};

/// A sentence without its full stop.
std::string describe(const PsbtInputError& error);

/// Why a PSBT can't be signed, or no transaction be extracted from it: a fault of an input, or of
/// the transaction.
using PsbtFlaw = std::variant<PsbtInputError, chain::TransactionFlaw>;
std::string describe(const PsbtFlaw& flaw);

}  // namespace petal::wallet
