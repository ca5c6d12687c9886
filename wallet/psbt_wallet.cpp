#include "wallet/psbt_wallet.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <set>
#include <string>
#include <utility>

#include "chain/script/script.h"
#include "chain/transaction_rules.h"
#include "wallet/keys/base58.h"
#include "wallet/private_keys.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/named_keys.h"
#include "wallet/psbt/psbt_signer.h"
#include "wallet/psbt/record_types.h"
#include "wallet/wallet_changes.h"

namespace petal::wallet {

namespace {

/// The record types of keys and scripts, which differ between inputs and outputs.
struct ScriptRecords {
    chain::Byte redeem_script;
    chain::Byte witness_script;
    chain::Byte derivation;
    chain::Byte taproot_internal_key;
    chain::Byte taproot_derivation;
};

constexpr ScriptRecords kInputRecords{psbt_input::kRedeemScript, psbt_input::kWitnessScript,
                                      psbt_input::kDerivation, psbt_input::kTaprootInternalKey,
                                      psbt_input::kTaprootDerivation};
constexpr ScriptRecords kOutputRecords{psbt_output::kRedeemScript, psbt_output::kWitnessScript,
                                       psbt_output::kDerivation, psbt_output::kTaprootInternalKey,
                                       psbt_output::kTaprootDerivation};

void add_script_records(PsbtMap& map, const Derivation& derivation, const ScriptRecords& types) {
    const DerivedScript& script = derivation.scripts.front();
    if (!script.redeem_script.empty()) map.set(types.redeem_script, script.redeem_script);
    if (!script.witness_script.empty()) map.set(types.witness_script, script.witness_script);
    for (const DerivedKey& key : derivation.keys) {
        const chain::Bytes serialized = serialize(key.key, key.form);
        if (key.form == KeyForm::x_only) {
            map.set(types.taproot_internal_key, serialized);
            map.set(types.taproot_derivation, serialized, written_taproot_origin(key.origin));
        } else {
            map.set(types.derivation, serialized, written_origin(key.origin));
        }
    }
}

bool is_in_witness(const Derivation& derivation) {
    const DerivedScript& script = derivation.scripts.front();
    const auto& inner = script.redeem_script.empty() ? script.script_pubkey : script.redeem_script;
    const chain::ScriptType type = chain::classify(inner);
    return type == chain::ScriptType::p2wpkh || type == chain::ScriptType::p2wsh ||
           (type == chain::ScriptType::p2tr && script.redeem_script.empty());
}

bool is_taproot(chain::ByteView script_pubkey) {
    return chain::classify(script_pubkey) == chain::ScriptType::p2tr;
}

/// Whether a record is needed to finalize a signed input. The final transaction reveals these
/// records.
bool finalizes(const PsbtRecord& record) {
    constexpr std::array kTypes{psbt_input::kFullTransaction,  psbt_input::kWitnessUtxo,
                                psbt_input::kPartialSignature, psbt_input::kHashType,
                                psbt_input::kRedeemScript,     psbt_input::kTaprootKeySignature};
    return std::ranges::find(kTypes, record.type()) != kTypes.end();
}

constexpr std::size_t kExtendedKeyBytes = 78;

}  // namespace

Psbt PsbtWallet::create(const Payment& payment) {
    return with_extended_keys(
        add_data(Psbt::of_transaction(payment.transaction), /*with_proofs_of_taproot=*/true));
}

Psbt PsbtWallet::with_extended_keys(Psbt psbt) const {
    const WalletState& current = wallet_.state_->wallet_state();
    PsbtMap global = psbt.global();
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        const auto path = own_input(psbt, i);
        if (!path || !current.descriptor(path->descriptor).multisig) continue;
        const Descriptor descriptor = read_descriptor(path->descriptor);
        for (const KeyExpression& key : descriptor.keys()) {
            const auto* const extended = std::get_if<ExtendedPublicKey>(&key.key);
            if (extended == nullptr) continue;
            const KeyOrigin origin = key.root_origin();
            if (origin.path.size() != extended->position().depth) continue;
            const auto bytes =
                decode_base58check(extended->to_string(wallet_.state_->network), kExtendedKeyBytes);
            global.set(psbt_global::kXpub, bytes.value(), written_origin(origin));
        }
    }
    return Psbt::assemble(std::move(global), psbt.inputs(), psbt.outputs()).value();
}

std::optional<chain::TxOutput> PsbtWallet::known_utxo(const Psbt& psbt, std::size_t input) const {
    const WalletState& current = wallet_.state_->wallet_state();
    const Credit* credit = current.ledger().credit(psbt.transaction().inputs[input].prevout);
    if (credit == nullptr) return std::nullopt;
    return chain::TxOutput{credit->value, current.ring().script_at(credit->path)};
}

