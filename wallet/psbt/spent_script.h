/// How an input of a PSBT can be spent, by its scripts.
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

/// The output that an input spends, and the scripts within it.
struct SpentScript {
    chain::TxOutput output;
    SignatureKind signature = SignatureKind::legacy;
    /// The innermost script, which signatures cover: for P2WPKH that of P2PKH with the same hash
    /// (BIP143), for P2TR the output's.
    chain::Bytes script;
    chain::Bytes redeem_script = {};   ///< of P2SH; else empty
    chain::Bytes witness_script = {};  ///< of P2WSH; else empty

    /// The hash that a signature of an input signs; not with taproot. The type is within a byte.
    chain::Hash256 hash(const chain::SighashCache& cache, std::size_t input,
                        std::uint32_t hash_type) const;
    /// Whether this public key, in its form in a script, is one of the signing keys: by its hash,
    /// or in the script itself. Not for taproot.
    bool is_signed_by(chain::ByteView public_key) const;
    /// Adds the items that satisfy the innermost script to an input, with the enclosing scripts.
    void spend(chain::TxInput& input, const std::vector<chain::Bytes>& stack) const;
};

/// The same for an output that nothing has spent yet.
/// redeem_script, witness_script   as stated for it; empty if they are not
chain::Expected<SpentScript, PsbtInputFault> find_script(const chain::TxOutput& output,
                                                         const chain::Bytes& redeem_script,
                                                         const chain::Bytes& witness_script);

/// Finds the scripts of an input.
chain::Expected<SpentScript, PsbtInputFault> find_spent_script(const Psbt& psbt, std::size_t input);

}  // namespace petal::wallet
