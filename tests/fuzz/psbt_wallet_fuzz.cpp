/// A wallet signs PSBTs that another program made:
/// - Each input and output that the wallet calls its own is its own.
/// - The amounts and addresses that the wallet shows are true.
/// - The wallet's signatures spend only what was shown, with the hash types that the user allows.
///
/// The first byte chooses the terms of signing. Then follows a PSBT as bytes, or the choices of
/// which one is built (psbt_of_choices.h) from coins of psbt_scene.h. The oracles compare with
/// these coins, not with the records, which may be lies.
#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "chain/script/input_verification.h"
#include "tests/fuzz/psbt_of_choices.h"
#include "tests/fuzz/psbt_scene.h"
#include "wallet/ledger/amount.h"
#include "wallet/psbt/analysis.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/finalizing.h"
#include "wallet/psbt/record_types.h"
#include "wallet/psbt_wallet.h"

namespace petal::fuzz {
namespace {

using wallet::Psbt;
using wallet::PsbtMap;
using wallet::PsbtRecord;
using wallet::PsbtTerms;

std::vector<std::size_t> all_inputs_of(const Psbt& psbt) {
    std::vector<std::size_t> all(psbt.inputs().size());
    std::iota(all.begin(), all.end(), 0);
    return all;
}

/// The hash type that the user asks for, if any.
std::optional<std::uint32_t> hash_type_of_choice(unsigned choice) {
    constexpr std::array<std::uint32_t, 7> kTypes{0x81, 0x82, 0x83, 0, 1, 2, 3};
    if (choice % 8 == 0) return std::nullopt;
    return kTypes[choice % 8 - 1];
}

/// A wallet, one PSBT, and what is true of it.
class PsbtRound {
public:
    PsbtRound(const PsbtScene& scene, wallet::PsbtWallet& own, Psbt psbt, const PsbtTerms& terms)
        : scene_(scene), own_(own), psbt_(std::move(psbt)), terms_(terms), shown_(psbt_) {
        for (std::size_t i = 0; i < psbt_.inputs().size(); ++i) {
            truth_.push_back(scene.output(psbt_.transaction().inputs[i].prevout));
            // The wallet can't know more than that the bytes have the txid.
            if (!truth_[i] && psbt_.has_full_transaction(i)) truth_[i] = psbt_.utxo(i);
            if (psbt_.has_full_transaction(i)) assert(truth_[i] == psbt_.utxo(i));
        }
    }

    void play(bool names_all) {
        expect_right_owners();
        const auto checked = own_.check(psbt_, terms_);
        shown_ = own_.update(psbt_);
        assert(shown_.transaction() == psbt_.transaction());
        if (checked) expect_true_if_proven();
        const auto inputs = names_all ? all_inputs_of(psbt_) : own_inputs();
        const auto result = own_.sign(psbt_, inputs, scene_.secret(), terms_, {});
        if (!checked) assert(!result);
        if (!result) return;
        expect_all_else_unchanged(result->psbt);
        std::vector<std::size_t> signed_inputs;
        for (const std::size_t input : inputs) {
            const PsbtMap& before = psbt_.inputs()[input];
            if (!shown_own(input) || wallet::is_final(before)) continue;
            signed_inputs.push_back(input);
            expect_right_signature(input, result->psbt);
            expect_only_needed_changes(before, result->psbt.inputs()[input], input);
        }
        assert(result->inputs == signed_inputs);
        expect_final_inputs_valid(result->psbt, signed_inputs);
    }

private:
    /// The own script that an input spends, as the user sees it.
    const OwnScript* shown_own(std::size_t input) const {
        if (!own_.own_input(shown_, input)) return nullptr;
        const auto known = own_.known_utxo(psbt_, input);
        return scene_.own(known ? known->script_pubkey : shown_.utxo(input)->script_pubkey);
    }

    std::vector<std::size_t> own_inputs() const {
        std::vector<std::size_t> result;
        for (std::size_t i = 0; i < psbt_.inputs().size(); ++i) {
            if (own_.own_input(shown_, i)) result.push_back(i);
        }
        return result;
    }

    bool knows_all_truth() const {
        return std::ranges::all_of(truth_, [](const auto& output) { return output.has_value(); });
    }
    std::vector<chain::TxOutput> all_truth() const {
        std::vector<chain::TxOutput> outputs;
        if (!knows_all_truth()) return outputs;
        for (const auto& output : truth_) outputs.push_back(*output);
        return outputs;
    }

