/// The filter elements of scripts, and the descriptors that must not share a Bloom filter.
#include "wallet/descriptors/filter_sharing.h"

#include <algorithm>
#include <cassert>
#include <utility>
#include <variant>

#include "chain/hash.h"
#include "chain/script/script.h"
#include "wallet/descriptors/key_expression.h"

namespace petal::wallet {

namespace {

/// A public key and the kind of its children, as comparable bytes.
chain::Bytes family_of(const PublicKey& parent, RangeKind kind) {
    const XOnlyKey x = parent.x_only();
    chain::Bytes family(x.begin(), x.end());
    family.push_back(static_cast<chain::Byte>(kind));
    return family;
}

const PublicKey& public_part(const ExtendedPublicKey& key) {
    return key.key();
}

PublicKey public_part(const ExtendedPrivateKey& key) {
    return key.key().public_key();
}

/// The key of an expression without the wildcard and, if known, the parent and the child number.
struct ExpressionKey {
    PublicKey key;
    std::optional<chain::Bytes> parent = std::nullopt;
    std::uint32_t index = 0;
};

template <typename Extended>
ExpressionKey key_below(Extended key, const std::vector<std::uint32_t>& path) {
    std::optional<chain::Bytes> parent;
    std::uint32_t index = 0;
    for (const std::uint32_t number : path) {
        const bool is_hardened = number >= kHardened;
        parent = family_of(public_part(key), is_hardened ? RangeKind::hardened : RangeKind::normal);
        index = number & ~kHardened;
        const auto child = key.derive(number);
        assert(child);  // fails by chance once in 2^127, and can't be provoked
        key = *child;
    }
    return {public_part(key), parent, index};
}

ExpressionKey key_of(const KeyExpression& expression) {
    if (const auto* key = std::get_if<ExtendedPublicKey>(&expression.key)) {
        return key_below(*key, expression.path);
    }
    if (const auto* key = std::get_if<ExtendedPrivateKey>(&expression.key)) {
        return key_below(*key, expression.path);
    }
    return {expression.root_key()};
}

/// Outputs of the same key or script in the remaining usual forms. Their elements can be computed
/// from the element of `script_pubkey`.
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
        case chain::ScriptType::p2sh:
        case chain::ScriptType::p2tr:
        case chain::ScriptType::witness_unknown:
        case chain::ScriptType::anchor:
        case chain::ScriptType::null_data:
        case chain::ScriptType::other:
            break;
    }
    return {};
}

chain::Bytes element_of(chain::ByteView script_pubkey) {
    const chain::ByteView element = filter_element(script_pubkey);
    return {element.begin(), element.end()};
}

/// Byte strings that two scripts share if they are made of the same key:
/// - the x coordinate of each key. tr() does not reveal the y coordinate.
/// - the filter element of each key's P2SH-P2WPKH address. It can be computed from all usual
///   addresses but tr().
/// - the script's own filter element, and the elements that can be computed from it.
std::vector<chain::Bytes> traces_of(chain::ByteView script_pubkey,
                                    std::span<const DerivedKey> keys) {
    std::vector<chain::Bytes> traces;
    for (const DerivedKey& derived : keys) {
        const XOnlyKey x = derived.key.x_only();
        traces.emplace_back(x.begin(), x.end());
        const auto program = chain::p2wpkh_script(chain::hash160(derived.key.compressed()));
        for (const chain::Bytes& form : other_forms(program)) traces.push_back(element_of(form));
    }
    traces.push_back(element_of(script_pubkey));
    for (const chain::Bytes& form : other_forms(script_pubkey)) traces.push_back(element_of(form));
    return traces;
}

std::vector<chain::Bytes> elements_at(ScriptDeriver& deriver, std::uint32_t index) {
    std::vector<chain::Bytes> elements;
    const auto scripts = deriver.script_pubkeys(index);
    if (!scripts) return elements;  // by chance, once in 2^127
    for (const chain::Bytes& script : *scripts) elements.push_back(element_of(script));
    return elements;
}

/// Whether two ranges with a common key have the same elements. multi() and sortedmulti() of two
/// keys have the same script at every second index on average.
bool have_same_elements(ScriptDeriver& a, ScriptDeriver& b) {
    constexpr std::uint32_t kCompared = 32;
    for (std::uint32_t index = 0; index < kCompared; ++index) {
        if (elements_at(a, index) != elements_at(b, index)) return false;
    }
    return true;
}

