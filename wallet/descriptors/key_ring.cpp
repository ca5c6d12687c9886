/// The addresses of one wallet: which exist, which are watched, which were used.
#include "wallet/descriptors/key_ring.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <utility>

namespace petal::wallet {

namespace {

std::string_view as_text(chain::ByteView bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::size_t KeyRing::TailHash::operator()(std::string_view script) const noexcept {
    std::uint64_t tail = 0;
    if (script.size() < sizeof tail) return 0;  // none of the wallet's is so short
    std::memcpy(&tail, script.data() + script.size() - sizeof tail, sizeof tail);
    return static_cast<std::size_t>(tail);
}

KeyRing::KeyRing(ScriptKind kind, const ExtendedPublicKey& account, LookAhead look_ahead)
    : kind_(kind), account_(account), look_ahead_(look_ahead) {
    assert(look_ahead.watched > 0 && look_ahead.watched >= look_ahead.gap_limit);
}

void KeyRing::restore_scripts(KeyChain chain, std::vector<chain::Bytes> scripts) {
    assert(at(chain).scripts.empty());
    at(chain).scripts.reserve(scripts.size());
    for (chain::Bytes& script : scripts) add_script(chain, std::move(script));
}

bool KeyRing::extend() {
    bool grew = false;
    for (const KeyChain chain : kKeyChains) grew |= extend(chain);
    return grew;
}

bool KeyRing::mark_used(KeyPath path) {
    assert(path.index < watched(path.chain));
    Chain& chain = at(path.chain);
    chain.used_end = std::max(chain.used_end, path.index + 1);
    return note_issued(path);
}

bool KeyRing::mark_handed_out(KeyPath path) {
    assert(path.index < watched(path.chain));
    return note_issued(path);
}

std::optional<KeyPath> KeyRing::find(chain::ByteView script_pubkey) const {
    const auto found = paths_by_script_.find(as_text(script_pubkey));
    if (found == paths_by_script_.end()) return std::nullopt;
    return found->second;
}

std::uint32_t KeyRing::watched(KeyChain chain) const {
    return static_cast<std::uint32_t>(at(chain).scripts.size());
}

const chain::Bytes& KeyRing::script_at(KeyPath path) const {
    assert(path.index < watched(path.chain));
    return at(path.chain).scripts[path.index];
}

bool KeyRing::is_genuine(KeyPath path) const {
    const auto parent = account_.derive(static_cast<std::uint32_t>(path.chain));
    if (!parent) return false;
    const auto child = parent->derive(path.index);
    return child && script_at(path) == script_for(kind_, child->key());
}

std::uint32_t KeyRing::used_end(KeyChain chain) const {
    return at(chain).used_end;
}

std::uint32_t KeyRing::issued_end(KeyChain chain) const {
    return at(chain).issued_end;
}

bool KeyRing::note_issued(KeyPath path) {
    Chain& chain = at(path.chain);
    chain.issued_end = std::max(chain.issued_end, path.index + 1);
    return extend(path.chain);
}

bool KeyRing::extend(KeyChain chain) {
    Chain& keys = at(chain);
    const std::uint64_t step = look_ahead_.watched;
    const std::uint64_t needed = std::uint64_t{keys.issued_end} + look_ahead_.gap_limit;
    const std::uint64_t steps = std::max<std::uint64_t>((needed + step - 1) / step, 1);
    const std::uint64_t end = std::min<std::uint64_t>(steps * step, kHardened);
    if (keys.scripts.size() >= std::min(std::max(needed, step), end)) return false;

    if (!keys.children) {
        const auto parent = account_.derive(static_cast<std::uint32_t>(chain));
        assert(parent);
        keys.children.emplace(*parent);
    }
    keys.scripts.reserve(end);
    for (auto index = watched(chain); index < end; ++index) {
        const auto key = keys.children->key(index);
        assert(key);  // fails by chance once in 2^127, and can't be provoked
        add_script(chain, script_for(kind_, *key));
    }
    return true;
}

void KeyRing::add_script(KeyChain chain, chain::Bytes script) {
    auto& scripts = at(chain).scripts;
    const auto index = static_cast<std::uint32_t>(scripts.size());
    // The view stays good when the vector grows or moves: the bytes themselves stay where they are.
    const chain::Bytes& kept = scripts.emplace_back(std::move(script));
    paths_by_script_.emplace(as_text(kept), KeyPath{chain, index});
}

}  // namespace petal::wallet