    void expect_path_of(const std::optional<wallet::KeyPath>& path,
                        const chain::Bytes& script) const {
        const OwnScript* own = scene_.own(script);
        if (own != nullptr && own->index < PsbtScene::kWatched) assert(path);
        if (!path) return;
        assert(own != nullptr);
        assert(scene_.wallet().path_text(*path) == own->path);
        assert(scene_.wallet().chain_of(path->descriptor) == own->chain);
    }

    void expect_right_owners() const {
        for (std::size_t i = 0; i < psbt_.outputs().size(); ++i) {
            const chain::Bytes& script = psbt_.transaction().outputs[i].script_pubkey;
            const auto path = own_.own_output(psbt_, i);
            expect_path_of(path, script);
            if (path) assert(own_.watches(script));
        }
        for (std::size_t i = 0; i < psbt_.inputs().size(); ++i) {
            const auto known = own_.known_utxo(psbt_, i);
            if (known) assert(known == truth_[i]);
            const auto& spent = known ? known : psbt_.utxo(i);
            if (spent) expect_path_of(own_.own_input(psbt_, i), spent->script_pubkey);
            if (!spent) assert(!own_.own_input(psbt_, i));
        }
    }

    /// Whether the fee, and what the wallet spends, are shown as they are.
    void expect_true_sums() const {
        const auto fee = wallet::fee_of(shown_);
        assert(fee && knows_all_truth());
        chain::Satoshis true_fee = 0;
        for (std::size_t i = 0; i < truth_.size(); ++i) {
            true_fee = wallet::add_amounts(true_fee, truth_[i]->value);
            const OwnScript* own = scene_.own(truth_[i]->script_pubkey);
            if (own != nullptr && own->index < PsbtScene::kWatched) assert(shown_own(i) == own);
            if (shown_own(i) != nullptr) assert(shown_.utxo(i) == truth_[i]);
        }
        for (const auto& output : psbt_.transaction().outputs) {
            true_fee = wallet::add_amounts(true_fee, -output.value);
        }
        assert(*fee == true_fee);
    }

    /// What is shown is called a claim unless each input is proven.
    void expect_true_if_proven() const {
        if (own_.unproven_inputs(shown_).empty()) expect_true_sums();
    }

    /// Nothing but inputs changes, and of these only the wallet's.
    void expect_all_else_unchanged(const Psbt& result) const {
        const auto again = Psbt::parse(result.serialize());
        assert(again && again->serialize() == result.serialize());
        assert(result.transaction() == psbt_.transaction());
        for (std::size_t i = 0; i < psbt_.outputs().size(); ++i) {
            assert(result.outputs()[i].records() == psbt_.outputs()[i].records());
        }
        for (std::size_t i = 0; i < psbt_.inputs().size(); ++i) {
            if (shown_own(i) != nullptr && !wallet::is_final(psbt_.inputs()[i])) continue;
            assert(result.inputs()[i].records() == psbt_.inputs()[i].records());
        }
        const auto& before = psbt_.global().records();
        const auto& after = result.global().records();
        assert(before.size() == after.size());
        for (std::size_t i = 0; i < before.size(); ++i) {
            const bool may_change =
                psbt_.version() == 2 && before[i].type() == wallet::psbt_global::kModifiable;
            assert(may_change ? before[i].key == after[i].key : before[i] == after[i]);
        }
    }

    /// No record is removed; only signatures and a wrong redeem script are replaced.
    void expect_only_needed_changes(const PsbtMap& before, const PsbtMap& after,
                                    std::size_t input) const {
        using namespace wallet::psbt_input;
        const OwnScript& own = *shown_own(input);
        for (const PsbtRecord& record : before.records()) {
            const chain::Bytes* now = after.find(record.type(), record.key_data());
            assert(now != nullptr);
            if (*now == record.value) continue;
            const bool is_signature =
                record.type() == kTaprootKeySignature ||
                (record.type() == kPartialSignature && is_of(record, own.key));
            const bool is_redeem_script =
                record.type() == kRedeemScript && own.kind == wallet::ScriptKind::sh_wpkh;
            assert(is_signature || is_redeem_script);
        }
        for (const PsbtRecord& record : after.records()) {
            if (before.find(record.type(), record.key_data()) != nullptr) continue;
            assert(record.type() != kPartialSignature || is_of(record, own.key));
            assert(record.type() <= kRedeemScript || record.type() == kTaprootKeySignature);
        }
    }

    static bool is_of(const PsbtRecord& signature, const wallet::PublicKey& key) {
        return std::ranges::equal(signature.key_data(), key.compressed());
    }

