#include "wallet/psbt/named_keys.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "chain/byte_reader.h"
#include "chain/script/script.h"
#include "wallet/keys/base58.h"
#include "wallet/keys/key_path.h"
#include "wallet/psbt/record_types.h"

namespace petal::wallet {

namespace {

using chain::Bytes;
using chain::ByteView;

std::string as_text(ByteView bytes) {
    return {bytes.begin(), bytes.end()};
}

/// Whether an x-only key is the internal key of a taproot output without a script path (BIP86).
bool is_internal_key(ByteView x_only, const Bytes& script_pubkey) {
    Bytes compressed{0x02};
    compressed.insert(compressed.end(), x_only.begin(), x_only.end());
    const auto key = PublicKey::parse(compressed);
    return key && script_for(ScriptKind::tr, *key) == script_pubkey;
}

/// The keys of `all` that sign for a script, in the order of the script.
std::vector<KeyDerivation> signing_keys(const SpentScript& script,
                                        const std::vector<KeyDerivation>& all) {
    std::vector<KeyDerivation> result;
    const auto multisig = chain::parse_multisig(script.script);
    if (!multisig) {
        std::ranges::copy_if(all, std::back_inserter(result), [&](const KeyDerivation& key) {
            return script.signature == SignatureKind::taproot
                       ? is_internal_key(key.public_key, script.script)
                       : script.is_signed_by(key.public_key);
        });
        return result;
    }
    for (const ByteView key : multisig->keys) {
        const auto named = std::ranges::find_if(all, [&](const KeyDerivation& each) {
            return std::ranges::equal(each.public_key, key);
        });
        if (named != all.end()) result.push_back(*named);
    }
    return result;
}

std::size_t key_count(const SpentScript& script) {
    const auto multisig = chain::parse_multisig(script.script);
    return multisig ? multisig->keys.size() : 1;
}

std::string path_text(std::span<const std::uint32_t> path) {
    std::string text;
    for (const std::uint32_t step : path) text += '/' + std::to_string(step);
    return text;
}

/// The key at a path below an extended key. Empty if a step is hardened.
std::optional<PublicKey> derive_below(ExtendedPublicKey key, std::span<const std::uint32_t> path) {
    for (const std::uint32_t step : path) {
        auto child = key.derive(step);
        if (!child) return std::nullopt;
        key = *std::move(child);
    }
    return key.key();
}

}  // namespace

std::vector<KeyDerivation> named_keys(const Psbt& psbt, std::size_t input) {
    const auto script = find_spent_script(psbt, input);
    if (!script) return {};
    const PsbtMap& map = psbt.inputs()[input];
    return signing_keys(*script, script->signature == SignatureKind::taproot
                                     ? taproot_derivations(map, psbt_input::kTaprootDerivation)
                                     : derivations(map, psbt_input::kDerivation));
}

bool is_named_as(const PublicKey& key, chain::ByteView named) {
    return std::ranges::equal(key.compressed(), named) || std::ranges::equal(key.x_only(), named);
}

DescriptorProver::DescriptorProver(const Psbt& psbt, const std::vector<std::size_t>& inputs,
                                   const chain::NetworkParams& network, OwnKeys own)
    : psbt_(psbt), own_(std::move(own)) {
    for (const PsbtRecord* record : psbt.global().all(psbt_global::kXpub)) {
        const auto key = ExtendedPublicKey::parse(encode_base58check(record->key_data()), network);
        if (!key) continue;
        chain::ByteReader reader(record->value);
        sources_.push_back({as_text(record->key_data()), *key, read_origin(reader)});
    }
    for (const std::size_t input : inputs) {
        if (auto spent = prove_input(input)) spent_.push_back(*std::move(spent));
    }
}

bool DescriptorProver::pays_descriptor_of_input(std::size_t output) const {
    const auto paid = prove_output(output);
    if (!paid || paid->chain > 1 || paid->index > kMaxIndex) return false;
    return std::ranges::any_of(spent_, [&](const ProvenScript& spent) {
        if (spent.form != paid->form) return false;
        if (spent.accounts == paid->accounts) return true;
        return spent.is_sorted && paid->is_sorted &&
               std::ranges::is_permutation(spent.accounts, paid->accounts);
    });
}

std::optional<DescriptorProver::ProvenScript> DescriptorProver::prove_input(
    std::size_t input) const {
    const auto script = find_spent_script(psbt_, input);
    if (!script) return std::nullopt;
    return prove(*script, named_keys(psbt_, input));
}

std::optional<DescriptorProver::ProvenScript> DescriptorProver::prove_output(
    std::size_t output) const {
    const PsbtMap& map = psbt_.outputs()[output];
    const auto script =
        find_script(psbt_.transaction().outputs[output], value_of(map, psbt_output::kRedeemScript),
                    value_of(map, psbt_output::kWitnessScript));
    if (!script) return std::nullopt;
    return prove(*script, signing_keys(*script, script->signature == SignatureKind::taproot
                                                    ? taproot_derivations(
                                                          map, psbt_output::kTaprootDerivation)
                                                    : derivations(map, psbt_output::kDerivation)));
}

std::optional<DescriptorProver::ProvenScript> DescriptorProver::prove(
    const SpentScript& script, const std::vector<KeyDerivation>& keys) const {
    constexpr std::size_t kLastSteps = 2;
    if (keys.size() != key_count(script)) return std::nullopt;
    ProvenScript result;
    const auto multisig = chain::parse_multisig(script.script);
    result.form = std::to_string(static_cast<int>(script.signature)) +
                  (script.redeem_script.empty() ? "" : " sh") +
                  (script.witness_script.empty() ? "" : " wsh") + ' ' +
                  std::to_string(static_cast<int>(chain::classify(script.script))) + ' ' +
                  std::to_string(multisig ? multisig->required : 1);
    for (const KeyDerivation& key : keys) {
        const auto& path = key.origin.path;
        if (path.size() < kLastSteps) return std::nullopt;
        const std::uint32_t chain = path[path.size() - 2];
        const std::uint32_t index = path.back();
        const bool is_first = result.accounts.empty();
        if (is_first) {
            result.chain = chain;
            result.index = index;
        }
        if (chain != result.chain || index != result.index) return std::nullopt;
        auto account = account_of(key);
        if (!account) return std::nullopt;
        result.accounts.push_back(*std::move(account));
    }
    result.is_sorted = std::ranges::is_sorted(keys, {}, &KeyDerivation::public_key);
    return result;
}

/// The source of a key and the path below the source, without the last two steps. Empty if the key
/// cannot be derived.
std::optional<std::string> DescriptorProver::account_of(const KeyDerivation& key) const {
    const auto& path = key.origin.path;
    const auto is_key = [&](const std::optional<PublicKey>& derived) {
        return derived && is_named_as(*derived, key.public_key);
    };
    const std::span steps(path.begin(), path.size() - 2);
    if (is_key(own_(key.origin))) return "own" + path_text(steps);
    for (const Source& source : sources_) {
        const auto& above = source.origin.path;
        const bool is_below = source.origin.fingerprint == key.origin.fingerprint &&
                              above.size() <= steps.size() &&
                              std::equal(above.begin(), above.end(), path.begin());
        if (!is_below) continue;
        const std::span below(path.begin() + static_cast<std::ptrdiff_t>(above.size()), path.end());
        if (!is_key(derive_below(source.key, below))) continue;
        return source.name + path_text(below.first(below.size() - 2));
    }
    return std::nullopt;
}

}  // namespace petal::wallet