/// The number of children of a range that are compared with keys and addresses: the initial watched
/// range of a wallet for the first twenty ranges, then fewer, which bounds the time.
/// ordinal   of the range, counted from 1
std::uint32_t children_to_compare(std::size_t ordinal) {
    constexpr std::size_t kMost = 1'000;
    constexpr std::size_t kFewest = 50;
    return static_cast<std::uint32_t>(std::clamp(20'000 / ordinal, kFewest, kMost));
}

}  // namespace

std::optional<std::size_t> FilterSharing::add(const Descriptor& descriptor) {
    const std::size_t number = added_++;
    std::size_t first = number;
    for (const Descriptor& path : descriptor.single_paths()) {
        auto deriver = ScriptDeriver::create(path);
        if (!deriver) continue;  // by chance, once in 2^127
        first = std::min(first, path.is_range() ? add_range(number, path, *std::move(deriver))
                                                : add_single(number, path, *deriver));
    }
    return first < number ? std::optional(first) : std::nullopt;
}

std::size_t FilterSharing::add_range(std::size_t number, const Descriptor& path,
                                     ScriptDeriver deriver) {
    std::size_t first = number;
    ranges_.push_back({number, std::move(deriver)});
    Range& range = ranges_.back();
    for (const KeyExpression& expression : path.keys()) {
        const chain::Bytes family = family_of(key_of(expression).key, expression.range);
        const auto [begin, end] = ranges_by_family_.equal_range(family);
        for (auto other = begin; other != end; ++other) {
            Range& known = ranges_[other->second];
            if (!have_same_elements(known.deriver, range.deriver)) {
                first = std::min(first, known.number);
            }
        }
        const auto [child, past] = children_by_family_.equal_range(family);
        for (auto one = child; one != past; ++one) {
            first = std::min(first, compare(range, one->second));
        }
        ranges_by_family_.emplace(family, ranges_.size() - 1);
    }
    return has_singles_ ? std::min(first, add_children()) : first;
}

std::size_t FilterSharing::add_single(std::size_t number, const Descriptor& path,
                                      ScriptDeriver& deriver) {
    has_singles_ = true;
    add_children();
    const auto derived = deriver.derive(0);
    if (!derived) return number;  // by chance, once in 2^127
    std::size_t first = number;
    for (const DerivedScript& script : derived->scripts) {
        first = std::min(first, put(number, script.script_pubkey, derived->keys));
    }
    for (const KeyExpression& expression : path.keys()) {
        const ExpressionKey key = key_of(expression);
        if (!key.parent) continue;
        for (const DerivedScript& script : derived->scripts) {
            const Child child{number, key.index, element_of(script.script_pubkey)};
            const auto [begin, end] = ranges_by_family_.equal_range(*key.parent);
            for (auto range = begin; range != end; ++range) {
                first = std::min(first, compare(ranges_[range->second], child));
            }
            children_by_family_.emplace(*key.parent, child);
        }
    }
    return first;
}

std::size_t FilterSharing::compare(Range& range, const Child& child) {
    const auto elements = elements_at(range.deriver, child.index);
    const bool is_same = std::ranges::all_of(
        elements, [&](const chain::Bytes& element) { return element == child.element; });
    return is_same ? added_ : std::min(range.number, child.number);
}

std::size_t FilterSharing::add_children() {
    std::size_t first = added_;
    while (compared_ranges_ < ranges_.size()) {
        Range& range = ranges_[compared_ranges_++];
        const std::uint32_t count = children_to_compare(compared_ranges_);
        for (std::uint32_t index = 0; index < count; ++index) {
            const auto derived = range.deriver.derive(index);
            if (!derived) continue;  // by chance, once in 2^127
            for (const DerivedScript& script : derived->scripts) {
                first = std::min(first, put(range.number, script.script_pubkey, derived->keys));
            }
        }
    }
    return first;
}

std::size_t FilterSharing::put(std::size_t number, const chain::Bytes& script_pubkey,
                               std::span<const DerivedKey> keys) {
    std::size_t first = number;
    const Owner own{number, element_of(script_pubkey)};
    for (chain::Bytes& trace : traces_of(script_pubkey, keys)) {
        auto& owners = owners_[std::move(trace)];
        // Two elements suffice for a key that all children of a range share.
        const std::size_t size = owners.size();
        if (size > 0 && owners[size - 1] == own) continue;
        const auto is_own = [&](const Owner& owner) { return owner.number == number; };
        if (size > 1 && is_own(owners[size - 1]) && is_own(owners[size - 2])) continue;
        for (const Owner& other : owners) {
            if (other.element != own.element) first = std::min(first, other.number);
        }
        owners.push_back(own);
    }
    return first;
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
