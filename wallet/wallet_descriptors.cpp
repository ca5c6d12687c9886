#include "wallet/wallet_descriptors.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <variant>

#include "wallet/descriptors/script_deriver.h"
#include "wallet/spending/sizes.h"

namespace petal::wallet {

namespace {

constexpr std::uint8_t kAccountDepth = 3;  // BIP44: m / purpose' / coin_type' / account'

void check(const WalletStore& store, const LookAhead& look_ahead) {
    if (look_ahead.gap_limit == 0 || look_ahead.watched < look_ahead.gap_limit) {
        throw store.damaged("bad look-ahead");
    }
}

/// The path of a key without the index: from the master key if known, otherwise from the key
/// itself.
std::string path_of(const KeyExpression& key) {
    const auto* extended = std::get_if<ExtendedPublicKey>(&key.key);
    const bool is_master = extended != nullptr && extended->position().depth == 0;
    const std::string below = path_to_string(key.path);
    if (key.origin) return 'm' + path_to_string(key.origin->path) + below;
    if (is_master) return 'm' + below;
    return below.empty() ? below : below.substr(1);
}

/// The address type of the descriptor's single key. Empty for any other descriptor.
std::optional<ScriptKind> kind_of(const Descriptor& descriptor) {
    const bool is_bare = descriptor.wrapping() == ScriptWrapping::none;
    const bool is_wpkh = descriptor.function() == ScriptFunction::wpkh;
    if (is_wpkh && descriptor.wrapping() == ScriptWrapping::sh) return ScriptKind::sh_wpkh;
    if (!is_bare) return std::nullopt;
    if (is_wpkh) return ScriptKind::wpkh;
    if (descriptor.function() == ScriptFunction::tr) return ScriptKind::tr;
    if (descriptor.function() == ScriptFunction::pkh) return ScriptKind::pkh;
    return std::nullopt;
}

/// The fingerprint of the master key of a descriptor's only key, if the descriptor states it.
std::optional<Fingerprint> master_of(const Descriptor& descriptor) {
    if (descriptor.keys().size() != 1) return std::nullopt;
    const KeyExpression& key = descriptor.keys()[0];
    if (key.origin) return key.origin->fingerprint;
    const auto* extended = std::get_if<ExtendedPublicKey>(&key.key);
    if (extended == nullptr || extended->position().depth != 0) return std::nullopt;
    return extended->fingerprint();
}

/// The number of the account of the descriptor's single key, by the origin.
std::optional<std::uint32_t> account_number_of(const Descriptor& descriptor) {
    if (descriptor.keys().size() != 1) return std::nullopt;
    const auto& origin = descriptor.keys()[0].origin;
    if (!origin || origin->path.size() != kAccountDepth) return std::nullopt;
    return origin->path.back() & ~kHardened;
}

/// The common path of all keys of the descriptor. Empty if there is none.
std::string path_of(const Descriptor& descriptor) {
    std::string common;
    bool is_first = true;
    for (const KeyExpression& key : descriptor.keys()) {
        std::string path = path_of(key);
        if (!std::exchange(is_first, false) && path != common) return {};
        common = std::move(path);
    }
    return common;
}

/// The innermost script of multisig. Empty for any other descriptor.
chain::Bytes innermost_multisig(const Descriptor& descriptor, ScriptDeriver& deriver) {
    if (!is_multisig(descriptor.function())) return {};
    const auto derivation = deriver.derive(0);
    if (!derivation) return {};
    const DerivedScript& script = derivation->scripts.front();
    if (!script.witness_script.empty()) return script.witness_script;
    return script.redeem_script.empty() ? script.script_pubkey : script.redeem_script;
}

/// The public key and, for an extended key, the chain code, which together determine the children.
std::string identity_of(const KeyExpression& key) {
    std::string text = chain::to_hex(serialize(key.root_key(), KeyForm::compressed));
    const auto* extended = std::get_if<ExtendedPublicKey>(&key.key);
    if (extended != nullptr) text += '/' + chain::to_hex(extended->position().chain_code);
    return text;
}

/// The sorted root keys of the descriptor and, for multisig, the form, which includes the
/// threshold.
std::string signers_of(const Descriptor& descriptor) {
    std::vector<std::string> keys;
    for (const KeyExpression& key : descriptor.keys()) keys.push_back(identity_of(key));
    std::ranges::sort(keys);
    std::string text = is_multisig(descriptor.function()) ? form_of(descriptor) : "";
    for (const std::string& key : keys) text += ' ' + key;
    return text;
}

}  // namespace

std::optional<SpendForm> WalletDescriptor::spend_form() const {
    if (kind) {
        SpendForm of_key(*kind, has_private_keys() ? Signer::wallet : Signer::others);
        if (has_uncompressed_key) of_key.size.script_sig_bytes += 65 - 33;
        return of_key;
    }
    return multisig ? std::optional(SpendForm(*multisig)) : std::nullopt;
}

bool has_same_owner(const WalletDescriptor& a, const WalletDescriptor& b) {
    if (a.has_private_keys() || b.has_private_keys()) {
        return a.has_private_keys() && b.has_private_keys();
    }
    return !a.signers.empty() && a.signers == b.signers;
}

std::string WalletDescriptor::path_text(std::uint32_t index) const {
    if (!source.ranged) return path;
    return (path.empty() ? "" : path + '/') + std::to_string(index);
}

ExtendedPublicKey account_key(const WalletStore& store, const StoredIdentity& identity,
                              const chain::NetworkParams& network) {
    const auto account = ExtendedPublicKey::parse(identity.account_key, network);
    if (!account || account->position().depth != kAccountDepth ||
        account->position().child_number < kHardened) {
        throw store.damaged("bad account key");
    }
    check(store, identity.look_ahead);
    return *account;
}

std::vector<WalletDescriptor> account_descriptors(const StoredIdentity& identity,
                                                  const ExtendedPublicKey& key,
                                                  const chain::NetworkParams& network) {
    const auto path = account_path(account_of(identity.kind, key), network.coin_type);
    std::vector<WalletDescriptor> descriptors;
    for (const KeyChain chain : kKeyChains) {
        WalletDescriptor descriptor;
        descriptor.stored.text =
            descriptor_of({identity.kind, identity.master_fingerprint, key}, chain, network)
                .to_string(network);
        descriptor.stored.chain = chain;
        descriptor.stored.origin = DescriptorOrigin::account;
        descriptor.stored.look_ahead = identity.look_ahead;
        descriptor.stored.birthday = identity.birthday;
        descriptor.kind = identity.kind;
        descriptor.master = identity.master_fingerprint;
        descriptor.account = account_of(identity.kind, key).number;
        descriptor.source = account_chain(identity.kind, key, chain, identity.look_ahead);
        descriptor.path =
            'm' + path_to_string(path) + '/' + std::to_string(static_cast<unsigned>(chain));
        descriptors.push_back(std::move(descriptor));
    }
    return descriptors;
}

std::optional<WalletDescriptor> make_descriptor(StoredDescriptor stored,
                                                const Descriptor& descriptor) {
    auto created = ScriptDeriver::create(descriptor);
    if (!created) return std::nullopt;
    const auto deriver = std::make_shared<ScriptDeriver>(*std::move(created));
    const auto script = [deriver](std::uint32_t index) {
        auto scripts = deriver->script_pubkeys(index);
        assert(scripts);  // fails by chance once in 2^127, and can't be provoked
        return std::move(scripts->at(0));
    };
    WalletDescriptor result;
    result.kind = kind_of(descriptor);
    if (result.kind) {
        result.has_uncompressed_key = descriptor.keys()[0].form() == KeyForm::uncompressed;
    } else {
        result.form = form_of(descriptor);
    }
    if (const chain::Bytes multisig = innermost_multisig(descriptor, *deriver); !multisig.empty()) {
        result.multisig =
            multisig_input_size(descriptor.wrapping(), descriptor.threshold(), multisig.size());
    }
    result.master = master_of(descriptor);
    if (stored.origin == DescriptorOrigin::imported ||
        stored.origin == DescriptorOrigin::restored) {
        result.signers = signers_of(descriptor);
    } else {
        result.account = account_number_of(descriptor);
    }
    result.source = {script, descriptor.is_range(), stored.look_ahead};
    result.path = path_of(descriptor);
    result.stored = std::move(stored);
    return result;
}

namespace {

/// Whether these are descriptors of accounts of a wallet's words: receive and change chains
/// alternate.
bool are_accounts(std::span<const WalletDescriptor> own) {
    for (std::size_t i = 0; i < own.size(); ++i) {
        const auto chain = static_cast<std::size_t>(own[i].stored.chain);
        const bool is_restored = own[i].stored.origin == DescriptorOrigin::restored;
        if (!own[i].account || is_restored || chain != i % kKeyChains.size()) return false;
    }
    return !own.empty() && own.size() % kKeyChains.size() == 0;
}

/// Whether a wallet can have these descriptors: first single-key descriptors with private keys, all
/// of one DescriptorOrigin, then imported descriptors. An encrypted wallet must have private keys.
bool are_in_order(std::span<const WalletDescriptor> descriptors, const StoredIdentity& identity) {
    const auto is_imported = [](const WalletDescriptor& one) {
        return one.stored.origin == DescriptorOrigin::imported;
    };
    const auto imported = std::ranges::find_if(descriptors, is_imported);
    const auto own =
        descriptors.first(static_cast<std::size_t>(std::distance(descriptors.begin(), imported)));
    const bool are_alike = std::ranges::all_of(own, [&](const WalletDescriptor& one) {
        return one.kind && one.stored.origin == own[0].stored.origin;
    });
    if (!are_alike || !std::all_of(imported, descriptors.end(), is_imported)) return false;
    if (identity.has_words()) return are_accounts(own);
    if (own.empty()) return !identity.encrypted;
    return own[0].stored.origin == DescriptorOrigin::restored;
}

}  // namespace

std::vector<WalletDescriptor> load_descriptors(WalletStore& store, const StoredIdentity& identity,
                                               const chain::NetworkParams& network) {
    auto stored = store.watched().descriptors();
    if (stored.empty()) {
        return account_descriptors(identity, account_key(store, identity, network), network);
    }
    DescriptorOptions options;
    options.keys = DescriptorOptions::Keys::only_public;
    options.require_checksum = true;
    std::vector<WalletDescriptor> result;
    for (StoredDescriptor& one : stored) {
        check(store, one.look_ahead);
        const auto descriptor = Descriptor::parse(one.text, network, options);
        const bool is_usable = descriptor && descriptor->path_count() == 1 &&
                               descriptor->function() != ScriptFunction::combo;
        auto made = is_usable ? make_descriptor(std::move(one), *descriptor) : std::nullopt;
        if (!made) throw store.damaged("bad descriptor");
        result.push_back(*std::move(made));
    }
    if (!are_in_order(result, identity)) throw store.damaged("bad descriptors");
    return result;
}

}  // namespace petal::wallet
