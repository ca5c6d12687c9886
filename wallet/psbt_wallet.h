/// A wallet's work on PSBTs: it adds its data on their inputs and outputs, and signs.
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

/// A PSBT with signatures of the wallet's, and the inputs that they are of.
struct SignedPsbt {
    Psbt psbt;
    std::vector<std::size_t> inputs;
};

/// Inputs that the wallet signs although it does not watch their scripts: the PSBT names one of its
/// keys by origin, as for a multisig script with keys of others.
struct SharedInputs {
    std::vector<std::size_t> inputs;  ///< ascending
    /// The outputs that provably pay the descriptor of one of them (DescriptorProver), ascending.
    std::vector<std::size_t> change;
};

/// The signatures that the user allows.
struct PsbtTerms {
    std::optional<std::uint32_t> hash_type = {};  ///< as of PsbtSigner
    bool accepts_unproven_fee = false;            ///< unproven_fee is no fault
};

/// Handles the PSBTs of a wallet, watch-only or not, which must outlive this object. Decides by the
/// wallet's own scripts and keys, never by what a PSBT states, what belongs to the wallet. Throws
/// WalletError with damaged if one of those scripts is not derived from its descriptor.
class PsbtWallet {
public:
    explicit PsbtWallet(const Wallet& wallet) : wallet_(wallet) {}

    /// The PSBT of a payment by Wallet::spendable_coins(), with all data that a signer may need. It
    /// has the full transactions of taproot inputs, too: inputs of other wallets may be joined to
    /// it, whose signatures need these proofs.
    Psbt create(const Payment& payment);

    /// The wallet's script that an input spends, as the wallet or, if it does not know the coin,
    /// the PSBT states; empty for an input that is not the wallet's. A wallet with private keys
    /// owns the scripts derived from them, but not scripts that it only watches.
    std::optional<KeyPath> own_input(const Psbt& psbt, std::size_t input) const;
    /// The wallet's script that an output pays, in the same sense; empty for any other output.
    std::optional<KeyPath> own_output(const Psbt& psbt, std::size_t output) const;
    /// Whether the wallet watches a script, its own or not.
    bool watches(chain::ByteView script_pubkey) const;
    /// The inputs that are not the wallet's by their scripts, but name a key in the script by a
    /// master fingerprint of the wallet's secret. Anyone can state that: shared_inputs() decides.
    std::vector<std::size_t> claimed_inputs(const Psbt& psbt) const;
    /// Of claimed_inputs(), those that the secret has a named key of, with their change (BIP174's
    /// signer). Throws with watch_only.
    SharedInputs shared_inputs(const Psbt& psbt, const SecretBytes& secret) const;
    /// The output that an input spends, as the wallet knows it.
    std::optional<chain::TxOutput> known_utxo(const Psbt& psbt, std::size_t input) const;
    /// The same or, if the wallet does not know it, as the PSBT states it.
    std::optional<chain::TxOutput> spent_output(const Psbt& psbt, std::size_t input) const;

    /// The inputs that spend coins of the wallet's which another transaction in a block has spent.
    std::vector<std::size_t> spent_inputs(const Psbt& psbt) const;

    /// Fails if the transaction can't be valid, if an input contradicts the wallet's data or spends
    /// a frozen coin, and if the amount of an own input before taproot is not proven. This includes
    /// final inputs: a signature of an earlier round spends the real amount (CVE-2020-14199).
    /// Signatures that do not cover the outputs spent by other inputs (all before taproot, and
    /// SIGHASH_ANYONECANPAY) require a proof for each input: an input that looks foreign may be the
    /// wallet's, and its value become fee.
    ///
    /// shared   SharedInputs::inputs, which count as the wallet's
    chain::Expected<void, PsbtFlaw> check(const Psbt& psbt, const PsbtTerms& terms,
                                          const std::vector<std::size_t>& shared = {}) const;
    /// The inputs whose amounts are claims: unknown to the wallet, without a full transaction.
    std::vector<std::size_t> unproven_inputs(const Psbt& psbt) const;

    /// Adds the wallet's data about inputs and outputs, unless it contradicts the PSBT. The full
    /// transactions of taproot inputs are added only if other inputs are no taproot inputs. Of the
    /// outputs, only those that pay the owner of an input (has_same_owner()): signers show outputs
    /// with key origins as change, and an imported descriptor may claim any origin.
    Psbt update(Psbt psbt);
    /// Signs the wallet's own inputs and shared_inputs() among `inputs` with the keys of its
    /// secret. Fails if check() does, and if one of them can't be signed. Besides the signatures,
    /// only the records needed to finalize those inputs are added, which reveals nothing about the
    /// outputs. Throws with watch_only.
    ///
    /// inputs      those that the user has confirmed as the wallet's
    /// auxiliary   fresh random bytes (BIP340)
    chain::Expected<SignedPsbt, PsbtFlaw> sign(const Psbt& psbt,
                                               const std::vector<std::size_t>& inputs,
                                               const SecretBytes& secret, const PsbtTerms& terms,
                                               const SecretArray<32>& auxiliary);

private:
    Descriptor read_descriptor(DescriptorNumber number) const;
    std::optional<KeyPath> own_path(chain::ByteView script_pubkey) const;
    std::optional<KeyPath> watched_path(chain::ByteView script_pubkey) const;
    /// Whether an output pays the owner of one of these inputs, as imported descriptors show.
    bool pays_watched_descriptor_of(const Psbt& psbt, std::size_t output,
                                    const std::vector<std::size_t>& inputs) const;
    /// Whether a signature to be made would also be valid with other amounts of other inputs.
    bool signs_own_amounts_alone(const Psbt& psbt, const PsbtTerms& terms,
                                 const std::vector<std::size_t>& shared) const;
    /// Whether all inputs are known to spend taproot outputs.
    bool spends_taproot_alone(const Psbt& psbt) const;
    /// update(), with the full transactions of taproot inputs, too, or without them.
    Psbt add_data(Psbt psbt, bool with_proofs_of_taproot);
    void add_known_utxo(Psbt& psbt, std::size_t input, bool with_proof_of_taproot);
    /// With the extended keys of the multisig descriptors that it spends from, by which other
    /// signers recognise the change (BIP174: PSBT_GLOBAL_XPUB).
    Psbt with_extended_keys(Psbt psbt) const;
    /// Whether any of the wallet's keys has signed; adds the signatures.
    chain::Expected<bool, PsbtInputFault> sign_input(const Psbt& psbt, std::size_t input,
                                                     PrivateKeys& keys, PsbtSigner& signer);
    /// The same for the keys that the PSBT names.
    chain::Expected<bool, PsbtInputFault> sign_shared(const Psbt& psbt, std::size_t input,
                                                      const PrivateKeys& keys, PsbtSigner& signer);
    Derivation derive(KeyPath path);

    const Wallet& wallet_;
    std::map<DescriptorNumber, ScriptDeriver> derivers_;
};

}  // namespace petal::wallet
