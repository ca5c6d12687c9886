/// Adds a wallet's data to PSBTs, and signs PSBTs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chain/expected.h"
#include "wallet/descriptors/script_deriver.h"
#include "wallet/psbt/input_fault.h"
#include "wallet/psbt/psbt.h"
#include "wallet/spending/payment.h"
#include "wallet/wallet.h"

namespace petal::wallet {

class PrivateKeys;
class PsbtSigner;

/// A PSBT with signatures of the wallet, and the signed inputs.
struct SignedPsbt {
    Psbt psbt;
    std::vector<std::size_t> inputs;
};

/// Inputs that the wallet signs although it does not watch their scripts, e.g. multisig with
/// foreign keys: the PSBT names a key of the wallet by origin.
struct SharedInputs {
    std::vector<std::size_t> inputs;  ///< ascending
    /// The outputs that provably pay the descriptor of one of these inputs (DescriptorProver),
    /// ascending.
    std::vector<std::size_t> change;
};

/// The signatures that the user allows.
struct PsbtTerms {
    std::optional<std::uint32_t> hash_type = {};  ///< see PsbtSigner
    bool accepts_unproven_fee = false;            ///< PsbtInputFault::unproven_fee is accepted
};

/// Handles PSBTs for a wallet with or without private keys. The wallet must outlive this object.
/// Inputs and outputs belong to the wallet by its own scripts and keys, never by statements of a
/// PSBT. Throws WalletError with damaged if a stored script is not derived from its descriptor.
class PsbtWallet {
public:
    explicit PsbtWallet(const Wallet& wallet) : wallet_(wallet) {}

    /// The PSBT of a payment from Wallet::spendable_coins(), with all data that a signer may need.
    /// Includes the full previous transactions of taproot inputs, because inputs of another wallet,
    /// whose signers need these proofs, may be joined later.
    Psbt create(const Payment& payment);

    /// The wallet's script that an input spends. Empty for an input that is not the wallet's. The
    /// spent output is the wallet's known output or, if unknown, the PSBT's UTXO. A wallet with
    /// private keys owns the scripts with private keys, but not scripts that are only watched.
    std::optional<KeyPath> own_input(const Psbt& psbt, std::size_t input) const;
    /// The wallet's script that an output pays, as for own_input(). Empty for any other output.
    std::optional<KeyPath> own_output(const Psbt& psbt, std::size_t output) const;
    /// Whether the wallet watches a script, with or without a private key.
    bool watches(chain::ByteView script_pubkey) const;
    /// The inputs that are not the wallet's by their scripts, but state a key origin with the
    /// wallet's master fingerprint. This is only a claim, which shared_inputs() verifies.
    std::vector<std::size_t> claimed_inputs(const Psbt& psbt) const;
    /// The claimed_inputs() for which the secret has a named key, and their change (BIP174,
    /// signer). Throws with watch_only.
    SharedInputs shared_inputs(const Psbt& psbt, const SecretBytes& secret) const;
    /// The output that an input spends, if the wallet knows it.
    std::optional<chain::TxOutput> known_utxo(const Psbt& psbt, std::size_t input) const;
    /// known_utxo() or, if unknown, the PSBT's UTXO.
    std::optional<chain::TxOutput> spent_output(const Psbt& psbt, std::size_t input) const;

    /// The inputs that spend coins of the wallet which a confirmed transaction has already spent.
    std::vector<std::size_t> spent_inputs(const Psbt& psbt) const;

    /// Checks a PSBT before signing. Fails if
    /// - the transaction can't be valid,
    /// - an input contradicts the wallet's data or spends a frozen coin,
    /// - the amount of an own input other than taproot is not proven, or
    /// - the amount of any input is not proven, and a signature would not cover all spent outputs
    ///   (before taproot, or SIGHASH_ANYONECANPAY). Otherwise a PSBT could hide an input of the
    ///   wallet, and its value would become fee.
    ///
    /// Also checks final inputs, because a signature from an earlier round spends the real amount
    /// (CVE-2020-14199).
    ///
    /// shared   SharedInputs::inputs, which are treated as own inputs
    chain::Expected<void, PsbtFlaw> check(const Psbt& psbt, const PsbtTerms& terms,
                                          const std::vector<std::size_t>& shared = {}) const;
    /// The inputs with unproven amounts: unknown to the wallet, and without a full transaction.
    std::vector<std::size_t> unproven_inputs(const Psbt& psbt) const;

    /// Adds the wallet's data about inputs and outputs, unless the data contradicts the PSBT.
    /// - Full transactions of taproot inputs are added only if some inputs are not taproot.
    /// - Data about an output is added only if the output pays the owner of an input
    ///   (has_same_owner()). Signers show an output with key origins as change, and an imported
    ///   descriptor may claim any origin.
    Psbt update(Psbt psbt);
    /// Signs the own inputs and shared_inputs() among `inputs`. Fails if check() fails or an input
    /// can't be signed. Adds only the signatures and the records for finalizing the inputs, which
    /// reveal nothing about the outputs. Throws with watch_only.
    ///
    /// inputs      the inputs that the user has confirmed as the wallet's
    /// auxiliary   fresh random bytes (BIP340)
    chain::Expected<SignedPsbt, PsbtFlaw> sign(const Psbt& psbt,
                                               const std::vector<std::size_t>& inputs,
                                               const SecretBytes& secret, const PsbtTerms& terms,
                                               const SecretArray<32>& auxiliary);

private:
    Descriptor read_descriptor(DescriptorNumber number) const;
    std::optional<KeyPath> own_path(chain::ByteView script_pubkey) const;
    std::optional<KeyPath> watched_path(chain::ByteView script_pubkey) const;
    /// Whether an output pays the owner of one of these inputs, by imported descriptors.
    bool pays_watched_descriptor_of(const Psbt& psbt, std::size_t output,
                                    const std::vector<std::size_t>& inputs) const;
    /// Whether a new signature would not cover the amounts of all inputs.
    bool signs_own_amounts_alone(const Psbt& psbt, const PsbtTerms& terms,
                                 const std::vector<std::size_t>& shared) const;
    /// Whether all inputs are known to spend taproot outputs.
    bool spends_taproot_alone(const Psbt& psbt) const;
    /// Implements update(), with or without the full transactions of taproot inputs.
    Psbt add_data(Psbt psbt, bool with_proofs_of_taproot);
    void add_known_utxo(Psbt& psbt, std::size_t input, bool with_proof_of_taproot);
    /// Adds the extended keys of the multisig descriptors that are spent from, by which all signers
    /// recognise the change (BIP174: PSBT_GLOBAL_XPUB).
    Psbt with_extended_keys(Psbt psbt) const;
    /// Adds the signatures of the wallet's keys. Returns whether any key has signed.
    chain::Expected<bool, PsbtInputFault> sign_input(const Psbt& psbt, std::size_t input,
                                                     PrivateKeys& keys, PsbtSigner& signer);
    /// Like sign_input(), for the keys that the PSBT names.
    chain::Expected<bool, PsbtInputFault> sign_shared(const Psbt& psbt, std::size_t input,
                                                      const PrivateKeys& keys, PsbtSigner& signer);
    Derivation derive(KeyPath path);

    const Wallet& wallet_;
    std::map<DescriptorNumber, ScriptDeriver> derivers_;
};

}  // namespace petal::wallet
