/// Which scripts a Bloom filter can find, and which must not be in one filter together.
#include "wallet/descriptors/filter_sharing.h"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <optional>
#include <tuple>
#include <variant>
#include <vector>

#include "chain/hash.h"
#include "chain/script/script.h"
#include "wallet/descriptors/script_deriver.h"

namespace petal::wallet {

namespace {

/// The public keys that an expression stands for: one, or the children of one.
struct KeySet {
    PublicKey key;
    RangeKind range = RangeKind::none;
    /// Whose child a single key is, if that is known; with its child number.
    std::optional<PublicKey> parent = std::nullopt;
    std::uint32_t number = 0;

    bool is_child_of(const KeySet& other) const {
        const bool is_hardened = number >= kHardened;
        return range == RangeKind::none && parent == other.key && other.range != RangeKind::none &&
               is_hardened == (other.range == RangeKind::hardened);
    }
};

/// What outputs of a descriptor are found by, as far as it can be the same for two descriptors with
/// the same keys.
enum class ElementKind : std::uint8_t { key, key_hash, other };

ElementKind element_kind(const Descriptor& descriptor) {
    if (descriptor.wrapping() != ScriptWrapping::none) return ElementKind::other;
    switch (descriptor.function()) {
        case ScriptFunction::pk:
            return ElementKind::key;
        case ScriptFunction::pkh:
        case ScriptFunction::wpkh:
            return ElementKind::key_hash;
        default:
            return ElementKind::other;
    }
}

const PublicKey& public_part(const ExtendedPublicKey& key) {
    return key.key();
}

PublicKey public_part(const ExtendedPrivateKey& key) {
    return key.key().public_key();
}

template <typename Extended>
KeySet key_set_below(Extended key, const KeyExpression& expression) {
    std::optional<PublicKey> parent;
    for (const std::uint32_t number : expression.path) {
        parent = public_part(key);
        const auto child = key.derive(number);
        assert(child);  // fails by chance once in 2^127, and can't be provoked
        key = *child;
    }
    const std::uint32_t last = expression.path.empty() ? 0 : expression.path.back();
    return {public_part(key), expression.range, parent, last};
}

KeySet key_set(const KeyExpression& expression) {
    if (const auto* key = std::get_if<ExtendedPublicKey>(&expression.key)) {
        return key_set_below(*key, expression);
    }
    if (const auto* key = std::get_if<ExtendedPrivateKey>(&expression.key)) {
        return key_set_below(*key, expression);
    }
    return {expression.root_key()};
}

bool are_equal(const KeySet& a, const KeySet& b) {
    return a.key == b.key && a.range == b.range;
}

bool overlap(const KeySet& a, const KeySet& b) {
    return are_equal(a, b) || a.is_child_of(b) || b.is_child_of(a);
}

std::vector<KeySet> key_sets(const Descriptor& descriptor) {
    std::vector<KeySet> sets;
    for (const KeyExpression& key : descriptor.keys()) sets.push_back(key_set(key));
    return sets;
}

bool have_same_elements(const Descriptor& a, const Descriptor& b) {
    const ElementKind kind = element_kind(a);
    if (kind != element_kind(b)) return false;
    if (kind == ElementKind::key || kind == ElementKind::key_hash) {
        return (a.keys()[0].form() == KeyForm::uncompressed) ==
               (b.keys()[0].form() == KeyForm::uncompressed);
    }
    const auto shape = [](const Descriptor& descriptor) {
        return std::tuple{descriptor.wrapping(), descriptor.function(), descriptor.threshold()};
    };
    const auto keys_of_a = key_sets(a);
    const auto keys_of_b = key_sets(b);
    return shape(a) == shape(b) && std::ranges::equal(keys_of_a, keys_of_b, are_equal);
}

/// Outputs of the same key or script in another usual form, whose elements anyone can compute from
/// the element of this one.
std::vector<chain::Bytes> other_forms(chain::ByteView script_pubkey) {
    const auto nested = [](chain::ByteView program) {
        return chain::p2sh_script(chain::hash160(program));
    };
    const chain::ByteView element = filter_element(script_pubkey);
    switch (chain::classify(script_pubkey)) {
        case chain::ScriptType::p2pkh:
        case chain::ScriptType::p2wpkh: {
            chain::Hash160 hash{};
            std::ranges::copy(element, hash.begin());
            return {nested(chain::p2wpkh_script(hash))};
        }
        case chain::ScriptType::p2wsh:
            return {nested(script_pubkey)};
        case chain::ScriptType::p2pk:
        case chain::ScriptType::bare_multisig: {
            const auto hash = chain::hash160(element);
            std::vector<chain::Bytes> forms{chain::p2pkh_script(hash)};
            const auto key = PublicKey::parse(element);
            if (!key) return forms;
            forms.push_back(nested(chain::p2wpkh_script(hash)));
            forms.push_back(chain::witness_program_script(1, key->taproot_output_key()));
            return forms;
        }
        default:
            return {};
    }
}

bool reveals(chain::ByteView script_pubkey, chain::ByteView other) {
    if (chain::classify(script_pubkey) == chain::classify(other)) return false;
    return std::ranges::any_of(other_forms(script_pubkey), [&](const chain::Bytes& form) {
        return std::ranges::equal(filter_element(form), filter_element(other));
    });
}

/// Compares what two descriptors without wildcards stand for: of an address, the key is not known.
bool single_scripts_must_not_share(const Descriptor& a, const Descriptor& b) {
    if (!a.script().empty() && !b.script().empty()) {
        return reveals(a.script(), b.script()) || reveals(b.script(), a.script());
    }
    if (a.script().empty() && b.script().empty()) return false;  // their keys are compared
    const bool a_has_keys = a.script().empty();
    const Descriptor& with_keys = a_has_keys ? a : b;
    const chain::Bytes& script = a_has_keys ? b.script() : a.script();
    if (with_keys.is_range()) return false;
    auto deriver = ScriptDeriver::create(with_keys);
    const auto derived = deriver ? deriver->script_pubkeys(0) : std::vector<chain::Bytes>{};
    return derived && std::ranges::any_of(*derived, [&](const chain::Bytes& own) {
               return reveals(own, script) || reveals(script, own);
           });
}

bool single_paths_must_not_share(const Descriptor& a, const Descriptor& b) {
    if (single_scripts_must_not_share(a, b)) return true;
    const auto keys_of_a = key_sets(a);
    const auto keys_of_b = key_sets(b);
    const bool have_common_key = std::ranges::any_of(keys_of_a, [&](const KeySet& one) {
        return std::ranges::any_of(keys_of_b,
                                   [&](const KeySet& other) { return overlap(one, other); });
    });
    return have_common_key && !have_same_elements(a, b);
}

}  // namespace

chain::ByteView filter_element(chain::ByteView script_pubkey) {
    const chain::ByteView element = chain::watch_element(script_pubkey);
    if (!element.empty()) return element;
    const bool is_multisig = chain::classify(script_pubkey) == chain::ScriptType::bare_multisig;
    chain::ByteView longest;
    chain::ScriptWalker walker{script_pubkey};
    while (const auto operation = walker.next()) {
        if (is_multisig && !operation->data.empty()) return operation->data;
        if (operation->data.size() > longest.size()) longest = operation->data;
    }
    return longest;
}

bool must_not_share_filter(const Descriptor& a, const Descriptor& b) {
    const auto paths_of_a = a.single_paths();
    const auto paths_of_b = b.single_paths();
    return std::ranges::any_of(paths_of_a, [&](const Descriptor& one) {
        return std::ranges::any_of(paths_of_b, [&](const Descriptor& other) {
            return single_paths_must_not_share(one, other);
        });
    });
}

}  // namespace petal::wallet
