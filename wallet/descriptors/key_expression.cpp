/// Key expressions of output descriptors: origin, key and path (BIP380, BIP389).
#include "wallet/descriptors/key_expression.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "chain/enum_table.h"
#include "chain/hash.h"
#include "wallet/keys/wif.h"

namespace petal::wallet {

namespace {

constexpr auto kRangeTexts = chain::enum_table<RangeKind, std::string_view>({
    {RangeKind::none, ""},
    {RangeKind::normal, "/*"},
    {RangeKind::hardened, "/*h"},
});

bool is_hardened(std::uint32_t number) {
    return (number & kHardened) != 0;
}

std::string step_text(std::uint32_t number) {
    return path_to_string(std::array{number});
}

std::string multipath_text(const Multipath& multipath) {
    std::string text;
    for (const std::uint32_t number : multipath.numbers) {
        text += text.empty() ? "/<" : ";";
        text += step_text(number).substr(1);
    }
    return text + '>';
}

std::string text_before_key(const KeyExpression& key) {
    if (!key.origin) return {};
    return '[' + chain::to_hex(key.origin->fingerprint) + path_to_string(key.origin->path) + ']';
}

std::string text_behind_key(const KeyExpression& key) {
    std::string text;
    for (std::size_t i = 0; i < key.path.size(); ++i) {
        const bool chooses = key.multipath && key.multipath->step == i;
        text += chooses ? multipath_text(*key.multipath) : step_text(key.path[i]);
    }
    return text += kRangeTexts[key.range];
}

/// Converts the variant's key to text.
struct PublicText {
    const chain::NetworkParams& network;

    std::string operator()(const ConstantPublicKey& key) const {
        return chain::to_hex(serialize(key.key, key.form));
    }
    std::string operator()(const ConstantPrivateKey& key) const {
        return (*this)(ConstantPublicKey{key.key.public_key(), key.form});
    }
    std::string operator()(const ExtendedPublicKey& key) const { return key.to_string(network); }
    std::string operator()(const ExtendedPrivateKey& key) const {
        return key.public_key().to_string(network);
    }
};

struct PrivateText {
    const chain::NetworkParams& network;

    SecretString operator()(const ConstantPrivateKey& key) const {
        return to_wif({key.key, key.form != KeyForm::uncompressed}, network);
    }
    SecretString operator()(const ExtendedPrivateKey& key) const { return key.to_string(network); }
    template <typename PublicOnly>
    SecretString operator()(const PublicOnly& key) const {
        return SecretString{PublicText{network}(key)};
    }
};

}  // namespace

chain::Bytes serialize(const PublicKey& key, KeyForm form) {
    const CompressedKey& compressed = key.compressed();
    switch (form) {
        case KeyForm::compressed:
            return {compressed.begin(), compressed.end()};
        case KeyForm::uncompressed: {
            const UncompressedKey bytes = key.uncompressed();
            return {bytes.begin(), bytes.end()};
        }
        case KeyForm::x_only:
            return {compressed.begin() + 1, compressed.end()};
    }
    assert(false);
    return {};
}

bool KeyExpression::is_private() const {
    return std::holds_alternative<ConstantPrivateKey>(key) ||
           std::holds_alternative<ExtendedPrivateKey>(key);
}

KeyForm KeyExpression::form() const {
    if (const auto* constant = std::get_if<ConstantPublicKey>(&key)) return constant->form;
    if (const auto* constant = std::get_if<ConstantPrivateKey>(&key)) return constant->form;
    return KeyForm::compressed;
}

bool KeyExpression::is_derivable() const {
    if (!std::holds_alternative<ExtendedPublicKey>(key)) return true;
    return range != RangeKind::hardened && std::ranges::none_of(path, is_hardened) &&
           (!multipath || std::ranges::none_of(multipath->numbers, is_hardened));
}

PublicKey KeyExpression::root_key() const {
    struct Visitor {
        PublicKey operator()(const ConstantPublicKey& constant) const { return constant.key; }
        PublicKey operator()(const ConstantPrivateKey& constant) const {
            return constant.key.public_key();
        }
        PublicKey operator()(const ExtendedPublicKey& extended) const { return extended.key(); }
        PublicKey operator()(const ExtendedPrivateKey& extended) const {
            return extended.key().public_key();
        }
    };
    return std::visit(Visitor{}, key);
}

KeyOrigin KeyExpression::root_origin() const {
    if (origin) return *origin;
    // As in Bitcoin Core, an x-only key is hashed as the key with an even y.
    const KeyForm hashed = form() == KeyForm::x_only ? KeyForm::compressed : form();
    const auto hash = chain::hash160(serialize(root_key(), hashed));
    return {{hash[0], hash[1], hash[2], hash[3]}, {}};
}

KeyExpression KeyExpression::with_path(std::size_t number) const {
    KeyExpression single = *this;
    if (!multipath) return single;
    single.path[multipath->step] = multipath->numbers.at(number);
    single.multipath.reset();
    return single;
}

std::string to_string(const KeyExpression& key, const chain::NetworkParams& network) {
    return text_before_key(key) + std::visit(PublicText{network}, key.key) + text_behind_key(key);
}

SecretString to_private_string(const KeyExpression& key, const chain::NetworkParams& network) {
    SecretString text{text_before_key(key)};
    text += std::visit(PrivateText{network}, key.key);
    text += text_behind_key(key);
    return text;
}

}  // namespace petal::wallet