std::optional<KeyPath> PsbtWallet::own_path(chain::ByteView script_pubkey) const {
    const WalletState& current = wallet_.state_->wallet_state();
    const auto path = current.is_watch_only() ? watched_path(script_pubkey)
                                              : current.path_with_keys(script_pubkey);
    // A damaged script would be shown as the wallet's own.
    if (path) expect_genuine(wallet_.state_->store, current, *path);
    return path;
}

std::optional<KeyPath> PsbtWallet::watched_path(chain::ByteView script_pubkey) const {
    const WalletState& current = wallet_.state_->wallet_state();
    std::optional<KeyPath> watched;
    for (const KeyPath& path : current.ring().paths_of(script_pubkey)) {
        const WalletDescriptor& descriptor = current.descriptor(path.descriptor);
        // An address that is watched on its own may also belong to a known account.
        const bool tells_more = watched && !current.descriptor(watched->descriptor).source.ranged &&
                                descriptor.spend_form() && descriptor.source.ranged;
        if (!watched || tells_more) watched = path;
    }
    return watched;
}

std::optional<chain::TxOutput> PsbtWallet::spent_output(const Psbt& psbt, std::size_t input) const {
    auto known = known_utxo(psbt, input);
    return known ? known : psbt.utxo(input);
}

std::optional<KeyPath> PsbtWallet::own_input(const Psbt& psbt, std::size_t input) const {
    const auto utxo = spent_output(psbt, input);
    return utxo ? own_path(utxo->script_pubkey) : std::nullopt;
}

std::optional<KeyPath> PsbtWallet::own_output(const Psbt& psbt, std::size_t output) const {
    return own_path(psbt.transaction().outputs[output].script_pubkey);
}

bool PsbtWallet::watches(chain::ByteView script_pubkey) const {
    return wallet_.state_->wallet_state().ring().find(script_pubkey).has_value();
}

std::vector<std::size_t> PsbtWallet::claimed_inputs(const Psbt& psbt) const {
    const WalletState& current = wallet_.state_->wallet_state();
    std::set<Fingerprint> masters;
    for (std::uint32_t number = 0; number < current.descriptors().size(); ++number) {
        if (!current.descriptor(number).has_private_keys()) continue;
        const Descriptor descriptor = read_descriptor(number);
        for (const KeyExpression& key : descriptor.keys()) {
            masters.insert(key.root_origin().fingerprint);
        }
    }
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        if (is_final(psbt.inputs()[i]) || own_input(psbt, i)) continue;
        const bool is_claimed = std::ranges::any_of(
            named_keys(psbt, i),
            [&](const KeyDerivation& key) { return masters.contains(key.origin.fingerprint); });
        if (is_claimed) result.push_back(i);
    }
    return result;
}

SharedInputs PsbtWallet::shared_inputs(const Psbt& psbt, const SecretBytes& secret) const {
    const WalletState& current = wallet_.state_->wallet_state();
    if (current.is_watch_only()) throw wallet_.state_->watch_only();
    const PrivateKeys keys(current, secret, wallet_.state_->network);
    const auto own_key = [&](const KeyOrigin& origin) -> std::optional<PublicKey> {
        const auto key = keys.key_at(origin);
        return key ? std::optional(key->public_key()) : std::nullopt;
    };
    SharedInputs result;
    for (const std::size_t input : claimed_inputs(psbt)) {
        const bool is_shared =
            std::ranges::any_of(named_keys(psbt, input), [&](const KeyDerivation& named) {
                const auto key = own_key(named.origin);
                return key && is_named_as(*key, named.public_key);
            });
        if (is_shared) result.inputs.push_back(input);
    }
    const DescriptorProver prover(psbt, result.inputs, wallet_.state_->network, own_key);
    for (std::size_t i = 0; i < psbt.outputs().size(); ++i) {
        if (own_output(psbt, i)) continue;
        const bool is_change = prover.pays_descriptor_of_input(i) ||
                               pays_watched_descriptor_of(psbt, i, result.inputs);
        if (is_change) result.change.push_back(i);
    }
    return result;
}

bool PsbtWallet::pays_watched_descriptor_of(const Psbt& psbt, std::size_t output,
                                            const std::vector<std::size_t>& inputs) const {
    const WalletState& current = wallet_.state_->wallet_state();
    const auto paid = watched_path(psbt.transaction().outputs[output].script_pubkey);
    if (!paid) return false;
    return std::ranges::any_of(inputs, [&](std::size_t input) {
        const auto spent = watched_path(psbt.utxo(input)->script_pubkey);
        return spent && has_same_owner(current.descriptor(spent->descriptor),
                                       current.descriptor(paid->descriptor));
    });
}

