#include "wallet/psbt/spent_script.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "chain/hash.h"
#include "chain/script/script.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/record_types.h"

namespace petal::wallet {

namespace {

using chain::Bytes;
using chain::ScriptType;

constexpr std::size_t kProgramOffset = 2;  // after version and length

chain::Hash160 program_hash(const Bytes& p2wpkh) {
    chain::Hash160 hash{};
    std::copy(p2wpkh.begin() + kProgramOffset, p2wpkh.end(), hash.begin());
    return hash;
}

bool pushes_hash(const Bytes& p2pkh, const chain::Hash160& hash) {
    return std::ranges::equal(chain::watch_element(p2pkh), hash);
}

}  // namespace

chain::Hash256 SpentScript::hash(const chain::SighashCache& cache, std::size_t input,
                                 std::uint32_t hash_type) const {
    assert(signature != SignatureKind::taproot);
    if (signature == SignatureKind::segwit) {
        return cache.segwit_hash(input, script, output.value, hash_type);
    }
    return cache.legacy_hash(input, script, hash_type);
}

bool SpentScript::is_signed_by(chain::ByteView public_key) const {
    switch (chain::classify(script)) {
        case ScriptType::p2pkh:
            return pushes_hash(script, chain::hash160(public_key));
        case ScriptType::p2pk:
            return std::ranges::equal(chain::watch_element(script), public_key);
        case ScriptType::bare_multisig: {
            const auto multisig = chain::parse_multisig(script);
            return std::ranges::any_of(multisig->keys, [&](chain::ByteView key) {
                return std::ranges::equal(key, public_key);
            });
        }
        default:
            return false;
    }
}

void SpentScript::spend(chain::TxInput& input, const std::vector<Bytes>& stack) const {
    input.script_sig.clear();
    input.witness.clear();
    const auto push = [&](const Bytes& data) {
        const Bytes pushed = chain::push_data(data);
        input.script_sig.insert(input.script_sig.end(), pushed.begin(), pushed.end());
    };
    for (const Bytes& item : stack) {
        if (signature == SignatureKind::legacy) {
            push(item);
        } else {
            input.witness.push_back(item);
        }
    }
    if (!witness_script.empty()) input.witness.push_back(witness_script);
    if (!redeem_script.empty()) push(redeem_script);
}

chain::Expected<SpentScript, PsbtInputFault> find_script(const chain::TxOutput& output,
                                                         const Bytes& redeem_script,
                                                         const Bytes& witness_script) {
    using enum PsbtInputFault;
    SpentScript result;
    result.output = output;
    result.script = result.output.script_pubkey;
    if (chain::classify(result.script) == ScriptType::p2sh) {
        result.redeem_script = redeem_script;
        if (result.redeem_script.empty()) return chain::Unexpected{no_redeem_script};
        if (chain::p2sh_script(chain::hash160(result.redeem_script)) != result.script) {
            return chain::Unexpected{wrong_redeem_script};
        }
        result.script = result.redeem_script;
    }
    if (chain::classify(result.script) == ScriptType::p2wpkh) {
        result.signature = SignatureKind::segwit;
        result.script = chain::p2pkh_script(program_hash(result.script));
    } else if (chain::classify(result.script) == ScriptType::p2wsh) {
        result.signature = SignatureKind::segwit;
        result.witness_script = witness_script;
        if (result.witness_script.empty()) return chain::Unexpected{no_witness_script};
        const auto program = chain::sha256(result.witness_script);
        if (chain::witness_program_script(0, program) != result.script) {
            return chain::Unexpected{wrong_witness_script};
        }
        result.script = result.witness_script;
    } else if (result.redeem_script.empty() && chain::classify(result.script) == ScriptType::p2tr) {
        result.signature = SignatureKind::taproot;
    }
    return result;
}

chain::Expected<SpentScript, PsbtInputFault> find_spent_script(const Psbt& psbt,
                                                               std::size_t input) {
    if (!psbt.utxo(input)) return chain::Unexpected{PsbtInputFault::no_utxo};
    const PsbtMap& map = psbt.inputs()[input];
    return find_script(*psbt.utxo(input), value_of(map, psbt_input::kRedeemScript),
                       value_of(map, psbt_input::kWitnessScript));
}

}  // namespace petal::wallet