    std::uint32_t allowed_hash_type(std::size_t input, bool is_taproot) const {
        const auto demanded = wallet::hash_type_of(psbt_.inputs()[input]);
        std::uint32_t allowed = terms_.hash_type.value_or(0);
        if (allowed == 0 && !is_taproot) allowed = chain::kSighashAll;
        if (!terms_.hash_type && is_taproot && demanded == chain::kSighashAll) allowed = *demanded;
        if (demanded) assert(*demanded == allowed);
        return allowed;
    }

    /// Whether a signature spends `spent`, which the input spends among all of `outputs`.
    bool is_valid(std::size_t input, const chain::Bytes& signature, const chain::TxOutput& spent,
                  const std::vector<chain::TxOutput>& outputs) const {
        const OwnScript& own = *scene_.own(spent.script_pubkey);
        const auto& compressed = own.key.compressed();
        const chain::Bytes key(compressed.begin(), compressed.end());
        chain::Transaction transaction = psbt_.transaction();
        chain::TxInput& signed_input = transaction.inputs[input];
        switch (own.kind) {
            case wallet::ScriptKind::tr:
                signed_input.witness = {signature};
                break;
            case wallet::ScriptKind::sh_wpkh:
                signed_input.script_sig =
                    chain::push_data(script_for(wallet::ScriptKind::wpkh, own.key));
                [[fallthrough]];
            case wallet::ScriptKind::wpkh:
                signed_input.witness = {signature, key};
                break;
            case wallet::ScriptKind::pkh:
                signed_input.script_sig = chain::push_data(signature);
                const auto pushed_key = chain::push_data(key);
                signed_input.script_sig.insert(signed_input.script_sig.end(), pushed_key.begin(),
                                               pushed_key.end());
                break;
        }
        return chain::verify_input(chain::SighashCache{transaction, outputs}, input, spent)
            .has_value();
    }

    void expect_right_signature(std::size_t input, const Psbt& result) const {
        using namespace wallet::psbt_input;
        const OwnScript& own = *shown_own(input);
        const PsbtMap& before = psbt_.inputs()[input];
        const bool is_taproot = own.kind == wallet::ScriptKind::tr;
        const auto type = is_taproot ? kTaprootKeySignature : kPartialSignature;
        const auto key = is_taproot ? chain::ByteView{} : chain::ByteView{own.key.compressed()};
        const chain::Bytes* signature = result.inputs()[input].find(type, key);
        assert(signature != nullptr);
        const bool has_type = !is_taproot || signature->size() != 64;
        const std::uint32_t hash_type = has_type ? signature->back() : 0;
        assert(hash_type == allowed_hash_type(input, is_taproot));
        assert(has_type || hash_type == 0);

        const chain::TxOutput& claimed = *shown_.utxo(input);
        const auto claims = shown_.known_utxos();
        assert(is_valid(input, *signature, claimed, claims));
        const bool is_true = truth_[input] == claimed;
        if (!is_taproot) {
            assert(is_true);  // a signature covers no more than the amount of its own input
            const chain::Bytes* earlier = before.find(type, key);
            const bool stays = earlier != nullptr && earlier->back() == hash_type &&
                               is_valid(input, *earlier, claimed, claims);
            if (stays) assert(*earlier == *signature);
        }
        expect_restricted(hash_type, result, signature, before.find(type, key));
        // CVE-2020-14199: several PSBTs with different lies may get signatures of one transaction.
        const bool is_use = is_true && is_valid(input, *signature, claimed, all_truth());
        if (is_use && !terms_.accepts_unproven_fee) expect_true_sums();
    }

    /// In version 2, a new signature forbids the changes that would make it invalid.
    void expect_restricted(std::uint32_t hash_type, const Psbt& result,
                           const chain::Bytes* signature, const chain::Bytes* earlier) const {
        const chain::Bytes* flags = result.global().find(wallet::psbt_global::kModifiable);
        if (psbt_.version() != 2 || flags == nullptr) return;
        if (earlier != nullptr && *earlier == *signature) return;
        const std::uint32_t outputs = hash_type & chain::kSighashOutputMask;
        if ((hash_type & chain::kSighashAnyoneCanPay) == 0) assert((flags->front() & 1) == 0);
        if (outputs != chain::kSighashNone) assert((flags->front() & 2) == 0);
        if (outputs == chain::kSighashSingle) assert((flags->front() & 4) != 0);
    }

