/// The form in which an output is spent, as far as it affects the size of an input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "wallet/keys/key_path.h"

namespace petal::wallet {

/// The parts of a signed input besides its outpoint and sequence number.
struct InputSize {
    std::size_t script_sig_bytes = 0;  ///< without its length
    std::size_t witness_bytes = 0;     ///< with the count of items; 0 without a witness

    friend bool operator==(const InputSize&, const InputSize&) = default;
};

/// The signer of an input's ECDSA signatures. The wallet makes signatures with low R; those of
/// other signers may be a byte longer (Bitcoin Core: UseMaxSig).
enum class Signer : std::uint8_t { wallet, others };

/// The keys that sign for an output: one, in the usual form of its type, or several.
struct SpendForm {
    /// Not explicit: the type of a single key's address is such a form.
    SpendForm(ScriptKind of_key, Signer signer = Signer::wallet);
    /// For multisig, see multisig_input_size().
    explicit SpendForm(InputSize of_multisig) : size(of_multisig) {}

    std::optional<ScriptKind> kind;  ///< empty for multisig
    InputSize size;

    friend bool operator==(const SpendForm&, const SpendForm&) = default;
};

}  // namespace petal::wallet
