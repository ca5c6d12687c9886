/// PSBTs for the fuzz target of a wallet that works on PSBTs. Bytes of the input choose the
/// transaction and each record, so that most records are right and some are lies.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "tests/fuzz/psbt_scene.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/psbt.h"
#include "wallet/psbt/record_types.h"

namespace petal::fuzz {

/// Builds one PSBT. After the input's end, each choice is 0: no record, or the right record.
class PsbtOfChoices {
public:
    PsbtOfChoices(const PsbtScene& scene, chain::ByteReader& reader)
        : scene_(scene), reader_(reader) {
        const unsigned shape = reader_.read_u8();
        const std::size_t inputs = 1 + shape % 4;
        const std::size_t outputs = 1 + shape / 4 % 4;
        is_version_2_ = (shape & 0x10U) != 0;
        transaction_.version = 2;
        transaction_.lock_time = (shape & 0x20U) != 0 ? 500 : 0;
        coins_.reserve(inputs);
        for (std::size_t i = 0; i < inputs; ++i) choose_coin();
        for (std::size_t i = 0; i < outputs; ++i) choose_output();
    }

    const chain::Transaction& transaction() const { return transaction_; }

    /// earlier   the same transaction after an earlier round of signing, and after that finalized
    template <typename Earlier>
    std::optional<wallet::Psbt> build(const Earlier& earlier) {
        std::vector<wallet::PsbtMap> inputs(coins_.size());
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            if (is_version_2_) add_prevout(inputs[i], transaction_.inputs[i]);
            add_utxo(inputs[i], *coins_[i]);
            add_scripts(inputs[i], *coins_[i]);
            add_signature(inputs[i], i, earlier);
        }
        std::vector<wallet::PsbtMap> outputs(transaction_.outputs.size());
        for (std::size_t i = 0; i < outputs.size(); ++i) add_output(outputs[i], i);
        auto psbt = wallet::Psbt::assemble(global(), std::move(inputs), std::move(outputs));
        if (!psbt) return std::nullopt;
        return *std::move(psbt);
    }

private:
    static chain::Bytes u32(std::uint32_t value) { return chain::ByteWriter{}.u32(value).take(); }
    static chain::Bytes count(std::size_t value) {
        return chain::ByteWriter{}.compact_size(value).take();
    }

    template <typename Item>
    const Item& one_of(const std::vector<Item>& items) {
        return items[reader_.read_u8() % items.size()];
    }

    void choose_coin() {
        const SceneCoin* coin = &one_of(scene_.coins());
        const auto& all = scene_.coins();
        while (std::ranges::find(coins_, coin) != coins_.end()) {
            coin = coin == &all.back() ? all.data() : coin + 1;
        }
        coins_.push_back(coin);
        transaction_.inputs.push_back({coin->outpoint, {}, 0xfffffffd, {}});
    }