    void expect_final_inputs_valid(const Psbt& result,
                                   const std::vector<std::size_t>& signed_inputs) const {
        Psbt final_psbt = result;
        static_cast<void>(wallet::finalize(final_psbt));
        chain::Transaction transaction = psbt_.transaction();
        for (std::size_t i = 0; i < transaction.inputs.size(); ++i) {
            const PsbtMap& map = final_psbt.inputs()[i];
            transaction.inputs[i].script_sig =
                wallet::value_of(map, wallet::psbt_input::kFinalScriptSig);
            transaction.inputs[i].witness = wallet::final_witness(map);
        }
        const auto claims = final_psbt.known_utxos();
        const chain::SighashCache cache{transaction, claims};
        for (std::size_t i = 0; i < transaction.inputs.size(); ++i) {
            const bool is_new =
                wallet::is_final(final_psbt.inputs()[i]) && !wallet::is_final(psbt_.inputs()[i]);
            if (is_new) assert(chain::verify_input(cache, i, *final_psbt.utxo(i)));
        }
        // Signatures of others may be wrong, and then prevent the others from being finalized.
        if (std::ranges::any_of(psbt_.inputs(), wallet::is_signed)) return;
        for (const std::size_t i : signed_inputs) {
            // That the wallet knows a coin which it only watches is not told: its owner adds it.
            const bool needs_others = shown_own(i)->kind == wallet::ScriptKind::tr &&
                                      chain::covers_other_inputs(terms_.hash_type.value_or(0));
            if (needs_others && claims.empty()) continue;
            assert(wallet::is_final(final_psbt.inputs()[i]));
        }
        const auto extracted = wallet::extract(final_psbt);
        if (extracted) assert(*extracted == transaction);
    }

    const PsbtScene& scene_;
    wallet::PsbtWallet& own_;
    Psbt psbt_;
    PsbtTerms terms_;
    Psbt shown_;                                         ///< with the wallet's data
    std::vector<std::optional<chain::TxOutput>> truth_;  ///< empty if no such output exists
};

/// The transaction with proof of all that it spends, signed by the wallet.
std::optional<Psbt> sign_honestly(const PsbtScene& scene, wallet::PsbtWallet& own,
                                  const chain::Transaction& transaction, unsigned hash_choice) {
    Psbt psbt = Psbt::of_transaction(transaction);
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        const chain::Outpoint& prevout = transaction.inputs[i].prevout;
        const auto spent = scene.output(prevout);
        if (spent) psbt.set_utxo(i, *spent, false, *scene.transaction(prevout.txid));
    }
    auto result = own.sign(psbt, all_inputs_of(psbt), scene.secret(),
                           {hash_type_of_choice(hash_choice), true}, {});
    if (!result) return std::nullopt;
    return std::move(result->psbt);
}

std::optional<Psbt> psbt_of_choices(const PsbtScene& scene, wallet::PsbtWallet& own,
                                    chain::ByteReader& reader) {
    PsbtOfChoices choices(scene, reader);
    return choices.build([&](unsigned hash_choice, bool finalizes) {
        auto psbt = sign_honestly(scene, own, choices.transaction(), hash_choice);
        if (psbt && finalizes) static_cast<void>(wallet::finalize(*psbt));
        return psbt;
    });
}

/// The oracles would hold for a wallet that never signs.
void expect_honest_coins_signed(const PsbtScene& scene, wallet::PsbtWallet& own) {
    chain::Transaction transaction;
    std::size_t own_coins = 0;
    for (const SceneCoin& coin : scene.coins()) {
        if (!coin.is_real) continue;
        transaction.inputs.push_back({coin.outpoint, {}, 0xfffffffd, {}});
        if (scene.own(coin.output.script_pubkey) != nullptr) ++own_coins;
    }
    transaction.outputs.push_back({1'000, scene.scripts()[0].script_pubkey});
    const auto signed_psbt = sign_honestly(scene, own, transaction, 0);
    assert(signed_psbt);
    const auto count =
        static_cast<std::size_t>(std::ranges::count_if(signed_psbt->inputs(), wallet::is_signed));
    assert(count == own_coins && own_coins == 24);
}

}  // namespace
}  // namespace petal::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace petal;
    static const fuzz::PsbtScene scene;
    static wallet::PsbtWallet own(scene.wallet());
    static const bool is_checked = [] {
        fuzz::expect_honest_coins_signed(scene, own);
        return true;
    }();
    assert(is_checked);
    chain::ByteReader reader{{data, size}};
    const unsigned terms = reader.read_u8();
    std::optional<wallet::Psbt> psbt;
    if ((terms & 1U) != 0) {
        auto parsed = wallet::Psbt::parse(reader.rest());
        if (parsed) psbt = *std::move(parsed);
    } else {
        psbt = fuzz::psbt_of_choices(scene, own, reader);
    }
    if (!psbt) return 0;
    const bool accepts = (terms & 4U) != 0;
    fuzz::PsbtRound round(scene, own, *std::move(psbt),
                          {fuzz::hash_type_of_choice(terms / 8), accepts});
    round.play((terms & 2U) != 0);
    return 0;
}
