/// A wallet's work on PSBTs: it adds its data on their inputs and outputs, and signs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
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

/// The signatures that the user allows.
struct PsbtTerms {
    std::optional<std::uint32_t> hash_type = {};  ///< as of PsbtSigner
    bool accepts_unproven_fee = false;            ///< unproven_fee is no fault
};

/// The PSBTs of a wallet, watch-only or not, which must outlive this. What is the wallet's is
/// decided by its own scripts, never by what a PSBT says.
class PsbtWallet {
public:
    explicit PsbtWallet(const Wallet& wallet) : wallet_(wallet) {}

    /// Of a payment by Wallet::spendable_coins(), with all that a signer may want to know.
    Psbt create(const Payment& payment);

    /// The wallet's script that an input spends, as the wallet or, if it does not know the coin,
    /// the PSBT says; empty for an input that is not the wallet's. A wallet with private keys
    /// owns what follows from them, and not what it was told to watch beside that.
    std::optional<KeyPath> own_input(const Psbt& psbt, std::size_t input) const;
    /// The wallet's script that an output pays, in the same sense; empty for any other.
    std::optional<KeyPath> own_output(const Psbt& psbt, std::size_t output) const;
    /// Whether the wallet watches a script, its own or not.
    bool watches(chain::ByteView script_pubkey) const;
    /// The output that an input spends, as the wallet knows it.
    std::optional<chain::TxOutput> known_utxo(const Psbt& psbt, std::size_t input) const;

    /// Fails if the transaction can't be valid, if an input contradicts what the wallet knows, and
    /// if nothing proves the amount of an own input before taproot. Final inputs are no exception:
    /// a signature that was made in an earlier round is worth its real amount (CVE-2020-14199).
    /// Signatures that do not cover what other inputs spend (all before taproot, and
    /// SIGHASH_ANYONECANPAY) demand a proof for each input: one that seems to be of others may be
    /// the wallet's, and become fee.
    chain::Expected<void, PsbtFlaw> check(const Psbt& psbt, const PsbtTerms& terms) const;
    /// The inputs whose amounts are claims: unknown to the wallet, without a full transaction.
    std::vector<std::size_t> unproven_inputs(const Psbt& psbt) const;

    /// Adds what the wallet knows of inputs and outputs, where that contradicts nothing.
    Psbt update(Psbt psbt);
    /// Signs the wallet's own inputs among `inputs` by the keys of its secret. Fails
    /// where check() does, and where one of them can't be signed. Beside the signatures, only what
    /// it takes to finalize those inputs is added, which reveals nothing about the outputs. Throws
    /// with watch_only.
    /// inputs      those that the user has seen as the wallet's
    /// auxiliary   fresh random bytes (BIP340)
    chain::Expected<SignedPsbt, PsbtFlaw> sign(const Psbt& psbt,
                                               const std::vector<std::size_t>& inputs,
                                               const SecretBytes& secret, const PsbtTerms& terms,
                                               const SecretArray<32>& auxiliary);

private:
    std::optional<KeyPath> own_path(chain::ByteView script_pubkey) const;
    /// Whether a signature to be made would be valid beside other amounts of other inputs.
    bool signs_own_amounts_alone(const Psbt& psbt, const PsbtTerms& terms) const;
    void add_known_utxo(Psbt& psbt, std::size_t input);
    /// Whether any of the wallet's keys has signed; adds the signatures.
    chain::Expected<bool, PsbtInputFault> sign_input(const Psbt& psbt, std::size_t input,
                                                     PrivateKeys& keys, PsbtSigner& signer);
    Derivation derive(KeyPath path);

    const Wallet& wallet_;
    std::map<DescriptorNumber, ScriptDeriver> derivers_;
};

}  // namespace petal::wallet
