/// What a wallet does with PSBTs: it says what it knows of their inputs and outputs, and signs.
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

/// A PSBT with signatures of the wallet's, and the inputs that they are of.
struct SignedPsbt {
    Psbt psbt;
    std::vector<std::size_t> inputs;
};

/// The PSBTs of a wallet, watch-only or not, which must outlive this. What is the wallet's is
/// decided by its own scripts, never by what a PSBT says.
class PsbtWallet {
public:
    explicit PsbtWallet(const Wallet& wallet) : wallet_(wallet) {}

    /// Of a payment by Wallet::spendable_coins(), with all that a signer may want to know.
    Psbt create(const Payment& payment);

    /// The wallet's script that an input spends, as the wallet or, if it does not know the coin,
    /// the PSBT says; empty for an input that is not the wallet's.
    std::optional<KeyPath> own_input(const Psbt& psbt, std::size_t input) const;
    /// The wallet's script that an output pays; empty for any other.
    std::optional<KeyPath> own_output(const Psbt& psbt, std::size_t output) const;

    /// Adds what the wallet knows of its own inputs and outputs, where that contradicts nothing.
    Psbt update(Psbt psbt);
    /// update(), then signs the wallet's own inputs by all keys that follow from its seed. Fails
    /// where one of them can't be signed, and where the transaction can't be valid.
    /// hash_type   as of PsbtSigner
    /// auxiliary   fresh random bytes (BIP340)
    chain::Expected<SignedPsbt, PsbtFlaw> sign(Psbt psbt, const Seed& seed,
                                               std::optional<std::uint32_t> hash_type,
                                               const SecretArray<32>& auxiliary);

private:
    /// What the wallet knows an input to spend.
    std::optional<chain::TxOutput> known_utxo(const Psbt& psbt, std::size_t input) const;
    void update_input(Psbt& psbt, std::size_t input, KeyPath path);
    Derivation derive(KeyPath path);

    const Wallet& wallet_;
    std::map<DescriptorNumber, ScriptDeriver> derivers_;
};

}  // namespace petal::wallet
