/// Hierarchical deterministic keys (BIP32).
#include "wallet/keys/extended_key.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "chain/enum_table.h"
#include "chain/hash.h"
#include "wallet/keys/base58.h"

namespace petal::wallet {

namespace {

constexpr std::size_t kKeyOffset = 45;
constexpr std::size_t kSerializedBytes = 78;
constexpr std::uint8_t kDeepest = std::numeric_limits<std::uint8_t>::max();

using FourBytes = std::array<chain::Byte, 4>;

FourBytes big_endian(std::uint32_t value) {
    return {static_cast<chain::Byte>(value >> 24), static_cast<chain::Byte>(value >> 16),
            static_cast<chain::Byte>(value >> 8), static_cast<chain::Byte>(value)};
}

std::uint32_t from_big_endian(chain::ByteView bytes) {
    std::uint32_t value = 0;
    for (const chain::Byte byte : bytes.first(4)) value = value << 8 | byte;
    return value;
}

/// A serialized extended key: version, depth, parent's fingerprint, child number, chain code, key.
using Serialized = SecretArray<kSerializedBytes>;

KeyPosition read_position(chain::ByteView bytes) {
    KeyPosition position;
    position.depth = bytes[4];
    std::copy_n(bytes.begin() + 5, 4, position.parent_fingerprint.begin());
    position.child_number = from_big_endian(bytes.subspan(9));
    std::copy_n(bytes.begin() + 13, 32, position.chain_code.begin());
    return position;
}

/// Pads `key` with leading zeros to 33 bytes.
Serialized serialize(std::uint32_t version, const KeyPosition& position, chain::ByteView key) {
    Serialized bytes;
    std::ranges::copy(big_endian(version), bytes.data());
    bytes.data()[4] = position.depth;
    std::ranges::copy(position.parent_fingerprint, bytes.data() + 5);
    std::ranges::copy(big_endian(position.child_number), bytes.data() + 9);
    std::ranges::copy(position.chain_code, bytes.data() + 13);
    std::ranges::copy(key, bytes.data() + kSerializedBytes - key.size());
    return bytes;
}

ExtendedKeyError to_key_error(Base58Error error) {
    static constexpr auto kErrors = chain::enum_table<Base58Error, ExtendedKeyError>({
        {Base58Error::invalid_character, ExtendedKeyError::not_base58},
        {Base58Error::too_long, ExtendedKeyError::wrong_length},
        {Base58Error::too_short, ExtendedKeyError::wrong_length},
        {Base58Error::wrong_checksum, ExtendedKeyError::wrong_checksum},
    });
    return kErrors[error];
}

/// The error for an unexpected version.
ExtendedKeyError explain_version(std::uint32_t version, std::uint32_t other_kind) {
    if (version == other_kind) return ExtendedKeyError::wrong_kind;
    const auto networks = chain::all_networks();
    const bool known = std::any_of(networks.begin(), networks.end(), [&](const auto& network) {
        return version == network.xpub_version || version == network.xprv_version;
    });
    return known ? ExtendedKeyError::wrong_network : ExtendedKeyError::unknown_version;
}

/// The two versions of a network: first of the kind that is being read.
struct Versions {
    std::uint32_t wanted;
    std::uint32_t other_kind;
};

/// Reads the text, with the checks that public and private keys share.
chain::Expected<Serialized, ExtendedKeyError> read_text(std::string_view text, Versions versions) {
    auto payload = decode_base58check(text, kSerializedBytes);
    if (!payload) return chain::Unexpected{to_key_error(payload.error())};
    if (payload->size() != kSerializedBytes)
        return chain::Unexpected{ExtendedKeyError::wrong_length};
    Serialized bytes{*payload};
    OPENSSL_cleanse(payload->data(), payload->size());

    const std::uint32_t version = from_big_endian(bytes.view());
    if (version != versions.wanted) {
        return chain::Unexpected{explain_version(version, versions.other_kind)};
    }
    const KeyPosition position = read_position(bytes.view());
    if (position.depth == 0 && position.parent_fingerprint != Fingerprint{}) {
        return chain::Unexpected{ExtendedKeyError::root_with_parent};
    }
    if (position.depth == 0 && position.child_number != 0) {
        return chain::Unexpected{ExtendedKeyError::root_with_index};
    }
    return bytes;
}

std::optional<DerivationError> check_public(std::uint8_t depth, std::uint32_t index) {
    if (depth == kDeepest) return DerivationError::too_deep;
    if (index >= kHardened) return DerivationError::hardened_from_public;
    return std::nullopt;
}

KeyTweak left_half(const SecretArray<64>& digest) {
    return KeyTweak{digest.view()};
}

std::array<chain::Byte, 32> right_half(const SecretArray<64>& digest) {
    std::array<chain::Byte, 32> half{};
    std::ranges::copy(digest.view().last(32), half.begin());
    return half;
}

}  // namespace

std::string_view describe(ExtendedKeyError error) {
    using enum ExtendedKeyError;
    static constexpr auto kTexts = chain::enum_table<ExtendedKeyError, std::string_view>({
        {not_base58, "a character that Base58 does not have"},
        {wrong_checksum, "wrong checksum"},
        {wrong_length, "wrong length"},
        {wrong_kind, "private where a public key is wanted, or the other way round"},
        {wrong_network, "a key of another network"},
        {unknown_version, "unknown version"},
        {wrong_key_prefix, "the key does not go with the version"},
        {key_out_of_range, "the private key is out of range"},
        {point_not_on_curve, "the public key is not on the curve"},
        {root_with_parent, "a master key with a parent"},
        {root_with_index, "a master key with a child number"},
    });
    return kTexts[error];
}

std::string_view describe(DerivationError error) {
    using enum DerivationError;
    static constexpr auto kTexts = chain::enum_table<DerivationError, std::string_view>({
        {wrong_seed_length, "a seed has 16 to 64 bytes"},
        {hardened_from_public, "a hardened child needs the private key"},
        {too_deep, "there are no keys below depth 255"},
        {invalid_child, "this index has no key"},
    });
    return kTexts[error];
}

chain::Expected<ExtendedPublicKey, ExtendedKeyError> ExtendedPublicKey::parse(
    std::string_view text, const chain::NetworkParams& network) {
    const auto bytes = read_text(text, {network.xpub_version, network.xprv_version});
    if (!bytes) return chain::Unexpected{bytes.error()};
    const chain::ByteView key_bytes = bytes->view().subspan(kKeyOffset);
    if (key_bytes[0] != 2 && key_bytes[0] != 3) {
        return chain::Unexpected{ExtendedKeyError::wrong_key_prefix};
    }
    const auto key = PublicKey::parse(key_bytes);
    if (!key) return chain::Unexpected{ExtendedKeyError::point_not_on_curve};
    return ExtendedPublicKey{*key, read_position(bytes->view())};
}

std::string ExtendedPublicKey::to_string(const chain::NetworkParams& network) const {
    const auto bytes = serialize(network.xpub_version, position_, key_.compressed());
    return encode_base58check(bytes.view());
}

chain::Expected<ExtendedPublicKey, DerivationError> ExtendedPublicKey::derive(
    std::uint32_t index) const {
    if (const auto error = check_public(position_.depth, index)) return chain::Unexpected{*error};
    HmacSha512 hmac{position_.chain_code};
    const auto digest = hmac.digest({key_.compressed(), big_endian(index)});
    const auto child = key_.add(left_half(digest));
    if (!child) return chain::Unexpected{DerivationError::invalid_child};
    const auto depth = static_cast<std::uint8_t>(position_.depth + 1);
    return ExtendedPublicKey{*child, {depth, fingerprint(), index, right_half(digest)}};
}

Fingerprint ExtendedPublicKey::fingerprint() const {
    const auto hash = chain::hash160(key_.compressed());
    return {hash[0], hash[1], hash[2], hash[3]};
}

PublicChildren::PublicChildren(const ExtendedPublicKey& parent)
    : parent_(parent.key()),
      parent_depth_(parent.position().depth),
      hmac_(parent.position().chain_code) {}

chain::Expected<PublicKey, DerivationError> PublicChildren::key(std::uint32_t index) {
    const auto added = tweak(index);
    if (!added) return chain::Unexpected{added.error()};
    const auto child = parent_.add(*added);
    if (!child) return chain::Unexpected{DerivationError::invalid_child};
    return *child;
}

chain::Expected<KeyTweak, DerivationError> PublicChildren::tweak(std::uint32_t index) {
    if (const auto error = check_public(parent_depth_, index)) return chain::Unexpected{*error};
    return left_half(hmac_.digest({parent_.compressed(), big_endian(index)}));
}

chain::Expected<ExtendedPrivateKey, DerivationError> ExtendedPrivateKey::from_seed(
    chain::ByteView seed) {
    if (seed.size() < 16 || seed.size() > 64) {
        return chain::Unexpected{DerivationError::wrong_seed_length};
    }
    HmacSha512 hmac{chain::as_bytes("Bitcoin seed")};
    const auto digest = hmac.digest({seed});
    const auto key = PrivateKey::parse(digest.view().first(32));
    if (!key) return chain::Unexpected{DerivationError::invalid_child};
    return ExtendedPrivateKey{*key, {0, {}, 0, right_half(digest)}};
}

chain::Expected<ExtendedPrivateKey, ExtendedKeyError> ExtendedPrivateKey::parse(
    std::string_view text, const chain::NetworkParams& network) {
    const auto bytes = read_text(text, {network.xprv_version, network.xpub_version});
    if (!bytes) return chain::Unexpected{bytes.error()};
    const chain::ByteView key_bytes = bytes->view().subspan(kKeyOffset);
    if (key_bytes[0] != 0) return chain::Unexpected{ExtendedKeyError::wrong_key_prefix};
    const auto key = PrivateKey::parse(key_bytes.subspan(1));
    if (!key) return chain::Unexpected{ExtendedKeyError::key_out_of_range};
    return ExtendedPrivateKey{*key, read_position(bytes->view())};
}

SecretString ExtendedPrivateKey::to_string(const chain::NetworkParams& network) const {
    const auto bytes = serialize(network.xprv_version, position_, key_.view());
    std::string text = encode_base58check(bytes.view());
    SecretString secret{text};
    OPENSSL_cleanse(text.data(), text.size());
    return secret;
}

chain::Expected<ExtendedPrivateKey, DerivationError> ExtendedPrivateKey::derive(
    std::uint32_t index) const {
    if (position_.depth == kDeepest) return chain::Unexpected{DerivationError::too_deep};
    const PublicKey own = key_.public_key();
    constexpr std::array<chain::Byte, 1> kPrivate{0};
    HmacSha512 hmac{position_.chain_code};
    const auto digest = index >= kHardened ? hmac.digest({kPrivate, key_.view(), big_endian(index)})
                                           : hmac.digest({own.compressed(), big_endian(index)});
    const auto child = key_.add(left_half(digest));
    if (!child) return chain::Unexpected{DerivationError::invalid_child};
    const auto depth = static_cast<std::uint8_t>(position_.depth + 1);
    return ExtendedPrivateKey{*child, {depth, fingerprint(), index, right_half(digest)}};
}

chain::Expected<ExtendedPrivateKey, DerivationError> ExtendedPrivateKey::derive_path(
    std::span<const std::uint32_t> path) const {
    chain::Expected<ExtendedPrivateKey, DerivationError> key = *this;
    for (const std::uint32_t index : path) {
        key = key->derive(index);
        if (!key) break;
    }
    return key;
}

ExtendedPublicKey ExtendedPrivateKey::public_key() const {
    return {key_.public_key(), position_};
}

chain::Expected<PrivateKey, DerivationError> PrivateChildren::key(std::uint32_t index) {
    const auto tweak = children_.tweak(index);
    if (!tweak) return chain::Unexpected{tweak.error()};
    const auto child = parent_.add(*tweak);
    if (!child) return chain::Unexpected{DerivationError::invalid_child};
    return *child;
}

}  // namespace petal::wallet