    void choose_output() {
        const chain::Bytes& script = one_of(scene_.scripts()).script_pubkey;
        transaction_.outputs.push_back({1'000 * chain::Satoshis{reader_.read_u8()}, script});
    }

    wallet::PsbtMap global() const {
        using namespace wallet::psbt_global;
        wallet::PsbtMap map;
        if (!is_version_2_) {
            map.set(kUnsignedTransaction, transaction_.serialize_without_witness());
            return map;
        }
        map.set(kTransactionVersion, u32(2));
        map.set(kFallbackLockTime, u32(transaction_.lock_time));
        map.set(kInputCount, count(transaction_.inputs.size()));
        map.set(kOutputCount, count(transaction_.outputs.size()));
        map.set(kModifiable, {3});
        map.set(kVersion, u32(2));
        return map;
    }

    static void add_prevout(wallet::PsbtMap& map, const chain::TxInput& input) {
        using namespace wallet::psbt_input;
        map.set(kPreviousTxid, chain::ByteWriter{}.bytes(input.prevout.txid.view()).take());
        map.set(kOutputIndex, u32(input.prevout.index));
        map.set(kSequence, u32(input.sequence));
    }

    /// Adds the full transaction, the witness UTXO, both or neither. The witness UTXO may be a lie.
    void add_utxo(wallet::PsbtMap& map, const SceneCoin& coin) {
        const unsigned choice = reader_.read_u8();
        const auto* full = scene_.transaction(coin.outpoint.txid);
        const bool tells_full = (choice & 1U) != 0 && full != nullptr;
        if (tells_full) {
            map.set(wallet::psbt_input::kFullTransaction, full->serialize_without_witness());
        }
        if ((choice & 2U) == 0) return;
        chain::TxOutput claimed = coin.output;
        switch (choice / 4 % 8) {
            case 5:
                claimed.value = 1'000 * chain::Satoshis{reader_.read_u8()};
                break;
            case 6:
                claimed.script_pubkey = one_of(scene_.scripts()).script_pubkey;
                break;
            case 7:
                claimed = one_of(scene_.coins()).output;
                break;
            default:
                break;
        }
        map.set(wallet::psbt_input::kWitnessUtxo,
                chain::ByteWriter{}.i64(claimed.value).var_bytes(claimed.script_pubkey).take());
    }

    /// Adds the right script in two of four cases, a wrong script in one case.
    void add_script(wallet::PsbtMap& map, chain::Byte type, unsigned choice,
                    const chain::Bytes& right) {
        if (choice % 4 == 3) {
            const SceneScript& other = one_of(scene_.scripts());
            map.set(type, other.redeem_script.empty() ? other.script_pubkey : other.redeem_script);
        } else if (choice % 4 != 0 && !right.empty()) {
            map.set(type, right);
        }
    }

    /// Adds a key with the wallet's fingerprint, and a path that may not be the key's.
    void add_derivation(wallet::PsbtMap& map, chain::Byte type, chain::Byte taproot_type) {
        const auto& key = one_of(scene_.keys());
        const wallet::KeyOrigin origin{scene_.fingerprint(), {reader_.read_u8()}};
        map.set(type, key.compressed(), wallet::written_origin(origin));
        map.set(taproot_type, key.x_only(), wallet::written_taproot_origin(origin));
    }

    void add_scripts(wallet::PsbtMap& map, const SceneCoin& coin) {
        using namespace wallet::psbt_input;
        const unsigned choice = reader_.read_u8();
        const SceneScript& script = scene_.scripts()[coin.script];
        add_script(map, kRedeemScript, choice, script.redeem_script);
        add_script(map, kWitnessScript, choice / 4, script.witness_script);
        if ((choice & 0x10U) != 0) add_derivation(map, kDerivation, kTaprootDerivation);
        if ((choice & 0x20U) != 0) map.set(kHashType, u32(reader_.read_u8()));
        if ((choice & 0x40U) != 0) {
            const auto key = one_of(scene_.keys()).x_only();
            map.set(kTaprootInternalKey, {key.begin(), key.end()});
        }
        if ((choice & 0x80U) != 0) {
            map.set(kTaprootMerkleRoot, chain::Bytes(32, reader_.read_u8()));
        }
    }

    /// Copies records of a type from the earlier round, perhaps with a changed byte.
    void copy_records(wallet::PsbtMap& map, const wallet::PsbtMap& from, chain::Byte type,
                      bool changes) {
        for (const wallet::PsbtRecord* record : from.all(type)) {
            chain::Bytes value = record->value;
            if (changes) value[reader_.read_u8() % value.size()] ^= 1U;
            map.set(type, record->key_data(), std::move(value));
        }
    }

    template <typename Earlier>
    void add_signature(wallet::PsbtMap& map, std::size_t input, const Earlier& earlier) {
        using namespace wallet::psbt_input;
        const unsigned choice = reader_.read_u8();
        const bool changes = (choice & 8U) != 0;
        switch (choice % 8) {
            case 4:
            case 5: {
                const auto signed_psbt = earlier(choice / 16 % 8, false);
                if (!signed_psbt) break;
                copy_records(map, signed_psbt->inputs()[input], kPartialSignature, changes);
                copy_records(map, signed_psbt->inputs()[input], kTaprootKeySignature, changes);
                break;
            }
            case 6: {
                const auto final_psbt = earlier(choice / 16 % 8, true);
                if (!final_psbt) break;
                copy_records(map, final_psbt->inputs()[input], kFinalScriptSig, changes);
                copy_records(map, final_psbt->inputs()[input], kFinalWitness, changes);
                break;
            }
            case 7:
                // Final records without meaning, as from a signer that marks an unfinished input as
                // final.
                map.set(kFinalWitness, wallet::written_witness({chain::Bytes{reader_.read_u8()}}));
                break;
            default:
                break;
        }
    }

    void add_output(wallet::PsbtMap& map, std::size_t output) {
        using namespace wallet::psbt_output;
        const unsigned choice = reader_.read_u8();
        if (is_version_2_) {
            const chain::TxOutput& paid = transaction_.outputs[output];
            map.set(kAmount, chain::ByteWriter{}.i64(paid.value).take());
            map.set(kScript, paid.script_pubkey);
        }
        if (choice % 4 == 3) add_derivation(map, kDerivation, kTaprootDerivation);
        add_script(map, kRedeemScript, choice / 4, {});
    }

    const PsbtScene& scene_;
    chain::ByteReader& reader_;
    bool is_version_2_ = false;
    chain::Transaction transaction_;
    std::vector<const SceneCoin*> coins_;  ///< one for each input
};

}  // namespace petal::fuzz
