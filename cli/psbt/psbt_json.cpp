#include "cli/psbt/psbt_json.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "chain/byte_reader.h"
#include "cli/psbt/sighash_name.h"
#include "cli/text/amount.h"
#include "wallet/keys/base58.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/record_types.h"

namespace petal::cli {
namespace {

namespace in = wallet::psbt_input;
namespace out = wallet::psbt_output;
using wallet::PsbtMap;
using wallet::PsbtRecord;

Json hex_or_null(const PsbtMap& map, chain::Byte type) {
    const chain::Bytes* value = map.find(type);
    return value == nullptr ? Json(nullptr) : Json(chain::to_hex(*value));
}

Json derivations_json(const std::vector<wallet::KeyDerivation>& derivations) {
    Json list = Json::array();
    for (const wallet::KeyDerivation& one : derivations) {
        list.push_back({{"public_key", chain::to_hex(one.public_key)},
                        {"fingerprint", chain::to_hex(one.origin.fingerprint)},
                        {"path", 'm' + wallet::path_to_string(one.origin.path)}});
    }
    return list;
}

/// Records of types that are not in `shown`, unchanged.
Json other_json(const PsbtMap& map, std::initializer_list<chain::Byte> shown) {
    Json list = Json::array();
    for (const PsbtRecord& record : map.records()) {
        if (std::ranges::find(shown, record.type()) != shown.end()) continue;
        list.push_back(
            {{"key", chain::to_hex(record.key)}, {"value", chain::to_hex(record.value)}});
    }
    return list;
}

Json xpubs_json(const PsbtMap& global) {
    Json list = Json::array();
    for (const PsbtRecord* record : global.all(wallet::psbt_global::kXpub)) {
        chain::ByteReader reader(record->value);
        const auto fingerprint = reader.read_array<4>();
        std::vector<std::uint32_t> path;
        while (reader.remaining() > 0) path.push_back(reader.read_u32());
        list.push_back({{"xpub", wallet::encode_base58check(record->key_data())},
                        {"fingerprint", chain::to_hex(fingerprint)},
                        {"path", 'm' + wallet::path_to_string(path)}});
    }
    return list;
}

Json partial_signatures_json(const PsbtMap& map) {
    Json list = Json::array();
    for (const PsbtRecord* record : map.all(in::kPartialSignature)) {
        list.push_back({{"public_key", chain::to_hex(record->key_data())},
                        {"signature", chain::to_hex(record->value)}});
    }
    return list;
}

Json final_witness_json(const PsbtMap& map) {
    if (!map.has(in::kFinalWitness)) return nullptr;
    Json list = Json::array();
    const chain::Witness witness = wallet::final_witness(map);
    for (const chain::ByteView item : witness.items()) list.push_back(chain::to_hex(item));
    return list;
}

Json psbt_input_json(const wallet::Psbt& psbt, std::size_t index, const GlobalOptions& global) {
    const PsbtMap& map = psbt.inputs()[index];
    const chain::TxInput& input = psbt.transaction().inputs[index];
    const auto& utxo = psbt.utxo(index);
    const auto hash_type = wallet::hash_type_of(map);
    return {
        {"txid", input.prevout.txid.to_hex()},
        {"vout", input.prevout.index},
        {"sequence", input.sequence},
        {"amount_sat", utxo ? Json(utxo->value) : Json(nullptr)},
        {"address",
         utxo ? script_address_json(utxo->script_pubkey, *global.network) : Json(nullptr)},
        {"script_pubkey", utxo ? Json(chain::to_hex(utxo->script_pubkey)) : Json(nullptr)},
        {"has_witness_utxo", map.has(in::kWitnessUtxo)},
        {"full_transaction", hex_or_null(map, in::kFullTransaction)},
        {"sighash", hash_type ? Json(sighash_name(*hash_type)) : Json(nullptr)},
        {"redeem_script", hex_or_null(map, in::kRedeemScript)},
        {"witness_script", hex_or_null(map, in::kWitnessScript)},
        {"derivations", derivations_json(wallet::derivations(map, in::kDerivation))},
        {"partial_signatures", partial_signatures_json(map)},
        {"taproot_internal_key", hex_or_null(map, in::kTaprootInternalKey)},
        {"taproot_merkle_root", hex_or_null(map, in::kTaprootMerkleRoot)},
        {"taproot_derivations",
         derivations_json(wallet::taproot_derivations(map, in::kTaprootDerivation))},
        {"taproot_key_signature", hex_or_null(map, in::kTaprootKeySignature)},
        {"final_script_sig", hex_or_null(map, in::kFinalScriptSig)},
        {"final_witness", final_witness_json(map)},
        {"other",
         other_json(map, {in::kWitnessUtxo, in::kFullTransaction, in::kHashType, in::kRedeemScript,
                          in::kWitnessScript, in::kDerivation, in::kPartialSignature,
                          in::kTaprootInternalKey, in::kTaprootMerkleRoot, in::kTaprootDerivation,
                          in::kTaprootKeySignature, in::kFinalScriptSig, in::kFinalWitness,
                          in::kPreviousTxid, in::kOutputIndex, in::kSequence})}};
}

Json psbt_output_json(const wallet::Psbt& psbt, std::size_t index, const GlobalOptions& global) {
    const PsbtMap& map = psbt.outputs()[index];
    const chain::TxOutput& output = psbt.transaction().outputs[index];
    return {{"amount_sat", output.value},
            {"address", script_address_json(output.script_pubkey, *global.network)},
            {"script_pubkey", chain::to_hex(output.script_pubkey)},
            {"redeem_script", hex_or_null(map, out::kRedeemScript)},
            {"witness_script", hex_or_null(map, out::kWitnessScript)},
            {"derivations", derivations_json(wallet::derivations(map, out::kDerivation))},
            {"taproot_internal_key", hex_or_null(map, out::kTaprootInternalKey)},
            {"taproot_derivations",
             derivations_json(wallet::taproot_derivations(map, out::kTaprootDerivation))},
            {"other", other_json(map, {out::kRedeemScript, out::kWitnessScript, out::kDerivation,
                                       out::kTaprootInternalKey, out::kTaprootDerivation,
                                       out::kAmount, out::kScript})}};
}

Json keys_json(const std::vector<chain::Bytes>& keys) {
    Json list = Json::array();
    for (const chain::Bytes& key : keys) list.push_back(chain::to_hex(key));
    return list;
}

Json input_analysis_json(const wallet::PsbtInputAnalysis& input) {
    return {{"has_utxo", input.has_utxo},
            {"is_final", input.is_final},
            {"next", wallet::describe(input.next)},
            {"reason", input.fault ? Json(wallet::describe(*input.fault)) : Json(nullptr)},
            {"wrong_signatures", keys_json(input.wrong_signatures)},
            {"missing_signatures", keys_json(input.missing_signatures)},
            {"signatures_needed", input.signatures_needed}};
}

}  // namespace

Json decoded_psbt_json(const wallet::Psbt& psbt, const GlobalOptions& global) {
    namespace all = wallet::psbt_global;
    const chain::Transaction& transaction = psbt.transaction();
    const auto fee = wallet::fee_of(psbt);
    Json json{{"network", global.network->name},
              {"psbt_version", psbt.version()},
              {"txid", transaction.txid().to_hex()},
              {"version", transaction.version},
              {"lock_time", transaction.lock_time},
              {"fee_sat", fee},
              {"xpubs", xpubs_json(psbt.global())},
              {"inputs", Json::array()},
              {"outputs", Json::array()},
              {"other", other_json(psbt.global(), {all::kUnsignedTransaction, all::kXpub,
                                                   all::kVersion, all::kTransactionVersion,
                                                   all::kInputCount, all::kOutputCount})}};
    for (std::size_t i = 0; i < transaction.inputs.size(); ++i) {
        json["inputs"].push_back(psbt_input_json(psbt, i, global));
    }
    for (std::size_t i = 0; i < transaction.outputs.size(); ++i) {
        json["outputs"].push_back(psbt_output_json(psbt, i, global));
    }
    return json;
}

Json analysis_json(const wallet::PsbtAnalysis& analysis) {
    Json inputs = Json::array();
    for (const wallet::PsbtInputAnalysis& input : analysis.inputs) {
        inputs.push_back(input_analysis_json(input));
    }
    const bool has_rate = analysis.fee && analysis.virtual_size;
    return {{"inputs", std::move(inputs)},
            {"next", wallet::describe(analysis.next)},
            {"fee_sat", analysis.fee},
            {"vsize", analysis.virtual_size},
            {"fee_rate_sat_vb",
             has_rate ? Json(fee_rate_of(*analysis.fee, *analysis.virtual_size)) : Json(nullptr)}};
}

}  // namespace petal::cli
