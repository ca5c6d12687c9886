#include "chain/script/signature_checker.h"

#include <secp256k1_extrakeys.h>
#include <secp256k1_schnorrsig.h>

#include <algorithm>
#include <array>
#include <cassert>

#include "chain/lock_time.h"
#include "chain/script/script.h"

namespace petal::chain {

namespace {

bool verify_schnorr_signature(ByteView signature, ByteView key, const std::array<Byte, 32>& hash) {
    const auto* const context = verification_context();
    secp256k1_xonly_pubkey parsed;
    return secp256k1_xonly_pubkey_parse(context, &parsed, key.data()) == 1 &&
           secp256k1_schnorrsig_verify(context, signature.data(), hash.data(), hash.size(),
                                       &parsed) == 1;
}

}  // namespace

Hash256 SignatureChecker::ecdsa_hash(ByteView script_code, ScriptVersion version,
                                     std::uint32_t hash_type) const {
    if (version != version_ || !std::ranges::equal(script_code, script_code_)) {
        version_ = version;
        script_code_.assign(script_code.begin(), script_code.end());
        hashes_.clear();
    }
    const auto known = hashes_.find(hash_type);
    if (known != hashes_.end()) return known->second;
    const Hash256 hash =
        version == ScriptVersion::legacy
            ? cache_.legacy_hash(input_index_, script_code, hash_type)
            : cache_.segwit_hash(input_index_, script_code, spent_.value, hash_type);
    return hashes_.emplace(hash_type, hash).first->second;
}

bool SignatureChecker::check_ecdsa(ByteView signature, ByteView key, ByteView script_code,
                                   ScriptVersion version) const {
    assert(version != ScriptVersion::tapscript);
    if (signature.empty() || !is_public_key_sized(key)) return false;
    if (mode_ == SignatureMode::assumed) return true;
    ++verified_signatures_;
    const Hash256 hash = ecdsa_hash(script_code, version, signature.back());
    return verify_ecdsa_signature(signature.first(signature.size() - 1), key, hash);
}

ScriptResult SignatureChecker::check_schnorr(ByteView signature, ByteView key,
                                             const TaprootSpend& spend) const {
    constexpr std::size_t kSignatureBytes = 64;
    constexpr std::uint32_t kDefaultType = 0;
    assert(key.size() == 32);
    if (signature.size() != kSignatureBytes && signature.size() != kSignatureBytes + 1) {
        return Unexpected(ScriptError::schnorr_size);
    }
    const bool shows_type = signature.size() > kSignatureBytes;
    const std::uint32_t hash_type = shows_type ? signature.back() : kDefaultType;
    if ((shows_type && hash_type == kDefaultType) ||
        !cache_.has_taproot_hash(input_index_, hash_type)) {
        return Unexpected(ScriptError::schnorr_hash_type);
    }
    if (covers_other_inputs(hash_type) && !cache_.knows_spent_outputs()) {
        return Unexpected(ScriptError::unknown_outputs);
    }
    if (mode_ == SignatureMode::assumed) return {};
    ++verified_signatures_;
    const auto hash = cache_.taproot_hash(input_index_, spent_, hash_type, spend);
    if (!verify_schnorr_signature(signature.first(kSignatureBytes), key, *hash)) {
        return Unexpected(ScriptError::schnorr_signature);
    }
    return {};
}

bool SignatureChecker::check_lock_time(std::int64_t lock_time) const {
    const std::int64_t own = cache_.transaction().lock_time;
    const bool same_unit = (lock_time < kLockTimeThreshold) == (own < kLockTimeThreshold);
    // A final sequence number would disable the transaction's lock time.
    return same_unit && lock_time <= own && input().sequence != kFinalSequence;
}

bool SignatureChecker::check_sequence(std::int64_t sequence) const {
    // BIP68 does not apply to version 1. The version counts as unsigned (Bitcoin Core:
    // CTransaction::version).
    const auto version = static_cast<std::uint32_t>(cache_.transaction().version);
    if (version < 2 || (input().sequence & kSequenceDisabled) != 0) return false;
    const std::int64_t mask = kSequenceIsTime | kSequenceMask;
    const std::int64_t own = input().sequence & mask;
    const std::int64_t needed = sequence & mask;
    const bool same_unit = (needed < kSequenceIsTime) == (own < kSequenceIsTime);
    return same_unit && needed <= own;
}

}  // namespace petal::chain
