/// Which scripts a Bloom filter can find, and which must not be in one filter together.
#include "wallet/descriptors/filter_sharing.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "chain/hash.h"
#include "chain/script/script.h"
#include "wallet/descriptors/script_deriver.h"

namespace petal::wallet {

/// The public keys that an expression stands for: one, or the children of one. (Has a
/// name outside this file since FilterSharing::Path holds it.)
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

namespace {

/// What outputs of a descriptor are found by, as far as it can be the same for two descriptors with
/// the same keys.
enum class ElementKind : std::uint8_t { key, key_hash, nested_key_hash, output_key, other };

ElementKind element_kind(const Descriptor& descriptor) {
    const bool is_nested = descriptor.wrapping() == ScriptWrapping::sh;
    if (is_nested && descriptor.function() == ScriptFunction::wpkh) {
        return ElementKind::nested_key_hash;
    }
    if (descriptor.wrapping() != ScriptWrapping::none) return ElementKind::other;
    switch (descriptor.function()) {
        case ScriptFunction::pk:
            return ElementKind::key;
        case ScriptFunction::pkh:
        case ScriptFunction::wpkh:
            return ElementKind::key_hash;
        case ScriptFunction::tr:
            return ElementKind::output_key;
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

/// Whether they are the same but for the sign of the key, which a key of tr() does not tell.
bool are_equal(const KeySet& a, const KeySet& b) {
    return a.key.x_only() == b.key.x_only() && a.range == b.range;
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
    if (kind != ElementKind::other) {
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

bool have_common_key(const std::vector<KeySet>& a, const std::vector<KeySet>& b) {
    return std::ranges::any_of(a, [&](const KeySet& one) {
        return std::ranges::any_of(b, [&](const KeySet& other) { return overlap(one, other); });
    });
}

/// How a key, or the address of one, is found among the children of ranges: by its x coordinate,
/// and the elements of its addresses.
std::vector<chain::Bytes> traces_of(const PublicKey& key) {
    const XOnlyKey x = key.x_only();
    const auto hash = chain::hash160(key.compressed());
    const auto nested = chain::hash160(chain::p2wpkh_script(hash));
    return {{x.begin(), x.end()}, {hash.begin(), hash.end()}, {nested.begin(), nested.end()}};
}

/// The traces of a descriptor without wildcards.
std::vector<chain::Bytes> single_traces(const Descriptor& descriptor,
                                        const std::vector<KeySet>& keys) {
    std::vector<chain::Bytes> traces;
    for (const KeySet& one : keys) traces.push_back(traces_of(one.key)[0]);
    const chain::ByteView element = filter_element(descriptor.script());
    if (!element.empty()) traces.emplace_back(element.begin(), element.end());
    return traces;
}

/// The kind of the element of a descriptor without wildcards.
ElementKind single_element_kind(const Descriptor& descriptor) {
    switch (chain::classify(descriptor.script())) {
        case chain::ScriptType::p2pkh:
        case chain::ScriptType::p2wpkh:
            return ElementKind::key_hash;
        case chain::ScriptType::p2sh:
            return ElementKind::nested_key_hash;
        default:
            return element_kind(descriptor);
    }
}

/// How many children of a range are compared with keys and addresses: as many as a wallet watches
/// at first, and fewer behind the twentieth range, so that the time is bounded.
/// ordinal   of the range, counted from 1
std::uint32_t children_to_compare(std::size_t ordinal) {
    constexpr std::size_t kMost = 1'000;
    constexpr std::size_t kFewest = 50;
    return static_cast<std::uint32_t>(std::clamp(20'000 / ordinal, kFewest, kMost));
}

}  // namespace

/// A descriptor of a single path.
struct FilterSharing::Path {
    std::size_t number = 0;  ///< of the descriptor that it is of
    Descriptor descriptor;
    std::vector<KeySet> keys;
    std::vector<chain::Bytes> traces;  ///< none of a range

    bool must_be_apart_from(const Path& other) const {
        return single_scripts_must_not_share(descriptor, other.descriptor) ||
               (have_common_key(keys, other.keys) &&
                !have_same_elements(descriptor, other.descriptor));
    }

    /// For a path without wildcards, and the range that one of its traces is a child of.
    bool must_be_apart_from_range(const Path& range) const {
        const ElementKind kind = single_element_kind(descriptor);
        const bool is_same_kind =
            kind != ElementKind::other && kind == element_kind(range.descriptor);
        if (!is_same_kind || descriptor.keys().empty()) return !is_same_kind;
        return !have_same_elements(descriptor, range.descriptor);
    }
};

FilterSharing::FilterSharing() = default;
FilterSharing::~FilterSharing() = default;

std::optional<std::size_t> FilterSharing::add(const Descriptor& descriptor) {
    const std::size_t number = added_++;
    const std::size_t end = paths_.size();
    const std::size_t end_of_ranges = ranges_.size();
    std::optional<std::size_t> conflict;
    const auto note = [&](std::size_t other) {
        conflict = std::min(other, conflict.value_or(other));
    };
    for (Descriptor& path : descriptor.single_paths()) {
        const auto keys = key_sets(path);
        const auto traces =
            path.is_range() ? std::vector<chain::Bytes>{} : single_traces(path, keys);
        paths_.push_back({number, std::move(path), keys, traces});
        for (std::size_t earlier = 0; earlier < end; ++earlier) {
            if (paths_.back().must_be_apart_from(paths_[earlier])) note(paths_[earlier].number);
        }
    }
    for (std::size_t at = end; at < paths_.size(); ++at) {
        (paths_[at].descriptor.is_range() ? ranges_ : singles_).push_back(at);
    }
    if (singles_.empty()) return conflict;
    while (compared_ranges_ < ranges_.size()) add_children(ranges_[compared_ranges_++]);
    const bool has_new_range = ranges_.size() > end_of_ranges;
    for (const std::size_t single : singles_) {
        const Path& one = paths_[single];
        if (one.number != number && !has_new_range) continue;  // was compared before
        for (const chain::Bytes& trace : one.traces) {
            const auto [begin, past] = children_.equal_range(trace);
            for (auto child = begin; child != past; ++child) {
                const Path& range = paths_[child->second];
                const bool is_new = one.number == number || range.number == number;
                if (!is_new || !one.must_be_apart_from_range(range)) continue;
                note(std::min(one.number, range.number));
            }
        }
    }
    return conflict;
}

void FilterSharing::add_children(std::size_t path) {
    const Descriptor& range = paths_[path].descriptor;
    auto deriver = ScriptDeriver::create(range);
    const std::uint32_t count = children_to_compare(compared_ranges_);
    for (std::uint32_t index = 0; deriver && index < count; ++index) {
        const auto derived = deriver->derive(index);
        for (std::size_t key = 0; derived && key < range.keys().size(); ++key) {
            if (range.keys()[key].range == RangeKind::none) continue;
            for (chain::Bytes& trace : traces_of(derived->keys[key].key)) {
                children_.emplace(std::move(trace), path);
            }
        }
    }
}

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

}  // namespace petal::wallet
