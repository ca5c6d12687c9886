#include "wallet/private_keys.h"

#include <algorithm>
#include <cassert>
#include <string_view>
#include <utility>

#include "chain/byte_writer.h"
#include "chain/hash.h"

namespace petal::wallet {

namespace {

/// The first line of a secret that consists of descriptors, with the version.
constexpr std::string_view kDescriptorSecret = "petal descriptors 1\n";

ExtendedPrivateKey master_of(chain::ByteView seed) {
    auto master = ExtendedPrivateKey::from_seed(seed);
    // Fails by chance below 2^-127.
    assert(master);
    return *std::move(master);
}

ExtendedPrivateKey key_below(const ExtendedPrivateKey& key, std::span<const std::uint32_t> path) {
    auto derived = key.derive_path(path);
    assert(derived);
    return *std::move(derived);
}

/// The key of an expression at an origin. Empty if the origin is not at or below the expression's
/// key.
std::optional<PrivateKey> key_at_origin(const KeyExpression& expression, const KeyOrigin& origin) {
    const KeyOrigin root = expression.root_origin();
    const bool is_below = root.fingerprint == origin.fingerprint &&
                          root.path.size() <= origin.path.size() &&
                          std::equal(root.path.begin(), root.path.end(), origin.path.begin());
    if (!is_below) return std::nullopt;
    const std::span below = std::span(origin.path).subspan(root.path.size());
    if (const auto* single = std::get_if<ConstantPrivateKey>(&expression.key)) {
        return below.empty() ? std::optional(single->key) : std::nullopt;
    }
    const auto derived = std::get<ExtendedPrivateKey>(expression.key).derive_path(below);
    return derived ? std::optional(derived->key()) : std::nullopt;
}

}  // namespace

AccountKeys derive_account(const Seed& seed, Account account, const chain::NetworkParams& network) {
    const ExtendedPrivateKey master = master_of(seed.view());
    const AccountPath path = account_path(account, network.coin_type);
    return {master.fingerprint(), key_below(master, path).public_key()};
}

SecretOwner owner_of(const StoredIdentity& identity, std::span<const std::string> own) {
    chain::ByteWriter writer;
    writer.var_bytes(
        chain::as_bytes(identity.has_words() ? "petal wallet 1" : "petal descriptors 1"));
    writer.var_bytes(chain::as_bytes(identity.network));
    if (!identity.has_words()) {
        for (const std::string& text : own) writer.var_bytes(chain::as_bytes(text));
        return chain::sha256(writer.view());
    }
    writer.u8(static_cast<std::uint8_t>(identity.kind));
    writer.var_bytes(chain::as_bytes(identity.account_key));
    writer.bytes(identity.master_fingerprint);
    return chain::sha256(writer.view());
}

SecretBytes secret_of(std::span<const NewDescriptor> descriptors) {
    const auto append = [](SecretBytes& bytes, std::string_view text) {
        const auto more = chain::as_bytes(text);
        bytes.insert(bytes.end(), more.begin(), more.end());
    };
    SecretBytes secret;
    append(secret, kDescriptorSecret);
    for (const NewDescriptor& one : descriptors) {
        append(secret, one.private_text);
        append(secret, "\n");
    }
    return secret;
}

std::optional<std::vector<Descriptor>> read_secret(chain::ByteView secret,
                                                   const chain::NetworkParams& network) {
    std::string_view text(reinterpret_cast<const char*>(secret.data()), secret.size());
    if (!text.starts_with(kDescriptorSecret) || !text.ends_with('\n')) return std::nullopt;
    text.remove_prefix(kDescriptorSecret.size());
    DescriptorOptions options;
    options.keys = DescriptorOptions::Keys::only_private;
    options.require_checksum = true;
    std::vector<Descriptor> result;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        auto descriptor = Descriptor::parse(text.substr(0, end), network, options);
        const bool has_one_key =
            descriptor && descriptor->keys().size() == 1 && descriptor->path_count() == 1;
        if (!has_one_key) return std::nullopt;
        result.push_back(*std::move(descriptor));
        text.remove_prefix(end + 1);
    }
    return result;
}

PrivateKeys::PrivateKeys(const WalletState& current, chain::ByteView secret,
                         const chain::NetworkParams& network)
    : current_(current), network_(network) {
    if (current.descriptor(0).stored.origin == DescriptorOrigin::restored) {
        given_ = read_secret(secret, network).value();
    } else {
        master_ = master_of(secret);
    }
}

Descriptor PrivateKeys::descriptor(DescriptorNumber number) const {
    if (!master_) return given_.at(number.value);
    const auto stored = Descriptor::parse(current_.descriptor(number).stored.text, network_);
    assert(stored);  // checked by Wallet::secret()
    KeyExpression key = stored->keys()[0];
    key.key = key_below(*master_, key.origin->path);
    return Descriptor::of_key(stored->function(), stored->wrapping(), std::move(key));
}

PrivateKey PrivateKeys::key(KeyPath path) {
    auto source = sources_.find(path.descriptor);
    if (source == sources_.end()) {
        const Descriptor whole = descriptor(path.descriptor);
        const KeyExpression& key = whole.keys()[0];
        const auto made = [&]() -> Source {
            const auto* single = std::get_if<ConstantPrivateKey>(&key.key);
            if (single != nullptr) return single->key;
            const auto parent = key_below(std::get<ExtendedPrivateKey>(key.key), key.path);
            if (key.range == RangeKind::none) return parent.key();
            return PrivateChildren(parent);
        };
        source = sources_.try_emplace(path.descriptor, made()).first;
    }
    if (const auto* single = std::get_if<PrivateKey>(&source->second)) return *single;
    auto key = std::get<PrivateChildren>(source->second).key(path.index);
    assert(key);  // the wallet has derived the address of this index
    return *std::move(key);
}

std::optional<PrivateKey> PrivateKeys::key_at(const KeyOrigin& origin) const {
    if (master_) {
        if (master_->fingerprint() != origin.fingerprint) return std::nullopt;
        const auto derived = master_->derive_path(origin.path);
        return derived ? std::optional(derived->key()) : std::nullopt;
    }
    for (const Descriptor& descriptor : given_) {
        if (auto key = key_at_origin(descriptor.keys()[0], origin)) return key;
    }
    return std::nullopt;
}

std::optional<KeyExpression> PrivateKeys::public_expression(
    std::span<const std::uint32_t> path) const {
    if (!master_) return std::nullopt;
    const auto derived = master_->derive_path(path);
    if (!derived) return std::nullopt;
    KeyExpression result{derived->public_key()};
    result.origin = KeyOrigin{master_->fingerprint(), {path.begin(), path.end()}};
    return result;
}

}  // namespace petal::wallet
