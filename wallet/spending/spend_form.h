/// The form of an input, which determines its size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "wallet/keys/key_path.h"

namespace petal::wallet {

/// The size of a signed input, without outpoint and sequence number.
struct InputSize {
    std::size_t script_sig_bytes = 0;  ///< without the length
    std::size_t witness_bytes = 0;     ///< with the count of items, or 0 without a witness

    friend bool operator==(const InputSize&, const InputSize&) = default;
};

/// The signer of an input's ECDSA signatures. The wallet's signatures have low R. A foreign
/// signature may be a byte longer (Bitcoin Core: UseMaxSig).
enum class Signer : std::uint8_t { wallet, others };

/// The form in which an output is spent: by a single key of a usual type, or by multisig.
struct SpendForm {
    /// Implicit: each type of single-key address has one form.
    SpendForm(ScriptKind of_key, Signer signer = Signer::wallet);
    /// For multisig, see multisig_input_size().
    explicit SpendForm(InputSize of_multisig) : size(of_multisig) {}

    std::optional<ScriptKind> kind;  ///< empty for multisig
    InputSize size;

    friend bool operator==(const SpendForm&, const SpendForm&) = default;
};

}  // namespace petal::wallet
