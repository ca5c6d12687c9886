/// Signs the inputs of a PSBT.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "chain/expected.h"
#include "chain/script/signature_hash.h"
#include "wallet/keys/secp256k1.h"
#include "wallet/psbt/psbt.h"
#include "wallet/psbt/spent_script.h"

namespace petal::wallet {

/// Adds signatures to a PSBT, key by key.
class PsbtSigner {
public:
    /// `psbt` must outlive the signer. The spent outputs must not change.
    /// hash_type   the user's choice. By default SIGHASH_ALL, and for taproot SIGHASH_DEFAULT, or
    ///             SIGHASH_ALL if the input requires SIGHASH_ALL
    /// auxiliary   fresh random bytes (BIP340)
    PsbtSigner(Psbt& psbt, std::optional<std::uint32_t> hash_type,
               const SecretArray<32>& auxiliary);

    /// Signs an input with a key: P2PKH, P2WPKH, P2PK and multisig, bare or within P2SH or P2WSH,
    /// and the key path of P2TR. Keeps a valid ECDSA signature of this key. Returns false, and
    /// changes nothing, if the key is not a key of the input or the input is final.
    ///
    /// Except for taproot, requires `known` or the full previous transaction. A segwit version 0
    /// signature covers only the amount of its own input: from two PSBTs, each with one false
    /// amount, an attacker could combine a transaction with a fee that the user never saw
    /// (CVE-2020-14199).
    ///
    /// known   the spent output, if the wallet knows it
    chain::Expected<bool, PsbtInputFault> sign(std::size_t input, const PrivateKey& key,
                                               const std::optional<chain::TxOutput>& known);

private:
    chain::Expected<std::uint32_t, PsbtInputFault> choose_hash_type(std::size_t input,
                                                                    bool is_taproot) const;
    chain::Expected<bool, PsbtInputFault> sign_ecdsa(std::size_t input, const SpentScript& spent,
                                                     const PrivateKey& key, bool is_known);
    chain::Expected<bool, PsbtInputFault> sign_taproot(std::size_t input, const SpentScript& spent,
                                                       const PrivateKey& key);

    Psbt& psbt_;
    std::optional<std::uint32_t> hash_type_;
    const SecretArray<32>& auxiliary_;
    chain::SighashCache cache_;
};

}  // namespace petal::wallet
