/// Derives scripts and keys from descriptors.
#include "wallet/descriptors/script_deriver.h"

#include <algorithm>
#include <cassert>
#include <span>
#include <utility>

#include "chain/hash.h"
#include "chain/script/script.h"

namespace petal::wallet {

namespace {

void append(chain::Bytes& script, const chain::Bytes& part) {
    script.insert(script.end(), part.begin(), part.end());
}

chain::Bytes key_in_script(const DerivedKey& key) {
    return serialize(key.key, key.form);
}

chain::Bytes multisig_script(std::size_t threshold, std::span<const DerivedKey> keys, bool sorted) {
    std::vector<chain::Bytes> serialized;
    serialized.reserve(keys.size());
    for (const DerivedKey& key : keys) serialized.push_back(key_in_script(key));
    if (sorted) std::ranges::sort(serialized);
    chain::Bytes script = chain::push_number(static_cast<std::int64_t>(threshold));
    for (const chain::Bytes& key : serialized) append(script, chain::push_data(key));
    append(script, chain::push_number(static_cast<std::int64_t>(keys.size())));
    script.push_back(chain::kOpCheckMultisig);
    return script;
}

chain::Bytes key_hash_script(const DerivedKey& key) {
    return chain::p2pkh_script(chain::hash160(key_in_script(key)));
}

chain::Bytes witness_key_hash_script(const DerivedKey& key) {
    return chain::p2wpkh_script(chain::hash160(key.key.compressed()));
}

DerivedScript in_sh(chain::Bytes script) {
    DerivedScript result{chain::p2sh_script(chain::hash160(script))};
    result.redeem_script = std::move(script);
    return result;
}

DerivedScript in_wsh(chain::Bytes script) {
    DerivedScript result{chain::witness_program_script(0, chain::sha256(script))};
    result.witness_script = std::move(script);
    return result;
}

DerivedScript wrap(ScriptWrapping wrapping, chain::Bytes script) {
    switch (wrapping) {
        case ScriptWrapping::none:
            return {std::move(script)};
        case ScriptWrapping::sh:
            return in_sh(std::move(script));
        case ScriptWrapping::wsh:
            return in_wsh(std::move(script));
        case ScriptWrapping::sh_wsh: {
            DerivedScript inside = in_wsh(std::move(script));
            DerivedScript result = in_sh(std::move(inside.script_pubkey));
            result.witness_script = std::move(inside.witness_script);
            return result;
        }
    }
    assert(false);
    return {};
}

/// In Bitcoin Core's order.
std::vector<DerivedScript> combo_scripts(const DerivedKey& key) {
    std::vector<DerivedScript> scripts{{chain::p2pk_script(key_in_script(key))},
                                       {key_hash_script(key)}};
    scripts[1].filter_group = 1;
    if (key.form == KeyForm::uncompressed) return scripts;
    scripts.push_back({witness_key_hash_script(key)});
    scripts[2].filter_group = 1;  // has the same element as P2PKH
    scripts.push_back(in_sh(witness_key_hash_script(key)));
    scripts[3].filter_group = 2;
    return scripts;
}

}  // namespace

chain::Expected<ScriptDeriver, DerivationError> ScriptDeriver::create(
    const Descriptor& descriptor) {
    assert(descriptor.path_count() == 1 && descriptor.is_derivable());
    ScriptDeriver result;
    result.function_ = descriptor.function();
    result.wrapping_ = descriptor.wrapping();
    result.threshold_ = descriptor.threshold();
    result.script_ = descriptor.script();
    for (const KeyExpression& key : descriptor.keys()) {
        auto source = source_of(key);
        if (!source) return chain::Unexpected{source.error()};
        if (result.function_ == ScriptFunction::tr) source->form = KeyForm::x_only;
        result.sources_.push_back(std::move(*source));
    }
    return result;
}

chain::Expected<ScriptDeriver::Source, DerivationError> ScriptDeriver::source_of(
    const KeyExpression& key) {
    KeyOrigin origin = key.root_origin();
    origin.path.insert(origin.path.end(), key.path.begin(), key.path.end());
    const auto from_public =
        [&](const ExtendedPublicKey& parent) -> chain::Expected<Source, DerivationError> {
        if (key.range == RangeKind::none) {
            return Source{parent.key(), key.form(), origin, key.range};
        }
        return Source{PublicChildren{parent}, key.form(), origin, key.range};
    };

    if (const auto* root = std::get_if<ExtendedPrivateKey>(&key.key)) {
        const auto parent = root->derive_path(key.path);
        if (!parent) return chain::Unexpected{parent.error()};
        if (key.range != RangeKind::hardened) return from_public(parent->public_key());
        return Source{*parent, key.form(), origin, key.range};
    }
    if (const auto* root = std::get_if<ExtendedPublicKey>(&key.key)) {
        chain::Expected<ExtendedPublicKey, DerivationError> parent = *root;
        for (const std::uint32_t number : key.path) {
            parent = parent->derive(number);
            if (!parent) return chain::Unexpected{parent.error()};
        }
        return from_public(*parent);
    }
    return Source{key.root_key(), key.form(), origin, key.range};
}

chain::Expected<PublicKey, DerivationError> ScriptDeriver::key_at(Source& source,
                                                                  std::uint32_t index) {
    if (auto* children = std::get_if<PublicChildren>(&source.parent)) return children->key(index);
    if (const auto* key = std::get_if<PublicKey>(&source.parent)) return *key;
    const auto child = std::get<ExtendedPrivateKey>(source.parent).derive(index | kHardened);
    if (!child) return chain::Unexpected{child.error()};
    return child->key().public_key();
}

chain::Expected<std::vector<DerivedKey>, DerivationError> ScriptDeriver::keys_at(
    std::uint32_t index) {
    assert(index < kHardened);
    std::vector<DerivedKey> keys;
    keys.reserve(sources_.size());
    for (Source& source : sources_) {
        const auto key = key_at(source, index);
        if (!key) return chain::Unexpected{key.error()};
        keys.push_back({*key, source.form, source.origin});
        if (source.range == RangeKind::none) continue;
        const bool hardened = source.range == RangeKind::hardened;
        keys.back().origin.path.push_back(hardened ? index | kHardened : index);
    }
    return keys;
}

chain::Expected<Derivation, DerivationError> ScriptDeriver::derive(std::uint32_t index) {
    auto derived = keys_at(index);
    if (!derived) return chain::Unexpected{derived.error()};
    Derivation result{{}, std::move(*derived)};
    const auto& keys = result.keys;
    switch (function_) {
        case ScriptFunction::pk:
            result.scripts = {wrap(wrapping_, chain::p2pk_script(key_in_script(keys[0])))};
            break;
        case ScriptFunction::pkh:
            result.scripts = {wrap(wrapping_, key_hash_script(keys[0]))};
            break;
        case ScriptFunction::wpkh:
            result.scripts = {wrap(wrapping_, witness_key_hash_script(keys[0]))};
            break;
        case ScriptFunction::tr:
            result.scripts = {{chain::witness_program_script(1, keys[0].key.taproot_output_key())}};
            break;
        case ScriptFunction::combo:
            result.scripts = combo_scripts(keys[0]);
            break;
        case ScriptFunction::multi:
        case ScriptFunction::sortedmulti: {
            const bool sorted = function_ == ScriptFunction::sortedmulti;
            result.scripts = {wrap(wrapping_, multisig_script(threshold_, keys, sorted))};
            break;
        }
        case ScriptFunction::addr:
        case ScriptFunction::raw:
            result.scripts = {{script_}};
            break;
    }
    return result;
}

chain::Expected<std::vector<chain::Bytes>, DerivationError> ScriptDeriver::script_pubkeys(
    std::uint32_t index) {
    auto derivation = derive(index);
    if (!derivation) return chain::Unexpected{derivation.error()};
    std::vector<chain::Bytes> scripts;
    scripts.reserve(derivation->scripts.size());
    for (DerivedScript& script : derivation->scripts) {
        scripts.push_back(std::move(script.script_pubkey));
    }
    return scripts;
}

}  // namespace petal::wallet
