/// Signs inputs of PSBTs, key by key.
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

/// Adds signatures to the inputs of one PSBT.
class PsbtSigner {
public:
    /// `psbt` must outlive the signer, and the outputs that its inputs spend must not change.
    /// hash_type   the user's choice; without one, SIGHASH_ALL, with taproot SIGHASH_DEFAULT, or
    ///             SIGHASH_ALL if the input requires it
    /// auxiliary   fresh random bytes (BIP340)
    PsbtSigner(Psbt& psbt, std::optional<std::uint32_t> hash_type,
               const SecretArray<32>& auxiliary);

    /// Signs an input with a key: P2PKH, P2WPKH, P2PK and multisig, alone or within P2SH or P2WSH;
    /// the key path of P2TR. A valid ECDSA signature that is present stays. Returns false, and
    /// changes nothing, if the key is not one of the input's, or the input is final. Before taproot
    /// the full transaction must be present, or the output be known: signatures of segwit's version
    /// 0 cover only the amount of their own input. So two PSBTs that lie about one amount each
    /// would give a transaction with a fee that the user never saw (CVE-2020-14199).
    /// known   the output that the input spends, if the wallet knows it
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
