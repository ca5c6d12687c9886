// The parts of wallet.h about descriptors: candidates, descriptors given by the user, and info().
#include <algorithm>
#include <cassert>
#include <utility>

#include "wallet/descriptors/filter_sharing.h"
#include "wallet/keys/filter_secret.h"
#include "wallet/keys/normal_form.h"
#include "wallet/keys/randomness.h"
#include "wallet/keys/secret_box.h"
#include "wallet/private_keys.h"
#include "wallet/wallet_changes.h"
#include "wallet/wallet_descriptors.h"

namespace petal::wallet {

namespace {

/// The look-ahead for each of `ranged` ranged descriptors, so that the first scripts of all fit a
/// filter. Two descriptors get `wanted`, more descriptors get less.
LookAhead look_ahead_for(std::size_t ranged, LookAhead wanted) {
    constexpr std::size_t kFirstScripts = 4'000;
    constexpr std::size_t kLowest = 50;
    const auto share = std::max(kFirstScripts / std::max<std::size_t>(ranged, 1), kLowest);
    wanted.watched = std::min(wanted.watched, static_cast<std::uint32_t>(share));
    wanted.watched = std::max(wanted.watched, wanted.gap_limit);
    return wanted;
}

std::size_t count_ranged(std::span<const NewDescriptor> descriptors) {
    return static_cast<std::size_t>(std::ranges::count_if(
        descriptors, [](const NewDescriptor& one) { return one.descriptor.is_range(); }));
}

WalletDescriptor watchable(const NewDescriptor& given, const chain::Birthday& birthday,
                           LookAhead look_ahead) {
    const auto origin =
        given.private_text.empty() ? DescriptorOrigin::imported : DescriptorOrigin::restored;
    auto made =
        make_descriptor({given.text, given.chain, origin, look_ahead, birthday}, given.descriptor);
    assert(made);  // parse_new_descriptors() has derived scripts
    return *std::move(made);
}

/// Derived from the first extended public key, so that all wallets that watch an account have the
/// same filters. Without an extended key, the secret is random, because addresses and keys on the
/// chain are public.
std::array<chain::Byte, 32> filter_secret_of(std::span<const NewDescriptor> descriptors) {
    for (const NewDescriptor& one : descriptors) {
        for (const KeyExpression& key : one.descriptor.keys()) {
            const auto* extended = std::get_if<ExtendedPublicKey>(&key.key);
            if (extended != nullptr) return filter_secret(*extended);
        }
    }
    std::array<chain::Byte, 32> secret{};
    fill_random(secret);
    return secret;
}

/// The wallet's descriptor with the same scripts, possibly in another notation.
std::optional<DescriptorNumber> find_scripts(const WalletState& current,
                                             const NewDescriptor& given) {
    const KeyRing& ring = current.ring();
    const bool is_ranged = given.descriptor.is_range();
    for (const KeyPath& path : ring.paths_of(given.first_scripts.at(0))) {
        if (!is_ranged) return path.descriptor;
        if (!ring.is_ranged(path.descriptor) || path.index != 0) continue;
        // Derived, because fewer scripts may be watched.
        const ScriptSource& source = current.descriptor(path.descriptor).source;
        std::uint32_t index = 0;
        const bool has_all = std::ranges::all_of(given.first_scripts, [&](const auto& script) {
            return source.script(index++) == script;
        });
        if (has_all) return path.descriptor;
    }
    return std::nullopt;
}

template <typename Value>
void add_new(std::vector<Value>& list, const Value& value) {
    if (std::ranges::find(list, value) == list.end()) list.push_back(value);
}

std::vector<StoredDescriptor> stored_of(const std::vector<WalletDescriptor>& descriptors) {
    std::vector<StoredDescriptor> stored;
    stored.reserve(descriptors.size());
    for (const WalletDescriptor& descriptor : descriptors) stored.push_back(descriptor.stored);
    return stored;
}

/// Why these descriptors can't be added to the wallet. Empty if they can.
std::optional<ImportError> find_conflict(const WalletStore& store,
                                         const chain::NetworkParams& network,
                                         const WalletState& current,
                                         std::span<const NewDescriptor> descriptors) {
    if (current.descriptors().size() + descriptors.size() > kMaxDescriptors) {
        return ImportError{descriptors.front().given, "the wallet has too many descriptors"};
    }
    for (const NewDescriptor& given : descriptors) {
        const auto known = find_scripts(current, given);
        if (!known) continue;
        const std::string& text = current.descriptor(*known).stored.text;
        return ImportError{given.given, "the wallet watches it already" +
                                            (text == given.text ? "" : ", as " + text)};
    }
    FilterSharing sharing;
    for (const WalletDescriptor& known : current.descriptors()) {
        const auto parsed = Descriptor::parse(known.stored.text, network);
        if (!parsed) throw store.damaged("bad descriptor");
        sharing.add(*parsed);
    }
    for (const NewDescriptor& given : descriptors) {
        const auto other = sharing.add(given.descriptor);
        if (!other) continue;
        const std::size_t known = current.descriptors().size();
        const std::string& text = *other < known ? current.descriptors()[*other].stored.text
                                                 : descriptors[*other - known].text;
        return ImportError{given.given, why_apart(text)};
    }
    return std::nullopt;
}

/// To be called within a change of the wallet.
void add_descriptors(WalletStore& store, WalletState& current,
                     std::span<const NewDescriptor> descriptors, const chain::Birthday& birthday,
                     LookAhead wanted) {
    if (store.watched().descriptors().empty()) {
        std::uint32_t number = 0;
        for (const WalletDescriptor& known : current.descriptors()) {
            store.watched().add_descriptor(number++, known.stored);
        }
    }
    const std::size_t ranged = static_cast<std::size_t>(std::ranges::count_if(
        current.descriptors(), [](const WalletDescriptor& known) { return known.source.ranged; }));
    const LookAhead look_ahead = look_ahead_for(ranged + count_ranged(descriptors), wanted);
    for (const NewDescriptor& given : descriptors) {
        WalletDescriptor added = watchable(given, birthday, look_ahead);
        store.watched().add_descriptor(static_cast<std::uint32_t>(current.descriptors().size()),
                                       added.stored);
        current.add(std::move(added));
    }
}

/// Sets the fields that depend on descriptors.
void describe_descriptors(const WalletState& current, WalletInfo& info) {
    const auto add_type = [&](const WalletDescriptor& one) {
        if (one.kind) return add_new(info.types, *one.kind);
        add_new(info.other_forms, one.form);
    };
    if (const auto receive = current.receive_descriptor()) {
        add_type(current.descriptor(*receive));
        info.account = current.descriptor(*receive).account;
        info.is_ranged = current.ring().is_ranged(*receive);
        info.receive_descriptor = receive->value;
    }
    std::optional<std::uint32_t> last_account;
    for (std::uint32_t number = 0; number < current.descriptors().size(); ++number) {
        const WalletDescriptor& one = current.descriptor(number);
        if (one.account) last_account = one.account;
        if (!current.is_shown(number)) continue;
        add_type(one);
        if (one.account) add_new(info.accounts, *one.account);
        info.descriptors.push_back(one.stored.text);
        info.descriptor_numbers.push_back(number);
        if (info.fingerprint.empty() && one.master) info.fingerprint = chain::to_hex(*one.master);
    }
    const bool looks_for_several = last_account != current.descriptor(0).account;
    info.may_have_more_accounts = looks_for_several && info.accounts.back() == last_account;
}

}  // namespace

std::vector<WalletDescriptor> candidate_descriptors(const Seed& seed, StoredIdentity identity,
                                                    AccountRange accounts,
                                                    const chain::NetworkParams& network) {
    identity.look_ahead =
        look_ahead_for(accounts.count * kDescriptorsOfAnyType, identity.look_ahead);
    std::vector<WalletDescriptor> result;
    for (std::uint32_t number = accounts.first; number < accounts.first + accounts.count;
         ++number) {
        for (const ScriptKind kind : kScriptKinds) {
            identity.kind = kind;
            const auto keys = derive_account(seed, {kind, number}, network);
            for (WalletDescriptor& one : account_descriptors(identity, keys.account, network)) {
                one.stored.origin = DescriptorOrigin::candidate;
                result.push_back(std::move(one));
            }
        }
    }
    return result;
}

Wallet Wallet::watch(const std::filesystem::path& file, const chain::NetworkParams& network,
                     const NewWatchOnlyWallet& wallet) {
    assert(std::ranges::all_of(wallet.descriptors, &SecretString::empty,
                               &NewDescriptor::private_text));
    return of_descriptors(file, network, wallet, {}, {});
}

Wallet Wallet::restore(const std::filesystem::path& file, const chain::NetworkParams& network,
                       const NewDescriptorWallet& wallet) {
    assert(std::ranges::none_of(wallet.watched.descriptors, &SecretString::empty,
                                &NewDescriptor::private_text));
    return of_descriptors(file, network, wallet.watched, wallet.password, wallet.scrypt_cost);
}

Wallet Wallet::of_descriptors(const std::filesystem::path& file,
                              const chain::NetworkParams& network, const NewWatchOnlyWallet& wallet,
                              std::string_view password, ScryptCost scrypt_cost) {
    assert(!wallet.descriptors.empty());
    StoredIdentity identity;
    identity.network = network.name;
    identity.encrypted = !password.empty();
    identity.birthday = wallet.birthday;
    identity.look_ahead = look_ahead_for(count_ranged(wallet.descriptors), wallet.look_ahead);
    std::vector<WalletDescriptor> descriptors;
    std::vector<std::string> texts;
    for (const NewDescriptor& given : wallet.descriptors) {
        descriptors.push_back(watchable(given, wallet.birthday, identity.look_ahead));
        texts.push_back(given.text);
    }
    SecretBytes secret;
    if (descriptors[0].has_private_keys()) secret = secret_of(wallet.descriptors);
    chain::Bytes box;
    if (identity.encrypted) {
        box =
            seal_secret(secret, normal_password(password), owner_of(identity, texts), scrypt_cost);
    }
    const auto stored = stored_of(descriptors);
    auto wallet_state = WalletState::with_new(std::move(descriptors));
    const auto scripts = wallet_state.take_new_scripts();
    const chain::FilterPadding padding{filter_secret_of(wallet.descriptors), scripts.size()};
    const chain::ByteView kept =
        identity.encrypted ? chain::ByteView(box) : chain::ByteView(secret);
    auto store = WalletStore::create(file, {identity, kept, stored, scripts, padding});
    return Wallet(std::make_unique<State>(std::move(store), network));
}

chain::Expected<void, ImportError> Wallet::import(std::span<const NewDescriptor> descriptors,
                                                  const ImportStart& start) {
    std::optional<ImportError> error;
    state_->change(&WalletStore::write_durably, [&](WalletState& current) {
        error = find_conflict(state_->store, state_->network, current, descriptors);
        if (error) return;
        add_descriptors(state_->store, current, descriptors, start.birthday,
                        state_->identity.look_ahead);
        const auto searched = current.ledger().synced();
        state_->intake.store_new_scripts(current);
        const auto first_paid = state_->intake.take_unsearched_from();
        state_->store.set_birthday(start.wallet_birthday);
        if (!searched) return;
        auto kept = start.kept;
        if (kept && kept->height > searched->height) kept = searched;
        // A block up to `kept` may have spent an output that was paid in an earlier block.
        if (kept && first_paid && kept->height >= *first_paid) {
            const auto before = start.block_at ? start.block_at(*first_paid - 1) : std::nullopt;
            kept = before ? before : current.ledger().synced();
        }
        state_->store.sync().set_synced(kept);
        current.ledger().set_synced(kept);
    });
    if (error) return chain::Unexpected(*std::move(error));
    state_->identity.birthday = start.wallet_birthday;
    return {};
}

WalletInfo Wallet::info() const {
    const StoredIdentity& identity = state_->identity;
    const WalletState& wallet_state = state_->wallet_state();
    WalletInfo info;
    info.name = state_->store.file().stem().string();
    info.watch_only = wallet_state.is_watch_only();
    info.has_words = identity.has_words();
    if (info.has_words) {
        static_cast<void>(account_key(state_->store, identity, state_->network));
        info.fingerprint = chain::to_hex(identity.master_fingerprint);
    }
    describe_descriptors(wallet_state, info);
    info.encrypted = identity.encrypted;
    info.birthday = identity.birthday;
    info.synced = wallet_state.ledger().synced();
    info.rescans = !info.synced && !sync_state().sync_checkpoint.empty();
    return info;
}

}  // namespace petal::wallet
