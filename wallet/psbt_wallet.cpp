#include "wallet/psbt_wallet.h"

#include <cassert>
#include <utility>

#include "chain/script/script.h"
#include "chain/transaction_rules.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/psbt_signer.h"
#include "wallet/psbt/record_types.h"
#include "wallet/wallet_changes.h"

namespace petal::wallet {

namespace {

/// The types of the records about keys and scripts, which inputs and outputs number differently.
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

/// The private keys below a seed. Those of one chain follow from the same parent.
class SeedKeys {
public:
    explicit SeedKeys(const Seed& seed)
        : master_(ExtendedPrivateKey::from_seed(seed.view()).value()),
          fingerprint_(master_.fingerprint()) {}

    /// The key of this origin, if it is the seed's and really the one that is meant.
    std::optional<PrivateKey> find(const DerivedKey& wanted) {
        if (wanted.origin.fingerprint != fingerprint_ || wanted.origin.path.empty()) return {};
        std::vector<std::uint32_t> path = wanted.origin.path;
        const std::uint32_t index = path.back();
        path.pop_back();
        auto parent = parents_.find(path);
        if (parent == parents_.end()) {
            auto derived = master_.derive_path(path);
            if (!derived) return {};
            parent = parents_.try_emplace(path, *std::move(derived)).first;
        }
        const auto key = parent->second.derive(index);
        if (!key || key->key().public_key().x_only() != wanted.key.x_only()) return {};
        return key->key();
    }

private:
    ExtendedPrivateKey master_;
    Fingerprint fingerprint_;
    std::map<std::vector<std::uint32_t>, ExtendedPrivateKey> parents_;
};

}  // namespace

Psbt PsbtWallet::create(const Payment& payment) {
    return update(Psbt::of_transaction(payment.transaction));
}

std::optional<chain::TxOutput> PsbtWallet::known_utxo(const Psbt& psbt, std::size_t input) const {
    const WalletState& current = wallet_.state_->wallet_state();
    const Credit* credit = current.ledger().credit(psbt.transaction().inputs[input].prevout);
    if (credit == nullptr) return std::nullopt;
    return chain::TxOutput{credit->value, current.ring().script_at(credit->path)};
}

std::optional<KeyPath> PsbtWallet::own_input(const Psbt& psbt, std::size_t input) const {
    const WalletState& current = wallet_.state_->wallet_state();
    const Credit* credit = current.ledger().credit(psbt.transaction().inputs[input].prevout);
    if (credit != nullptr) return credit->path;
    const auto& utxo = psbt.utxo(input);
    return utxo ? current.ring().find(utxo->script_pubkey) : std::nullopt;
}

std::optional<KeyPath> PsbtWallet::own_output(const Psbt& psbt, std::size_t output) const {
    const auto& script = psbt.transaction().outputs[output].script_pubkey;
    return wallet_.state_->wallet_state().ring().find(script);
}

Derivation PsbtWallet::derive(KeyPath path) {
    auto found = derivers_.find(path.descriptor);
    if (found == derivers_.end()) {
        const Wallet::State& state = *wallet_.state_;
        const std::string& text =
            wallet_.state_->wallet_state().descriptor(path.descriptor).stored.text;
        const auto descriptor = Descriptor::parse(text, state.network);
        auto deriver = descriptor ? ScriptDeriver::create(*descriptor)
                                  : chain::Expected<ScriptDeriver, DerivationError>(
                                        chain::Unexpected{DerivationError::invalid_child});
        if (!deriver) throw state.store.damaged("bad descriptor");
        found = derivers_.try_emplace(path.descriptor, *std::move(deriver)).first;
    }
    auto derivation = found->second.derive(path.index);
    assert(derivation);  // of an index that the wallet has derived a script for
    return *std::move(derivation);
}

void PsbtWallet::update_input(Psbt& psbt, std::size_t input, KeyPath path) {
    const Derivation derivation = derive(path);
    const auto known = known_utxo(psbt, input);
    const auto& utxo = psbt.utxo(input);
    if (known && (!utxo || *utxo == *known)) {
        std::optional<chain::Transaction> full;
        // Taproot's signatures cover the amounts of all inputs; for others it proves the amount.
        if (!is_taproot(known->script_pubkey)) {
            auto previous =
                wallet_.known_transaction(psbt.transaction().inputs[input].prevout.txid);
            assert(previous);
            full = std::move(previous->transaction);
        }
        if (psbt.has_full_transaction(input)) full.reset();
        psbt.set_utxo(input, *known, is_in_witness(derivation), full);
    }
    add_script_records(psbt.input(input), derivation, kInputRecords);
}

Psbt PsbtWallet::update(Psbt psbt) {
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        const auto path = own_input(psbt, i);
        if (path && !is_final(psbt.inputs()[i])) update_input(psbt, i, *path);
    }
    for (std::size_t i = 0; i < psbt.outputs().size(); ++i) {
        const auto path = own_output(psbt, i);
        if (path) add_script_records(psbt.output(i), derive(*path), kOutputRecords);
    }
    return psbt;
}

chain::Expected<SignedPsbt, PsbtFlaw> PsbtWallet::sign(Psbt psbt, const Seed& seed,
                                                       std::optional<std::uint32_t> hash_type,
                                                       const SecretArray<32>& auxiliary) {
    const auto checked = chain::check_transaction(psbt.transaction());
    if (!checked) return chain::Unexpected{PsbtFlaw{checked.error()}};
    psbt = update(std::move(psbt));
    std::vector<std::size_t> inputs;
    PsbtSigner signer(psbt, hash_type, auxiliary);
    SeedKeys keys(seed);
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        const auto path = own_input(psbt, i);
        if (!path) continue;
        bool is_signed = false;
        for (const DerivedKey& wanted : derive(*path).keys) {
            const auto key = keys.find(wanted);
            if (!key) continue;
            const auto added = signer.sign(i, *key, known_utxo(psbt, i));
            if (!added) return chain::Unexpected{PsbtFlaw{PsbtInputError{i, added.error()}}};
            is_signed = is_signed || *added;
        }
        if (is_signed) inputs.push_back(i);
    }
    return SignedPsbt{std::move(psbt), std::move(inputs)};
}

}  // namespace petal::wallet
