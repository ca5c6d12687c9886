/// Checks the signatures and lock times of one input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "chain/bytes.h"
#include "chain/script/script_error.h"
#include "chain/script/signature_encoding.h"
#include "chain/script/signature_hash.h"
#include "chain/transaction.h"

namespace petal::chain {

/// Whether signatures are verified. With `assumed`, each signature that is not empty and has a
/// valid encoding counts as valid, so that a script costs no signature checks. Under the flag
/// null_fail, a script that fails then also fails with verified signatures.
enum class SignatureMode : std::uint8_t { verified, assumed };

/// The checks of an input by its transaction. Not thread-safe: remembers ECDSA signature hashes, so
/// that the keys of a multisig script cost one hash (Bitcoin Core: SigHashCache).
class SignatureChecker {
public:
    /// The cache and the spent output must outlive the checker.
    SignatureChecker(const SighashCache& cache, std::size_t input_index, const TxOutput& spent,
                     SignatureMode mode)
        : cache_(cache), input_index_(input_index), spent_(spent), mode_(mode) {}

    const TxInput& input() const { return cache_.transaction().inputs[input_index_]; }
    const TxOutput& spent() const { return spent_; }

    /// Whether a signature, which ends with its hash type, is valid. `version` must not be
    /// tapscript.
    bool check_ecdsa(ByteView signature, ByteView key, ByteView script_code,
                     ScriptVersion version) const;

    /// Checks a signature of BIP340 for a key of 32 bytes. Errors: schnorr_size, schnorr_hash_type,
    /// unknown_outputs, schnorr_signature.
    ScriptResult check_schnorr(ByteView signature, ByteView key, const TaprootSpend& spend) const;

    /// The number of signatures that were verified so far.
    std::size_t verified_signatures() const { return verified_signatures_; }

    /// Whether the transaction is locked until `lock_time` or longer (BIP65).
    bool check_lock_time(std::int64_t lock_time) const;
    /// Whether the input is locked for the relative `sequence` or longer (BIP112).
    bool check_sequence(std::int64_t sequence) const;

private:
    Hash256 ecdsa_hash(ByteView script_code, ScriptVersion version, std::uint32_t hash_type) const;

    const SighashCache& cache_;
    std::size_t input_index_;
    const TxOutput& spent_;
    SignatureMode mode_;
    mutable std::size_t verified_signatures_ = 0;
    // The hashes of the last script code by hash type.
    mutable Bytes script_code_;
    mutable ScriptVersion version_ = ScriptVersion::legacy;
    mutable std::map<std::uint32_t, Hash256> hashes_;
};

}  // namespace petal::chain