bool PsbtWallet::signs_own_amounts_alone(const Psbt& psbt, const PsbtTerms& terms,
                                         const std::vector<std::size_t>& shared) const {
    const bool covers_others = chain::covers_other_inputs(terms.hash_type.value_or(0));
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        const bool is_own = own_input(psbt, i) || std::ranges::binary_search(shared, i);
        if (!is_own || is_final(psbt.inputs()[i])) continue;
        if (!covers_others || !is_taproot(spent_output(psbt, i)->script_pubkey)) return true;
    }
    return false;
}

std::vector<std::size_t> PsbtWallet::spent_inputs(const Psbt& psbt) const {
    const Ledger& ledger = wallet_.state_->wallet_state().ledger();
    const chain::Txid txid = psbt.transaction().txid();
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        const chain::Outpoint& prevout = psbt.transaction().inputs[i].prevout;
        const LedgerTransaction* const spender = ledger.spends().confirmed_spender(prevout);
        const bool is_other = spender != nullptr && spender->txid != txid;
        if (is_other && ledger.credit(prevout) != nullptr) result.push_back(i);
    }
    return result;
}

chain::Expected<void, PsbtFlaw> PsbtWallet::check(const Psbt& psbt, const PsbtTerms& terms,
                                                  const std::vector<std::size_t>& shared) const {
    const auto checked = chain::check_transaction(psbt.transaction());
    if (!checked) return chain::Unexpected{PsbtFlaw{checked.error()}};
    const auto fail = [](std::size_t input, PsbtInputFault fault) {
        return chain::Unexpected{PsbtFlaw{PsbtInputError{input, fault}}};
    };
    const std::set<std::string> frozen = wallet_.state_->frozen_outputs();
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        const auto& utxo = psbt.utxo(i);
        const auto known = known_utxo(psbt, i);
        const bool is_own = own_input(psbt, i) || std::ranges::binary_search(shared, i);
        if (is_own && frozen.contains(psbt.transaction().inputs[i].prevout.to_string())) {
            return fail(i, PsbtInputFault::frozen);
        }
        if (!utxo) continue;
        if (known) {
            if (*known != *utxo) return fail(i, PsbtInputFault::contradicts_wallet);
            continue;
        }
        const bool is_proven = psbt.has_full_transaction(i) || is_taproot(utxo->script_pubkey);
        if (!is_proven && is_own) return fail(i, PsbtInputFault::no_full_transaction);
    }
    if (terms.accepts_unproven_fee) return {};
    const auto unproven = unproven_inputs(psbt);
    if (!unproven.empty() && signs_own_amounts_alone(psbt, terms, shared)) {
        return fail(unproven.front(), PsbtInputFault::unproven_fee);
    }
    return {};
}

std::vector<std::size_t> PsbtWallet::unproven_inputs(const Psbt& psbt) const {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        if (!psbt.has_full_transaction(i) && !known_utxo(psbt, i)) result.push_back(i);
    }
    return result;
}

Descriptor PsbtWallet::read_descriptor(DescriptorNumber number) const {
    const WalletState& current = wallet_.state_->wallet_state();
    auto descriptor =
        Descriptor::parse(current.descriptor(number).stored.text, wallet_.state_->network);
    if (!descriptor) throw wallet_.state_->store.damaged("bad descriptor");
    return *std::move(descriptor);
}

Derivation PsbtWallet::derive(KeyPath path) {
    auto found = derivers_.find(path.descriptor);
    if (found == derivers_.end()) {
        auto deriver = ScriptDeriver::create(read_descriptor(path.descriptor));
        if (!deriver) throw wallet_.state_->store.damaged("bad descriptor");
        found = derivers_.try_emplace(path.descriptor, *std::move(deriver)).first;
    }
    auto derivation = found->second.derive(path.index);
    assert(derivation);  // the wallet has derived the script of this index
    return *std::move(derivation);
}

bool PsbtWallet::spends_taproot_alone(const Psbt& psbt) const {
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        const auto utxo = spent_output(psbt, i);
        if (!utxo || !is_taproot(utxo->script_pubkey)) return false;
    }
    return true;
}

void PsbtWallet::add_known_utxo(Psbt& psbt, std::size_t input, bool with_proof_of_taproot) {
    const chain::Outpoint& prevout = psbt.transaction().inputs[input].prevout;
    const WalletState& current = wallet_.state_->wallet_state();
    const Credit* credit = current.ledger().credit(prevout);
    if (credit == nullptr) return;
    const chain::TxOutput known{credit->value, current.ring().script_at(credit->path)};
    const KeyPath path = own_path(known.script_pubkey).value_or(credit->path);
    const auto& utxo = psbt.utxo(input);
    if (utxo && *utxo != known) return;
    std::optional<chain::Transaction> full;
    const bool needs_proof = with_proof_of_taproot || !is_taproot(known.script_pubkey);
    if (needs_proof && !psbt.has_full_transaction(input)) {
        // Another process may have removed the transaction.
        auto previous = wallet_.known_transaction(prevout.txid);
        if (previous) full = std::move(previous->transaction);
    }
    psbt.set_utxo(input, known, is_in_witness(derive(path)), full);
}

