/// The scripts of a PSBT's input, and how they are satisfied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/script/signature_hash.h"
#include "chain/transaction.h"
#include "wallet/psbt/input_fault.h"
#include "wallet/psbt/psbt.h"

namespace petal::wallet {

enum class SignatureKind : std::uint8_t { legacy, segwit, taproot };

/// The output that an input spends, and its scripts.
struct SpentScript {
    chain::TxOutput output;
    SignatureKind signature = SignatureKind::legacy;
    /// The innermost script, which signatures cover. For P2WPKH, the P2PKH script of the same hash
    /// (BIP143). For P2TR, the output's script.
    chain::Bytes script;
    chain::Bytes redeem_script = {};   ///< for P2SH, otherwise empty
    chain::Bytes witness_script = {};  ///< for P2WSH, otherwise empty

    /// The signature hash of an input. Not for taproot. `hash_type` must be at most 255.
    chain::Hash256 hash(const chain::SighashCache& cache, std::size_t input,
                        std::uint32_t hash_type) const;
    /// Whether this public key, in the form in the script, is a signing key, by hash or as a key.
    /// Not for taproot.
    bool is_signed_by(chain::ByteView public_key) const;
    /// Sets an input's scriptSig and witness from the items for the innermost script.
    void spend(chain::TxInput& input, const std::vector<chain::Bytes>& stack) const;
};

/// Finds the scripts of an output.
/// redeem_script, witness_script   as stated in the PSBT. Empty if not stated
chain::Expected<SpentScript, PsbtInputFault> find_script(const chain::TxOutput& output,
                                                         const chain::Bytes& redeem_script,
                                                         const chain::Bytes& witness_script);

/// Finds the scripts of an input.
chain::Expected<SpentScript, PsbtInputFault> find_spent_script(const Psbt& psbt, std::size_t input);

}  // namespace petal::wallet
