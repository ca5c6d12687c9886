/// The scripts of a wallet: derived, used and handed out.
#include "wallet/descriptors/key_ring.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <memory>
#include <utility>

namespace petal::wallet {

namespace {

constexpr std::uint64_t kMostGrowth = 4'000;  // scripts

std::string_view as_text(chain::ByteView bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The end of the watched range that contains `needed` scripts. Depends only on this number, so that
// a restored wallet watches the same scripts.
//
// All filters are rebuilt when a range grows, so the range grows by an eighth: with constant steps,
// the work of a sync would be quadratic in the size of the range. kMostGrowth bounds the growth,
// because an attacker with the extended public key can repeatedly pay the last script of a range.
std::uint64_t range_for(std::uint64_t needed, std::uint64_t step) {
    const std::uint64_t most = std::max<std::uint64_t>(kMostGrowth / step, 1);
    std::uint64_t end = step;
    while (end < needed) end += std::clamp<std::uint64_t>(end / 8 / step, 1, most) * step;
    return end;
}

}  // namespace

ScriptSource account_chain(ScriptKind kind, const ExtendedPublicKey& account, KeyChain chain,
                           LookAhead look_ahead) {
    struct Keys {
        ExtendedPublicKey account;
        std::optional<PublicChildren> children;  // created when first needed
    };
    const auto keys = std::make_shared<Keys>(Keys{account, {}});
    const auto script = [keys, kind, chain](std::uint32_t index) {
        if (!keys->children) {
            const auto parent = keys->account.derive(static_cast<std::uint32_t>(chain));
            assert(parent);
            keys->children.emplace(*parent);
        }
        const auto key = keys->children->key(index);
        assert(key);  // fails by chance once in 2^127, and can't be provoked
        return script_for(kind, *key);
    };
    return {script, true, look_ahead};
}

std::uint64_t script_tail(chain::ByteView script) {
    std::uint64_t tail = 0;
    if (script.size() < sizeof tail) return 0;
    std::memcpy(&tail, script.data() + script.size() - sizeof tail, sizeof tail);
    return tail;
}

std::size_t KeyRing::TailHash::operator()(std::string_view script) const {
    return static_cast<std::size_t>(script_tail(chain::as_bytes(script)));
}

KeyRing::KeyRing(std::vector<ScriptSource> sources) {
    for (ScriptSource& source : sources) add(std::move(source));
}

void KeyRing::add(ScriptSource source) {
    assert(source.look_ahead.watched > 0 &&
           source.look_ahead.watched >= source.look_ahead.gap_limit);
    entries_.push_back({std::move(source), {}, 0, 0});
}

void KeyRing::restore_scripts(DescriptorNumber number, std::vector<chain::Bytes> scripts) {
    assert(at(number).scripts.empty());
    at(number).scripts.reserve(scripts.size());
    paths_by_script_.reserve(paths_by_script_.size() + scripts.size());
    for (chain::Bytes& script : scripts) add_script(number, std::move(script));
}

bool KeyRing::extend() {
    bool grew = false;
    for (std::uint32_t number = 0; number < size(); ++number) {
        grew = extend(DescriptorNumber(number)) || grew;
    }
    return grew;
}

bool KeyRing::mark_used(KeyPath path) {
    if (other_paths_.empty()) return set_used(path);  // faster, for most wallets
    bool grew = false;
    for (const KeyPath& each : paths_of(script_at(path))) grew = set_used(each) || grew;
    return grew;
}

bool KeyRing::mark_handed_out(KeyPath path) {
    bool grew = false;
    for (const KeyPath& each : paths_of(script_at(path))) grew = set_issued(each) || grew;
    return grew;
}

std::optional<KeyPath> KeyRing::find(chain::ByteView script_pubkey) const {
    const auto found = paths_by_script_.find(as_text(script_pubkey));
    if (found == paths_by_script_.end()) return std::nullopt;
    return found->second;
}

std::vector<KeyPath> KeyRing::paths_of(chain::ByteView script_pubkey) const {
    std::vector<KeyPath> paths;
    if (const auto first = find(script_pubkey)) paths.push_back(*first);
    const auto [begin, end] = other_paths_.equal_range(as_text(script_pubkey));
    for (auto other = begin; other != end; ++other) paths.push_back(other->second);
    return paths;
}

bool KeyRing::is_also_watched_alone(KeyPath path) const {
    return std::ranges::any_of(paths_of(script_at(path)), [&](const KeyPath& other) {
        return other.descriptor != path.descriptor && !is_ranged(other.descriptor);
    });
}

std::uint32_t KeyRing::watched(DescriptorNumber number) const {
    return static_cast<std::uint32_t>(at(number).scripts.size());
}

const chain::Bytes& KeyRing::script_at(KeyPath path) const {
    assert(path.index < watched(path.descriptor));
    return at(path.descriptor).scripts[path.index];
}

bool KeyRing::is_genuine(KeyPath path) const {
    return script_at(path) == at(path.descriptor).source.script(path.index);
}

std::uint32_t KeyRing::used_end(DescriptorNumber number) const {
    return at(number).used_end;
}

std::uint32_t KeyRing::issued_end(DescriptorNumber number) const {
    return at(number).issued_end;
}

bool KeyRing::set_used(KeyPath path) {
    Entry& entry = at(path.descriptor);
    entry.used_end = std::max(entry.used_end, path.index + 1);
    return set_issued(path);
}

bool KeyRing::set_issued(KeyPath path) {
    Entry& entry = at(path.descriptor);
    entry.issued_end = std::max(entry.issued_end, path.index + 1);
    return extend(path.descriptor);
}

bool KeyRing::extend(DescriptorNumber number) {
    bool grew = false;
    // A new script may be known as used by another path, and so extend the range again.
    while (extend_once(number)) grew = true;
    return grew;
}

bool KeyRing::extend_once(DescriptorNumber number) {
    Entry& entry = at(number);
    const LookAhead& look_ahead = entry.source.look_ahead;
    const std::uint64_t step = look_ahead.watched;
    const std::uint64_t needed =
        std::max<std::uint64_t>(std::uint64_t{entry.issued_end} + look_ahead.gap_limit, step);
    const std::uint64_t limit = entry.source.ranged ? kHardened : 1;
    if (entry.scripts.size() >= std::min(needed, limit)) return false;
    const std::uint64_t end = std::min(range_for(needed, step), limit);

    entry.scripts.reserve(end);
    for (auto index = watched(number); index < end; ++index) {
        add_script(number, entry.source.script(index));
    }
    return true;
}

void KeyRing::add_script(DescriptorNumber number, chain::Bytes script) {
    Entry& entry = at(number);
    const KeyPath path{number, static_cast<std::uint32_t>(entry.scripts.size())};
    // The view stays valid when the vector of scripts grows, because the bytes are not moved.
    const std::string_view kept = as_text(entry.scripts.emplace_back(std::move(script)));
    const auto [known, is_new] = paths_by_script_.emplace(kept, path);
    if (is_new) return;
    for (const KeyPath& other : paths_of(entry.scripts.back())) {
        if (other.index < used_end(other.descriptor)) entry.used_end = path.index + 1;
        if (other.index < issued_end(other.descriptor)) entry.issued_end = path.index + 1;
    }
    other_paths_.emplace(kept, std::max(known->second, path));
    known->second = std::min(known->second, path);
}

}  // namespace petal::wallet