Psbt PsbtWallet::update(Psbt psbt) {
    // Taproot signatures cover the amounts of all inputs. For any other signature, the full
    // transaction must prove the amount of each input, including taproot inputs.
    const bool with_proofs = !spends_taproot_alone(psbt);
    return add_data(std::move(psbt), with_proofs);
}

Psbt PsbtWallet::add_data(Psbt psbt, bool with_proofs_of_taproot) {
    const WalletState& current = wallet_.state_->wallet_state();
    std::set<DescriptorNumber> spent;
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        add_known_utxo(psbt, i, with_proofs_of_taproot);
        const auto path = own_input(psbt, i);
        if (!path) continue;
        spent.insert(path->descriptor);
        if (is_final(psbt.inputs()[i])) continue;
        add_script_records(psbt.input(i), derive(*path), kInputRecords);
    }
    for (std::size_t i = 0; i < psbt.outputs().size(); ++i) {
        const auto path = own_output(psbt, i);
        const bool is_of_spender = path && std::ranges::any_of(spent, [&](DescriptorNumber number) {
                                       return has_same_owner(current.descriptor(number),
                                                             current.descriptor(path->descriptor));
                                   });
        if (is_of_spender) add_script_records(psbt.output(i), derive(*path), kOutputRecords);
    }
    return psbt;
}

chain::Expected<bool, PsbtInputFault> PsbtWallet::sign_input(const Psbt& psbt, std::size_t input,
                                                             PrivateKeys& keys,
                                                             PsbtSigner& signer) {
    const auto path = own_input(psbt, input);
    if (!path) return false;
    return signer.sign(input, keys.key(*path), known_utxo(psbt, input));
}

chain::Expected<bool, PsbtInputFault> PsbtWallet::sign_shared(const Psbt& psbt, std::size_t input,
                                                              const PrivateKeys& keys,
                                                              PsbtSigner& signer) {
    bool is_signed = false;
    for (const KeyDerivation& named : named_keys(psbt, input)) {
        const auto key = keys.key_at(named.origin);
        if (!key || !is_named_as(key->public_key(), named.public_key)) continue;
        const auto result = signer.sign(input, *key, known_utxo(psbt, input));
        if (!result) return result;
        is_signed = is_signed || *result;
    }
    return is_signed;
}

chain::Expected<SignedPsbt, PsbtFlaw> PsbtWallet::sign(const Psbt& psbt,
                                                       const std::vector<std::size_t>& inputs,
                                                       const SecretBytes& secret,
                                                       const PsbtTerms& terms,
                                                       const SecretArray<32>& auxiliary) {
    const WalletState& current = wallet_.state_->wallet_state();
    if (current.is_watch_only()) throw wallet_.state_->watch_only();
    const std::set<std::size_t> confirmed(inputs.begin(), inputs.end());
    std::vector<std::size_t> shared = shared_inputs(psbt, secret).inputs;
    std::erase_if(shared, [&](std::size_t input) { return !confirmed.contains(input); });
    if (const auto checked = check(psbt, terms, shared); !checked)
        return chain::Unexpected{checked.error()};
    Psbt updated = update(psbt);
    std::vector<PsbtMap> maps = psbt.inputs();
    std::vector<std::size_t> signed_inputs;
    PsbtSigner signer(updated, terms.hash_type, auxiliary);
    PrivateKeys keys(current, secret, wallet_.state_->network);
    for (const std::size_t i : confirmed) {
        const bool is_shared = std::ranges::binary_search(shared, i);
        const auto is_signed = is_shared ? sign_shared(updated, i, keys, signer)
                                         : sign_input(updated, i, keys, signer);
        if (!is_signed) return chain::Unexpected{PsbtFlaw{PsbtInputError{i, is_signed.error()}}};
        if (!*is_signed) continue;
        signed_inputs.push_back(i);
        for (const PsbtRecord& record : updated.inputs()[i].records()) {
            if (finalizes(record)) maps[i].set(record.type(), record.key_data(), record.value);
        }
    }
    auto result = Psbt::assemble(updated.global(), std::move(maps), psbt.outputs());
    return SignedPsbt{std::move(result).value(), std::move(signed_inputs)};
}

}  // namespace petal::wallet
