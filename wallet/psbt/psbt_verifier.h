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

/// The keys with valid and with wrong signatures in an input's records (for taproot: the output
/// key). Keys that are not in the script are in neither list.
struct CheckedSignatures {
    std::vector<chain::Bytes> valid;
    std::vector<chain::Bytes> wrong;
    /// For taproot: the signature covers all spent outputs, and some are not known.
    bool needs_other_outputs = false;
};

/// Verifies inputs of one PSBT. Each legacy signature hash covers the whole transaction, so
/// verifying all inputs takes time quadratic in the number of inputs.
class PsbtVerifier {
public:
    /// `psbt` must outlive the verifier. Its maps may change, but not its spent outputs.
    explicit PsbtVerifier(const Psbt& psbt);
    PsbtVerifier(const PsbtVerifier&) = delete;
    PsbtVerifier& operator=(const PsbtVerifier&) = delete;

    /// Verifies the partial signatures of a supported template, or the taproot key path signature,
    /// with any hash type.
    CheckedSignatures check_signatures(std::size_t input, const SpentScript& spent);

    /// Verifies that the items satisfy the innermost script.
    chain::ScriptResult check_stack(std::size_t input, const SpentScript& spent,
                                    const std::vector<chain::Bytes>& stack);
    /// Verifies the final scriptSig and witness of an input. The spent output must be known.
    chain::ScriptResult check_final_scripts(std::size_t input);

private:
    const Psbt& psbt_;
    chain::Transaction transaction_;
    chain::SighashCache cache_;
};

/// Whether final scripts with this error can't be valid. Includes a missing witness, because a PSBT
/// contains the witnesses of all final inputs.
bool is_known_wrong(chain::ScriptError error);

/// Whether verifying all inputs may take minutes. The largest standard transaction is far below
/// this limit.
bool is_too_large(const Psbt& psbt);

/// The inputs with wrong signatures (and their keys) or wrong final scripts. Omits inputs that
/// can't be verified, and all inputs of a PSBT that is_too_large().
std::vector<PsbtInputError> find_wrong_signatures(const Psbt& psbt);

}  // namespace petal::wallet
