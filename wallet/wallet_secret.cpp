// The parts of wallet.h about the secret.
#include <algorithm>
#include <cassert>
#include <string>
#include <utility>
#include <vector>

#include "wallet/keys/normal_form.h"
#include "wallet/keys/secret_box.h"
#include "wallet/private_keys.h"
#include "wallet/wallet_changes.h"
#include "wallet/wallet_descriptors.h"

namespace petal::wallet {

namespace {

SecretBytes open_box(const WalletStore& store, chain::ByteView box, std::string_view password,
                     const SecretOwner& owner) {
    const SecretString normal = normal_password(password);
    auto opened = open_secret(box, normal, owner);
    // Earlier versions used the password as typed.
    const bool is_wrong = !opened && opened.error() == SecretBoxError::wrong_password;
    if (is_wrong && normal != password) opened = open_secret(box, password, owner);
    if (opened) return *std::move(opened);
    const std::string reason(describe(opened.error()));
    switch (opened.error()) {
        case SecretBoxError::wrong_password:
            throw WalletError(WalletError::Kind::bad_password, reason);
        case SecretBoxError::newer_version:
            throw WalletError(WalletError::Kind::newer_version, reason);
        case SecretBoxError::damaged:
        case SecretBoxError::unsupported_cost:
        case SecretBoxError::other_owner:
            break;
    }
    throw store.damaged(reason);
}

/// The public texts of the descriptors with private keys.
std::vector<std::string> own_descriptors(const WalletState& current) {
    std::vector<std::string> texts;
    for (const WalletDescriptor& one : current.descriptors()) {
        if (one.has_private_keys()) texts.push_back(one.stored.text);
    }
    return texts;
}

/// Whether the stored account key and master fingerprint are derived from a seed.
bool makes_account(const Seed& seed, Account account, const StoredIdentity& identity,
                   const chain::NetworkParams& network) {
    const AccountKeys keys = derive_account(seed, account, network);
    return keys.account.to_string(network) == identity.account_key &&
           keys.master_fingerprint == identity.master_fingerprint;
}

/// Throws WalletError unless the wallet's own scripts are derived from the seed. A program that can
/// write the file could have replaced the public keys.
void check_seed(const WalletStore& store, const StoredIdentity& identity,
                const chain::NetworkParams& network, const WalletState& current,
                chain::ByteView secret) {
    if (secret.size() != Seed::size()) throw store.damaged("bad seed");
    const Seed seed(secret);
    const auto key = account_key(store, identity, network);
    const Account account = account_of(identity.kind, key);
    if (!makes_account(seed, account, identity, network)) {
        throw store.damaged("its public keys are not those of its secret");
    }
    const auto stored = own_descriptors(current);
    const bool has_candidates = current.descriptor(0).stored.origin == DescriptorOrigin::candidate;
    const AccountRange accounts{account.number,
                                static_cast<std::uint32_t>(stored.size() / kDescriptorsOfAnyType)};
    const auto derived = has_candidates ? candidate_descriptors(seed, identity, accounts, network)
                                        : account_descriptors(identity, key, network);
    const bool are_genuine = std::ranges::equal(
        stored, derived, {}, {}, [](const WalletDescriptor& one) { return one.stored.text; });
    if (!are_genuine) throw store.damaged("its descriptors are not those of its secret");
}

/// Like check_seed(), for a wallet that was restored from descriptors.
void check_private_descriptors(const WalletStore& store, const chain::NetworkParams& network,
                               const WalletState& current, chain::ByteView secret) {
    const auto given = read_secret(secret, network);
    if (!given) throw store.damaged("bad secret");
    std::vector<std::string> derived;
    for (const Descriptor& one : *given) {
        const auto watched = one.watch_only();
        if (watched) derived.push_back(watched->to_string(network));
    }
    if (derived != own_descriptors(current)) {
        throw store.damaged("its descriptors are not those of its secret");
    }
}

}  // namespace

SecretBytes Wallet::secret(std::string_view password) const {
    const WalletStore& store = state_->store;
    const StoredIdentity& identity = state_->identity;
    const WalletState& current = state_->wallet_state();
    if (current.is_watch_only()) throw state_->watch_only();
    StoredSecret secret = store.secret();
    if (secret.encrypted) {
        const SecretOwner owner = owner_of(identity, own_descriptors(current));
        secret.bytes = open_box(store, secret.bytes, password, owner);
    }
    if (identity.has_words()) {
        check_seed(store, identity, state_->network, current, secret.bytes);
    } else {
        check_private_descriptors(store, state_->network, current, secret.bytes);
    }
    return std::move(secret.bytes);
}

bool Wallet::has_seed(const Seed& seed) const {
    const StoredIdentity& identity = state_->identity;
    if (!identity.has_words()) return false;
    const auto key = account_key(state_->store, identity, state_->network);
    return makes_account(seed, account_of(identity.kind, key), identity, state_->network);
}

void Wallet::encrypt(std::string_view old_password, std::string_view password, ScryptCost cost) {
    assert(!password.empty());
    StoredIdentity& identity = state_->identity;
    const SecretBytes sealed = secret(old_password);
    const SecretOwner owner = owner_of(identity, own_descriptors(state_->wallet_state()));
    state_->store.replace_secret(seal_secret(sealed, normal_password(password), owner, cost));
    identity.encrypted = true;
}

std::vector<SecretString> Wallet::private_descriptors(const SecretBytes& secret) const {
    const WalletState& current = state_->wallet_state();
    if (current.is_watch_only()) throw state_->watch_only();
    const PrivateKeys keys(current, secret, state_->network);
    std::vector<SecretString> result;
    for (std::uint32_t number = 0; number < current.descriptors().size(); ++number) {
        if (!current.descriptor(number).has_private_keys() || !current.is_shown(number)) continue;
        result.push_back(keys.descriptor(number).to_private_string(state_->network));
    }
    return result;
}

std::optional<std::string> Wallet::key_expression(std::span<const std::uint32_t> path,
                                                  const SecretBytes& secret) const {
    const WalletState& current = state_->wallet_state();
    if (current.is_watch_only()) throw state_->watch_only();
    const auto key = PrivateKeys(current, secret, state_->network).public_expression(path);
    return key ? std::optional(to_string(*key, state_->network)) : std::nullopt;
}

}  // namespace petal::wallet
