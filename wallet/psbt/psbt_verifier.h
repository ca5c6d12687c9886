/// Verifies the signatures of a PSBT's inputs.
#pragma once

#include <cstddef>
#include <vector>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/script/input_verification.h"
#include "chain/script/signature_hash.h"
#include "chain/transaction.h"
#include "wallet/psbt/input_fault.h"
#include "wallet/psbt/psbt.h"
#include "wallet/psbt/spent_script.h"

namespace petal::wallet {

/// The signatures in an input's records, sorted by whether they are valid. Each is named by its
/// key, with taproot by the output key. Signatures of keys that the script does not have are in
/// neither list.
struct CheckedSignatures {
    std::vector<chain::Bytes> valid;
    std::vector<chain::Bytes> wrong;
    /// With taproot: the signature covers what other inputs spend, and that is not known.
    bool needs_other_outputs = false;
};

/// Verifies inputs of one PSBT. The signature hash of an input from before segwit covers the whole
/// transaction, so verifying all inputs takes time quadratic in their number.
class PsbtVerifier {
public:
    /// `psbt` must outlive the verifier. Its maps may change, but not what it spends.
    explicit PsbtVerifier(const Psbt& psbt);
    PsbtVerifier(const PsbtVerifier&) = delete;
    PsbtVerifier& operator=(const PsbtVerifier&) = delete;

    /// Verifies partial signatures of a script of a supported template, or taproot's signature by
    /// the output key, whatever hash type the input demands.
    CheckedSignatures check_signatures(std::size_t input, const SpentScript& spent);

    /// Verifies the items that are to satisfy the innermost script.
    chain::Expected<void, chain::InputError> check_stack(std::size_t input,
                                                         const SpentScript& spent,
                                                         const std::vector<chain::Bytes>& stack);
    /// Verifies the final scriptSig and witness of an input whose spent output is known.
    chain::Expected<void, chain::InputError> check_final_scripts(std::size_t input);

private:
    const Psbt& psbt_;
    chain::Transaction transaction_;
    chain::SighashCache cache_;
};

/// Whether final scripts with this error can't be valid. A PSBT has the witnesses of all of its
/// final inputs, so a missing witness is an error, too.
bool is_known_wrong(chain::InputError error);

/// Whether verifying all inputs may take minutes. The largest standard transaction stays far below.
bool is_too_large(const Psbt& psbt);

/// Each input with signatures that are wrong, with their keys, or with wrong final scripts. Inputs
/// that can't be verified are left out, as are all inputs of a PSBT that is_too_large().
std::vector<PsbtInputError> find_wrong_signatures(const Psbt& psbt);

}  // namespace petal::wallet
