#include "wallet/psbt/psbt_signer.h"

#include <algorithm>
#include <vector>

#include "chain/byte_writer.h"
#include "chain/script/signature_encoding.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/record_types.h"

namespace petal::wallet {

namespace {

constexpr std::uint32_t kSighashDefault = 0;

using SignResult = chain::Expected<bool, PsbtInputFault>;

}  // namespace

PsbtSigner::PsbtSigner(Psbt& psbt, std::optional<std::uint32_t> hash_type,
                       const SecretArray<32>& auxiliary)
    : psbt_(psbt),
      hash_type_(hash_type),
      auxiliary_(auxiliary),
      cache_(psbt.transaction(), psbt.known_utxos()) {}

SignResult PsbtSigner::sign(std::size_t input, const PrivateKey& key,
                            const std::optional<chain::TxOutput>& known) {
    if (is_final(psbt_.inputs()[input])) return false;
    const auto& utxo = psbt_.utxo(input);
    if (utxo && known && *utxo != *known) {
        return chain::Unexpected{PsbtInputFault::contradicts_wallet};
    }
    const auto spent = find_spent_script(psbt_, input);
    if (!spent) return chain::Unexpected{spent.error()};
    if (spent->signature == SignatureKind::taproot) return sign_taproot(input, *spent, key);
    return sign_ecdsa(input, *spent, key, known.has_value());
}

chain::Expected<std::uint32_t, PsbtInputFault> PsbtSigner::choose_hash_type(std::size_t input,
                                                                            bool is_taproot) const {
    const std::uint32_t usual = is_taproot ? kSighashDefault : chain::kSighashAll;
    const auto demanded = hash_type_of(psbt_.inputs()[input]);
    std::uint32_t chosen = hash_type_.value_or(usual);
    if (!is_taproot && chosen == kSighashDefault) chosen = usual;
    const bool demands_all = is_taproot && !hash_type_ && demanded == chain::kSighashAll;
    if (demands_all) chosen = chain::kSighashAll;
    if (demanded && *demanded != chosen) {
        return chain::Unexpected{PsbtInputFault::hash_type_not_asked};
    }
    const bool signs_one = (chosen & chain::kSighashOutputMask) == chain::kSighashSingle;
    if (signs_one && input >= psbt_.outputs().size()) {
        return chain::Unexpected{PsbtInputFault::no_matching_output};
    }
    return chosen;
}

SignResult PsbtSigner::sign_ecdsa(std::size_t input, const SpentScript& spent,
                                  const PrivateKey& key, bool is_known) {
    const PublicKey public_key = key.public_key();
    if (!spent.is_signed_by(public_key.compressed())) return false;
    if (!is_known && !psbt_.has_full_transaction(input)) {
        return chain::Unexpected{PsbtInputFault::no_full_transaction};
    }
    const auto hash_type = choose_hash_type(input, false);
    if (!hash_type) return chain::Unexpected{hash_type.error()};
    PsbtMap& map = psbt_.input(input);
    const chain::Bytes* there = map.find(psbt_input::kPartialSignature, public_key.compressed());
    const auto hash_of = [&](std::uint32_t type) { return spent.hash(cache_, input, type); };
    const bool is_signed = there != nullptr && there->back() == *hash_type &&
                           chain::is_standard_signature(*there, public_key.compressed(),
                                                        chain::ScriptVersion::witness_v0, hash_of);
    if (is_signed) return true;
    psbt_.restrict_changes(*hash_type);
    chain::Bytes signature = key.sign_ecdsa(hash_of(*hash_type), public_key);
    signature.push_back(static_cast<chain::Byte>(*hash_type));
    map.set(psbt_input::kPartialSignature, public_key.compressed(), std::move(signature));
    if (*hash_type != chain::kSighashAll) {
        map.set(psbt_input::kHashType, chain::ByteWriter{}.u32(*hash_type).take());
    }
    return true;
}

SignResult PsbtSigner::sign_taproot(std::size_t input, const SpentScript& spent,
                                    const PrivateKey& key) {
    PsbtMap& map = psbt_.input(input);
    const auto hash_type = choose_hash_type(input, true);
    if (!hash_type) return chain::Unexpected{hash_type.error()};
    if (chain::covers_other_inputs(*hash_type) && !cache_.knows_spent_outputs()) {
        return chain::Unexpected{PsbtInputFault::unknown_outputs};
    }
    const auto hash = cache_.taproot_hash(input, spent.output, *hash_type);
    if (!hash) return chain::Unexpected{PsbtInputFault::hash_type_not_asked};
    XOnlyKey output_key{};
    std::copy(spent.script.end() - output_key.size(), spent.script.end(), output_key.begin());
    const auto root = value_of(map, psbt_input::kTaprootMerkleRoot);
    auto signature = key.sign_taproot(*hash, output_key, auxiliary_, root);
    // A merkle root that is not in the output does not prevent signing for an output without a
    // script path.
    if (!signature && !root.empty()) {
        signature = key.sign_taproot(*hash, output_key, auxiliary_, {});
    }
    if (!signature) return false;
    psbt_.restrict_changes(*hash_type);
    chain::Bytes value(signature->begin(), signature->end());
    if (*hash_type != kSighashDefault) value.push_back(static_cast<chain::Byte>(*hash_type));
    map.set(psbt_input::kTaprootKeySignature, std::move(value));
    if (*hash_type != kSighashDefault) {
        map.set(psbt_input::kHashType, chain::ByteWriter{}.u32(*hash_type).take());
    }
    return true;
}

}  // namespace petal::wallet
